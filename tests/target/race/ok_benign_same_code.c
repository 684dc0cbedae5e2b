/* One function counts what is annotated as benign and what a semaphore protects
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <semaphore.h>

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long size,
                             const char *why);

static int hits, total;
static sem_t turn;

static void count(int *n) { *n = *n + 1; }

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        count(&hits);
        sem_wait(&turn);
        count(&total);
        sem_post(&turn);
    }
    return arg;
}

int main(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "a statistic");
    sem_init(&turn, 0, 1);
    run_both(work, work);
    return total != 6;
}
