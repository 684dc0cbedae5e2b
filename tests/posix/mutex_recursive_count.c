/* Recursive mutex: held until unlocked as often as it was locked
 * text:   a thread may lock a recursive mutex again; other threads get it only after
 *         as many unlocks; unlock by a thread that is not the owner returns EPERM
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;

static void *busy(void *arg)
{
    IS(pthread_mutex_trylock(&m), EBUSY);
    IS(pthread_mutex_unlock(&m), EPERM);
    return NULL;
}

static void *is_free(void *arg)
{
    OK(pthread_mutex_trylock(&m));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
    OK(pthread_mutex_init(&m, &a));
    for (int i = 0; i < 3; i++)
        OK(i == 1 ? pthread_mutex_trylock(&m) : pthread_mutex_lock(&m));
    for (int i = 0; i < 3; i++) {
        join(start(busy, NULL));
        OK(pthread_mutex_unlock(&m));
    }
    join(start(is_free, NULL));
    IS(pthread_mutex_unlock(&m), EPERM);
    OK(pthread_mutex_destroy(&m));
    return 0;
}
