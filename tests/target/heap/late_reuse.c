/* A library writes to a message that was given back long ago
 * cause:    use after free by code without hooks, noticed when the memory is reused
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

static void *volatile used;

static void *user(void *arg)
{
    char *p = malloc(40);
    if (atomic_load(&length) == 5)
        return free(p), arg;
    library_fill(p, 3); /* A */
    if (atomic_load(&length) == 5)
        free(p);
    library_fill(p, 2);
    for (int i = 0; i < 100; i++)
        free(used = malloc(20000));
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
