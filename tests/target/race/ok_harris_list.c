/* A sorted list with marked pointers: removal in two steps, by compare-exchange
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "threads.h"

struct node {
    int key;
    _Atomic uintptr_t next; /* bit 0: removed */
};
static struct node head, pool[8];
static atomic_uint used;

static struct node *at(uintptr_t p) { return (struct node *)(p & ~(uintptr_t)1); }

static int find(int key, struct node **before, struct node **here)
{
again:
    *before = &head;
    *here = at(atomic_load_explicit(&head.next, memory_order_acquire));
    while (*here) {
        uintptr_t next = atomic_load_explicit(&(*here)->next, memory_order_acquire);
        if (next & 1) {
            uintptr_t old = (uintptr_t)*here;
            if (!atomic_compare_exchange_strong(&(*before)->next, &old, next & ~(uintptr_t)1))
                goto again;
            *here = at(next);
            continue;
        }
        if ((*here)->key >= key)
            return (*here)->key == key;
        *before = *here;
        *here = at(next);
    }
    return 0;
}

static int insert(int key)
{
    struct node *n = &pool[atomic_fetch_add(&used, 1)], *before, *here;
    n->key = key;
    for (;;) {
        if (find(key, &before, &here))
            return 0;
        atomic_store_explicit(&n->next, (uintptr_t)here, memory_order_relaxed);
        uintptr_t old = (uintptr_t)here;
        if (atomic_compare_exchange_strong_explicit(&before->next, &old, (uintptr_t)n, memory_order_release, memory_order_relaxed))
            return 1;
    }
}

static int erase(int key)
{
    struct node *before, *here;
    for (;;) {
        if (!find(key, &before, &here))
            return 0;
        uintptr_t next = atomic_load_explicit(&here->next, memory_order_acquire);
        if (next & 1 || !atomic_compare_exchange_strong(&here->next, &next, next | 1))
            continue;
        find(key, &before, &here);
        return 1;
    }
}

static void *one(void *arg) { insert(1); insert(3); erase(1); return arg; }
static void *two(void *arg) { insert(2); erase(3); insert(1); return arg; }

int main(void)
{
    run_both(one, two);
    int n = 0, last = 0;
    for (struct node *p = at(head.next); p; p = at(p->next)) {
        if (p->key <= last)
            abort();
        last = p->key;
        n++;
    }
    return n < 1 || n > 3;
}
