/* A structure is changed in place after its pointer was published
 * build:    clang -shared-libsan -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct item {
    int key, refs;
};
static _Atomic(struct item *) shared;
static int out;

static void *publisher(void *arg)
{
    struct item *i = malloc(sizeof *i);
    i->key = 3;
    i->refs = 0;
    atomic_store_explicit(&shared, i, memory_order_release);
    i->refs = 1; /* R1 */
    return arg;
}

static void *user(void *arg)
{
    struct item *i = atomic_load_explicit(&shared, memory_order_acquire);
    if (i)
        out = i->key + i->refs; /* R2 */
    return arg;
}

int main(void)
{
    run_both(publisher, user);
    printf("%d\n", out);
    free(atomic_load(&shared));
    return 0;
}
