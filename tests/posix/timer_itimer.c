/* setitimer and getitimer: SIGALRM, what is left, EINVAL
 * text:   ITIMER_REAL sends SIGALRM when it ends and starts again with the interval; bad
 *         microseconds or timers are EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <sys/time.h>

int main(void)
{
    sigset_t set;
    int s;
    struct itimerval it = {{0, 2000}, {0, 4000}}, off = {{0, 0}, {0, 0}}, old;
    struct itimerval bad = {{0, 0}, {0, 1000000}}, hour = {{0, 0}, {3600, 0}};
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(getitimer(ITIMER_REAL, &old));
    IS(old.it_value.tv_sec + old.it_value.tv_usec, 0);
    long long begin = now_ns(CLOCK_MONOTONIC);
    OK(setitimer(ITIMER_REAL, &it, NULL));
    for (int i = 0; i < 3; i++) {
        OK(sigwait(&set, &s));
        IS(s, SIGALRM);
        TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 4000000 + i * 2000000);
    }
    OK(getitimer(ITIMER_REAL, &old));
    IS(old.it_interval.tv_usec, 2000);
    OK(setitimer(ITIMER_REAL, &hour, NULL));
    OK(setitimer(ITIMER_REAL, &off, &old));
    TRUE(old.it_value.tv_sec >= 3500 && old.it_value.tv_sec <= 3600);
    FAILS(setitimer(ITIMER_REAL, &bad, NULL), EINVAL);
    FAILS(setitimer(99, &it, NULL), EINVAL);
    FAILS(getitimer(99, &old), EINVAL);
    return 0;
}
