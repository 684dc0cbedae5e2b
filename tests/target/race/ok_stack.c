/* A lock-free stack that is only pushed to while threads run
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

struct node {
    int value;
    struct node *next;
};
static _Atomic(struct node *) top;
static struct node nodes[2];
static _Atomic int used;

static void *one(void *arg)
{
    struct node *n = &nodes[atomic_fetch_add(&used, 1)];
    n->value = 1;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
                                                  memory_order_relaxed))
        ;
    return arg;
}

int main(void)
{
    int sum = 0;
    run_both(one, one);
    for (struct node *n = atomic_load(&top); n; n = n->next)
        sum += n->value;
    printf("%d\n", sum);
    return 0;
}
