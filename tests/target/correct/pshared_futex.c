/* A lock of futex calls without the private flag
 * cause:    none: who waits says so before it sleeps
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct shared {
    atomic_int word; /* 0 free, 1 taken, 2 taken and somebody may wait */
    int n;
} *m;

static void lock(void)
{
    int v = 0;
    if (atomic_compare_exchange_strong(&m->word, &v, 1))
        return;
    while (atomic_exchange(&m->word, 2) != 0)
        syscall(SYS_futex, &m->word, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&m->word, 0) == 2)
        syscall(SYS_futex, &m->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        lock();
        m->n++;
        unlock();
    }
    return arg;
}

int main(void)
{
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(m->n == 12);
    return 0;
}
