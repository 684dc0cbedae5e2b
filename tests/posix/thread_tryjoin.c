/* Joining without waiting, and with a deadline
 * text:   tryjoin is EBUSY while the thread runs; timedjoin is ETIMEDOUT after the time;
 *         both then join like join
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t both;

static void *user(void *arg)
{
    pthread_barrier_wait(&both);
    return (void *)9;
}

int main(void)
{
    void *value;
    OK(pthread_barrier_init(&both, NULL, 2));
    pthread_t t = start(user, NULL);
    IS(pthread_tryjoin_np(t, &value), EBUSY);
    long long begin = now_ns(CLOCK_REALTIME);
    struct timespec soon = in_ms(CLOCK_REALTIME, 10);
    IS(pthread_timedjoin_np(t, &value, &soon), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 10000000);
    soon = in_ms(CLOCK_MONOTONIC, 5);
    IS(pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    pthread_barrier_wait(&both);
    soon = in_ms(CLOCK_REALTIME, 3600000);
    OK(pthread_timedjoin_np(t, &value, &soon));
    IS((long)value, 9);
    t = start(user, NULL);
    pthread_barrier_wait(&both);
    int r;
    while ((r = pthread_tryjoin_np(t, &value)) == EBUSY)
        sched_yield();
    IS(r, 0);
    IS((long)value, 9);
    return 0;
}
