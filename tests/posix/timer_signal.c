/* A timer sends its signal with its value, once or repeatedly
 * text:   SIGEV_SIGNAL delivers si_code SI_TIMER and the value; a relative time fires not before
 *         it has passed; an interval re-arms it
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    timer_t t;
    sigset_t set;
    siginfo_t info;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 77};
    struct itimerspec it = {{0, 3000000}, {0, 5000000}}, off = {{0, 0}, {0, 0}}, now;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    long long begin = now_ns(CLOCK_MONOTONIC);
    OK(timer_settime(t, 0, &it, NULL));
    for (int i = 0; i < 3; i++) {
        IS(sigwaitinfo(&set, &info), SIGRTMIN);
        IS(info.si_code, SI_TIMER);
        IS(info.si_value.sival_int, 77);
        TRUE(info.si_overrun >= 0);
        TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 5000000 + i * 3000000);
    }
    OK(timer_gettime(t, &now));
    IS(now.it_interval.tv_nsec, 3000000);
    OK(timer_settime(t, 0, &off, &now));
    IS(now.it_interval.tv_nsec, 3000000);
    OK(timer_gettime(t, &now));
    IS(now.it_value.tv_sec + now.it_value.tv_nsec, 0);
    OK(timer_delete(t));
    return 0;
}
