/* A long computation that goes one step too far at its very end
 * cause:    heap overflow by a site that was right some million times before
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

#define ROUNDS 100000

static atomic_int members = 40;

__attribute__((noinline)) static void add(volatile int *list, int n)
{
    for (int i = 0; i < n; i++)
        list[i] = i;
}

static void *worker(void *arg)
{
    int n = atomic_load(&members); /* A */
    int *list = malloc((size_t)n * sizeof *list);
    for (int i = 0; i < ROUNDS; i++)
        add(list, n);
    add(list, atomic_load(&members));
    free(list);
    return arg;
}

static void *joiner(void *arg)
{
    atomic_fetch_add(&members, 1); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, joiner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
