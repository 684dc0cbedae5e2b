/* icept_spin.c: pthread_spin_*, modelled as mutexes of type HD_MTX_SPIN: a
 * thread that would spin is simply not enabled.
 *
 * A spin lock does not store whether it is shared between processes, so those
 * initialized as shared in shared memory are remembered here.
 */
#include "runtime/icept_sync.h"

#define MAX_FOREIGN 64

static const volatile void *foreign[MAX_FOREIGN];
static u32 n_foreign;

static HD_NOINLINE bool find_foreign(const pthread_spinlock_t *l, const char *call)
{
    for (u32 i = 0; i < n_foreign; i++) {
        if (foreign[i] == l) {
            hd_uncontrolled(HD_UNC_PSHARED, call);
            return true;
        }
    }
    return false;
}

HD_INLINE bool is_foreign(const pthread_spinlock_t *l, const char *call)
{
    return HD_UNLIKELY(n_foreign) && find_foreign(l, call);
}

#define SPIN_FUNCTION(name, event)                                                                 \
    HD_EXPORT int name(pthread_spinlock_t *l)                                                      \
    {                                                                                              \
        if (!hd_on() || is_foreign(l, #name))                                                      \
            return HD_REAL(name)(l);                                                               \
        return hd_gate_obj(event, HD_SITE(), l, HD_MTX_SPIN).err;                                  \
    }

SPIN_FUNCTION(pthread_spin_lock, HD_EV_LOCK)
SPIN_FUNCTION(pthread_spin_trylock, HD_EV_TRYLOCK)
SPIN_FUNCTION(pthread_spin_unlock, HD_EV_UNLOCK)

HD_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int pshared)
{
    int err = HD_REAL(pthread_spin_init)(l, pshared);
    if (err || !hd_on())
        return err;
    if (is_foreign(l, "pthread_spin_init"))
        return 0;
    if (pshared && n_foreign < MAX_FOREIGN && hd_is_foreign(l, "pthread_spin_init")) {
        foreign[n_foreign++] = l;
        return 0;
    }
    return hd_gate_obj(HD_EV_MUTEX_INIT, HD_SITE(), l, HD_MTX_SPIN).err;
}

HD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
    if (!hd_on())
        return HD_REAL(pthread_spin_destroy)(l);
    for (u32 i = 0; i < n_foreign; i++) {
        if (foreign[i] == l) {
            foreign[i] = foreign[--n_foreign];
            return HD_REAL(pthread_spin_destroy)(l);
        }
    }
    return hd_gate_obj(HD_EV_MUTEX_DESTROY, HD_SITE(), l, HD_MTX_SPIN).err;
}
