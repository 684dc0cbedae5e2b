/* A lane too many in an aligned buffer
 * cause:    heap overflow of an aligned block: lanes are counted again after the allocation
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int lanes = 2;

static void *sum(void *arg)
{
    void *p = NULL;
    int n = atomic_load(&lanes); /* A */
    if (posix_memalign(&p, 64, (size_t)n * 64))
        return NULL;
    volatile double *lane = p;
    n = atomic_load(&lanes);
    for (int i = 0; i < n; i++)
        lane[8 * i] = i;
    free(p);
    return arg;
}

static void *widen(void *arg)
{
    atomic_fetch_add(&lanes, 1); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sum, NULL);
    pthread_create(&b, NULL, widen, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
