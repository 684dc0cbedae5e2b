/* child_clock.c: see child_clock.h. Virtual time has left real time behind or runs after
 * it; a child that read the real clock would see it jump, mostly back. So it gets the
 * real one moved by a constant, the same for all its own children. */
#include "runtime/icept/process/child_clock.h"

#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"

#define NS 1000000000ll

static bool is_child;
static s64 realtime_ahead, monotonic_ahead;

static s64 kernel_ns(clockid_t clock)
{
    struct timespec ts = {0, 0};
    hd_sys(SYS_clock_gettime, clock, &ts);
    return ts.tv_sec * NS + ts.tv_nsec;
}

/* ---- in the parent ---------------------------------------------------------------- */

static s64 before_ns, ahead_most;

s64 hd_child_clock_now(void)
{
    if (HD_LIKELY(!hd_rt.sched.is_beside_real))
        return 0;
    return kernel_ns(CLOCK_MONOTONIC) + ahead_most;
}

void hd_child_clock_before(void) { before_ns = kernel_ns(CLOCK_MONOTONIC); }

void hd_child_clock_made(void)
{
    struct hd_sched *s = &hd_rt.sched;
    s64 ahead = s->now - before_ns;
    ahead_most = s->is_beside_real ? HD_MAX(ahead_most, ahead) : ahead;
    s->is_beside_real = true;
}

/* ---- in the child ------------------------------------------------------------------ */

void hd_child_clock_begin(void)
{
    if (is_child)
        return;
    realtime_ahead = hd_virtual_ns(CLOCK_REALTIME) - kernel_ns(CLOCK_REALTIME);
    monotonic_ahead = hd_virtual_ns(CLOCK_MONOTONIC) - kernel_ns(CLOCK_MONOTONIC);
    is_child = true;
}

s64 hd_child_clock_shift(clockid_t clock)
{
    if (HD_LIKELY(!is_child))
        return 0;
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return realtime_ahead;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return monotonic_ahead;
    default:
        return 0; /* processor time begins anew in a child */
    }
}

void hd_child_clock_add(struct timespec *ts, s64 ns)
{
    s64 nsec = ts->tv_nsec + ns % NS;
    ts->tv_sec += ns / NS + (nsec >= NS) - (nsec < 0);
    ts->tv_nsec = nsec >= NS ? nsec - NS : nsec < 0 ? nsec + NS : nsec;
}

const struct timespec *hd_child_clock_real(clockid_t clock, const struct timespec *ts,
                                           struct timespec *real)
{
    s64 ahead = hd_child_clock_shift(clock);
    if (!ahead || !ts || !hd_timespec_is_valid(ts))
        return ts;
    *real = *ts;
    hd_child_clock_add(real, -ahead);
    if (real->tv_sec < 0)
        *real = (struct timespec){0, 0};
    return real;
}
