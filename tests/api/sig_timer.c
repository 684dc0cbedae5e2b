/* Timers and what they end: alarm and sleeping, a timer that calls a function
 * in a thread, time-outs that come before and after it. */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile int count;
static int calls;

static void on_alarm(int signo) { count++; }

static void called(union sigval v) { __atomic_add_fetch(&calls, v.sival_int, __ATOMIC_SEQ_CST); }

int main(void)
{
    struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct timespec fifty = {50, 0}, rem;
    IS(sigaction(SIGALRM, &a, NULL), 0);

    long long start = now_ns(CLOCK_MONOTONIC);
    IS(alarm(1), 0);
    FAILS(nanosleep(&fifty, &rem), EINTR); /* SA_RESTART or not */
    IS(count, 1);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 999000000);
    CHECK(rem.tv_sec <= 49);
    IS(alarm(1), 0);
    FAILS(poll(NULL, 0, -1), EINTR);
    IS(count, 2);
    IS(alarm(1), 0);
    FAILS(select(0, NULL, NULL, NULL, NULL), EINTR);
    IS(count, 3);
    IS(alarm(30), 0);
    IS(usleep(1000), 0); /* the timer is later */
    CHECK(alarm(0) > 0);
    IS(count, 3);

    timer_t id;
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = called};
    struct itimerspec every_ms = {{0, 1000000}, {0, 1000000}};
    ev.sigev_value.sival_int = 1;
    IS(timer_create(CLOCK_MONOTONIC, &ev, &id), 0);
    IS(timer_settime(id, 0, &every_ms, NULL), 0);
    while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < 3)
        usleep(500);
    IS(timer_delete(id), 0);

    int fast = timerfd_create(CLOCK_MONOTONIC, 0), slow = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec once = {{0, 0}, {0, 20000000}};
    unsigned long times;
    IS(timerfd_settime(fast, 0, &every_ms, NULL), 0); /* ticks while others are waited for */
    IS(timerfd_settime(slow, 0, &once, NULL), 0);
    IS(read(slow, &times, sizeof times), sizeof times);
    IS(times, 1);
    IS(alarm(1), 0);
    IS(pause(), -1);
    IS(count, 4);
    IS(usleep(10000), 0);
    IS(read(fast, &times, sizeof times), sizeof times);
    CHECK(times >= 1000);
    return 0;
}
