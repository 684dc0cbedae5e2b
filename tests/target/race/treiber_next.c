/* A stack without locks: pop looks at the link of a node that was popped and pushed again meanwhile
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 * runs:     100
 */
#include "threads.h"

struct node {
    struct node *next;
};
static struct node a, b;
static struct node *top;

static void push(struct node *n)
{
    struct node *was = __atomic_load_n(&top, __ATOMIC_ACQUIRE);
    do
        n->next = was; /* R1 */
    while (!__atomic_compare_exchange_n(&top, &was, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct node *pop(void)
{
    struct node *was = __atomic_load_n(&top, __ATOMIC_ACQUIRE), *next;
    do {
        if (!was)
            return NULL;
        next = was->next; /* R2 */
    } while (!__atomic_compare_exchange_n(&top, &was, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return was;
}

static void *again(void *arg)
{
    struct node *n = pop();
    if (n)
        push(n);
    return arg;
}

int main(void)
{
    push(&a);
    push(&b);
    run_both(again, again);
    return 0;
}
