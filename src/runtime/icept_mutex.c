/* icept_mutex.c: pthread_mutex_*. One scheduling point per call; the model is
 * src/sched/sync_mutex.c.
 *
 * The type is read from the object on every call, so static initializers need
 * no special care. Priority protocols do not change who may hold a lock and are
 * not modelled.
 */
#include "runtime/icept_sync.h"

/* What a mutex with an odd kind is. */
enum { ODD_PRIVATE, ODD_FOREIGN, ODD_DESTROYED };

static HD_COLD int look_closer(const pthread_mutex_t *m, const char *call)
{
    if (m->__data.__kind == -1)
        return ODD_DESTROYED;
    return hd_is_foreign(m, call) ? ODD_FOREIGN : ODD_PRIVATE;
}

/* Leaves the interceptor for mutexes that are not ours to model. */
#define RETURN_IF_ODD(m, name, real_call)                                                          \
    if (hd_mutex_is_odd(m)) {                                                                      \
        int odd = look_closer(m, name);                                                            \
        if (odd != ODD_PRIVATE)                                                                    \
            return odd == ODD_DESTROYED ? EINVAL : (real_call);                                    \
    }

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_lock)(m);
    RETURN_IF_ODD(m, "pthread_mutex_lock", HD_REAL(pthread_mutex_lock)(m));
    return hd_gate_obj(HD_EV_LOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_unlock)(m);
    RETURN_IF_ODD(m, "pthread_mutex_unlock", HD_REAL(pthread_mutex_unlock)(m));
    return hd_gate_obj(HD_EV_UNLOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_trylock)(m);
    RETURN_IF_ODD(m, "pthread_mutex_trylock", HD_REAL(pthread_mutex_trylock)(m));
    return hd_gate_obj(HD_EV_TRYLOCK, HD_SITE(), m, hd_mutex_arg(m)).err;
}

static int timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *ts, u64 site)
{
    hd_access(ts, sizeof *ts, false, site);
    u64 arg = hd_mutex_arg(m);
    if (!hd_timespec_is_valid(ts)) { /* an error only if it would have to wait */
        int err = hd_gate_obj(HD_EV_TRYLOCK, site, m, arg).err;
        return err == EBUSY ? EINVAL : err;
    }
    return hd_gate_until(HD_EV_LOCK, site, m, arg, hd_deadline_abs(clock, ts), 0).err;
}

HD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m,
                                      const struct timespec *restrict ts)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_timedlock)(m, ts);
    struct timespec real;
    RETURN_IF_ODD(m, "pthread_mutex_timedlock",
                  HD_REAL(pthread_mutex_timedlock)(m, hd_abstime_real(CLOCK_REALTIME, ts, &real)));
    return timedlock(m, CLOCK_REALTIME, ts, HD_SITE());
}

HD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
                                      const struct timespec *restrict ts)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_clocklock)(m, clock, ts);
    if (!hd_clock_can_wait(clock))
        return EINVAL;
    struct timespec real;
    RETURN_IF_ODD(m, "pthread_mutex_clocklock",
                  HD_REAL(pthread_mutex_clocklock)(m, clock, hd_abstime_real(clock, ts, &real)));
    return timedlock(m, clock, ts, HD_SITE());
}

HD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    int err = HD_REAL(pthread_mutex_init)(m, attr);
    if (err || !hd_on())
        return err;
    RETURN_IF_ODD(m, "pthread_mutex_init", 0);
    return hd_gate_obj(HD_EV_MUTEX_INIT, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_destroy)(m);
    RETURN_IF_ODD(m, "pthread_mutex_destroy", HD_REAL(pthread_mutex_destroy)(m));
    int err = hd_gate_obj(HD_EV_MUTEX_DESTROY, HD_SITE(), m, hd_mutex_arg(m)).err;
    return err ? err : HD_REAL(pthread_mutex_destroy)(m);
}

HD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    if (!hd_on())
        return HD_REAL(pthread_mutex_consistent)(m);
    RETURN_IF_ODD(m, "pthread_mutex_consistent", HD_REAL(pthread_mutex_consistent)(m));
    if (!(m->__data.__kind & HD_KIND_ROBUST))
        return EINVAL;
    return hd_gate_obj(HD_EV_CONSISTENT, HD_SITE(), m, hd_mutex_arg(m)).err;
}

HD_EXPORT int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict m, int *restrict ceiling)
{
    return HD_REAL(pthread_mutex_getprioceiling)(m, ceiling);
}

HD_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *restrict m, int ceiling,
                                           int *restrict old)
{
    if (!hd_on() || !(m->__data.__kind & HD_KIND_PROTECT))
        return HD_REAL(pthread_mutex_setprioceiling)(m, ceiling, old);
    RETURN_IF_ODD(m, "pthread_mutex_setprioceiling",
                  HD_REAL(pthread_mutex_setprioceiling)(m, ceiling, old));
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
