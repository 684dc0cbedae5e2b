/* timer_getoverrun: expirations while the signal was pending are counted
 * text:   one signal per timer is pending at a time; the further expirations until delivery
 *         are the overrun count
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    timer_t t;
    sigset_t set;
    siginfo_t info;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec it = {{0, 1000000}, {0, 1000000}};
    struct timespec wait = {0, 20000000};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    OK(timer_settime(t, 0, &it, NULL));
    OK(nanosleep(&wait, NULL));
    IS(sigwaitinfo(&set, &info), SIGRTMIN);
    TRUE(timer_getoverrun(t) >= 18);
    TRUE(info.si_overrun >= 18);
    OK(timer_delete(t));
    return 0;
}
