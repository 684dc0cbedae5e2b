/* pthread_mutex_timedlock: ETIMEDOUT not before the absolute time
 * text:   if the mutex is held until the time given passes on CLOCK_REALTIME, the call
 *         returns ETIMEDOUT, and not earlier
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *arg)
{
    long long begin = now_ns(CLOCK_REALTIME);
    struct timespec t = in_ms(CLOCK_REALTIME, 20);
    IS(pthread_mutex_timedlock(&m, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 20000000);
    t = in_ms(CLOCK_REALTIME, -1000); /* past: at once */
    IS(pthread_mutex_timedlock(&m, &t), ETIMEDOUT);
    return NULL;
}

int main(void)
{
    struct timespec past = in_ms(CLOCK_REALTIME, -1000);
    OK(pthread_mutex_timedlock(&m, &past)); /* free: the time does not matter */
    join(start(waiter, NULL));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
