/* A readers-writer lock of one atomic word; the writer becomes a reader without letting go
 * build:    clang -shared-libsan -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_int word; /* -1 written, n read */
static int table[4], version;

static void read_lock(void)
{
    for (;;) {
        int w = atomic_load_explicit(&word, memory_order_relaxed);
        if (w >= 0 && atomic_compare_exchange_weak_explicit(&word, &w, w + 1, memory_order_acquire, memory_order_relaxed))
            return;
        sched_yield();
    }
}
static void read_unlock(void) { atomic_fetch_sub_explicit(&word, 1, memory_order_release); }
static void write_lock(void)
{
    int w = 0;
    while (!atomic_compare_exchange_weak_explicit(&word, &w, -1, memory_order_acquire, memory_order_relaxed)) {
        w = 0;
        sched_yield();
    }
}
static void downgrade(void) { atomic_store_explicit(&word, 1, memory_order_release); }

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        write_lock();
        version++;
        for (int k = 0; k < 4; k++)
            table[k] = version;
        downgrade();
        if (table[0] != table[3])
            abort();
        read_unlock();
        read_lock();
        if (table[1] != table[2])
            abort();
        read_unlock();
    }
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    return version != 4;
}
