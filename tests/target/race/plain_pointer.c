/* A structure is filled and then handed over by a pointer that is no atomic
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    any
 * tsan:     T1-R4, the allocation, where the write behind it is meant
 */
#include <stdlib.h>

#include "threads.h"

struct item {
    int value;
};
static struct item *shared;
static volatile int got;

static void *publish(void *arg)
{
    struct item *it = malloc(sizeof *it); /* T1 */
    it->value = 7; /* R3 */
    shared = it; /* R1 */
    return arg;
}

static void *use(void *arg)
{
    struct item *it = shared; /* R2 */
    if (it)
        got = it->value; /* R4 */
    return arg;
}

int main(void)
{
    run_both(publish, use);
    free(shared);
    return 0;
}
