/* errno belongs to the thread
 * text:   the value of errno in one thread is not changed by calls of another; calls
 *         that succeed do not set it to 0
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    IS(errno, 0);
    for (int i = 0; i < 3; i++) {
        errno = (int)(long)arg;
        OK(pthread_mutex_lock(&m));
        OK(pthread_mutex_unlock(&m));
        sched_yield();
        getpid();
        IS(errno, (int)(long)arg);
        FAILS(close(-1), EBADF);
        OK(pthread_mutex_lock(&m));
        OK(pthread_mutex_unlock(&m));
        IS(errno, EBADF);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(user, (void *)EDOM), b = start(user, (void *)ERANGE);
    errno = EXDEV;
    join(a);
    join(b);
    IS(errno, EXDEV);
    return 0;
}
