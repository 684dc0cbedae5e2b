/* Error-checking mutex: EDEADLK for a second lock, EPERM for a foreign unlock
 * text:   relocking returns EDEADLK; unlocking a mutex the caller does not own, or
 *         that nobody has locked, returns EPERM; trylock by the owner is EBUSY
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;

static void *other(void *arg)
{
    IS(pthread_mutex_unlock(&m), EPERM);
    IS(pthread_mutex_trylock(&m), EBUSY);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    struct timespec soon;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
    OK(pthread_mutex_init(&m, &a));
    IS(pthread_mutex_unlock(&m), EPERM);
    OK(pthread_mutex_lock(&m));
    IS(pthread_mutex_lock(&m), EDEADLK);
    IS(pthread_mutex_trylock(&m), EBUSY);
    soon = in_ms(CLOCK_REALTIME, 10);
    IS(pthread_mutex_timedlock(&m, &soon), EDEADLK);
    join(start(other, NULL));
    OK(pthread_mutex_unlock(&m));
    IS(pthread_mutex_unlock(&m), EPERM);
    OK(pthread_mutex_destroy(&m));
    return 0;
}
