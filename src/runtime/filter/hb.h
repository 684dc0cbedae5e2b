/* hb.h: happens-before between the threads of this run, for shadow.c. See hb.c. */
#ifndef HD_HB_H
#define HD_HB_H

#include "runtime/core/rt.h"

/* Counts up whenever anything may have happened but accesses of the running thread:
 * as long as it stays, the same access again teaches nothing (site.c). */
extern HD_HIDDEN u64 hd_epoch;

void hd_hb_begin(void);
void hd_hb_event(const struct hd_event *ev);

/* A segment is a number that grows through the run (> 0) and, above it, the number of
 * its thread; threads that have no room there share the last value. */
#define HD_SEGMENT_BITS 22
#define HD_SEGMENT_QUICK (1023u << HD_SEGMENT_BITS)
#define HD_SEGMENTS (1u << HD_SEGMENT_BITS) /* in a run; the numbers stop at the last one */
#define HD_HB_THREADS 256

struct hd_hb_clock {
    u32 at[HD_HB_THREADS];
};
struct hd_segment {
    u32 tid;
    u32 clock; /* of its thread when it began; 0 = has none */
};
extern HD_HIDDEN struct hd_segment *hd_segments;

/* The calling thread's segment now. */
u32 hd_hb_segment(void);
/* Was segment `seg` the calling thread's own? */
bool hd_hb_is_mine(u32 seg);
/* Did it begin before the calling thread's first? */
bool hd_hb_is_before_me(u32 seg);
/* Is it ordered before what the calling thread does now? That thread has a segment. */
HD_INLINE bool hd_hb_is_ordered(u32 seg)
{
    const struct hd_segment *s = &hd_segments[seg & (HD_SEGMENTS - 1)];
    const struct hd_hb_clock *mine = hd_tls.clock;
    return mine && s->clock && mine->at[s->tid] >= s->clock;
}

#endif
