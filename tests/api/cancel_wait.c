/* Waits are cancellation points; a cancelled cond wait owns its mutex. */
#include "check.h"

#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int cleaned;

static void unlock(void *arg)
{
    IS(pthread_mutex_unlock(&m), 0); /* EPERM if it were not ours */
    cleaned++;
}

static void *in_cond(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *in_timed_cond(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    pthread_cleanup_push(unlock, NULL);
    for (;;) {
        struct timespec soon = in_ms(CLOCK_REALTIME, 1);
        pthread_cond_timedwait(&c, &m, &soon);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *in_sem(void *arg)
{
    sem_wait(&sem);
    return NULL;
}

static void *in_sleep(void *arg)
{
    for (;;)
        sleep(1000);
    return NULL;
}

static void *in_nanosleep(void *arg)
{
    struct timespec ts = {1000, 0};
    for (;;)
        nanosleep(&ts, NULL);
    return NULL;
}

static void cancel(void *(*fn)(void *))
{
    pthread_t t;
    void *result = NULL;
    IS(pthread_create(&t, NULL, fn, NULL), 0);
    sched_yield();
    IS(pthread_cancel(t), 0);
    IS(pthread_join(t, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
}

int main(void)
{
    IS(sem_init(&sem, 0, 0), 0);
    cancel(in_cond);
    cancel(in_timed_cond);
    IS(cleaned, 2);
    IS(pthread_mutex_lock(&m), 0);
    IS(pthread_mutex_unlock(&m), 0);
    cancel(in_sem);
    cancel(in_sleep);
    cancel(in_nanosleep);
    return 0;
}
