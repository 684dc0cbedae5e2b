/* timers.c: see timers.h. All timers in one small table; the earliest is kept
 * in hd_timer_due, which the gate compares with the clock at each decision.
 *
 * A timer whose signal is still pending is not looked at: its expirations are
 * counted when the signal is taken (the overrun). So a timer of nanoseconds whose
 * signal is blocked costs nothing. */
#include "runtime/icept/time/timers.h"

#include "runtime/core/stop.h"
#include "runtime/icept/io/fdinfo.h"
#include "runtime/icept/signal/sig_descriptor.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/wait/wait_io.h"

struct hd_timer hd_timer[HD_TIMERS];
s64 hd_timer_due = HD_NEVER;
/* Delivering a signal takes a kernel some microseconds, too. */
#define PAUSE_NS 20000
#define TIMER_ID 0x48440000u /* si_timerid: this plus the index */
static u32 n_used; /* entries [0, n_used) may be in use */

static void find_earliest(void)
{
    hd_timer_due = HD_NEVER;
    for (u32 i = 0; i < n_used; i++)
        if (hd_timer[i].is_armed && !hd_timer[i].is_queued)
            hd_timer_due = HD_MIN(hd_timer_due, HD_MAX(hd_timer[i].due, hd_timer[i].pause));
    hd_rt.sched.timer = hd_timer_due;
}

struct hd_timer *hd_timer_alloc(enum hd_timer_kind kind)
{
    for (u32 i = 1; i < HD_TIMERS; i++) {
        struct hd_timer *t = &hd_timer[i];
        if (t->kind == HD_TIMER_FD && !hd_fd_is_internal(t->fd)) /* closed behind our back */
            t->kind = HD_TIMER_FREE;
        if (t->kind != HD_TIMER_FREE)
            continue;
        *t = (struct hd_timer){.kind = (u8)kind, .tid = HD_NO_THREAD, .fd = -1, .code = SI_TIMER};
        n_used = HD_MAX(n_used, i + 1);
        return t;
    }
    return NULL;
}

void hd_timer_set(struct hd_timer *t, bool is_armed, s64 due, s64 interval)
{
    t->is_armed = is_armed;
    if (t->is_armed)
        hd_stop_watch_single();
    t->due = due;
    t->interval = interval;
    t->pause = 0;
    n_used = HD_MAX(n_used, (u32)(t - hd_timer) + 1);
    find_earliest();
}

static struct timespec to_ts(s64 ns) { return (struct timespec){ns / 1000000000, ns % 1000000000}; }

void hd_timer_get(const struct hd_timer *t, struct itimerspec *out)
{
    s64 left = t->is_armed ? t->due - hd_rt.sched.now : 0;
    if (t->is_armed && left <= 0) /* it has expired, but nobody has noticed yet */
        left = t->interval ? t->interval - -left % t->interval : 1;
    out->it_value = to_ts(left);
    out->it_interval = to_ts(t->interval);
}

struct hd_timer *hd_timer_of_fd(int fd)
{
    for (u32 i = 1; i < n_used; i++)
        if (hd_timer[i].kind == HD_TIMER_FD && hd_timer[i].fd == fd && hd_fd_is_internal(fd))
            return &hd_timer[i];
    return NULL;
}

void hd_timer_forget_fd(int fd)
{
    struct hd_timer *t = n_used ? hd_timer_of_fd(fd) : NULL;
    if (!t)
        return;
    hd_timer_set(t, false, HD_NEVER, 0);
    t->kind = HD_TIMER_FREE;
}

/* Moves `due` beyond `now`; how many times it has expired. */
static u64 pass(struct hd_timer *t, s64 now)
{
    if (!t->is_armed || t->due > now)
        return 0;
    if (t->interval <= 0) {
        t->is_armed = false;
        return 1;
    }
    u64 times = 1 + (u64)((now - t->due) / t->interval);
    t->due = now - (now - t->due) % t->interval; /* the last time */
    if (__builtin_add_overflow(t->due, t->interval, &t->due))
        t->due = HD_NEVER;
    t->pause = now + PAUSE_NS;
    return times;
}

static u32 add_overrun(u32 so_far, u64 more)
{
    return (u32)HD_MIN(so_far + more, (u64)INT32_MAX); /* DELAYTIMER_MAX */
}

static void expire(struct hd_timer *t, u64 times)
{
    siginfo_t info = {.si_signo = t->signo, .si_code = t->code};
    switch (t->kind) {
    case HD_TIMER_SIGNAL:
        t->missed = add_overrun(0, times - 1);
        if (t->code == SI_TIMER) {
            info.si_timerid = (int)(TIMER_ID + (t - hd_timer));
            info.si_value = t->value;
        }
        if (hd_sig_by_descriptor(t->tid, t->signo))
            t->is_queued = !hd_sig_send_really(t->tid, t->signo, &info);
        else
            t->is_queued = hd_sig_post(t->tid, t->signo, &info);
        break;
    case HD_TIMER_FD:
        if (hd_fd_is_internal(t->fd))
            hd_sys(SYS_write, t->fd, &times, sizeof times);
        hd_io_dirty = true;
        break;
    case HD_TIMER_THREAD:
        t->expired += times;
        hd_io_dirty = true;
        break;
    default:
        break;
    }
}

/* Does some thread that may receive it not block it? */
static bool is_open(const struct hd_timer *t)
{
    const struct hd_sched *s = &hd_rt.sched;
    for (u32 i = 0; i < s->n_threads; i++)
        if (s->thread[i].state != HD_T_FINISHED && (t->tid == HD_NO_THREAD || t->tid == i) &&
            !(s->thread[i].sig_blocked & hd_sig_bit(t->signo)))
            return true;
    return false;
}

bool hd_timer_is_watchdog(void *unused)
{
    for (u32 i = 0; i < n_used; i++) {
        const struct hd_timer *t = &hd_timer[i];
        if (t->kind == HD_TIMER_SIGNAL && t->is_armed && !t->is_queued && t->due <= hd_timer_due &&
            is_open(t) && hd_sig_ends(t->signo))
            return true;
    }
    return false;
}

void hd_timer_fire(s64 now)
{
    for (u32 i = 0; i < n_used; i++) {
        struct hd_timer *t = &hd_timer[i];
        if (t->is_queued || t->pause > now)
            continue;
        u64 times = pass(t, now);
        if (times)
            expire(t, times);
    }
    find_earliest();
}

bool hd_timer_sent(const siginfo_t *info)
{
    if (info->si_code == SI_TIMER)
        return (u32)info->si_timerid - TIMER_ID < HD_TIMERS;
    return info->si_code == SI_KERNEL && info->si_signo == SIGALRM;
}

/* Its signal is pending no more. */
static void go_on(struct hd_timer *t)
{
    t->is_queued = false;
    t->overrun = add_overrun(t->missed, pass(t, hd_rt.sched.now));
}

void hd_timer_taken(siginfo_t *info)
{
    u32 i = info->si_code == SI_TIMER ? (u32)info->si_timerid - TIMER_ID : 0;
    struct hd_timer *t = &hd_timer[i];
    if (!hd_timer_sent(info) || i >= n_used || !t->is_queued || t->signo != info->si_signo)
        return;
    go_on(t);
    if (info->si_code == SI_TIMER)
        info->si_overrun = (int)t->overrun;
    find_earliest();
}

void hd_timer_read(u64 set)
{
    for (u32 i = 0; i < n_used; i++)
        if (hd_timer[i].is_queued && (set & hd_sig_bit(hd_timer[i].signo)))
            go_on(&hd_timer[i]);
    find_earliest();
}

void hd_timer_dropped(int signo)
{
    for (u32 i = 0; i < n_used; i++)
        if (hd_timer[i].signo == signo)
            hd_timer[i].is_queued = false;
    find_earliest();
}
