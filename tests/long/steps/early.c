/* Two threads add to many counters: 2 steps a round of both. An order near the beginning (the second
 * thread comes in while the first is in its first part) is noticed at the very end
 * args:     rounds
 * races:    none
 * finds:    assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define COUNTERS 64
#define PART 6000

static atomic_long counter[COUNTERS];
static atomic_long others; /* rounds of the second thread */
static long rounds;
static int has_come_in;

static void *first(void *arg)
{
    for (long i = 0; i < rounds; i++) {
        atomic_fetch_add_explicit(&counter[i % COUNTERS], 1, memory_order_relaxed);
        if (i == PART / 8)
            has_come_in = -(int)!atomic_load(&others);
        if (i == PART && has_come_in)
            has_come_in = atomic_load(&others) > 0 && atomic_load(&others) < rounds;
    }
    return arg;
}

static void *second(void *arg)
{
    for (long i = 0; i < rounds; i++) {
        atomic_fetch_add_explicit(&counter[i % COUNTERS], 1, memory_order_relaxed);
        if (i % 16 == 0)
            atomic_store_explicit(&others, i + 1, memory_order_relaxed);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    rounds = argc > 1 ? atol(argv[1]) : 10000;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(has_come_in != 1);
    return 0;
}
