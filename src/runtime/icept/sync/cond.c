/* cond.c: pthread_cond_*. A wait is one call to the gate; inside, the
 * scheduler gives the mutex up, waits, and takes it again (sync_cond.c).
 *
 * A condition that other processes can see is left to the real functions, and so
 * is the mutex of the wait, because its calls decide the same way (sync.h). A wait
 * that is handed over to the real one ends as if it were woken for no reason, which
 * POSIX allows: who else may have signalled meanwhile is not known.
 */
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/icept/sync/without.h"

HD_INLINE bool is_shared(const pthread_cond_t *c)
{
    return HD_UNLIKELY(c->__data.__wrefs & HD_COND_PSHARED);
}

HD_INLINE bool is_foreign(const pthread_cond_t *c, const char *call)
{
    return is_shared(c) && hd_is_foreign(c, true, call);
}

static bool is_wait_foreign(const pthread_cond_t *c, const pthread_mutex_t *m, const char *call)
{
    return is_foreign(c, call) || (hd_mutex_is_odd(m) && hd_is_foreign(m, true, call));
}

static int wait_with(pthread_cond_t *c, pthread_mutex_t *m, s64 deadline, u8 flags, u64 site)
{
    struct hd_op op = hd_op_make(HD_EV_COND_WAIT, site, (u64)c);
    op.obj2 = (u64)m;
    op.arg = hd_mutex_arg(m);
    op.deadline = deadline;
    op.flags = flags | HD_OP_CANCEL;
    bool is_odd = hd_mutex_is_odd(m);
    if (is_odd && hd_sched_owner(&hd_rt.sched, (u64)m) == hd_tls.tid)
        HD_REAL(pthread_mutex_unlock)(m); /* the model does it within the wait */
    int err = hd_gate(&op).err;
    if (HD_UNLIKELY(err == HD_HANDED_OVER)) {
        hd_mutex_relock(m, site);
        return 0;
    }
    if (is_odd && hd_sched_owner(&hd_rt.sched, (u64)m) == hd_tls.tid)
        HD_REAL(pthread_mutex_lock)(m);
    return err;
}

/* A wait needs its mutex, also one that was left out before. */
static int wait_for(pthread_cond_t *c, pthread_mutex_t *m, s64 deadline, u8 flags, u64 site)
{
    if (!hd_without_holds(m))
        return wait_with(c, m, deadline, flags, site);
    hd_mutex_relock(m, site);
    int err = wait_with(c, m, deadline, flags, site);
    hd_gate_obj(HD_EV_UNLOCK, site, m, hd_mutex_arg(m));
    return err;
}

static int timedwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                     const struct timespec *ts, u64 site)
{
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_clock_can_wait(clock) || !hd_timespec_is_valid(ts))
        return EINVAL;
    return wait_for(c, m, hd_deadline_abs(clock, ts), HD_OP_TIMED, site);
}

HD_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
    if (!hd_on() || is_wait_foreign(c, m, "pthread_cond_wait"))
        return HD_REAL(pthread_cond_wait)(c, m);
    return wait_for(c, m, HD_NEVER, 0, HD_SITE());
}

HD_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                     const struct timespec *restrict ts)
{
    clockid_t clock = hd_cond_clock(c);
    struct timespec real;
    if (!hd_on())
        return HD_REAL(pthread_cond_timedwait)(c, m, hd_child_clock_real(clock, ts, &real));
    if (is_wait_foreign(c, m, "pthread_cond_timedwait"))
        return HD_REAL(pthread_cond_timedwait)(c, m, hd_abstime_real(clock, ts, &real));
    return timedwait(c, m, clock, ts, HD_SITE());
}

HD_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                     clockid_t clock, const struct timespec *restrict ts)
{
    struct timespec real;
    if (!hd_on())
        return HD_REAL(pthread_cond_clockwait)(c, m, clock, hd_child_clock_real(clock, ts, &real));
    if (is_wait_foreign(c, m, "pthread_cond_clockwait"))
        return HD_REAL(pthread_cond_clockwait)(c, m, clock, hd_abstime_real(clock, ts, &real));
    return timedwait(c, m, clock, ts, HD_SITE());
}

HD_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    if (!hd_on() || is_foreign(c, "pthread_cond_signal"))
        return HD_REAL(pthread_cond_signal)(c);
    int err = hd_gate_obj(HD_EV_COND_SIGNAL, HD_SITE(), c, 0).err;
    return err == HD_HANDED_OVER ? HD_REAL(pthread_cond_signal)(c) : err;
}

HD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!hd_on() || is_foreign(c, "pthread_cond_broadcast"))
        return HD_REAL(pthread_cond_broadcast)(c);
    int err = hd_gate_obj(HD_EV_COND_BROADCAST, HD_SITE(), c, 0).err;
    return err == HD_HANDED_OVER ? HD_REAL(pthread_cond_broadcast)(c) : err;
}

HD_EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict attr)
{
    int err = HD_REAL(pthread_cond_init)(c, attr);
    if (err || !hd_on())
        return err;
    if (is_shared(c))
        hd_shared_init(c);
    if (is_foreign(c, "pthread_cond_init"))
        return 0;
    err = hd_gate_obj(HD_EV_COND_INIT, HD_SITE(), c, 0).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    if (!hd_on() || is_foreign(c, "pthread_cond_destroy"))
        return HD_REAL(pthread_cond_destroy)(c);
    int err = hd_gate_obj(HD_EV_COND_DESTROY, HD_SITE(), c, 0).err;
    return err && err != HD_HANDED_OVER ? err : HD_REAL(pthread_cond_destroy)(c);
}
