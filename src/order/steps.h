/* steps.h: a clock for each step of a run, kept as long as the step is. Steps are
 * added at the end and cut off again, so a run that shares a prefix with the last one
 * costs only its new part. What orders them is the user's to say (search/causal.c:
 * steps that depend on each other). A thread's time is how many steps it has done. */
#ifndef HD_ORDER_STEPS_H
#define HD_ORDER_STEPS_H

#include "base/vec.h"
#include "order/vclock.h"

struct hd_order_steps {
    u32 n;       /* steps */
    u32 threads; /* width of a clock */
    HD_VEC(u32) clock;
};

void hd_order_steps_release(struct hd_order_steps *o);
/* Keeps the first n steps, and makes room for that many threads. */
void hd_order_steps_cut(struct hd_order_steps *o, u32 n, u32 threads);
/* Adds a step with this clock. */
void hd_order_steps_add(struct hd_order_steps *o, const u32 *clock);

/* How many steps of each thread come before step i or are it. Until the next one is
 * added. */
HD_INLINE const u32 *hd_order_steps_clock(const struct hd_order_steps *o, u32 i)
{
    return &o->clock.at[(size_t)i * o->threads];
}

/* Does the nth step of thread tid happen before step k, or is it that step? */
HD_INLINE bool hd_order_steps_knows(const struct hd_order_steps *o, u32 k, u32 tid, u32 nth)
{
    return hd_order_steps_clock(o, k)[tid] >= nth;
}

#endif
