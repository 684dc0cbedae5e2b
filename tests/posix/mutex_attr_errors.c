/* Mutex attributes: values read back, EINVAL for unknown ones
 * text:   type, robustness, protocol and pshared are kept in the attributes; values
 *         outside the defined set are refused with EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_mutexattr_t a;
    int v;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_gettype(&a, &v));
    IS(v, PTHREAD_MUTEX_DEFAULT);
    OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
    OK(pthread_mutexattr_gettype(&a, &v));
    IS(v, PTHREAD_MUTEX_RECURSIVE);
    IS(pthread_mutexattr_settype(&a, 99), EINVAL);
    OK(pthread_mutexattr_getrobust(&a, &v));
    IS(v, PTHREAD_MUTEX_STALLED);
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutexattr_getrobust(&a, &v));
    IS(v, PTHREAD_MUTEX_ROBUST);
    IS(pthread_mutexattr_setrobust(&a, 7), EINVAL);
    OK(pthread_mutexattr_getprotocol(&a, &v));
    IS(v, PTHREAD_PRIO_NONE);
    OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
    OK(pthread_mutexattr_getprotocol(&a, &v));
    IS(v, PTHREAD_PRIO_INHERIT);
    IS(pthread_mutexattr_setprotocol(&a, 17), EINVAL);
    OK(pthread_mutexattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_PRIVATE);
    OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_mutexattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_SHARED);
    IS(pthread_mutexattr_setpshared(&a, 5), EINVAL);
    IS(pthread_mutexattr_setprioceiling(&a, -5), EINVAL);
    OK(pthread_mutexattr_destroy(&a));
    return 0;
}
