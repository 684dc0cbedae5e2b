/* Robust mutex: unlock by a thread that does not own it is EPERM
 * text:   for robust mutexes of every type the owner is checked
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;

static void *other(void *arg)
{
    IS(pthread_mutex_unlock(&m), EPERM);
    IS(pthread_mutex_trylock(&m), EBUSY);
    IS(pthread_mutex_consistent(&m), EINVAL);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutex_init(&m, &a));
    IS(pthread_mutex_unlock(&m), EPERM);
    OK(pthread_mutex_lock(&m));
    join(start(other, NULL));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_destroy(&m));
    return 0;
}
