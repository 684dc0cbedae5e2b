/* A branch that is taken only if the other thread is between two of its lines
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <stdatomic.h>

static int n;
static _Atomic int is_begun;

static void *one(void *arg)
{
    atomic_store(&is_begun, 1);
    n = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    if (atomic_load(&is_begun))
        printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
