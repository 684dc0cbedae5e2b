/* Dekker's algorithm: relaxed flags, sequentially consistent fences; the turn decides
 * build:    gcc -g -O1 -fsanitize=thread -Wno-tsan
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_int wants[2], turn;
static int counter;

static void section(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&wants[!me], memory_order_relaxed)) {
        if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
            while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
                sched_yield();
            atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
            atomic_thread_fence(memory_order_seq_cst);
        } else
            sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    counter++;
    atomic_store_explicit(&turn, !me, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
}

static void *zero(void *arg) { section(0), section(0); return arg; }
static void *one(void *arg) { section(1), section(1); return arg; }

int main(void)
{
    run_both(zero, one);
    return counter != 4;
}
