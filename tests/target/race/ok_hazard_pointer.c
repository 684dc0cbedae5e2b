/* A reader announces the node it uses; who replaced it waits until nobody does, then frees it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};
static struct node *_Atomic current;
static struct node *_Atomic hazard;

static void *reader(void *arg)
{
    struct node *n;
    do {
        n = atomic_load(&current);
        atomic_store(&hazard, n);
    } while (n != atomic_load(&current));
    int seen = n->value;
    atomic_store(&hazard, NULL);
    return seen > 2 ? arg : NULL;
}

static void *writer(void *arg)
{
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = 2;
    struct node *old = atomic_exchange(&current, fresh);
    while (atomic_load(&hazard) == old)
        sched_yield();
    free(old);
    return arg;
}

int main(void)
{
    struct node *first = malloc(sizeof *first);
    first->value = 1;
    atomic_store(&current, first);
    run_both(reader, writer);
    free(current);
    return 0;
}
