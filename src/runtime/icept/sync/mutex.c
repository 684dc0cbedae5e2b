/* mutex.c: pthread_mutex_*. One scheduling point per call; the model is
 * src/sched/sync/sync_mutex.c.
 *
 * The type is read from the object on every call, so static initializers need
 * no special care. Priority protocols do not change who may hold a lock and are
 * not modelled.
 */
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/icept/sync/without.h"
#include "runtime/started/earlier.h"

/* ---- shared between processes, or destroyed: `odd` ------------------------- */

#define OWNER_BITS 0x3fffffff /* of the lock word of robust and inheriting mutexes */

static int is_free(void *arg)
{
    const pthread_mutex_t *m = arg;
    return !(__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) & OWNER_BITS);
}

HD_INLINE bool is_destroyed(const pthread_mutex_t *m) { return m->__data.__kind == -1; }

static bool is_foreign(pthread_mutex_t *m, const char *call)
{
    return hd_is_foreign(m, is_free(m), call);
}

/* Never blocks in the kernel: asks whenever it looks free. */
static int lock_real(pthread_mutex_t *m, s64 deadline, u64 site)
{
    u64 type = hd_mutex_arg(m) & HD_MTX_TYPE;
    int err = EBUSY;
    if (m->__data.__owner == hd_tls.info->kernel_tid && type != HD_MTX_NORMAL)
        return type == HD_MTX_ERRORCHECK ? EDEADLK : HD_REAL(pthread_mutex_trylock)(m);
    while (err == EBUSY) {
        err = hd_shared_wait(is_free, m, deadline, site);
        if (!err)
            err = HD_REAL(pthread_mutex_trylock)(m);
    }
    return err;
}

/* The model has given it; so the real one is free, or is about to be: an owner that
 * died with it may still be on its way. */
static int follow(pthread_mutex_t *m, int err)
{
    if (!err || err == EOWNERDEAD)
        HD_REAL(pthread_mutex_lock)(m);
    return err;
}

static int lock_odd(pthread_mutex_t *m, s64 deadline, u64 site, const char *call)
{
    if (is_destroyed(m))
        return EINVAL;
    if (!is_foreign(m, call)) {
        struct hd_op op = hd_op_make(HD_EV_LOCK, site, (u64)m);
        op.arg = hd_mutex_arg(m);
        op.deadline = deadline;
        op.flags = deadline != HD_NEVER ? HD_OP_TIMED : 0;
        int err = hd_gate(&op).err;
        if (err != HD_HANDED_OVER)
            return follow(m, err);
    }
    return lock_real(m, deadline, site);
}

static int trylock_odd(pthread_mutex_t *m, u64 site, const char *call)
{
    if (is_destroyed(m))
        return EINVAL;
    if (!is_foreign(m, call)) {
        int err = hd_gate_obj(HD_EV_TRYLOCK, site, m, hd_mutex_arg(m)).err;
        if (err != HD_HANDED_OVER)
            return follow(m, err);
    }
    return HD_REAL(pthread_mutex_trylock)(m);
}

/* For calls that do the same to the model as to the real one. */
static int both_odd(pthread_mutex_t *m, int (*real)(pthread_mutex_t *), u8 kind, u64 site,
                    const char *call)
{
    if (is_destroyed(m))
        return EINVAL;
    bool is_model = !is_foreign(m, call);
    int err = real(m);
    if (!is_model)
        return err;
    int modelled = hd_gate_obj(kind, site, m, hd_mutex_arg(m)).err;
    return modelled == HD_HANDED_OVER ? err : modelled;
}

static int destroy_odd(pthread_mutex_t *m, u64 site)
{
    if (is_destroyed(m))
        return EINVAL;
    if (!is_foreign(m, "pthread_mutex_destroy")) {
        int err = hd_gate_obj(HD_EV_MUTEX_DESTROY, site, m, hd_mutex_arg(m)).err;
        if (err && err != HD_HANDED_OVER)
            return err;
    }
    return HD_REAL(pthread_mutex_destroy)(m);
}

void hd_mutex_relock(pthread_mutex_t *m, u64 site)
{
    if (hd_mutex_is_odd(m))
        lock_odd(m, HD_NEVER, site, "pthread_cond_wait");
    else
        hd_gate_obj(HD_EV_LOCK, site, m, hd_mutex_arg(m));
}

/* Without control. One that is shared between processes stays a real one (lock_odd). */
HD_INLINE int took(int err, const pthread_mutex_t *m, u64 site)
{
    return hd_mutex_is_odd(m) ? err : hd_earlier_took(err, HD_EV_LOCK, m, hd_mutex_arg(m), site);
}

/* ---- calls -------------------------------------------------------------------- */

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    if (!hd_on())
        return took(HD_REAL(pthread_mutex_lock)(m), m, HD_SITE());
    if (hd_without_lock(m, HD_SITE()))
        return 0;
    if (hd_mutex_is_odd(m))
        return lock_odd(m, HD_NEVER, HD_SITE(), "pthread_mutex_lock");
    return hd_gate_obj(HD_EV_LOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (!hd_on())
        return hd_earlier_gave(HD_REAL(pthread_mutex_unlock)(m), m);
    if (hd_without_unlock(m))
        return 0;
    if (hd_mutex_is_odd(m))
        return both_odd(m, HD_REAL(pthread_mutex_unlock), HD_EV_UNLOCK, HD_SITE(),
                        "pthread_mutex_unlock");
    return hd_gate_obj(HD_EV_UNLOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    if (!hd_on())
        return took(HD_REAL(pthread_mutex_trylock)(m), m, HD_SITE());
    if (hd_without_lock(m, HD_SITE()))
        return 0;
    if (hd_mutex_is_odd(m))
        return trylock_odd(m, HD_SITE(), "pthread_mutex_trylock");
    return hd_gate_obj(HD_EV_TRYLOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

static int timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *ts, u64 site,
                     const char *call)
{
    hd_access(ts, sizeof *ts, false, site);
    if (hd_without_lock(m, site))
        return 0;
    u64 arg = hd_mutex_arg(m);
    bool is_odd = hd_mutex_is_odd(m);
    if (!hd_timespec_is_valid(ts)) { /* an error only if it would have to wait */
        int err = is_odd ? trylock_odd(m, site, call) : hd_gate_obj(HD_EV_TRYLOCK, site, m, arg).err;
        bool is_owner = hd_sched_owner(&hd_rt.sched, (u64)m) == hd_tls.tid;
        if (err == EBUSY && is_owner && (arg & HD_MTX_TYPE) == HD_MTX_ERRORCHECK)
            return EDEADLK;
        return err == EBUSY ? EINVAL : err;
    }
    s64 deadline = hd_deadline_abs(clock, ts);
    if (is_odd)
        return lock_odd(m, deadline, site, call);
    return hd_gate_until(HD_EV_LOCK, site, m, arg, deadline, 0).err;
}

HD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m,
                                      const struct timespec *restrict ts)
{
    struct timespec real;
    if (!hd_on())
        return took(HD_REAL(pthread_mutex_timedlock)(m, hd_child_clock_real(CLOCK_REALTIME, ts, &real)),
                    m, HD_SITE());
    return timedlock(m, CLOCK_REALTIME, ts, HD_SITE(), "pthread_mutex_timedlock");
}

HD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
                                      const struct timespec *restrict ts)
{
    struct timespec real;
    if (!hd_on())
        return took(HD_REAL(pthread_mutex_clocklock)(m, clock, hd_child_clock_real(clock, ts, &real)),
                    m, HD_SITE());
    if (!hd_clock_can_wait(clock))
        return EINVAL;
    return timedlock(m, clock, ts, HD_SITE(), "pthread_mutex_clocklock");
}

HD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    int err = HD_REAL(pthread_mutex_init)(m, attr);
    if (err || !hd_on())
        return err;
    if (hd_mutex_is_odd(m)) {
        hd_shared_init(m);
        if (is_foreign(m, "pthread_mutex_init"))
            return 0;
    }
    err = hd_gate_obj(HD_EV_MUTEX_INIT, HD_SITE(), m, hd_mutex_arg(m)).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_destroy)(m);
    if (hd_mutex_is_odd(m))
        return destroy_odd(m, HD_SITE());
    int err = hd_gate_obj(HD_EV_MUTEX_DESTROY, HD_SITE(), m, hd_mutex_arg(m)).err;
    return err ? err : HD_REAL(pthread_mutex_destroy)(m);
}

HD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_consistent)(m);
    if (!is_destroyed(m) && !(m->__data.__kind & HD_KIND_ROBUST))
        return EINVAL;
    if (hd_mutex_is_odd(m))
        return both_odd(m, HD_REAL(pthread_mutex_consistent), HD_EV_CONSISTENT, HD_SITE(),
                        "pthread_mutex_consistent");
    return hd_gate_obj(HD_EV_CONSISTENT, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict m, int *restrict ceiling)
{
    return HD_REAL(pthread_mutex_getprioceiling)(m, ceiling);
}

HD_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *restrict m, int ceiling,
                                           int *restrict old)
{
    if (!hd_on() || !(m->__data.__kind & HD_KIND_PROTECT) || hd_mutex_is_odd(m))
        return HD_REAL(pthread_mutex_setprioceiling)(m, ceiling, old);
    /* By its definition it locks the mutex for the change. */
    u64 site = HD_SITE();
    int err = hd_gate_obj(HD_EV_LOCK, site, m, hd_mutex_arg(m)).err;
    if (err)
        return err;
    err = HD_REAL(pthread_mutex_setprioceiling)(m, ceiling, old);
    hd_gate_obj(HD_EV_UNLOCK, site, m, hd_mutex_arg(m));
    return err;
}

HD_ALIAS(__pthread_mutex_lock, pthread_mutex_lock);
HD_ALIAS(__pthread_mutex_unlock, pthread_mutex_unlock);
HD_ALIAS(__pthread_mutex_trylock, pthread_mutex_trylock);
HD_ALIAS(__pthread_mutex_init, pthread_mutex_init);
HD_ALIAS(__pthread_mutex_destroy, pthread_mutex_destroy);
/* The header turns the old name into the new one; programs built long ago have it. */
HD_ALIAS(hd_mutex_consistent_np __asm__("pthread_mutex_consistent_np"), pthread_mutex_consistent);
