/* Unusual clocks: boot time, raw, coarse, those of threads and processes, bad ids
 * text:   all readable clocks give a time; ids that name nothing are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    static const clockid_t good[] = {CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE,
                                     CLOCK_REALTIME_COARSE, CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID,
                                     CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        long long a = now_ns(good[i]), b = now_ns(good[i]);
        TRUE(b >= a);
        OK(clock_getres(good[i], &t));
    }
    FAILS(clock_gettime(-1, &t), EINVAL);
    FAILS(clock_gettime(10000, &t), EINVAL);
    struct timespec ms = {0, 1000000};
    OK(clock_nanosleep(CLOCK_BOOTTIME, 0, &ms, NULL));
    IS(clock_nanosleep(-1, 0, &ms, NULL), EINVAL);
    clockid_t own;
    OK(clock_getcpuclockid(getpid(), &own));
    OK(clock_gettime(own, &t));
    return 0;
}
