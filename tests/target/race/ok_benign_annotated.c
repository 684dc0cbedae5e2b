/* A race that the program says is benign
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long size,
                             const char *why);

static int hits;

static void *work(void *arg)
{
    hits++;
    return arg;
}

int main(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "a statistic");
    run_both(work, work);
    return 0;
}
