/* A library writes behind a table that is never freed
 * cause:    heap overflow by code without hooks, noticed at the end of the run
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

static atomic_int length = 3;

/* Stands for a library that was built without instrumentation. */
__attribute__((noinline, no_sanitize("thread"))) static void library_fill(volatile char *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = 1;
}

static char *table;

static void *user(void *arg)
{
    table = malloc((size_t)atomic_load(&length)); /* A */
    library_fill(table, atomic_load(&length));
    return arg;
}

static void *grower(void *arg)
{
    atomic_store(&length, 5); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, grower, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
