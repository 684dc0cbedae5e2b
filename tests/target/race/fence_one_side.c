/* A release fence, and no acquire on the other side
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int data;
static _Atomic int is_ready;

static void *one(void *arg)
{
    data = 42; /* R1 */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    return arg;
}

static void *two(void *arg)
{
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed))
        sched_yield();
    int got = data; /* R2 */
    printf("%d\n", got);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
