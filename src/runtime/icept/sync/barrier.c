/* barrier.c: pthread_barrier_*; the model is src/sched/sync/sync_barrier.c. */
#include "runtime/icept/sync/sync.h"

/* glibc's barrier: the two fields that never change after init. */
struct barrier {
    u32 in, round;
    u32 count;
    u32 shared;
    u32 out;
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "a prefix of it");

HD_INLINE const struct barrier *inner(const pthread_barrier_t *b)
{
    return (const struct barrier *)b;
}

HD_INLINE bool is_foreign(const pthread_barrier_t *b, const char *call)
{
    return HD_UNLIKELY(inner(b)->shared) && hd_is_foreign(b, !inner(b)->in, call);
}

HD_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
                                   const pthread_barrierattr_t *restrict attr, unsigned count)
{
    int err = HD_REAL(pthread_barrier_init)(b, attr, count);
    if (err || !hd_on())
        return err;
    if (inner(b)->shared)
        hd_shared_init(b);
    if (is_foreign(b, "pthread_barrier_init"))
        return 0;
    err = hd_gate_obj(HD_EV_BARRIER_INIT, HD_SITE(), b, count).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    if (!hd_on() || is_foreign(b, "pthread_barrier_destroy"))
        return HD_REAL(pthread_barrier_destroy)(b);
    int err = hd_gate_obj(HD_EV_BARRIER_DESTROY, HD_SITE(), b, inner(b)->count).err;
    return err && err != HD_HANDED_OVER ? err : HD_REAL(pthread_barrier_destroy)(b);
}

HD_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!hd_on() || is_foreign(b, "pthread_barrier_wait"))
        return HD_REAL(pthread_barrier_wait)(b);
    struct hd_res res = hd_gate_obj(HD_EV_BARRIER_WAIT, HD_SITE(), b, inner(b)->count);
    if (HD_UNLIKELY(res.err == HD_HANDED_OVER)) /* those who had arrived arrive again */
        return HD_REAL(pthread_barrier_wait)(b);
    if (res.err)
        return res.err;
    return res.value ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
