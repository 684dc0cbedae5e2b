/* A ticket lock of relaxed operations and fences
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_uint next, now;
static int total;

static void *one(void *arg)
{
    for (int i = 0; i < 2; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (atomic_load_explicit(&now, memory_order_relaxed) != mine)
            sched_yield();
        atomic_thread_fence(memory_order_acquire);
        total = total + 1;
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&now, mine + 1, memory_order_relaxed);
    }
    return arg;
}

int main(void)
{
    run_both(one, one);
    return total != 4;
}
