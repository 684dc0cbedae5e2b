/* Vyukov's queue for several producers and one consumer: push by exchange, then the link; a consumer that
 * meets the gap between the two comes back later
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct node {
    _Atomic(struct node *) next;
    int value;
};
static struct node stub;
static _Atomic(struct node *) head = &stub;
static struct node *tail = &stub;

static void push(struct node *n)
{
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&head, n, memory_order_acq_rel);
    atomic_store_explicit(&before->next, n, memory_order_release);
}

static struct node *pop(void)
{
    struct node *t = tail, *next = atomic_load_explicit(&t->next, memory_order_acquire);
    if (t == &stub) {
        if (!next)
            return NULL;
        tail = t = next;
        next = atomic_load_explicit(&t->next, memory_order_acquire);
    }
    if (!next) {
        if (t != atomic_load_explicit(&head, memory_order_acquire))
            return NULL;
        push(&stub);
        next = atomic_load_explicit(&t->next, memory_order_acquire);
        if (!next)
            return NULL;
    }
    tail = next;
    return t;
}

static void *producer(void *arg)
{
    for (int i = 1; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        push(n);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, producer, NULL);
    for (int n = 0; n < 4;) {
        struct node *got = pop();
        if (!got) {
            sched_yield();
            continue;
        }
        sum += got->value;
        got->value = 0;
        free(got);
        n++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum != 6;
}
