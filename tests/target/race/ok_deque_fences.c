/* Work-stealing deque with fences (Chase and Lev); what the tasks point to is plain
 * build:    gcc -g -O1 -fsanitize=thread -Wno-tsan
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_long top, bottom;
static _Atomic(int *) items[4];
static int job[4];
static atomic_int done;

static void push(int *x)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b & 3], x, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int *take(void)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    int *x = NULL;
    if (t <= b) {
        x = atomic_load_explicit(&items[b & 3], memory_order_relaxed);
        if (t == b) {
            if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
                x = NULL;
            atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        }
    } else
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return x;
}

static int *steal(void)
{
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return NULL;
    int *x = atomic_load_explicit(&items[t & 3], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return NULL;
    return x;
}

static void *owner(void *arg)
{
    int *x;
    for (int i = 0; i < 3; i++) {
        job[i] = i + 1;
        push(&job[i]);
    }
    while ((x = take())) {
        atomic_fetch_add(&done, *x);
        *x = 0;
    }
    return arg;
}

static void *thief(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *x = steal();
        if (x) {
            atomic_fetch_add(&done, *x);
            *x = 0;
        }
        sched_yield();
    }
    return arg;
}

int main(void)
{
    run_both(owner, thief);
    return done != 6;
}
