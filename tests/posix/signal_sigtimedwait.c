/* sigtimedwait: EAGAIN after the time, EINVAL, information
 * text:   without a signal the call fails with EAGAIN after the interval, at once if it
 *         is zero; bad nanoseconds are EINVAL; other signals' handlers give EINTR
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static atomic_int handled, waiting;
static void handler(int s) { handled++; }

static void *waiter(void *arg)
{
    struct timespec hour = {3600, 0};
    waiting = 1;
    int r = sigtimedwait(arg, NULL, &hour);
    if (r < 0)
        TRUE(errno == EINTR || errno == EAGAIN); /* or an hour passed */
    else
        IS(r, SIGUSR1);
    return (void *)(long)r;
}

int main(void)
{
    sigset_t set;
    siginfo_t info;
    struct timespec zero = {0, 0}, ms = {0, 10000000}, bad = {0, 1000000000};
    OK(sigaction(SIGUSR2, &(struct sigaction){.sa_handler = handler}, NULL));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    FAILS(sigtimedwait(&set, &info, &zero), EAGAIN);
    long long begin = now_ns(CLOCK_MONOTONIC);
    FAILS(sigtimedwait(&set, &info, &ms), EAGAIN);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    FAILS(sigtimedwait(&set, &info, &bad), EINVAL);
    OK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7}));
    IS(sigtimedwait(&set, &info, &ms), SIGUSR1);
    IS(info.si_signo, SIGUSR1);
    IS(info.si_value.sival_int, 7);
    pthread_t t = start(waiter, &set);
    while (!waiting)
        sched_yield();
    OK(pthread_kill(t, SIGUSR2));
    while (!handled)
        sched_yield();
    OK(pthread_kill(t, SIGUSR1)); /* ends it if the handler came too early */
    join(t);
    return 0;
}
