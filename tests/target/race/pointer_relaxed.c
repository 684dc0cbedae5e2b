/* A pointer published with relaxed order
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 * tsan:     T1-R2, the allocation, where the write behind it is meant
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};
static _Atomic(struct node *) head;

static void *one(void *arg)
{
    struct node *n = malloc(sizeof *n); /* T1 */
    n->value = 5; /* R1 */
    atomic_store_explicit(&head, n, memory_order_relaxed);
    return arg;
}

static void *two(void *arg)
{
    struct node *n;
    while (!(n = atomic_load_explicit(&head, memory_order_relaxed)))
        sched_yield();
    printf("%d\n", n->value); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    free(atomic_load(&head));
    return 0;
}
