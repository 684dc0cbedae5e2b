/* A recursive lock by hand: its owner is a relaxed atomic that others may read at any time, its depth is
 * plain and only touched by the owner
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_int is_held;
static _Atomic(pthread_t) owner;
static int depth, value;

static void lock(void)
{
    pthread_t me = pthread_self();
    if (atomic_load_explicit(&owner, memory_order_relaxed) != me) {
        while (atomic_exchange_explicit(&is_held, 1, memory_order_acquire))
            sched_yield();
        atomic_store_explicit(&owner, me, memory_order_relaxed);
    }
    depth++;
}

static void unlock(void)
{
    if (--depth)
        return;
    atomic_store_explicit(&owner, (pthread_t)0, memory_order_relaxed);
    atomic_store_explicit(&is_held, 0, memory_order_release);
}

static void add(int n)
{
    lock();
    value++;
    if (n)
        add(n - 1);
    unlock();
}

static void *work(void *arg)
{
    add(2);
    add(0);
    return arg;
}

int main(void)
{
    run_both(work, work);
    return value != 8 || depth;
}
