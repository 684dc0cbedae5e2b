/* icept_rwlock.c: pthread_rwlock_*. One scheduling point per call; the model is
 * src/sched/sync_rwlock.c. As in glibc only the kind
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP prefers writers.
 */
#include "runtime/icept_sync.h"

HD_INLINE u64 rw_arg(const pthread_rwlock_t *rw)
{
    return rw->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

HD_INLINE bool is_foreign(const pthread_rwlock_t *rw, const char *call)
{
    return HD_UNLIKELY(rw->__data.__shared) && hd_is_foreign(rw, call);
}

#define RW_FUNCTION(name, event)                                                                   \
    HD_EXPORT int name(pthread_rwlock_t *rw)                                                       \
    {                                                                                              \
        if (!hd_on() || is_foreign(rw, #name))                                                     \
            return HD_REAL(name)(rw);                                                              \
        return hd_gate_obj(event, HD_SITE(), rw, rw_arg(rw)).err;                                  \
    }

RW_FUNCTION(pthread_rwlock_rdlock, HD_EV_RDLOCK)
RW_FUNCTION(pthread_rwlock_wrlock, HD_EV_WRLOCK)
RW_FUNCTION(pthread_rwlock_tryrdlock, HD_EV_TRYRDLOCK)
RW_FUNCTION(pthread_rwlock_trywrlock, HD_EV_TRYWRLOCK)
RW_FUNCTION(pthread_rwlock_unlock, HD_EV_RW_UNLOCK)

static int timedlock(u8 event, pthread_rwlock_t *rw, clockid_t clock, const struct timespec *ts,
                     u64 site)
{
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_clock_can_wait(clock) || !hd_timespec_is_valid(ts))
        return EINVAL;
    return hd_gate_until(event, site, rw, rw_arg(rw), hd_deadline_abs(clock, ts), 0).err;
}

#define RW_TIMED_FUNCTION(name, event)                                                             \
    HD_EXPORT int name(pthread_rwlock_t *restrict rw, const struct timespec *restrict ts)          \
    {                                                                                              \
        if (!hd_on())                                                                              \
            return HD_REAL(name)(rw, ts);                                                          \
        struct timespec real;                                                                      \
        if (is_foreign(rw, #name))                                                                 \
            return HD_REAL(name)(rw, hd_abstime_real(CLOCK_REALTIME, ts, &real));                  \
        return timedlock(event, rw, CLOCK_REALTIME, ts, HD_SITE());                                \
    }

#define RW_CLOCK_FUNCTION(name, event)                                                             \
    HD_EXPORT int name(pthread_rwlock_t *restrict rw, clockid_t clock,                             \
                       const struct timespec *restrict ts)                                         \
    {                                                                                              \
        if (!hd_on())                                                                              \
            return HD_REAL(name)(rw, clock, ts);                                                   \
        struct timespec real;                                                                      \
        if (is_foreign(rw, #name))                                                                 \
            return HD_REAL(name)(rw, clock, hd_abstime_real(clock, ts, &real));                    \
        return timedlock(event, rw, clock, ts, HD_SITE());                                         \
    }

RW_TIMED_FUNCTION(pthread_rwlock_timedrdlock, HD_EV_RDLOCK)
RW_TIMED_FUNCTION(pthread_rwlock_timedwrlock, HD_EV_WRLOCK)
RW_CLOCK_FUNCTION(pthread_rwlock_clockrdlock, HD_EV_RDLOCK)
RW_CLOCK_FUNCTION(pthread_rwlock_clockwrlock, HD_EV_WRLOCK)

HD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict rw,
                                  const pthread_rwlockattr_t *restrict attr)
{
    int err = HD_REAL(pthread_rwlock_init)(rw, attr);
    if (err || !hd_on() || is_foreign(rw, "pthread_rwlock_init"))
        return err;
    return hd_gate_obj(HD_EV_RW_INIT, HD_SITE(), rw, rw_arg(rw)).err;
}

HD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *rw)
{
    if (!hd_on() || is_foreign(rw, "pthread_rwlock_destroy"))
        return HD_REAL(pthread_rwlock_destroy)(rw);
    int err = hd_gate_obj(HD_EV_RW_DESTROY, HD_SITE(), rw, rw_arg(rw)).err;
    return err ? err : HD_REAL(pthread_rwlock_destroy)(rw);
}

HD_ALIAS(__pthread_rwlock_init, pthread_rwlock_init);
HD_ALIAS(__pthread_rwlock_destroy, pthread_rwlock_destroy);
HD_ALIAS(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
HD_ALIAS(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
HD_ALIAS(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
HD_ALIAS(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
HD_ALIAS(__pthread_rwlock_unlock, pthread_rwlock_unlock);
