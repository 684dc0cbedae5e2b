/* Clocks do not go back and agree with each other; sleeps last long enough. */
#include "check.h"

#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
    long long before = now_ns(CLOCK_MONOTONIC);
    struct timespec ts = {0, (long)arg * 1000000};
    IS(nanosleep(&ts, NULL), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - before >= (long)arg * 1000000);
    return NULL;
}

static void clocks(void)
{
    static const clockid_t clock_ids[] = {
        CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
        CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
    struct timespec res;
    for (unsigned i = 0; i < sizeof clock_ids / sizeof *clock_ids; i++) {
        long long last = now_ns(clock_ids[i]);
        for (int j = 0; j < 100; j++) {
            long long t = now_ns(clock_ids[i]);
            CHECK(t >= last);
            last = t;
        }
        IS(clock_getres(clock_ids[i], &res), 0);
        IS(clock_getres(clock_ids[i], NULL), 0);
        CHECK(res.tv_sec == 0 && res.tv_nsec > 0);
    }
    struct timespec ts;
    FAILS(clock_gettime(77, &ts), EINVAL);
    FAILS(clock_getres(77, &ts), EINVAL);
    struct timespec wrong = {0, NS};
    FAILS(clock_settime(CLOCK_REALTIME, &wrong), EINVAL);
}

static void same_time(void)
{
    struct timeval tv;
    struct timespec ts;
    time_t t;
    IS(gettimeofday(&tv, NULL), 0);
    CHECK(time(&t) == t);
    IS(timespec_get(&ts, TIME_UTC), TIME_UTC);
    IS(timespec_get(&ts, 99), 0);
    CHECK(labs((long)(tv.tv_sec - t)) <= 1);
    CHECK(labs((long)(ts.tv_sec - t)) <= 1);
    CHECK(tv.tv_usec >= 0 && tv.tv_usec < 1000000);
    CHECK(t > 1000000000); /* 2001 */
    struct tms tms;
    CHECK(times(&tms) != (clock_t)-1);
    CHECK(tms.tms_utime >= 0);
    CHECK(clock() != (clock_t)-1);
}

static void sleeps(void)
{
    long long before = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME);
    IS(usleep(2000), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - before >= 2000000);
    CHECK(now_ns(CLOCK_REALTIME) - real >= 1900000);
    IS(sleep(0), 0);
    before = now_ns(CLOCK_MONOTONIC);
    IS(sleep(1), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - before >= NS);

    struct timespec until = in_ms(CLOCK_REALTIME, 2), past = {1, 0}, bad = {0, NS}, neg = {-1, 0};
    IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL), 0);
    CHECK(is_past(CLOCK_REALTIME, until));
    until = in_ms(CLOCK_MONOTONIC, 2);
    IS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
    CHECK(is_past(CLOCK_MONOTONIC, until));
    IS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL), 0);
    FAILS(nanosleep(&bad, NULL), EINVAL);
    FAILS(nanosleep(&neg, NULL), EINVAL);
    IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
    IS(clock_nanosleep(77, 0, &past, NULL), EINVAL);
    IS(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL), EINVAL);
}

int main(void)
{
    clocks();
    same_time();
    sleeps();
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, sleeper, (void *)(6 - 2 * i)), 0);
    /* A loop until some time has passed must end. */
    struct timespec until = in_ms(CLOCK_MONOTONIC, 3);
    while (!is_past(CLOCK_MONOTONIC, until))
        ;
    clock_t cpu = clock() + 1000;
    while (clock() < cpu)
        ;
    for (int i = 0; i < 3; i++)
        IS(pthread_join(t[i], NULL), 0);
    return 0;
}
