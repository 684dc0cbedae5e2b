/* An annotation before a long run, of which most is not streamed
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long size,
                             const char *why);

static int hits;
static atomic_int turns;

static void *work(void *arg)
{
    for (int i = 0; i < 4000; i++) {
        hits++;
        atomic_fetch_add(&turns, 1);
    }
    return arg;
}

int main(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "a statistic");
    run_both(work, work);
    return turns != 8000;
}
