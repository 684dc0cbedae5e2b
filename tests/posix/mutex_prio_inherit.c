/* A mutex with priority inheritance excludes, and knows its errors
 * text:   the protocol changes priorities, not who may hold the mutex
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;
static int n;

static void *add(void *arg)
{
    for (int i = 0; i < 5; i++) {
        OK(pthread_mutex_lock(&m));
        IS(pthread_mutex_lock(&m), EDEADLK);
        n++;
        OK(pthread_mutex_unlock(&m));
    }
    return NULL;
}

static void *times_out(void *arg)
{
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    IS(pthread_mutex_trylock(&m), EBUSY);
    IS(pthread_mutex_timedlock(&m, &t), ETIMEDOUT);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    OK(pthread_mutexattr_init(&attr));
    OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
    OK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
    OK(pthread_mutex_init(&m, &attr));
    pthread_t a = start(add, NULL), b = start(add, NULL);
    join(a);
    join(b);
    IS(n, 10);
    OK(pthread_mutex_lock(&m));
    join(start(times_out, NULL));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_destroy(&m));
    return 0;
}
