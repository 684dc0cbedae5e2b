/* hb.h: happens-before between the threads of this run, for shadow.c. See hb.c. */
#ifndef HD_HB_H
#define HD_HB_H

#include "runtime/rt.h"

void hd_hb_begin(void);
void hd_hb_event(const struct hd_event *ev);

/* Number of the calling thread's segment now (> 0; grows through the run). */
u32 hd_hb_segment(void);
/* Was segment `seg` the calling thread's own? */
bool hd_hb_is_mine(u32 seg);
/* Did it begin before the calling thread's first? */
bool hd_hb_is_before_me(u32 seg);
/* Is it not ordered before what the calling thread does now? */
bool hd_hb_is_racing(u32 seg);

#endif
