/* child_clock.c: see child_clock.h. Virtual time has left real time behind or runs after
 * it; a child that read the real clock would see it jump, mostly back. So it gets the
 * real one moved by a constant, the same for all its own children. */
#include "runtime/icept/process/child_clock.h"

#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"

#define NS 1000000000ll
#define US 1000ll
#define CLOCK_AT 0x150000000000ull

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
static struct hd_shm_clock *common; /* NULL = nobody else is controlled */

/* No process reads an earlier time than another one has read before it. */
static s64 read_common(s64 real)
{
    s64 now = hd_rt.sched.now, was = __atomic_load_n(&common->ahead_ns, __ATOMIC_SEQ_CST);
    s64 more = HD_MAX(real + HD_MAX(was, ahead_most) - now, US);
    now += (more + US - 1) / US * US; /* as the log has it */
    while (was < now - real && !__atomic_compare_exchange_n(&common->ahead_ns, &was, now - real, false,
                                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return now;
}

s64 hd_child_clock_now(void)
{
    if (HD_LIKELY(!hd_rt.sched.is_beside_real))
        return 0;
    s64 real = kernel_ns(CLOCK_MONOTONIC);
    return common ? read_common(real) : real + ahead_most;
}

void hd_child_clock_join(void)
{
    static struct hd_shm_clock alone;
    bool is_due;
    long at = hd_sys(SYS_mmap, CLOCK_AT, sizeof *common, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE, HD_CLOCK_FD, 0);
    alone.ahead_ns = ahead_most = -kernel_ns(CLOCK_MONOTONIC);
    common = at == (long)CLOCK_AT ? (struct hd_shm_clock *)at : &alone;
    hd_rt.sched.is_beside_real = true;
    hd_sched_clock_read(&hd_rt.sched, 0, hd_child_clock_now(), &is_due);
}

bool hd_child_clock_is_common(void) { return common != NULL; }

bool hd_child_clock_is_beside(void)
{
    return common && __atomic_load_n(&hd_rt.host->n_beside, __ATOMIC_RELAXED);
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
