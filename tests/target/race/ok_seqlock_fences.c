/* A sequence lock with fences: the data are relaxed atomics, the order comes from fences alone
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>

#include "threads.h"

static atomic_uint sequence;
static atomic_int low, high;

static void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&low, i, memory_order_relaxed);
        atomic_store_explicit(&high, -i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return arg;
}

static void *reader(void *arg)
{
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&low, memory_order_relaxed);
        b = atomic_load_explicit(&high, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before & 1);
    return a == -b ? arg : &sequence;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
