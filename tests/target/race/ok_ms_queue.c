/* Michael and Scott's queue; nodes are freed after all threads ended
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct node {
    _Atomic(struct node *) next;
    struct node *all;
    int value;
};
static _Atomic(struct node *) head, tail;
static atomic_int taken;

static void put(int v)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = v;
    for (;;) {
        struct node *t = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&t->next, memory_order_acquire);
        if (t != atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &t, next, memory_order_release, memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&t->next, &next, n, memory_order_release, memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &t, n, memory_order_release, memory_order_relaxed);
            return;
        }
    }
}

static int take(void)
{
    for (;;) {
        struct node *h = atomic_load_explicit(&head, memory_order_acquire);
        struct node *t = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&h->next, memory_order_acquire);
        if (h != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (!next)
            return 0;
        if (h == t) {
            atomic_compare_exchange_strong_explicit(&tail, &t, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        int v = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &h, next, memory_order_acq_rel, memory_order_relaxed))
            return v;
    }
}

static void *producer(void *arg)
{
    put(1), put(2);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        atomic_fetch_add(&taken, take());
        sched_yield();
    }
    return arg;
}

int main(void)
{
    struct node *dummy = calloc(1, sizeof *dummy), *n;
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    run_both(producer, consumer);
    int v;
    while ((v = take()))
        atomic_fetch_add(&taken, v);
    for (n = dummy; n;) {
        struct node *next = atomic_load(&n->next);
        free(n);
        n = next;
    }
    return taken != 3;
}
