/* without.h: locks that are left out, to see what they protect (--without-locks). Lock calls
 * made in the functions asked for do nothing, nor do the unlocks that belong to them. */
#ifndef HD_ICEPT_WITHOUT_H
#define HD_ICEPT_WITHOUT_H

#include "runtime/core/rt.h"

/* What HD_WITHOUT_ENV says (event/config.h); NULL: nothing is left out. */
void hd_without_init(const char *text);

extern HD_HIDDEN bool hd_has_without;
bool hd_without_lock_slow(const volatile void *lock, u64 site);
bool hd_without_unlock_slow(const volatile void *lock);
bool hd_without_holds_slow(const volatile void *lock);

/* Is this call left out? Counts as taking the lock, and as giving it back. */
HD_INLINE bool hd_without_lock(const volatile void *lock, u64 site)
{
    return HD_UNLIKELY(hd_has_without) && hd_without_lock_slow(lock, site);
}
HD_INLINE bool hd_without_unlock(const volatile void *lock)
{
    return HD_UNLIKELY(hd_has_without) && hd_without_unlock_slow(lock);
}
/* Has the thread taken it by a call that was left out? */
HD_INLINE bool hd_without_holds(const volatile void *lock)
{
    return HD_UNLIKELY(hd_has_without) && hd_without_holds_slow(lock);
}

#endif
