/* Priority ceiling: getprioceiling is EINVAL for a mutex without that protocol
 * text:   reading or setting the ceiling of a mutex whose protocol is not PROTECT
 *         fails with EINVAL; one with the protocol gives its ceiling back
 * expect: exit 0
 */
#include "check.h"
#include <sched.h>

int main(void)
{
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, m;
    pthread_mutexattr_t a;
    int v, low = sched_get_priority_min(SCHED_FIFO);
    IS(pthread_mutex_getprioceiling(&plain, &v), EINVAL);
    IS(pthread_mutex_setprioceiling(&plain, low, &v), EINVAL);
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
    OK(pthread_mutexattr_setprioceiling(&a, low));
    OK(pthread_mutexattr_getprioceiling(&a, &v));
    IS(v, low);
    OK(pthread_mutex_init(&m, &a));
    OK(pthread_mutex_getprioceiling(&m, &v));
    IS(v, low);
    OK(pthread_mutex_destroy(&m));
    return 0;
}
