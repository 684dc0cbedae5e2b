/* pthread_cond_clockwait: time by the clock given, whatever the condition's clock
 * text:   the clock argument replaces the attribute; other clocks are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec t, bad = {0, 1000000000};
    OK(pthread_mutex_lock(&m));
    for (int i = 0; i < 2; i++) {
        long long begin = now_ns(clocks[i]);
        int r;
        t = in_ms(clocks[i], 10);
        while ((r = pthread_cond_clockwait(&c, &m, clocks[i], &t)) == 0)
            ;
        IS(r, ETIMEDOUT);
        TRUE(now_ns(clocks[i]) - begin >= 10000000);
    }
    IS(pthread_cond_clockwait(&c, &m, CLOCK_THREAD_CPUTIME_ID, &t), EINVAL);
    IS(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &bad), EINVAL);
    OK(pthread_mutex_unlock(&m));
    return 0;
}
