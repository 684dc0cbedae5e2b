/* A sequence lock whose reader looks at the number once
 * cause:    optimistic read: the version is checked before the data, not after
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int version, x, y; /* x == y whenever version is even */

static void *writer(void *arg)
{
    atomic_fetch_add(&version, 1);
    atomic_store(&x, 1);
    atomic_store(&y, 1); /* A */
    atomic_fetch_add(&version, 1);
    return arg;
}

static void *reader(void *arg)
{
    while (atomic_load(&version) & 1)
        sched_yield();
    int a = atomic_load(&x);
    int b = atomic_load(&y); /* B */
    assert(a == b);
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
