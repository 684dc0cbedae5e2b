/* Robust mutex: EOWNERDEAD, consistent, and ENOTRECOVERABLE
 * text:   the next lock after the owner ended returns EOWNERDEAD with the lock held;
 *         after consistent and unlock it is normal; unlock without consistent makes
 *         every later lock fail with ENOTRECOVERABLE
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;

static void *leave_locked(void *arg)
{
    OK(pthread_mutex_lock(&m));
    return NULL;
}

static void *cannot(void *arg)
{
    IS(pthread_mutex_lock(&m), ENOTRECOVERABLE);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutex_init(&m, &a));
    join(start(leave_locked, NULL));
    IS(pthread_mutex_lock(&m), EOWNERDEAD);
    OK(pthread_mutex_consistent(&m));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    join(start(leave_locked, NULL));
    IS(pthread_mutex_trylock(&m), EOWNERDEAD);
    OK(pthread_mutex_unlock(&m)); /* without consistent */
    join(start(cannot, NULL));
    join(start(cannot, NULL));
    OK(pthread_mutex_destroy(&m));
    return 0;
}
