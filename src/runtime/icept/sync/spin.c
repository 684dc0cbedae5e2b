/* spin.c: pthread_spin_*, modelled as mutexes of type HD_MTX_SPIN: a
 * thread that would spin is simply not enabled.
 *
 * A spin lock does not store whether it is shared between processes, so those
 * initialized as shared are remembered (pshared.c, and a flag for the quick test).
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/icept/sync/without.h"
#include "runtime/started/earlier.h"

static bool has_shared;

static int is_free(void *arg) /* glibc on x86: 1 is free */
{
    return __atomic_load_n((volatile int *)arg, __ATOMIC_RELAXED) > 0;
}

static HD_COLD int lock_shared(u8 event, pthread_spinlock_t *l, u64 site, const char *call)
{
    int err;
    if (!hd_is_foreign(l, true, call)) {
        err = hd_gate_obj(event, site, l, HD_MTX_SPIN).err;
        if (!err)
            HD_REAL(pthread_spin_trylock)(l); /* free, since the model is */
        if (err != HD_HANDED_OVER)
            return err;
    }
    do {
        if (event == HD_EV_LOCK)
            hd_shared_wait(is_free, l, HD_NEVER, site);
        err = HD_REAL(pthread_spin_trylock)(l);
    } while (err && event == HD_EV_LOCK);
    return err;
}

/* Without control. */
HD_INLINE int took(int err, pthread_spinlock_t *l, u64 site)
{
    return hd_earlier_took(err, HD_EV_LOCK, l, HD_MTX_SPIN, site);
}

HD_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    if (!hd_on())
        return took(HD_REAL(pthread_spin_lock)(l), l, HD_SITE());
    if (hd_without_lock(l, HD_SITE()))
        return 0;
    if (HD_UNLIKELY(has_shared) && hd_shared_is_known((void *)l))
        return lock_shared(HD_EV_LOCK, l, HD_SITE(), "pthread_spin_lock");
    return hd_gate_obj(HD_EV_LOCK, HD_SITE(), l, HD_MTX_SPIN).err;
}

HD_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    if (!hd_on())
        return took(HD_REAL(pthread_spin_trylock)(l), l, HD_SITE());
    if (hd_without_lock(l, HD_SITE()))
        return 0;
    if (HD_UNLIKELY(has_shared) && hd_shared_is_known((void *)l))
        return lock_shared(HD_EV_TRYLOCK, l, HD_SITE(), "pthread_spin_trylock");
    return hd_gate_obj(HD_EV_TRYLOCK, HD_SITE(), l, HD_MTX_SPIN).err;
}

HD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    if (!hd_on())
        return hd_earlier_gave(HD_REAL(pthread_spin_unlock)(l), l);
    if (hd_without_unlock(l))
        return 0;
    bool is_shared = HD_UNLIKELY(has_shared) && hd_shared_is_known((void *)l);
    bool is_real = is_shared && hd_is_foreign(l, true, "pthread_spin_unlock");
    if (is_shared)
        HD_REAL(pthread_spin_unlock)(l);
    if (is_real)
        return 0;
    int err = hd_gate_obj(HD_EV_UNLOCK, HD_SITE(), l, HD_MTX_SPIN).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int pshared)
{
    int err = HD_REAL(pthread_spin_init)(l, pshared);
    if (err || !hd_on())
        return err;
    if (pshared || (has_shared && hd_shared_is_known((void *)l))) {
        has_shared = true;
        hd_shared_init(l);
        if (hd_is_foreign(l, true, "pthread_spin_init"))
            return 0;
    }
    err = hd_gate_obj(HD_EV_MUTEX_INIT, HD_SITE(), l, HD_MTX_SPIN).err;
    return err == HD_HANDED_OVER ? 0 : err;
}

HD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
    if (!hd_on())
        return HD_REAL(pthread_spin_destroy)(l);
    if (has_shared && hd_shared_is_known((void *)l) && hd_is_foreign(l, true, "pthread_spin_destroy"))
        return HD_REAL(pthread_spin_destroy)(l);
    int err = hd_gate_obj(HD_EV_MUTEX_DESTROY, HD_SITE(), l, HD_MTX_SPIN).err;
    return err == HD_HANDED_OVER ? 0 : err;
}
