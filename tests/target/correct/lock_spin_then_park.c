/* A mutex that spins first and then sleeps on a futex
 * cause:    none: the word says whether somebody sleeps; the wake-up follows the release
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int word; /* 0 free, 1 taken, 2 taken and somebody sleeps */
static int shared;

static void lock(void)
{
    for (int i = 0; i < 4; i++) {
        int free = 0;
        if (atomic_compare_exchange_strong(&word, &free, 1))
            return;
    }
    while (atomic_exchange(&word, 2))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        lock();
        shared++;
        unlock();
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(shared == 12);
    return 0;
}
