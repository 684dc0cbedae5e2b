/* Eventcount by hand: ticket, look again, sleep on the futex; data plain
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

static atomic_int epoch, waiters, ready;
static int data[3];

static void notify(void)
{
    atomic_fetch_add(&epoch, 1);
    if (atomic_load(&waiters))
        syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static void await(int n)
{
    for (;;) {
        if (atomic_load_explicit(&ready, memory_order_acquire) >= n)
            return;
        atomic_fetch_add(&waiters, 1);
        int key = atomic_load(&epoch);
        if (atomic_load_explicit(&ready, memory_order_acquire) >= n) {
            atomic_fetch_sub(&waiters, 1);
            return;
        }
        syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, key, NULL, NULL, 0);
        atomic_fetch_sub(&waiters, 1);
    }
}

static void *producer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        data[i] = i + 1;
        atomic_fetch_add_explicit(&ready, 1, memory_order_release);
        notify();
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        await(i + 1);
        if (data[i] != i + 1)
            abort();
    }
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return 0;
}
