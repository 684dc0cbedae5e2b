/* A sequence lock over atomics
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static _Atomic unsigned seq;
static _Atomic int x, y;

static void *one(void *arg)
{
    atomic_fetch_add_explicit(&seq, 1, memory_order_acq_rel);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&seq, 1, memory_order_release);
    return arg;
}

static void *two(void *arg)
{
    unsigned s;
    int a, b;
    do {
        s = atomic_load_explicit(&seq, memory_order_acquire);
        a = atomic_load_explicit(&x, memory_order_relaxed);
        b = atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while (s % 2 || s != atomic_load_explicit(&seq, memory_order_relaxed));
    printf("%d\n", a == b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
