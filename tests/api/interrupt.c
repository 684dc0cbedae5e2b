/* A handled signal ends waits that POSIX lets it end, and no others. */
#include "check.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_done, is_open, word;

static void handler(int sig)
{
}

static void *in_sem(void *arg)
{
    FAILS(sem_wait(&sem), EINTR);
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *in_nanosleep(void *arg)
{
    struct timespec long_time = {1000, 0}, rem = {-1, -1};
    int r = nanosleep(&long_time, &rem);
    CHECK(r == 0 || (r == -1 && errno == EINTR));
    if (r == 0)
        CHECK(rem.tv_sec == -1 && rem.tv_nsec == -1);
    else
        CHECK(rem.tv_sec >= 0 && rem.tv_sec <= 1000 && rem.tv_nsec >= 0 && rem.tv_nsec < NS);
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *in_clock_nanosleep(void *arg)
{
    struct timespec until = in_ms(CLOCK_MONOTONIC, 1000000), rem = {-1, -1};
    int r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &rem);
    CHECK(r == EINTR || (r == 0 && is_past(CLOCK_MONOTONIC, until)));
    CHECK(rem.tv_sec == -1); /* not written for absolute times */
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *in_sleep(void *arg)
{
    CHECK(sleep(1000) <= 1000);
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *in_futex(void *arg)
{
    FAILS(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL), EINTR);
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *in_cond(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    while (!is_open)
        IS(pthread_cond_wait(&c, &m), 0);
    IS(pthread_mutex_unlock(&m), 0);
    return NULL;
}

static void *in_lock(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    IS(pthread_mutex_unlock(&m), 0);
    return NULL;
}

/* Sends signals until the wait has ended: one may come before it began. Under
 * virtual time even a long sleep may end by itself first. */
static void interrupt(void *(*fn)(void *))
{
    pthread_t t;
    is_done = 0;
    IS(pthread_create(&t, NULL, fn, NULL), 0);
    while (!__atomic_load_n(&is_done, __ATOMIC_SEQ_CST)) {
        IS(pthread_kill(t, SIGUSR1), 0);
        sched_yield();
    }
    IS(pthread_join(t, NULL), 0);
}

int main(void)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = handler;
    IS(sigaction(SIGUSR1, &sa, NULL), 0);
    IS(sem_init(&sem, 0, 0), 0);
    interrupt(in_sem);
    interrupt(in_futex);

    pthread_t t;
    IS(pthread_create(&t, NULL, in_cond, NULL), 0);
    for (int i = 0; i < 5; i++) {
        IS(pthread_kill(t, SIGUSR1), 0);
        sched_yield();
    }
    IS(pthread_mutex_lock(&m), 0);
    is_open = 1;
    IS(pthread_cond_broadcast(&c), 0);
    IS(pthread_mutex_unlock(&m), 0);
    IS(pthread_join(t, NULL), 0);

    IS(pthread_mutex_lock(&m), 0);
    IS(pthread_create(&t, NULL, in_lock, NULL), 0);
    for (int i = 0; i < 5; i++) {
        IS(pthread_kill(t, SIGUSR1), 0);
        sched_yield();
    }
    IS(pthread_mutex_unlock(&m), 0);
    IS(pthread_join(t, NULL), 0);

    interrupt(in_nanosleep);
    interrupt(in_clock_nanosleep);
    interrupt(in_sleep);
    return 0;
}
