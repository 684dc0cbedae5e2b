/* Timers of LONG_MAX seconds: armed, and never expire
 * text:   a time that is too long to be reached is no error
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <limits.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static volatile sig_atomic_t n_alarms;
static void on_alarm(int signo) { n_alarms++; }

static void *nap(void *unused)
{
    usleep(1000);
    return NULL;
}

int main(void)
{
    timer_t t;
    unsigned long count;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec far = {{0, 0}, {LONG_MAX, 0}}, left;
    struct itimerval tv = {{0, 0}, {LONG_MAX, 0}};
    signal(SIGALRM, on_alarm);
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    OK(timer_settime(t, 0, &far, NULL));
    OK(timer_gettime(t, &left));
    TRUE(left.it_value.tv_sec > 1000000000);
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    TRUE(fd >= 0);
    OK(timerfd_settime(fd, 0, &far, NULL));
    pthread_t a = start(nap, NULL), b = start(nap, NULL);
    join(a);
    join(b);
    OK(setitimer(ITIMER_REAL, &tv, NULL));
    usleep(1000);
    FAILS(read(fd, &count, sizeof count), EAGAIN);
    OK(n_alarms);
    OK(timer_delete(t));
    return 0;
}
