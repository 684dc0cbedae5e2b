/* A compare-exchange that fails with relaxed order
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int data;
static _Atomic int state;

static void *one(void *arg)
{
    data = 1; /* R1 */
    atomic_store_explicit(&state, 2, memory_order_release);
    return arg;
}

static void *two(void *arg)
{
    int seen = 0;
    while (atomic_compare_exchange_strong_explicit(&state, &seen, 0, memory_order_acquire,
                                                   memory_order_relaxed))
        sched_yield();
    printf("%d\n", data); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
