/* A spin lock by exchange
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
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
    n++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", n);
    return 0;
}
