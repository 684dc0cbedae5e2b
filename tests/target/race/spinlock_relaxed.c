/* A spin lock that is given up with relaxed order
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    memory-order
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int n;
static _Atomic int lock;

static void *one(void *arg)
{
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        sched_yield();
    n = n + 1; /* R1 */
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", n);
    return 0;
}
