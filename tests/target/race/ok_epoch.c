/* Memory is freed two epochs after it was taken out
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct box {
    int value;
};
static _Atomic(struct box *) shared;
static atomic_int in_use[2]; /* readers of even and odd epochs */
static atomic_int epoch;

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int e;
        for (;;) {
            e = atomic_load(&epoch);
            atomic_fetch_add(&in_use[e & 1], 1);
            if (atomic_load(&epoch) == e)
                break;
            atomic_fetch_sub(&in_use[e & 1], 1);
        }
        struct box *b = atomic_load(&shared);
        if (b->value < 1)
            abort();
        atomic_fetch_sub(&in_use[e & 1], 1);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 2; i < 4; i++) {
        struct box *b = malloc(sizeof *b);
        b->value = i;
        struct box *old = atomic_exchange(&shared, b);
        int e = atomic_fetch_add(&epoch, 1);
        while (atomic_load(&in_use[e & 1]))
            sched_yield();
        old->value = 0;
        free(old);
    }
    return arg;
}

int main(void)
{
    struct box *b = malloc(sizeof *b);
    b->value = 1;
    atomic_store(&shared, b);
    run_both(reader, writer);
    free(atomic_load(&shared));
    return 0;
}
