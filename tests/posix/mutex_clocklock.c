/* pthread_mutex_clocklock: time by the clock given, EINVAL for other clocks
 * text:   realtime and monotonic clocks are supported; an unsupported clock is EINVAL;
 *         the time passes on that clock before ETIMEDOUT
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *arg)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    for (int i = 0; i < 2; i++) {
        long long begin = now_ns(clocks[i]);
        struct timespec t = in_ms(clocks[i], 10);
        IS(pthread_mutex_clocklock(&m, clocks[i], &t), ETIMEDOUT);
        TRUE(now_ns(clocks[i]) - begin >= 10000000);
    }
    struct timespec t = in_ms(CLOCK_MONOTONIC, 10);
    IS(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &t), EINVAL);
    IS(pthread_mutex_clocklock(&m, 12345, &t), EINVAL);
    return NULL;
}

int main(void)
{
    struct timespec t = in_ms(CLOCK_MONOTONIC, 1000);
    OK(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t));
    join(start(waiter, NULL));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
