/* A release fence and an acquire load
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int data;
static _Atomic int is_ready;

static void *one(void *arg)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    return arg;
}

static void *two(void *arg)
{
    while (!atomic_load_explicit(&is_ready, memory_order_acquire))
        sched_yield();
    int got = data;
    printf("%d\n", got);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
