/* Condition clock: attribute values and the time of a wait
 * text:   setclock takes realtime and monotonic, a CPU-time clock is EINVAL; timedwait
 *         measures the absolute time on the clock of the condition
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c;
    pthread_condattr_t a;
    clockid_t clock;
    int shared;
    OK(pthread_condattr_init(&a));
    OK(pthread_condattr_getclock(&a, &clock));
    IS(clock, CLOCK_REALTIME);
    IS(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
    OK(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
    OK(pthread_condattr_getclock(&a, &clock));
    IS(clock, CLOCK_MONOTONIC);
    OK(pthread_condattr_getpshared(&a, &shared));
    IS(shared, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_condattr_setpshared(&a, 9), EINVAL);
    OK(pthread_cond_init(&c, &a));
    OK(pthread_mutex_lock(&m));
    long long begin = now_ns(CLOCK_MONOTONIC);
    struct timespec t = in_ms(CLOCK_MONOTONIC, 15);
    int r;
    while ((r = pthread_cond_timedwait(&c, &m, &t)) == 0)
        ;
    IS(r, ETIMEDOUT);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 15000000);
    OK(pthread_mutex_unlock(&m));
    OK(pthread_cond_destroy(&c));
    return 0;
}
