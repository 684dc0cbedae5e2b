/* rwlock.c: pthread_rwlock_*. One scheduling point per call; the model is
 * src/sched/sync/sync_rwlock.c. As in glibc only the kind
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP prefers writers.
 */
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/icept/sync/without.h"
#include "runtime/started/earlier.h"

HD_INLINE u64 rw_arg(const pthread_rwlock_t *rw)
{
    return rw->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* ---- shared between processes -------------------------------------------------- */

/* glibc's words: readers << 3, and bits for a writer that has it. */
#define HAS_WRITER 2u
#define READER_SHIFT 3

static int can_read(void *arg)
{
    const pthread_rwlock_t *rw = arg;
    return !(__atomic_load_n(&rw->__data.__readers, __ATOMIC_RELAXED) & HAS_WRITER);
}

static int can_write(void *arg)
{
    const pthread_rwlock_t *rw = arg;
    u32 word = __atomic_load_n(&rw->__data.__readers, __ATOMIC_RELAXED);
    return !(word & HAS_WRITER) && !(word >> READER_SHIFT);
}

HD_INLINE bool is_shared(const pthread_rwlock_t *rw) { return HD_UNLIKELY(rw->__data.__shared); }

static bool is_foreign(pthread_rwlock_t *rw, const char *call)
{
    return hd_is_foreign(rw, can_write(rw), call);
}

static int try_real(u8 event, pthread_rwlock_t *rw)
{
    bool reads = event == HD_EV_RDLOCK || event == HD_EV_TRYRDLOCK;
    return reads ? HD_REAL(pthread_rwlock_tryrdlock)(rw) : HD_REAL(pthread_rwlock_trywrlock)(rw);
}

/* All calls that take the lock. */
static int lock_shared(u8 event, pthread_rwlock_t *rw, s64 deadline, u64 site, const char *call)
{
    int err;
    if (!is_foreign(rw, call)) {
        struct hd_op op = hd_op_make(event, site, (u64)rw);
        op.arg = rw_arg(rw);
        op.deadline = deadline;
        op.flags = deadline != HD_NEVER ? HD_OP_TIMED : 0;
        err = hd_gate(&op).err;
        if (!err)
            try_real(event, rw); /* free, since the model is */
        if (err != HD_HANDED_OVER)
            return err;
    }
    if (event != HD_EV_RDLOCK && event != HD_EV_WRLOCK)
        return try_real(event, rw);
    if ((u32)rw->__data.__cur_writer == (u32)hd_tls.info->kernel_tid)
        return EDEADLK;
    do {
        err = hd_shared_wait(event == HD_EV_RDLOCK ? can_read : can_write, rw, deadline, site);
        if (!err)
            err = try_real(event, rw);
    } while (err == EBUSY);
    return err;
}

static int unlock_shared(pthread_rwlock_t *rw, u64 site)
{
    bool is_model = !is_foreign(rw, "pthread_rwlock_unlock");
    int err = HD_REAL(pthread_rwlock_unlock)(rw);
    int modelled = is_model ? hd_gate_obj(HD_EV_RW_UNLOCK, site, rw, rw_arg(rw)).err : err;
    return modelled == HD_HANDED_OVER ? err : modelled;
}

/* Without control. One that is shared between processes stays a real one (lock_shared). */
HD_INLINE int took(int err, u8 event, const pthread_rwlock_t *rw, u64 site)
{
    bool reads = event == HD_EV_RDLOCK || event == HD_EV_TRYRDLOCK;
    return is_shared(rw) ? err
                         : hd_earlier_took(err, reads ? HD_EV_RDLOCK : HD_EV_WRLOCK, rw, rw_arg(rw), site);
}

/* ---- calls ------------------------------------------------------------------------- */

#define RW_FUNCTION(name, event)                                                                   \
    HD_EXPORT int name(pthread_rwlock_t *rw)                                                       \
    {                                                                                              \
        if (!hd_on())                                                                              \
            return took(HD_REAL(name)(rw), event, rw, HD_SITE());                                  \
        if (hd_without_lock(rw, HD_SITE()))                                                        \
            return 0;                                                                              \
        if (is_shared(rw))                                                                         \
            return lock_shared(event, rw, HD_NEVER, HD_SITE(), #name);                             \
        return hd_gate_obj(event, HD_SITE(), rw, rw_arg(rw)).err;                                  \
    }

RW_FUNCTION(pthread_rwlock_rdlock, HD_EV_RDLOCK)
RW_FUNCTION(pthread_rwlock_wrlock, HD_EV_WRLOCK)
RW_FUNCTION(pthread_rwlock_tryrdlock, HD_EV_TRYRDLOCK)
RW_FUNCTION(pthread_rwlock_trywrlock, HD_EV_TRYWRLOCK)

HD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *rw)
{
    if (!hd_on())
        return hd_earlier_gave(HD_REAL(pthread_rwlock_unlock)(rw), rw);
    if (hd_without_unlock(rw))
        return 0;
    if (is_shared(rw))
        return unlock_shared(rw, HD_SITE());
    return hd_gate_obj(HD_EV_RW_UNLOCK, HD_SITE(), rw, rw_arg(rw)).err;
}

static int timedlock(u8 event, pthread_rwlock_t *rw, clockid_t clock, const struct timespec *ts,
                     u64 site, const char *call)
{
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_clock_can_wait(clock) || !hd_timespec_is_valid(ts))
        return EINVAL;
    if (hd_without_lock(rw, site))
        return 0;
    s64 deadline = hd_deadline_abs(clock, ts);
    if (is_shared(rw))
        return lock_shared(event, rw, deadline, site, call);
    return hd_gate_until(event, site, rw, rw_arg(rw), deadline, 0).err;
}

#define RW_TIMED_FUNCTION(name, event)                                                             \
    HD_EXPORT int name(pthread_rwlock_t *restrict rw, const struct timespec *restrict ts)          \
    {                                                                                              \
        struct timespec real;                                                                      \
        if (!hd_on())                                                                              \
            return took(HD_REAL(name)(rw, hd_child_clock_real(CLOCK_REALTIME, ts, &real)), event,  \
                        rw, HD_SITE());                                                            \
        return timedlock(event, rw, CLOCK_REALTIME, ts, HD_SITE(), #name);                         \
    }

#define RW_CLOCK_FUNCTION(name, event)                                                             \
    HD_EXPORT int name(pthread_rwlock_t *restrict rw, clockid_t clock,                             \
                       const struct timespec *restrict ts)                                         \
    {                                                                                              \
        struct timespec real;                                                                      \
        if (!hd_on())                                                                              \
            return took(HD_REAL(name)(rw, clock, hd_child_clock_real(clock, ts, &real)), event,    \
                        rw, HD_SITE());                                                            \
        return timedlock(event, rw, clock, ts, HD_SITE(), #name);                                  \
    }

RW_TIMED_FUNCTION(pthread_rwlock_timedrdlock, HD_EV_RDLOCK)
RW_TIMED_FUNCTION(pthread_rwlock_timedwrlock, HD_EV_WRLOCK)
RW_CLOCK_FUNCTION(pthread_rwlock_clockrdlock, HD_EV_RDLOCK)
RW_CLOCK_FUNCTION(pthread_rwlock_clockwrlock, HD_EV_WRLOCK)

HD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict rw,
                                  const pthread_rwlockattr_t *restrict attr)
{
    int err = HD_REAL(pthread_rwlock_init)(rw, attr);
    if (err || !hd_on())
        return err;
    if (is_shared(rw)) {
        hd_shared_init(rw);
        if (is_foreign(rw, "pthread_rwlock_init"))
            return 0;
    }
    err = hd_gate_obj(HD_EV_RW_INIT, HD_SITE(), rw, rw_arg(rw)).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *rw)
{
    if (!hd_on() || (is_shared(rw) && is_foreign(rw, "pthread_rwlock_destroy")))
        return HD_REAL(pthread_rwlock_destroy)(rw);
    int err = hd_gate_obj(HD_EV_RW_DESTROY, HD_SITE(), rw, rw_arg(rw)).err;
    return err && err != HD_HANDED_OVER ? err : HD_REAL(pthread_rwlock_destroy)(rw);
}

HD_ALIAS(__pthread_rwlock_init, pthread_rwlock_init);
HD_ALIAS(__pthread_rwlock_destroy, pthread_rwlock_destroy);
HD_ALIAS(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
HD_ALIAS(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
HD_ALIAS(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
HD_ALIAS(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
HD_ALIAS(__pthread_rwlock_unlock, pthread_rwlock_unlock);
