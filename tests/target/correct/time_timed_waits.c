/* Timed waits of every kind
 * cause:    none: each says ETIMEDOUT at or after its time while a third thread is busy
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t never;
static atomic_int is_held, is_over;

static struct timespec in(long ms)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += ms * 1000000;
    ts.tv_sec += ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    return ts;
}

static void check(int err, struct timespec until)
{
    struct timespec now;
    assert(err == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec > until.tv_sec ||
           (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
}

static void *holder(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&rw);
    atomic_store(&is_held, 1);
    while (!atomic_load(&is_over))
        ;
    pthread_rwlock_unlock(&rw);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, holder, NULL);
    while (!atomic_load(&is_held))
        ;
    struct timespec until = in(400);
    check(pthread_mutex_timedlock(&m, &until), until);
    until = in(300);
    check(pthread_rwlock_timedrdlock(&rw, &until), until);
    until = in(200);
    check(pthread_rwlock_timedwrlock(&rw, &until), until);
    until = in(100);
    check(sem_timedwait(&never, &until) ? errno : 0, until);
    until = in(50);
    check(pthread_timedjoin_np(t, NULL, &until), until);
    atomic_store(&is_over, 1);
    pthread_join(t, NULL);
    return 0;
}
