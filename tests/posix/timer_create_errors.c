/* timer_create and friends: EINVAL for bad clocks, ids and times
 * text:   an unknown clock, a timer that was deleted or bad nanoseconds are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    timer_t t;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 9999};
    struct itimerspec it = {{0, 0}, {1, 1000000000}}, old;
    FAILS(timer_create(12345, NULL, &t), EINVAL);
    FAILS(timer_create(CLOCK_REALTIME, &ev, &t), EINVAL);
    ev.sigev_notify = SIGEV_NONE;
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    FAILS(timer_settime(t, 0, &it, NULL), EINVAL);
    it.it_value = (struct timespec){1, -1};
    FAILS(timer_settime(t, 0, &it, NULL), EINVAL);
    it.it_value = (struct timespec){-1, 0};
    FAILS(timer_settime(t, 0, &it, NULL), EINVAL);
    it = (struct itimerspec){{0, 1000000000}, {1, 0}};
    FAILS(timer_settime(t, 0, &it, NULL), EINVAL);
    OK(timer_gettime(t, &old)); /* never armed */
    IS(old.it_value.tv_sec + old.it_value.tv_nsec + old.it_interval.tv_sec, 0);
    OK(timer_delete(t));
    return 0;
}
