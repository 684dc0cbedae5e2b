/* A futex lock whose unlock looks for waiters too early
 * cause:    lost wake-up in a hand-written futex lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int state, waiters;

static void lock(void)
{
    while (atomic_exchange(&state, 1)) {
        atomic_fetch_add(&waiters, 1);
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0); /* A */
        atomic_fetch_sub(&waiters, 1);
    }
}

static void unlock(void)
{
    int n = atomic_load(&waiters);
    atomic_store(&state, 0); /* B */
    if (n)
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *arg)
{
    lock();
    ++*(int *)arg;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int count = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &count);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return count == 2 ? 0 : 1;
}
