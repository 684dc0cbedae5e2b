/* sync.h: what the interceptors of synchronization and time share.
 *
 * The real objects are initialized by the real functions and then only read,
 * for their attributes (type, clock, shared or not); their state lives in the
 * scheduler's models, keyed by address. So a forked child, in which everything
 * passes through, finds every object unlocked.
 *
 * The attribute bits below are glibc's private layout, the same since 2.25.
 */
#ifndef HD_ICEPT_SYNC_H
#define HD_ICEPT_SYNC_H

#include "runtime/core/park.h"
#include "runtime/core/rt.h"
#include "runtime/core/watchdog.h"

/* Around a direct use of the scheduler, without a scheduling point: the caller
 * is inside the runtime and holds the baton. */
HD_INLINE void hd_inside_begin(void)
{
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* "inside" before looking: watchdog.c */
    if (HD_UNLIKELY(__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) != hd_tls.tid))
        hd_come_back(hd_tls.tid);
}

HD_INLINE void hd_inside_end(void)
{
    hd_tls.inside--;
}

/* A second exported name of an exported function (same caller, same site). */
#define HD_ALIAS(name, of)                                                                         \
    extern __typeof__(of) name __attribute__((alias(#of), visibility("default"), copy(of)))

/* The form of semaphores and system calls: 0, or -1 with errno set. */
HD_INLINE int hd_errno_result(int err)
{
    if (HD_LIKELY(!err))
        return 0;
    errno = err;
    return -1;
}

HD_INLINE bool hd_timespec_is_valid(const struct timespec *ts)
{
    return (u64)ts->tv_nsec < 1000000000;
}

/* The clocks that timed lock and wait functions take. */
HD_INLINE bool hd_clock_can_wait(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

HD_INLINE struct hd_res hd_gate_until(u8 kind, u64 site, const volatile void *obj, u64 arg,
                                      s64 deadline, u8 flags)
{
    struct hd_op op = hd_op_make(kind, site, (u64)obj);
    op.arg = arg;
    op.deadline = deadline;
    op.flags = flags | HD_OP_TIMED;
    return hd_gate(&op);
}

/* ---- attributes ---------------------------------------------------------- */

enum {
    HD_KIND_ROBUST = 16,
    HD_KIND_PROTECT = 64,
    HD_KIND_PSHARED = 128,
    HD_COND_PSHARED = 1,
    HD_COND_MONOTONIC = 2,
};
_Static_assert(PTHREAD_MUTEX_TIMED_NP == (int)HD_MTX_NORMAL &&
               PTHREAD_MUTEX_RECURSIVE_NP == (int)HD_MTX_RECURSIVE &&
               PTHREAD_MUTEX_ERRORCHECK_NP == (int)HD_MTX_ERRORCHECK,
               "types are copied as they are");

/* HD_MTX_* of a mutex. An adaptive one is a normal one that spins first. */
HD_INLINE u64 hd_mutex_arg(const pthread_mutex_t *m)
{
    u64 kind = (u64)m->__data.__kind, type = kind & 3;
    if (HD_UNLIKELY(type == PTHREAD_MUTEX_ADAPTIVE_NP))
        type = HD_MTX_NORMAL;
    return type | (kind & HD_KIND_ROBUST ? HD_MTX_ROBUST : 0);
}

/* Shared between processes, or destroyed (kind -1): look closer. */
HD_INLINE bool hd_mutex_is_odd(const pthread_mutex_t *m)
{
    return HD_UNLIKELY(m->__data.__kind & HD_KIND_PSHARED);
}

HD_INLINE clockid_t hd_cond_clock(const pthread_cond_t *c)
{
    return c->__data.__wrefs & HD_COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* ---- objects that may be shared with other processes (pshared.c) ---------- */

/* An object marked process-shared is modelled while nobody but this process can
 * see it, and each change is done to the real one, too, which is thus always
 * right for a child that is forked later: lock the model first, then the real
 * one; unlock the real one first. From a fork on, the real one alone counts
 * (HD_HANDED_OVER ends what is pending on the model then).
 *
 * True: the real one counts, and the run is marked as not fully controlled because
 * of `call`. `is_idle`: nobody holds the real one, as far as can be seen. */
bool hd_is_foreign(const volatile void *obj, bool is_idle, const char *call);
/* The object has just been initialized; it may lie where another one was. */
void hd_shared_init(const volatile void *obj);
/* It counts as ours until a fork, whoever could map it. */
void hd_shared_is_ours(const volatile void *obj);
/* Was it asked about before? For objects that do not say what they are. */
bool hd_shared_is_known(const volatile void *obj);

/* A step that ends when `probe` says that a real object is worth a try. Each try is
 * preceded by one, whether it is free or not: so steps do not depend on how fast
 * another process is. 0 or ETIMEDOUT. */
int hd_shared_wait(int (*probe)(void *), const volatile void *obj, s64 deadline, u64 site);

/* pthread_mutex_lock after a wait that was cancelled: model and real one. */
void hd_mutex_relock(pthread_mutex_t *m, u64 site);

/* The real clock's time for an absolute time the program took from the virtual
 * clock, for calls that have to wait in the kernel. Returns `out`. */
const struct timespec *hd_abstime_real(clockid_t clock, const struct timespec *ts,
                                       struct timespec *out);

/* ---- with the result as an errno, for calls that come in several forms ---- */

/* Sleeps; writes what is left to *rem on EINTR, if given. */
int hd_sleep_until(s64 deadline, struct timespec *rem, u64 site);
/* clock_nanosleep(). */
int hd_sleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *rem, u64 site);
/* The virtual clock `clock`, in ns; EINVAL if there is no such clock. */
int hd_clock_read(clockid_t clock, s64 *ns, u64 site);
/* The same without moving it. */
s64 hd_virtual_ns(clockid_t clock);
/* clock_gettime(). */
int hd_clock_gettime(clockid_t clock, struct timespec *ts, u64 site);

/* futex(2) with all its arguments: the count, or a negative errno. */
long hd_futex(const long arg[6], u64 site);

#endif
