/* A mailbox: pushed to by compare-exchange, taken as a whole by exchange; who empties it owns all of it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct letter {
    struct letter *next;
    int value;
};
static _Atomic(struct letter *) box;
static atomic_int delivered;
static _Atomic int sum;

static void *sender(void *arg)
{
    for (int i = 1; i < 3; i++) {
        struct letter *l = malloc(sizeof *l);
        l->value = i;
        l->next = atomic_load_explicit(&box, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&box, &l->next, l, memory_order_release, memory_order_relaxed))
            ;
    }
    return arg;
}

static void *receiver(void *arg)
{
    while (atomic_load_explicit(&delivered, memory_order_relaxed) < 4) {
        struct letter *l = atomic_exchange_explicit(&box, NULL, memory_order_acquire);
        if (!l)
            sched_yield();
        while (l) {
            struct letter *next = l->next;
            atomic_fetch_add_explicit(&sum, l->value, memory_order_relaxed);
            l->next = NULL;
            free(l);
            atomic_fetch_add_explicit(&delivered, 1, memory_order_relaxed);
            l = next;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? sender : receiver, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return sum != 6;
}
