/* An update of a third thread continues the release sequence
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int data;
static _Atomic int state;

static void *one(void *arg)
{
    data = 1;
    atomic_store_explicit(&state, 1, memory_order_release);
    atomic_fetch_add_explicit(&state, 1, memory_order_relaxed);
    return arg;
}

static void *two(void *arg)
{
    while (atomic_load_explicit(&state, memory_order_acquire) < 2)
        sched_yield();
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
