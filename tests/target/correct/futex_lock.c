/* A futex lock with three states
 * cause:    none: an unlock that finds state 2 always wakes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int state; /* 0 free, 1 taken, 2 taken and perhaps waited for */

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(&state, &seen, 1))
        return;
    while (atomic_exchange(&state, 2))
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&state, 0) == 2)
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        lock();
        ++*(int *)arg;
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &count);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return count == 9 ? 0 : 1;
}
