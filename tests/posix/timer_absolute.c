/* Absolute timers: a past time fires at once, a far one tells what is left
 * text:   with TIMER_ABSTIME the value is a point of the clock; gettime gives the relative rest
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    timer_t t;
    sigset_t set;
    siginfo_t info;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec it = {{0, 0}, {1, 0}}, now;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(timer_create(CLOCK_REALTIME, &ev, &t));
    OK(timer_settime(t, TIMER_ABSTIME, &it, NULL));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    it.it_value = in_ms(CLOCK_REALTIME, 3600000);
    OK(timer_settime(t, TIMER_ABSTIME, &it, NULL));
    OK(timer_gettime(t, &now));
    TRUE(now.it_value.tv_sec > 0 && now.it_value.tv_sec <= 3600);
    it.it_value = in_ms(CLOCK_REALTIME, 5);
    OK(timer_settime(t, TIMER_ABSTIME, &it, &now));
    TRUE(now.it_value.tv_sec <= 3600);
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    long long at = it.it_value.tv_sec * 1000000000LL + it.it_value.tv_nsec;
    TRUE(now_ns(CLOCK_REALTIME) >= at);
    OK(timer_delete(t));
    return 0;
}
