/* CPU-time clocks of a thread and a process
 * text:   getcpuclockid gives a clock that clock_gettime reads; time grows by work
 * expect: exit 0
 */
#include "check.h"

static void *user(void *arg)
{
    clockid_t clock;
    OK(pthread_getcpuclockid(pthread_self(), &clock));
    long long begin = now_ns(clock);
    volatile int n = 0;
    while (n < 10000)
        n++;
    TRUE(now_ns(clock) >= begin);
    return NULL;
}

int main(void)
{
    clockid_t clock;
    OK(clock_getcpuclockid(0, &clock));
    TRUE(now_ns(clock) >= 0);
    IS(clock_getcpuclockid(0x3ffffff, &clock), ESRCH);
    join(start(user, NULL));
    TRUE(now_ns(CLOCK_THREAD_CPUTIME_ID) >= 0);
    TRUE(now_ns(CLOCK_PROCESS_CPUTIME_ID) >= 0);
    return 0;
}
