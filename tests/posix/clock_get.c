/* Clocks: they grow, resolution, EINVAL, agreement
 * text:   monotonic never goes back; an unknown clock is EINVAL; time, gettimeofday and
 *         CLOCK_REALTIME tell the same time
 * expect: exit 0
 */
#include "check.h"
#include <sys/time.h>
#include <sys/times.h>

static void *user(void *arg)
{
    long long last = 0;
    for (int i = 0; i < 20; i++) {
        long long t = now_ns(CLOCK_MONOTONIC);
        TRUE(t >= last);
        last = t;
    }
    return NULL;
}

int main(void)
{
    struct timespec t;
    struct timeval tv;
    struct tms tms;
    FAILS(clock_gettime(12345, &t), EINVAL);
    FAILS(clock_getres(12345, &t), EINVAL);
    OK(clock_getres(CLOCK_MONOTONIC, &t));
    TRUE(t.tv_sec == 0 && t.tv_nsec > 0);
    OK(clock_getres(CLOCK_REALTIME, NULL));
    time_t a = time(NULL), stored;
    OK(gettimeofday(&tv, NULL));
    OK(clock_gettime(CLOCK_REALTIME, &t));
    TRUE(tv.tv_sec >= a && t.tv_sec >= tv.tv_sec);
    TRUE(time(&stored) == stored);
    TRUE(tv.tv_usec >= 0 && tv.tv_usec < 1000000 && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    IS(timespec_get(&t, TIME_UTC), TIME_UTC);
    IS(timespec_get(&t, 99), 0);
    TRUE(times(&tms) != (clock_t)-1);
    TRUE(clock() != (clock_t)-1);
    pthread_t p = start(user, NULL), q = start(user, NULL);
    join(p);
    join(q);
    return 0;
}
