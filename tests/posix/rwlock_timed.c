/* Timed rwlock calls: ETIMEDOUT after the time, EINVAL for bad ones
 * text:   timedrdlock waits for a writer, timedwrlock for anybody, at most until the
 *         absolute time; bad nanoseconds are EINVAL where it would wait
 * expect: exit 0
 */
#include "check.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec bad = {1, 1000000000};

static void *reader(void *arg)
{
    long long begin = now_ns(CLOCK_REALTIME);
    struct timespec t = in_ms(CLOCK_REALTIME, 10);
    IS(pthread_rwlock_timedrdlock(&l, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 10000000);
    IS(pthread_rwlock_timedrdlock(&l, &bad), EINVAL);
    return NULL;
}

static void *writer(void *arg)
{
    long long begin = now_ns(CLOCK_MONOTONIC);
    struct timespec t = in_ms(CLOCK_MONOTONIC, 10);
    IS(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    t = in_ms(CLOCK_REALTIME, -5);
    IS(pthread_rwlock_timedwrlock(&l, &t), ETIMEDOUT);
    IS(pthread_rwlock_timedwrlock(&l, &bad), EINVAL);
    return NULL;
}

int main(void)
{
    OK(pthread_rwlock_wrlock(&l));
    join(start(reader, NULL));
    join(start(writer, NULL));
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_rdlock(&l));
    join(start(writer, NULL));
    struct timespec t = in_ms(CLOCK_MONOTONIC, 10);
    OK(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &t));
    IS(pthread_rwlock_clockrdlock(&l, CLOCK_PROCESS_CPUTIME_ID, &t), EINVAL);
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_unlock(&l));
    return 0;
}
