/* Hazard pointer that is not checked again after it is set
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct box {
    int value;
};
static _Atomic(struct box *) shared, hazard;
static int out;

static void *reader(void *arg)
{
    struct box *b = atomic_load(&shared);
    atomic_store(&hazard, b);
    out = b->value; /* R1 */
    atomic_store(&hazard, NULL);
    return arg;
}

static void *writer(void *arg)
{
    struct box *b = malloc(sizeof *b);
    b->value = 2;
    struct box *old = atomic_exchange(&shared, b);
    while (atomic_load(&hazard) == old)
        sched_yield();
    free(old); /* R2 */
    return arg;
}

int main(void)
{
    struct box *b = malloc(sizeof *b);
    b->value = 1;
    atomic_store(&shared, b);
    run_both(reader, writer);
    printf("%d\n", out > 0);
    free(atomic_load(&shared));
    return 0;
}
