/* The last reference acquires by a fence
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static int data;
static _Atomic int refs = 2;
static int sum;

static void *one(void *arg)
{
    data = 1;
    if (atomic_fetch_sub_explicit(&refs, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        sum = 1;
    }
    return arg;
}

static void *two(void *arg)
{
    if (atomic_fetch_sub_explicit(&refs, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        sum = data;
    }
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
