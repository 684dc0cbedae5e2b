/* detail.h: values and callers of events, see detail.c. */
#ifndef HD_RT_DETAIL_H
#define HD_RT_DETAIL_H

#include "runtime/core/rt.h"

/* `ev` is about to be written to the ring at `position`. Baton held. */
void hd_detail_note(const struct hd_event *ev, u64 position);
/* Nothing more happens in this run: what did the last write leave? */
void hd_detail_end(void);
/* `arg` of an access with what it finds (HD_MODE_VALUES); an address that cannot be read tells
 * nothing, and fails in the right place. */
u32 hd_detail_hash(const struct hd_event *ev);
/* This event goes to the host; the same hash of what the one before it wrote, 0 = nothing. */
void hd_detail_wrote(const struct hd_event *ev);
u32 hd_detail_left(void);

#endif
