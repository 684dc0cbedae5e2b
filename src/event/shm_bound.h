/* shm_bound.h: what the host believes of shared memory. The target can write all of it,
 * by mistake or on purpose, so before the host reads what a batch left behind, every
 * number that is an index, a length or one of an enumeration is made one.
 *
 * The values may still be wrong; they can no longer lead the host out of its memory. */
#ifndef HD_SHM_BOUND_H
#define HD_SHM_BOUND_H

#include "event/shm.h"

/* While nobody runs in it. Returns how many values were out of range. */
u32 hd_shm_bound(struct hd_shm *m);
/* The run that ended when `number` had ended before it, while others go on. */
struct hd_run_end hd_shm_ran(const struct hd_shm *m, u64 number);
/* Of one event: may it be looked at? */
HD_INLINE bool hd_shm_event_is_sane(const struct hd_event *e)
{
    return e->kind < HD_EV_COUNT && e->tid < HD_MAX_THREADS;
}

#endif
