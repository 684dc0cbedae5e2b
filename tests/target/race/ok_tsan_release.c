/* An order that __tsan_release and __tsan_acquire tell
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
static int data;
static _Atomic int is_ready;

static void *one(void *arg)
{
    data = 1;
    __tsan_release((void *)&is_ready);
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    return arg;
}

static void *two(void *arg)
{
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed))
        sched_yield();
    __tsan_acquire((void *)&is_ready);
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
