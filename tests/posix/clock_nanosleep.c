/* Sleeping: at least the time asked for, EINVAL for bad ones
 * text:   the suspension is at least as long as requested by the clock; bad nanoseconds are
 *         EINVAL; clock_nanosleep returns the error
 * expect: exit 0
 */
#include "check.h"

static void *user(void *arg)
{
    struct timespec t = {0, 5000000}, bad = {0, 1000000000}, low = {0, -1}, neg = {-1, 0};
    long long begin = now_ns(CLOCK_MONOTONIC);
    OK(nanosleep(&t, NULL));
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 5000000);
    FAILS(nanosleep(&bad, NULL), EINVAL);
    FAILS(nanosleep(&low, NULL), EINVAL);
    FAILS(nanosleep(&neg, NULL), EINVAL);
    begin = now_ns(CLOCK_MONOTONIC);
    OK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 5000000);
    struct timespec at = in_ms(CLOCK_REALTIME, 5);
    OK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL));
    TRUE(now_ns(CLOCK_REALTIME) >= at.tv_sec * 1000000000LL + at.tv_nsec);
    at = in_ms(CLOCK_MONOTONIC, -1000);
    OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
    IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
    IS(clock_nanosleep(12345, 0, &t, NULL), EINVAL);
    IS(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL), EINVAL);
    begin = now_ns(CLOCK_MONOTONIC);
    OK(usleep(3000));
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 3000000);
    IS(sleep(0), 0);
    return NULL;
}

int main(void)
{
    pthread_t a = start(user, NULL), b = start(user, NULL);
    join(a);
    join(b);
    return 0;
}
