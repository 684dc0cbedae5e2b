/* earlier.h: what a process holds from before it came under control; see earlier.c. */
#ifndef HD_EARLIER_H
#define HD_EARLIER_H

#include "runtime/core/rt.h"

/* Is it noted? While the process has one thread and may come under control (stand_by.c). */
extern HD_HIDDEN bool hd_earlier_is_noted;

/* From here on, with nothing held. */
void hd_earlier_begin(void);
void hd_earlier_take(u8 kind, const volatile void *obj, u64 arg, u64 site);
void hd_earlier_give(const volatile void *obj);
/* More was held than can be noted, so the process must not come under control. */
bool hd_earlier_is_full(void);
/* Gives the real locks back: from here on the models count. Before control begins. */
void hd_earlier_leave_real(void);
/* States what is held, as steps of this thread. Control is on. */
void hd_earlier_state(void);

/* For calls without control: the real function's result, which is returned. `kind` is that of the
 * step that takes the lock. */
HD_INLINE int hd_earlier_took(int err, u8 kind, const volatile void *obj, u64 arg, u64 site)
{
    if (HD_UNLIKELY(hd_earlier_is_noted) && (!err || err == EOWNERDEAD))
        hd_earlier_take(kind, obj, arg, site);
    return err;
}
HD_INLINE int hd_earlier_gave(int err, const volatile void *obj)
{
    if (HD_UNLIKELY(hd_earlier_is_noted) && !err)
        hd_earlier_give(obj);
    return err;
}

#endif
