/* Timers that are faster than whoever takes their signals: overruns, timers of
 * nanoseconds, wrong arguments. */
#include "check.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile int ticks;
static void on_tick(int signo) { ticks++; }

static timer_t make(int signo)
{
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signo};
    timer_t id;
    IS(timer_create(CLOCK_MONOTONIC, &ev, &id), 0);
    return id;
}

static void set(timer_t id, long value_ns, long interval_ns)
{
    struct itimerspec v = {{0, interval_ns}, {0, value_ns}};
    IS(timer_settime(id, 0, &v, NULL), 0);
}

static void sleep_ms(long ms)
{
    struct timespec ts = {0, ms * 1000000}, left;
    while (nanosleep(&ts, &left)) {
        IS(errno, EINTR);
        ts = left;
    }
}

static void overrun(int signo)
{
    sigset_t one;
    siginfo_t info;
    sigemptyset(&one);
    sigaddset(&one, signo);
    IS(sigprocmask(SIG_BLOCK, &one, NULL), 0);
    timer_t id = make(signo);
    set(id, 1000000, 1000000);
    sleep_ms(20);
    IS(sigwaitinfo(&one, &info), signo);
    IS(info.si_code, SI_TIMER);
    int n = timer_getoverrun(id);
    CHECK(n >= 15); /* 19, or more on a slow machine */
    IS(info.si_overrun, n);
    set(id, 0, 0);
    struct timespec zero = {0, 0};
    sigtimedwait(&one, &info, &zero);
    IS(timer_delete(id), 0);
    IS(sigprocmask(SIG_UNBLOCK, &one, NULL), 0);
}

/* Blocked, it costs nothing; handled, the program goes on all the same. */
static void nanoseconds(void)
{
    sigset_t one;
    siginfo_t info;
    sigemptyset(&one);
    sigaddset(&one, SIGRTMIN);
    IS(sigprocmask(SIG_BLOCK, &one, NULL), 0);
    timer_t id = make(SIGRTMIN);
    set(id, 2, 2);
    sleep_ms(100);
    IS(sigwaitinfo(&one, &info), SIGRTMIN);
    CHECK(info.si_overrun > 1000);
    set(id, 0, 0);
    struct timespec zero = {0, 0};
    while (sigtimedwait(&one, &info, &zero) > 0)
        ;
    IS(sigprocmask(SIG_UNBLOCK, &one, NULL), 0);
    signal(SIGRTMIN, on_tick);
    set(id, 2, 50000);
    for (atomic_int i = 0; i < 200; i++)
        ;
    while (ticks < 3)
        usleep(10);
    IS(timer_delete(id), 0);
    signal(SIGRTMIN, SIG_IGN);
}

static void wrong(void)
{
    timer_t id = make(SIGALRM);
    struct itimerspec v = {{0, 1000000000}, {1, 0}}, old;
    FAILS(timer_settime(id, 0, &v, NULL), EINVAL);
    v = (struct itimerspec){{0, -1}, {0, 0}};
    FAILS(timer_settime(id, 0, &v, NULL), EINVAL);
    v = (struct itimerspec){{0, 0}, {-1, 0}};
    FAILS(timer_settime(id, 0, &v, NULL), EINVAL);
    v = (struct itimerspec){{0, 0}, {0, 1000000000}};
    FAILS(timer_settime(id, 0, &v, NULL), EINVAL);
    FAILS(timer_settime(id, 0, (void *)8, NULL), EFAULT);
    v = (struct itimerspec){{0, 0}, {5, 0}};
    FAILS(timer_settime(id, 0, &v, (void *)8), EFAULT);
    FAILS(timer_gettime(id, (void *)8), EFAULT);
    IS(timer_gettime(id, &old), 0);
    IS(timer_delete(id), 0);
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 65};
    FAILS(timer_create(CLOCK_REALTIME, &ev, &id), EINVAL);
    ev = (struct sigevent){.sigev_notify = 17};
    FAILS(timer_create(CLOCK_REALTIME, &ev, &id), EINVAL);
    FAILS(timer_create(1234, NULL, &id), EINVAL);
    struct itimerval iv = {{0, 1000000}, {0, 0}};
    FAILS(setitimer(ITIMER_REAL, &iv, NULL), EINVAL);
    iv = (struct itimerval){{-1, 0}, {0, 0}};
    FAILS(setitimer(ITIMER_REAL, &iv, NULL), EINVAL);
    FAILS(setitimer(ITIMER_REAL, (void *)8, NULL), EFAULT);
    FAILS(getitimer(ITIMER_REAL, (void *)8), EFAULT);
    FAILS(setitimer(17, &iv, NULL), EINVAL);
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(fd >= 0);
    FAILS(timerfd_settime(fd, 0, (void *)8, NULL), EFAULT);
    FAILS(timerfd_settime(fd, 64, &v, NULL), EINVAL);
    v = (struct itimerspec){{0, 1000000000}, {1, 0}};
    FAILS(timerfd_settime(fd, 0, &v, NULL), EINVAL);
    FAILS(timerfd_gettime(fd, (void *)8), EFAULT);
    FAILS(timerfd_create(1234, 0), EINVAL);
    FAILS(timerfd_create(CLOCK_MONOTONIC, 1 << 30), EINVAL);
    close(fd);
}

static void *overrun_in_thread(void *arg)
{
    overrun(SIGUSR2);
    return NULL;
}

int main(void)
{
    signal(SIGALRM, on_tick);
    overrun(SIGUSR1);
    sigset_t two;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &two, NULL);
    in_thread(overrun_in_thread, NULL);
    overrun(SIGRTMIN + 2);
    nanoseconds();
    wrong();
    return 0;
}
