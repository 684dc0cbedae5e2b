/* timer.c: alarm, setitimer, timer_create and timerfd in virtual time
 * (timers.c). Timers of processor time stay the kernel's.
 *
 * A timerfd is an eventfd here: reading either gives a count and resets it.
 */
#include "runtime/icept/time/timers.h"

#include "runtime/core/gate.h"
#include "runtime/core/stop.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/user_mem.h"

#define NS 1000000000ll
#define CALLS_MAX 16 /* of one timer at a time: if they are slow, expirations become overruns */
#define TIMER_ID 0x48440000ul /* timer_t of our entries: this plus the index */

static bool is_valid_ts(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < 1000000000;
}

static bool is_valid_tv(const struct timeval *tv)
{
    return tv->tv_sec >= 0 && tv->tv_usec >= 0 && tv->tv_usec < 1000000;
}

static s64 ns_of_ts(const struct timespec *ts) { return hd_ns_of(ts->tv_sec, ts->tv_nsec); }
static s64 ns_of_tv(const struct timeval *tv) { return hd_ns_of(tv->tv_sec, tv->tv_usec * 1000); }

/* ---- the process's one real-time timer --------------------------------------- */

/* Sets it and returns what was left. */
static s64 set_process_timer(s64 value, s64 interval, s64 *old_interval)
{
    struct hd_timer *t = &hd_timer[0];
    s64 left = t->is_armed ? HD_MAX(t->due - hd_rt.sched.now, 1) : 0;
    if (old_interval)
        *old_interval = t->interval;
    t->kind = HD_TIMER_SIGNAL;
    t->signo = SIGALRM;
    t->tid = HD_NO_THREAD;
    t->code = SI_KERNEL;
    hd_timer_set(t, value != 0, hd_deadline_rel(value), interval);
    return left;
}

HD_EXPORT unsigned alarm(unsigned seconds)
{
    if (!hd_on())
        return HD_REAL(alarm)(seconds);
    s64 left = set_process_timer(seconds * 1000000000ll, 0, NULL);
    s64 rounded = left / NS + (left % NS >= NS / 2); /* as Linux: to the nearest, never to 0 */
    return left && !rounded ? 1 : (unsigned)rounded;
}

HD_EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
    if (!hd_on())
        return HD_REAL(ualarm)(value, interval);
    return (useconds_t)(set_process_timer(value * 1000ll, interval * 1000ll, NULL) / 1000);
}

HD_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *value,
                        struct itimerval *old)
{
    if (!hd_on())
        return HD_REAL(setitimer)(which, value, old);
    if (which != ITIMER_REAL) {
        hd_stop_watch_single(); /* its signal may come in a loop without a scheduling point */
        return HD_REAL(setitimer)(which, value, old);
    }
    struct itimerval v = {0};
    if (value && !hd_user_read(&v, value, sizeof v)) /* Linux: NULL disarms */
        return (int)hd_fail(EFAULT);
    if (!is_valid_tv(&v.it_value) || !is_valid_tv(&v.it_interval))
        return (int)hd_fail(EINVAL);
    s64 interval, left = set_process_timer(ns_of_tv(&v.it_value), ns_of_tv(&v.it_interval),
                                           &interval);
    v.it_value = (struct timeval){left / 1000000000, left % 1000000000 / 1000};
    v.it_interval = (struct timeval){interval / 1000000000, interval % 1000000000 / 1000};
    if (old)
        hd_writes(old, sizeof *old, HD_SITE());
    return old && !hd_user_write(old, &v, sizeof v) ? (int)hd_fail(EFAULT) : 0;
}

HD_EXPORT int getitimer(__itimer_which_t which, struct itimerval *out)
{
    if (!hd_on() || which != ITIMER_REAL)
        return HD_REAL(getitimer)(which, out);
    struct itimerspec ts;
    hd_timer_get(&hd_timer[0], &ts);
    struct itimerval v;
    v.it_value = (struct timeval){ts.it_value.tv_sec, ts.it_value.tv_nsec / 1000};
    v.it_interval = (struct timeval){ts.it_interval.tv_sec, ts.it_interval.tv_nsec / 1000};
    hd_access(out, sizeof *out, true, HD_SITE());
    return hd_user_write(out, &v, sizeof v) ? 0 : (int)hd_fail(EFAULT);
}

/* ---- timer_create --------------------------------------------------------------- */

static bool is_wall_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM || clock == CLOCK_TAI;
}

static struct hd_timer *timer_of(timer_t id)
{
    u64 i = (u64)id - TIMER_ID;
    bool is_used = i > 0 && i < HD_TIMERS && hd_timer[i].kind != HD_TIMER_FREE;
    return is_used && !hd_timer[i].is_deleted ? &hd_timer[i] : NULL;
}

/* SIGEV_THREAD: a call is the whole life of a thread. It may outlive its timer. */
static void *timer_call(void *arg)
{
    struct hd_timer *t = arg;
    void (*fn)(union sigval) = t->fn;
    union sigval value = t->value;
    t->n_starting--;
    hd_io_dirty = true;
    fn(value);
    return NULL;
}

static u32 n_calls(const struct hd_timer *t)
{
    u32 n = 0;
    for (u32 i = 0; i < hd_rt.sched.n_threads; i++) {
        const struct hd_thread *th = &hd_thread[i];
        n += th->is_live && !th->is_finished && th->fn == timer_call && th->arg == t;
    }
    return n;
}

static int thread_is_due(void *arg)
{
    struct hd_timer *t = arg;
    if (t->is_deleted)
        return !t->n_starting;
    return t->expired && n_calls(t) < CALLS_MAX;
}

/* One thread per timer starts those that make the calls. */
static void *timer_thread(void *arg)
{
    struct hd_timer *t = arg;
    struct hd_wait w = {.probe = thread_is_due, .arg = t};
    for (;;) {
        hd_wait_full(&w, HD_NEVER, -1, (u64)t->fn, 0, 0);
        if (t->is_deleted)
            break;
        t->overrun = (u32)(t->expired - 1);
        t->expired = 0;
        t->n_starting++;
        if (hd_thread_helper(&t->attr, timer_call, t))
            t->n_starting--; /* as libc: no thread, no call */
    }
    t->kind = HD_TIMER_FREE;
    return NULL;
}

/* The program may destroy its own before the timer expires. A stack of its own, which only one
 * thread could use, stays unused. */
static void copy_attr(pthread_attr_t *to, const pthread_attr_t *from)
{
    size_t size;
    int value;
    struct sched_param param;
    pthread_attr_init(to);
    if (!from)
        return;
    if (!pthread_attr_getstacksize(from, &size))
        pthread_attr_setstacksize(to, size);
    if (!pthread_attr_getguardsize(from, &size))
        pthread_attr_setguardsize(to, size);
    if (!pthread_attr_getinheritsched(from, &value))
        pthread_attr_setinheritsched(to, value);
    if (!pthread_attr_getschedpolicy(from, &value))
        pthread_attr_setschedpolicy(to, value);
    if (!pthread_attr_getschedparam(from, &param))
        pthread_attr_setschedparam(to, &param);
}

HD_EXPORT int timer_create(clockid_t clock, struct sigevent *ev, timer_t *out)
{
    if (!hd_on())
        return HD_REAL(timer_create)(clock, ev, out);
    if (!is_wall_clock(clock)) {
        hd_stop_watch_single(); /* as for setitimer */
        return HD_REAL(timer_create)(clock, ev, out);
    }
    struct sigevent own = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    if (ev && !hd_user_read(&own, ev, sizeof own))
        return (int)hd_fail(EFAULT);
    int notify = own.sigev_notify;
    if (notify < SIGEV_SIGNAL || notify > SIGEV_THREAD_ID || notify == 3 || !out ||
        ((notify == SIGEV_SIGNAL || notify == SIGEV_THREAD_ID) &&
         (own.sigev_signo < 1 || own.sigev_signo > 64)))
        return HD_REAL(timer_create)(clock, ev, out); /* says what is wrong */
    u16 receiver = HD_NO_THREAD;
    if (notify == SIGEV_THREAD_ID) {
        for (u32 i = 0; i < hd_rt.sched.n_threads; i++)
            if (hd_thread[i].is_live && hd_thread[i].kernel_tid == own._sigev_un._tid)
                receiver = (u16)i;
        if (receiver == HD_NO_THREAD)
            return (int)hd_fail(EINVAL);
    }
    enum hd_timer_kind kind = notify == SIGEV_NONE     ? HD_TIMER_SILENT
                              : notify == SIGEV_THREAD ? HD_TIMER_THREAD
                                                       : HD_TIMER_SIGNAL;
    struct hd_timer *t = hd_timer_alloc(kind);
    if (!t)
        return (int)hd_fail(EAGAIN);
    t->clock = clock;
    t->signo = own.sigev_signo;
    t->tid = receiver;
    t->value = own.sigev_value;
    if (!ev)
        t->value.sival_int = (int)(t - hd_timer);
    if (kind == HD_TIMER_THREAD) {
        t->fn = own.sigev_notify_function;
        copy_attr(&t->attr, own.sigev_notify_attributes);
        if (hd_thread_helper(NULL, timer_thread, t)) {
            t->kind = HD_TIMER_FREE;
            return (int)hd_fail(EAGAIN);
        }
    }
    *out = (timer_t)(TIMER_ID + (u64)(t - hd_timer));
    return 0;
}

static int set_timer(struct hd_timer *t, bool is_absolute, const struct itimerspec *value,
                     struct itimerspec *old, u64 site)
{
    struct itimerspec v, before;
    if (!value)
        return (int)hd_fail(EINVAL);
    if (!hd_user_read(&v, value, sizeof v))
        return (int)hd_fail(EFAULT);
    if (!is_valid_ts(&v.it_value) || !is_valid_ts(&v.it_interval))
        return (int)hd_fail(EINVAL);
    hd_timer_get(t, &before);
    s64 due = is_absolute ? hd_deadline_abs(t->clock, &v.it_value)
                          : hd_deadline_rel(ns_of_ts(&v.it_value));
    t->expired = 0;
    t->overrun = t->missed = 0;
    hd_timer_set(t, v.it_value.tv_sec || v.it_value.tv_nsec, due, ns_of_ts(&v.it_interval));
    if (!old)
        return 0;
    hd_writes(old, sizeof *old, site);
    return hd_user_write(old, &before, sizeof before) ? 0 : (int)hd_fail(EFAULT);
}

HD_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *value,
                            struct itimerspec *old)
{
    struct hd_timer *t = hd_on() ? timer_of(id) : NULL;
    if (!t)
        return HD_REAL(timer_settime)(id, flags, value, old);
    return set_timer(t, flags & TIMER_ABSTIME, value, old, HD_SITE());
}

HD_EXPORT int timer_gettime(timer_t id, struct itimerspec *out)
{
    struct hd_timer *t = hd_on() ? timer_of(id) : NULL;
    if (!t)
        return HD_REAL(timer_gettime)(id, out);
    struct itimerspec own;
    hd_timer_get(t, &own);
    hd_writes(out, sizeof *out, HD_SITE());
    return hd_user_write(out, &own, sizeof own) ? 0 : (int)hd_fail(EFAULT);
}

HD_EXPORT int timer_getoverrun(timer_t id)
{
    struct hd_timer *t = hd_on() ? timer_of(id) : NULL;
    return t ? (int)t->overrun : HD_REAL(timer_getoverrun)(id);
}

HD_EXPORT int timer_delete(timer_t id)
{
    struct hd_timer *t = hd_on() ? timer_of(id) : NULL;
    if (!t)
        return HD_REAL(timer_delete)(id);
    hd_timer_set(t, false, HD_NEVER, 0);
    if (t->kind == HD_TIMER_THREAD)
        t->is_deleted = true; /* its thread frees the entry */
    else
        t->kind = HD_TIMER_FREE;
    hd_io_dirty = true;
    return 0;
}

/* ---- timerfd ----------------------------------------------------------------------- */

HD_EXPORT int timerfd_create(clockid_t clock, int flags)
{
    if (!hd_on())
        return HD_REAL(timerfd_create)(clock, flags);
    bool is_ours = is_wall_clock(clock) && !(flags & ~(TFD_NONBLOCK | TFD_CLOEXEC));
    struct hd_timer *t = is_ours ? hd_timer_alloc(HD_TIMER_FD) : NULL;
    if (!t)
        return HD_REAL(timerfd_create)(clock, flags);
    int efd_flags =
        (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0);
    t->clock = clock;
    t->fd = HD_REAL(eventfd)(0, efd_flags);
    if (t->fd < 0)
        t->kind = HD_TIMER_FREE;
    else
        hd_fd_mark(t->fd, HD_FD_INTERNAL);
    return t->fd;
}

HD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                              struct itimerspec *old)
{
    struct hd_timer *t = hd_on() ? hd_timer_of_fd(fd) : NULL;
    if (!t)
        return HD_REAL(timerfd_settime)(fd, flags, value, old);
    if (flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
        return (int)hd_fail(EINVAL);
    hd_io_quiet_step(fd, HD_SITE());
    int r = set_timer(t, flags & TFD_TIMER_ABSTIME, value, old, HD_SITE());
    struct pollfd p = {.fd = fd, .events = POLLIN};
    u64 count;
    if (r == 0 && hd_sys(SYS_poll, &p, 1, 0) > 0) /* arming anew forgets expirations */
        hd_sys(SYS_read, fd, &count, sizeof count);
    hd_io_dirty = true;
    return r;
}

HD_EXPORT int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct hd_timer *t = hd_on() ? hd_timer_of_fd(fd) : NULL;
    if (!t)
        return HD_REAL(timerfd_gettime)(fd, out);
    struct itimerspec own;
    hd_timer_get(t, &own);
    hd_writes(out, sizeof *out, HD_SITE());
    return hd_user_write(out, &own, sizeof own) ? 0 : (int)hd_fail(EFAULT);
}
