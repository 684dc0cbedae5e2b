/* A reference is given back, and the object is looked at once more
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static struct object {
    atomic_int count;
    int flags;
} *object;
static volatile int seen;

static void *put(void *arg)
{
    if (atomic_fetch_sub(&object->count, 1) == 1)
        free(object); /* R1 */
    return arg;
}

static void *put_and_look(void *arg)
{
    if (atomic_fetch_sub(&object->count, 1) == 1)
        free(object);
    else
        seen = object->flags; /* R2 */
    return arg;
}

int main(void)
{
    object = malloc(sizeof *object);
    object->flags = 1;
    atomic_init(&object->count, 2);
    run_both(put, put_and_look);
    return 0;
}
