/* Treiber's stack of indices with a tag against reuse, in one word; free list of the same kind
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "threads.h"

static struct {
    atomic_uint next;
    int value;
} pool[4];
static _Atomic uint64_t free_list, top; /* index + 1 below, tag above */
static atomic_int sum;

static void push(_Atomic uint64_t *list, unsigned i)
{
    uint64_t old = atomic_load_explicit(list, memory_order_relaxed), now;
    do {
        atomic_store_explicit(&pool[i - 1].next, (unsigned)old, memory_order_relaxed);
        now = (((old >> 32) + 1) << 32) | i;
    } while (!atomic_compare_exchange_weak_explicit(list, &old, now, memory_order_release, memory_order_relaxed));
}

static unsigned pop(_Atomic uint64_t *list)
{
    uint64_t old = atomic_load_explicit(list, memory_order_acquire), now;
    do {
        if (!(unsigned)old)
            return 0;
        unsigned next = atomic_load_explicit(&pool[(unsigned)old - 1].next, memory_order_relaxed);
        now = (((old >> 32) + 1) << 32) | next;
    } while (!atomic_compare_exchange_weak_explicit(list, &old, now, memory_order_acquire, memory_order_acquire));
    return (unsigned)old;
}

static void *worker(void *arg)
{
    for (int i = 1; i < 4; i++) {
        unsigned n = pop(&free_list);
        if (!n)
            continue;
        pool[n - 1].value = i;
        push(&top, n);
        n = pop(&top);
        if (!n)
            continue;
        if (pool[n - 1].value < 1 || pool[n - 1].value > 3)
            abort();
        atomic_fetch_add(&sum, pool[n - 1].value);
        pool[n - 1].value = 0;
        push(&free_list, n);
    }
    return arg;
}

int main(void)
{
    for (unsigned i = 1; i < 4; i++)
        push(&free_list, i);
    run_both(worker, worker);
    return 0;
}
