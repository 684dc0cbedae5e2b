/* A ring without locks from one thread to another, with padded indices; both sides wait
 * by looping: at least 5 steps a round
 * args:     rounds
 * races:    none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS 64

static _Alignas(64) atomic_ulong head;
static _Alignas(64) atomic_ulong tail;
static _Alignas(64) long slot[SLOTS];
static long rounds;

static void *produce(void *arg)
{
    for (long i = 0; i < rounds; i++) {
        unsigned long at = atomic_load_explicit(&head, memory_order_relaxed);
        while (at - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS)
            sched_yield();
        slot[at % SLOTS] = i;
        atomic_store_explicit(&head, at + 1, memory_order_release);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_create(&t, 0, produce, 0);
    int wrong = 0;
    for (long i = 0; i < rounds; i++) {
        unsigned long at = atomic_load_explicit(&tail, memory_order_relaxed);
        while (at == atomic_load_explicit(&head, memory_order_acquire))
            ;
        wrong |= slot[at % SLOTS] != i;
        atomic_store_explicit(&tail, at + 1, memory_order_release);
    }
    pthread_join(t, 0);
    return wrong;
}
