/* hb.h: happens-before between the threads of this run, for shadow.c. See hb.c. */
#ifndef HD_HB_H
#define HD_HB_H

#include "runtime/rt.h"

/* Counts up whenever anything may have happened but accesses of the running thread:
 * as long as it stays, the same access again teaches nothing (site.c). */
extern u64 hd_turn;

void hd_hb_begin(void);
void hd_hb_event(const struct hd_event *ev);

/* A segment is a number that grows through the run (> 0) and, above it, the number of
 * its thread; threads that have no room there share the last value. */
#define HD_SEGMENT_BITS 22
#define HD_SEGMENT_QUICK (1023u << HD_SEGMENT_BITS)

/* The calling thread's segment now. */
u32 hd_hb_segment(void);
/* Was segment `seg` the calling thread's own? */
bool hd_hb_is_mine(u32 seg);
/* Did it begin before the calling thread's first? */
bool hd_hb_is_before_me(u32 seg);
/* Is it not ordered before what the calling thread does now? */
bool hd_hb_is_racing(u32 seg);

#endif
