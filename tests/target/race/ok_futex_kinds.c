/* A lock of the kernel (FUTEX_LOCK_PI), and a condition of FUTEX_CMP_REQUEUE and FUTEX_WAIT_BITSET
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

static atomic_int pi, sequence, word;
static int value, ready;

static long futex(atomic_int *a, int op, int v, void *t, atomic_int *b, int v3)
{
    return syscall(SYS_futex, a, op | FUTEX_PRIVATE_FLAG, v, t, b, v3);
}

static void lock_pi(void)
{
    int none = 0, me = (int)syscall(SYS_gettid);
    if (!atomic_compare_exchange_strong(&pi, &none, me) && futex(&pi, FUTEX_LOCK_PI, 0, NULL, NULL, 0))
        abort();
}

static void unlock_pi(void)
{
    int me = (int)syscall(SYS_gettid);
    if (!atomic_compare_exchange_strong(&pi, &me, 0))
        futex(&pi, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

static void lock(void)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&word, &none, 1))
        return;
    while (atomic_exchange(&word, 2))
        futex(&word, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *waits(void *arg)
{
    lock();
    while (!ready) {
        int seen = atomic_load(&sequence);
        unlock();
        futex(&sequence, FUTEX_WAIT_BITSET, seen, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
        while (atomic_exchange(&word, 2))
            futex(&word, FUTEX_WAIT, 2, NULL, NULL, 0);
    }
    ready++;
    unlock();
    lock_pi();
    value++;
    unlock_pi();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waits, NULL);
    lock_pi();
    value++;
    unlock_pi();
    lock();
    ready = 1;
    int now = atomic_fetch_add(&sequence, 1) + 1;
    atomic_store(&word, 2);
    futex(&sequence, FUTEX_CMP_REQUEUE, 1, (void *)8, &word, now);
    unlock();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return value != 3 || ready != 3;
}
