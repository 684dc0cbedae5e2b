/* A spin lock by compare-exchange that fails relaxed
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
    int free = 0;
    while (!atomic_compare_exchange_weak_explicit(&lock, &free, 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
        free = 0;
        sched_yield();
    }
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
