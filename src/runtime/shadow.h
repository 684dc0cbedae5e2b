/* shadow.h: learns which sites touch memory that several threads use; see
 * shadow.c. */
#ifndef HD_SHADOW_H
#define HD_SHADOW_H

#include "runtime/rt.h"

void hd_shadow_init(void);
/* The run begins in a fresh child. */
void hd_shadow_begin(void);

/* Site `site` (slot number) accesses memory: compare with earlier accesses by
 * other threads and mark the sites that conflict. */
void hd_shadow_access(u32 site, u64 addr, u32 size, bool is_write);

/* A block is given out anew: earlier accesses were to another object. */
void hd_shadow_clear(u64 addr, u64 len);

/* Follow synchronization: every executed event. */
void hd_shadow_sync(const struct hd_event *ev);

#endif
