/* Seqlock with several writers: odd by compare-exchange; the data relaxed atomics
 * build:    clang -shared-libsan -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_uint seq;
static atomic_int x, y;
static int last_writer; /* plain, written between the two counts alone */

static void *writer(void *arg)
{
    for (int i = 1; i < 4; i++) {
        unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
        while ((s & 1) || !atomic_compare_exchange_weak_explicit(&seq, &s, s + 1, memory_order_acquire, memory_order_relaxed)) {
            sched_yield();
            s = atomic_load_explicit(&seq, memory_order_relaxed);
        }
        atomic_thread_fence(memory_order_release);
        last_writer = i;
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_store_explicit(&y, -i, memory_order_relaxed);
        atomic_store_explicit(&seq, s + 2, memory_order_release);
    }
    return arg;
}

static void *reader(void *arg)
{
    int a, b;
    unsigned s, t;
    do {
        s = atomic_load_explicit(&seq, memory_order_acquire);
        a = atomic_load_explicit(&x, memory_order_relaxed);
        b = atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        t = atomic_load_explicit(&seq, memory_order_relaxed);
        if (s != t || (s & 1))
            sched_yield();
    } while (s != t || (s & 1));
    if (a + b)
        abort();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    run_both(writer, reader);
    pthread_join(t, NULL);
    return last_writer != 3;
}
