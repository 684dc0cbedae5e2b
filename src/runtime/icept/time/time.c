/* time.c: sleeping and clocks, all in virtual time (src/sched/vtime.c).
 *
 * Clocks differ from virtual time by a base only: CLOCK_REALTIME starts at the
 * campaign's epoch, CLOCK_MONOTONIC at a fixed time "since boot", CPU time at
 * zero (sleeping counts as work, so that loops until some CPU time is used up
 * do end). Reading a clock is no scheduling point, but for a loop that does nothing
 * else. Setting one is refused, as it is for everybody but root.
 *
 * A run begins at virtual time zero again, after constructors may have read the
 * clock; shift() keeps what the program sees from going back.
 */
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define NS 1000000000ll
#define MONOTONIC_BASE (10000 * NS)
#define TICK_NS (NS / 100) /* of times(); sysconf(_SC_CLK_TCK) is 100 */

/* Shown minus virtual time. */
static s64 shift(void)
{
    static s64 last, ahead;
    s64 now = hd_rt.sched.now;
    if (HD_UNLIKELY(now < last))
        ahead += last - now;
    last = now;
    return ahead;
}

s64 hd_now(void)
{
    return hd_rt.sched.now;
}

enum clock_kind { NO_CLOCK, REALTIME, MONOTONIC, CPU };

static enum clock_kind clock_kind(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return REALTIME;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return MONOTONIC;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return CPU;
    default:
        /* Negative: CPU time of some thread or process, unless both low bits
         * are set (a clock behind a descriptor). */
        return clock < 0 && (clock & 3) != 3 && !hd_sys(SYS_clock_getres, clock, 0) ? CPU : NO_CLOCK;
    }
}

/* A clock of a device, reached through a descriptor: not ours. */
static bool is_device_clock(clockid_t clock)
{
    return clock < 0 && (clock & 3) == 3;
}

static s64 clock_base(enum clock_kind kind)
{
    s64 start = kind == REALTIME ? hd_rt.server->cfg.epoch_ns : kind == MONOTONIC ? MONOTONIC_BASE : 0;
    return start + shift();
}

static struct timespec to_timespec(s64 ns)
{
    return (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
}

/* Saturates at HD_NEVER. Pre: valid nanoseconds. */
static s64 from_timespec(const struct timespec *ts)
{
    if (ts->tv_sec >= HD_NEVER / NS)
        return HD_NEVER;
    if (ts->tv_sec < 0)
        return -NS;
    return ts->tv_sec * NS + ts->tv_nsec;
}

s64 hd_virtual_ns(clockid_t clock) { return clock_base(clock_kind(clock)) + hd_rt.sched.now; }

s64 hd_deadline_abs(clockid_t clock, const struct timespec *ts)
{
    if (!ts)
        return HD_NEVER;
    s64 ns = from_timespec(ts);
    return ns == HD_NEVER ? HD_NEVER : ns - clock_base(clock_kind(clock));
}

s64 hd_deadline_rel(s64 ns)
{
    s64 now = hd_now();
    return ns > HD_NEVER - now ? HD_NEVER : now + HD_MAX(ns, 0);
}

const struct timespec *hd_abstime_real(clockid_t clock, const struct timespec *ts,
                                       struct timespec *out)
{
    if (!hd_timespec_is_valid(ts) || HD_REAL(clock_gettime)(clock, out))
        return ts;
    s64 deadline = hd_deadline_abs(clock, ts);
    s64 left = deadline == HD_NEVER ? HD_NEVER / 2 : HD_MAX(deadline - hd_now(), 0);
    *out = to_timespec(from_timespec(out) + left);
    return out;
}

/* ---- sleeping --------------------------------------------------------------- */

int hd_sleep_until(s64 deadline, struct timespec *rem, u64 site)
{
    u8 flags = HD_OP_INTERRUPTIBLE | HD_OP_CANCEL;
    int err = hd_gate_until(HD_EV_SLEEP, site, NULL, 0, deadline, flags).err;
    if (err == EINTR && rem) {
        hd_access(rem, sizeof *rem, true, site);
        struct timespec left = to_timespec(HD_MAX(deadline - hd_now(), 0));
        if (!hd_user_write(rem, &left, sizeof left))
            return EFAULT;
    }
    return err == ETIMEDOUT ? 0 : err;
}

int hd_sleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *rem, u64 site)
{
    struct timespec own;
    if (!hd_user_read(&own, ts, sizeof own))
        return EFAULT;
    hd_access(ts, sizeof *ts, false, site);
    if (clock_kind(clock) == NO_CLOCK || clock == CLOCK_THREAD_CPUTIME_ID ||
        !hd_timespec_is_valid(ts) || ts->tv_sec < 0)
        return EINVAL;
    if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
        clock == CLOCK_REALTIME_COARSE)
        return EOPNOTSUPP;
    if (flags & TIMER_ABSTIME)
        return hd_sleep_until(hd_deadline_abs(clock, ts), NULL, site);
    return hd_sleep_until(hd_deadline_rel(from_timespec(ts)), rem, site);
}

HD_EXPORT int nanosleep(const struct timespec *ts, struct timespec *rem)
{
    if (!hd_on())
        return HD_REAL(nanosleep)(ts, rem);
    return hd_errno_result(hd_sleep(CLOCK_REALTIME, 0, ts, rem, HD_SITE()));
}
HD_ALIAS(__nanosleep, nanosleep);

HD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts,
                              struct timespec *rem)
{
    struct timespec real;
    if (!hd_on() || is_device_clock(clock))
        return HD_REAL(clock_nanosleep)(
            clock, flags, flags & TIMER_ABSTIME ? hd_child_clock_real(clock, ts, &real) : ts, rem);
    return hd_sleep(clock, flags, ts, rem, HD_SITE());
}

HD_EXPORT unsigned sleep(unsigned seconds)
{
    if (!hd_on())
        return HD_REAL(sleep)(seconds);
    s64 deadline = hd_deadline_rel(seconds * NS);
    if (hd_sleep_until(deadline, NULL, HD_SITE()) != EINTR)
        return 0;
    return (unsigned)(HD_MAX(deadline - hd_now(), 0) / NS);
}

HD_EXPORT int usleep(useconds_t us)
{
    if (!hd_on())
        return HD_REAL(usleep)(us);
    return hd_errno_result(hd_sleep_until(hd_deadline_rel(us * 1000ll), NULL, HD_SITE()));
}

HD_EXPORT int sched_yield(void)
{
    if (!hd_on())
        return HD_REAL(sched_yield)();
    hd_gate_obj(HD_EV_YIELD, HD_SITE(), NULL, HD_YIELD_CALL);
    return 0;
}
HD_ALIAS(__sched_yield, sched_yield);
/* The header turns this name into sched_yield; programs built long ago have it. */
HD_ALIAS(hd_pthread_yield __asm__("pthread_yield"), sched_yield);

/* ---- clocks -------------------------------------------------------------------- */

int hd_clock_read(clockid_t clock, s64 *ns, u64 site)
{
    bool is_due;
    enum clock_kind kind = clock_kind(clock);
    if (kind == NO_CLOCK)
        return EINVAL;
    hd_inside_begin();
    s64 now = hd_sched_clock_read(&hd_rt.sched, hd_tls.tid, hd_child_clock_now(), &is_due);
    hd_inside_end();
    *ns = clock_base(kind) + now;
    if (is_due) /* a loop until some time: others may wait for it, too */
        hd_gate_obj(HD_EV_YIELD, site, NULL, 0);
    return 0;
}

int hd_clock_gettime(clockid_t clock, struct timespec *ts, u64 site)
{
    s64 ns;
    int err = hd_clock_read(clock, &ns, site);
    if (err)
        return err;
    hd_access(ts, sizeof *ts, true, site);
    *ts = to_timespec(ns);
    return 0;
}

/* As the kernel has it, or a forked child of ours is to see it. */
static int real_clock(clockid_t clock, struct timespec *ts)
{
    int r = HD_REAL(clock_gettime)(clock, ts);
    s64 ahead = r ? 0 : hd_child_clock_shift(clock);
    if (ahead)
        hd_child_clock_add(ts, ahead);
    return r;
}

HD_EXPORT int clock_gettime(clockid_t clock, struct timespec *ts)
{
    if (!hd_on() || is_device_clock(clock))
        return real_clock(clock, ts);
    return hd_errno_result(hd_clock_gettime(clock, ts, HD_SITE()));
}

HD_EXPORT int clock_getres(clockid_t clock, struct timespec *res)
{
    if (!hd_on() || clock_kind(clock) == NO_CLOCK)
        return HD_REAL(clock_getres)(clock, res);
    if (res) {
        hd_access(res, sizeof *res, true, HD_SITE());
        *res = (struct timespec){.tv_nsec = 1};
    }
    return 0;
}

HD_EXPORT int clock_settime(clockid_t clock, const struct timespec *ts)
{
    if (!hd_on() || clock_kind(clock) == NO_CLOCK)
        return HD_REAL(clock_settime)(clock, ts);
    hd_access(ts, sizeof *ts, false, HD_SITE());
    bool can_set = clock == CLOCK_REALTIME && hd_timespec_is_valid(ts);
    return hd_errno_result(can_set ? EPERM : EINVAL);
}

HD_EXPORT int settimeofday(const struct timeval *tv, const struct timezone *tz)
{
    if (!hd_on())
        return HD_REAL(settimeofday)(tv, tz);
    return hd_errno_result(EPERM);
}

static s64 realtime(u64 site)
{
    s64 ns = 0;
    hd_clock_read(CLOCK_REALTIME, &ns, site);
    return ns;
}

static int real_timeofday(struct timeval *tv, void *tz)
{
    int r = HD_REAL(gettimeofday)(tv, tz);
    s64 ahead = r ? 0 : hd_child_clock_shift(CLOCK_REALTIME);
    if (tv && ahead) {
        struct timespec ts = {tv->tv_sec, tv->tv_usec * 1000};
        hd_child_clock_add(&ts, ahead);
        *tv = (struct timeval){ts.tv_sec, ts.tv_nsec / 1000};
    }
    return r;
}

HD_EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    if (!hd_on())
        return real_timeofday(tv, tz);
    u64 site = HD_SITE();
    __asm__("" : "+r"(tv)); /* declared nonnull, yet the kernel takes NULL */
    if (tv) {
        s64 ns = realtime(site);
        hd_access(tv, sizeof *tv, true, site);
        *tv = (struct timeval){.tv_sec = ns / NS, .tv_usec = ns % NS / 1000};
    }
    if (tz) {
        hd_access(tz, sizeof(struct timezone), true, site);
        *(struct timezone *)tz = (struct timezone){0};
    }
    return 0;
}
HD_ALIAS(__gettimeofday, gettimeofday);

HD_EXPORT time_t time(time_t *out)
{
    if (!hd_on()) {
        struct timespec ts;
        if (!hd_child_clock_shift(CLOCK_REALTIME) || real_clock(CLOCK_REALTIME, &ts))
            return HD_REAL(time)(out);
        if (out)
            *out = ts.tv_sec;
        return ts.tv_sec;
    }
    time_t t = realtime(HD_SITE()) / NS;
    if (out) {
        hd_access(out, sizeof *out, true, HD_SITE());
        *out = t;
    }
    return t;
}

HD_EXPORT int ftime(struct timeb *out)
{
    struct timeval tv;
    if (hd_on()) {
        s64 ns = realtime(HD_SITE());
        tv = (struct timeval){.tv_sec = ns / NS, .tv_usec = ns % NS / 1000};
        hd_access(out, sizeof *out, true, HD_SITE());
    } else {
        real_timeofday(&tv, NULL);
    }
    *out = (struct timeb){.time = tv.tv_sec, .millitm = (unsigned short)(tv.tv_usec / 1000)};
    return 0;
}

HD_EXPORT int timespec_get(struct timespec *ts, int base)
{
    if (!hd_on() || base != TIME_UTC) {
        int r = HD_REAL(timespec_get)(ts, base);
        if (r == TIME_UTC)
            hd_child_clock_add(ts, hd_child_clock_shift(CLOCK_REALTIME));
        return r;
    }
    hd_clock_gettime(CLOCK_REALTIME, ts, HD_SITE());
    return base;
}

HD_EXPORT int timespec_getres(struct timespec *ts, int base)
{
    if (!hd_on())
        return HD_REAL(timespec_getres)(ts, base);
    if (base != TIME_UTC)
        return 0;
    if (ts) {
        hd_access(ts, sizeof *ts, true, HD_SITE());
        *ts = (struct timespec){.tv_nsec = 1};
    }
    return base;
}

HD_EXPORT clock_t times(struct tms *out)
{
    if (!hd_on())
        return HD_REAL(times)(out);
    s64 ns = 0;
    hd_clock_read(CLOCK_PROCESS_CPUTIME_ID, &ns, HD_SITE());
    if (out) {
        hd_access(out, sizeof *out, true, HD_SITE());
        *out = (struct tms){.tms_utime = ns / TICK_NS};
    }
    return (MONOTONIC_BASE + ns) / TICK_NS;
}

/* The time since start-up goes with the other clocks. */
HD_EXPORT int sysinfo(struct sysinfo *out)
{
    int r = HD_REAL(sysinfo)(out);
    if (r || !hd_on())
        return r;
    s64 ns = 0;
    hd_clock_read(CLOCK_BOOTTIME, &ns, HD_SITE());
    hd_access(out, sizeof *out, true, HD_SITE());
    out->uptime = ns / NS;
    return 0;
}

HD_EXPORT clock_t clock(void)
{
    if (!hd_on())
        return HD_REAL(clock)();
    s64 ns = 0;
    hd_clock_read(CLOCK_PROCESS_CPUTIME_ID, &ns, HD_SITE());
    return ns / (NS / CLOCKS_PER_SEC);
}
