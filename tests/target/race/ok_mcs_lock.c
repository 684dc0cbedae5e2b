/* A queue lock: each waiter spins on a node of its own stack
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};
static _Atomic(struct node *) tail;
static int total;

static void take(struct node *n)
{
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&n->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, n, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, n, memory_order_release);
    while (atomic_load_explicit(&n->waits, memory_order_acquire))
        sched_yield();
}

static void give(struct node *n)
{
    struct node *next = atomic_load_explicit(&n->next, memory_order_acquire), *own = n;
    if (!next) {
        if (atomic_compare_exchange_strong_explicit(&tail, &own, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while (!(next = atomic_load_explicit(&n->next, memory_order_acquire)))
            sched_yield();
    }
    atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void *one(void *arg)
{
    for (int i = 0; i < 2; i++) {
        struct node n;
        take(&n);
        total = total + 1;
        give(&n);
    }
    return arg;
}

int main(void)
{
    run_both(one, one);
    return total != 4;
}
