/* Counters of threads, relaxed, each changed by its owner alone by load and store; a third thread adds them up now and then
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>

#include "threads.h"

static _Alignas(64) atomic_int shard[2][16];
static int last;

static void count(atomic_int *c)
{
    for (int i = 0; i < 4; i++)
        atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + 1, memory_order_relaxed);
}

static int sum(void)
{
    return atomic_load_explicit(&shard[0][0], memory_order_relaxed) + atomic_load_explicit(&shard[1][0], memory_order_relaxed);
}

static void *one(void *arg) { count(&shard[0][0]); return arg; }
static void *two(void *arg) { count(&shard[1][0]); return arg; }
static void *watcher(void *arg)
{
    for (int i = 0; i < 3; i++)
        last = sum();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, watcher, NULL);
    run_both(one, two);
    pthread_join(t, NULL);
    printf("%d\n", sum());
    return sum() != 8 || last > 8;
}
