/* Robust mutex: a timed lock gets EOWNERDEAD while it waits
 * text:   a thread that waits when the owner ends is given the lock with EOWNERDEAD
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;
static pthread_barrier_t both;

static void *owner(void *arg)
{
    OK(pthread_mutex_lock(&m));
    pthread_barrier_wait(&both);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
    OK(pthread_mutex_init(&m, &a));
    OK(pthread_barrier_init(&both, NULL, 2));
    pthread_t t = start(owner, NULL);
    pthread_barrier_wait(&both);
    struct timespec far = in_ms(CLOCK_REALTIME, 3600000);
    IS(pthread_mutex_timedlock(&m, &far), EOWNERDEAD);
    IS(pthread_mutex_lock(&m), EDEADLK);
    OK(pthread_mutex_consistent(&m));
    IS(pthread_mutex_consistent(&m), EINVAL); /* already */
    OK(pthread_mutex_unlock(&m));
    IS(pthread_mutex_unlock(&m), EPERM);
    join(t);
    return 0;
}
