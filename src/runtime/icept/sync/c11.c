/* c11.c: mutexes, conditions and sleeping of <threads.h>. In glibc
 * they are the pthread objects under other names (mtx_t starts with a
 * pthread_mutex_t, cnd_t with a pthread_cond_t) and can be neither robust nor
 * shared between processes; so they use the same operations directly.
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/started/earlier.h"

static int thrd_result(int err)
{
    switch (err) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

HD_INLINE u64 mtx_arg(const mtx_t *m)
{
    return hd_mutex_arg((const pthread_mutex_t *)m);
}

/* Without control (thrd_success is 0). */
HD_INLINE int took(int result, const mtx_t *m, u64 site)
{
    return hd_earlier_took(result, HD_EV_LOCK, m, mtx_arg(m), site);
}

HD_EXPORT int mtx_init(mtx_t *m, int type)
{
    int r = HD_REAL(mtx_init)(m, type);
    if (r != thrd_success || !hd_on())
        return r;
    return thrd_result(hd_gate_obj(HD_EV_MUTEX_INIT, HD_SITE(), m, mtx_arg(m)).err);
}

HD_EXPORT void mtx_destroy(mtx_t *m)
{
    if (!hd_on() || !hd_gate_obj(HD_EV_MUTEX_DESTROY, HD_SITE(), m, mtx_arg(m)).err)
        HD_REAL(mtx_destroy)(m);
}

HD_EXPORT int mtx_lock(mtx_t *m)
{
    if (!hd_on())
        return took(HD_REAL(mtx_lock)(m), m, HD_SITE());
    return thrd_result(hd_gate_obj(HD_EV_LOCK, HD_SITE(), m, mtx_arg(m)).err);
}

HD_EXPORT int mtx_trylock(mtx_t *m)
{
    if (!hd_on())
        return took(HD_REAL(mtx_trylock)(m), m, HD_SITE());
    return thrd_result(hd_gate_obj(HD_EV_TRYLOCK, HD_SITE(), m, mtx_arg(m)).err);
}

HD_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict ts)
{
    if (!hd_on())
        return took(HD_REAL(mtx_timedlock)(m, ts), m, HD_SITE());
    u64 site = HD_SITE();
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_timespec_is_valid(ts)) { /* an error only if it would have to wait */
        int err = hd_gate_obj(HD_EV_TRYLOCK, site, m, mtx_arg(m)).err;
        return thrd_result(err == EBUSY ? EINVAL : err);
    }
    s64 deadline = hd_deadline_abs(CLOCK_REALTIME, ts);
    return thrd_result(hd_gate_until(HD_EV_LOCK, site, m, mtx_arg(m), deadline, 0).err);
}

HD_EXPORT int mtx_unlock(mtx_t *m)
{
    if (!hd_on())
        return hd_earlier_gave(HD_REAL(mtx_unlock)(m), m);
    return thrd_result(hd_gate_obj(HD_EV_UNLOCK, HD_SITE(), m, mtx_arg(m)).err);
}

HD_EXPORT int cnd_init(cnd_t *c)
{
    int r = HD_REAL(cnd_init)(c);
    if (r != thrd_success || !hd_on())
        return r;
    return thrd_result(hd_gate_obj(HD_EV_COND_INIT, HD_SITE(), c, 0).err);
}

HD_EXPORT void cnd_destroy(cnd_t *c)
{
    if (!hd_on() || !hd_gate_obj(HD_EV_COND_DESTROY, HD_SITE(), c, 0).err)
        HD_REAL(cnd_destroy)(c);
}

HD_EXPORT int cnd_signal(cnd_t *c)
{
    if (!hd_on())
        return HD_REAL(cnd_signal)(c);
    return thrd_result(hd_gate_obj(HD_EV_COND_SIGNAL, HD_SITE(), c, 0).err);
}

HD_EXPORT int cnd_broadcast(cnd_t *c)
{
    if (!hd_on())
        return HD_REAL(cnd_broadcast)(c);
    return thrd_result(hd_gate_obj(HD_EV_COND_BROADCAST, HD_SITE(), c, 0).err);
}

static int wait_for(cnd_t *c, mtx_t *m, s64 deadline, u8 flags, u64 site)
{
    struct hd_op op = hd_op_make(HD_EV_COND_WAIT, site, (u64)c);
    op.obj2 = (u64)m;
    op.arg = mtx_arg(m);
    op.deadline = deadline;
    op.flags = flags | HD_OP_CANCEL;
    return thrd_result(hd_gate(&op).err);
}

HD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    if (!hd_on())
        return HD_REAL(cnd_wait)(c, m);
    return wait_for(c, m, HD_NEVER, 0, HD_SITE());
}

HD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                            const struct timespec *restrict ts)
{
    if (!hd_on())
        return HD_REAL(cnd_timedwait)(c, m, ts);
    u64 site = HD_SITE();
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_timespec_is_valid(ts))
        return thrd_error;
    return wait_for(c, m, hd_deadline_abs(CLOCK_REALTIME, ts), HD_OP_TIMED, site);
}

/* ---- time ------------------------------------------------------------------- */

HD_EXPORT int thrd_sleep(const struct timespec *ts, struct timespec *rem)
{
    if (!hd_on())
        return HD_REAL(thrd_sleep)(ts, rem);
    int err = hd_sleep(CLOCK_REALTIME, 0, ts, rem, HD_SITE());
    return err == 0 ? 0 : err == EINTR ? -1 : -2;
}

HD_EXPORT void thrd_yield(void)
{
    if (!hd_on())
        HD_REAL(sched_yield)();
    else
        hd_gate_obj(HD_EV_YIELD, HD_SITE(), NULL, HD_YIELD_CALL);
}
