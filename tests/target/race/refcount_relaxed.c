/* The last reference is given up without acquire
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 */
#include "threads.h"
#include <stdatomic.h>

static int data;
static _Atomic int refs = 2;
static int sum;

static void *one(void *arg)
{
    data = 1; /* R1 */
    if (atomic_fetch_sub_explicit(&refs, 1, memory_order_release) == 1)
        sum = 1;
    return arg;
}

static void *two(void *arg)
{
    if (atomic_fetch_sub_explicit(&refs, 1, memory_order_release) == 1)
        sum = data; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
