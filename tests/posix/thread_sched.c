/* Scheduling parameters of threads and processes: values and errors
 * text:   the default policy is SCHED_OTHER with priority 0; unknown policies are EINVAL;
 *         a process that does not exist is ESRCH
 * expect: exit 0
 */
#include "check.h"
#include <sched.h>

static void *user(void *arg)
{
    struct sched_param p;
    int policy;
    OK(pthread_getschedparam(pthread_self(), &policy, &p));
    IS(policy, SCHED_OTHER);
    IS(p.sched_priority, 0);
    OK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p));
    IS(pthread_setschedparam(pthread_self(), 77, &p), EINVAL);
    p.sched_priority = 50;
    IS(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p), EINVAL);
    return NULL;
}

int main(void)
{
    struct sched_param p = {0};
    struct timespec t;
    join(start(user, NULL));
    IS(sched_getscheduler(0), SCHED_OTHER);
    OK(sched_getparam(0, &p));
    FAILS(sched_getscheduler(0x3ffffff), ESRCH);
    FAILS(sched_getscheduler(-1), EINVAL);
    FAILS(sched_setscheduler(0, 99, &p), EINVAL);
    FAILS(sched_get_priority_max(99), EINVAL);
    IS(sched_get_priority_min(SCHED_FIFO), 1);
    IS(sched_get_priority_max(SCHED_FIFO), 99);
    IS(sched_get_priority_max(SCHED_OTHER), 0);
    OK(sched_rr_get_interval(0, &t));
    OK(sched_yield());
    return 0;
}
