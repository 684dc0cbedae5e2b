/* event_priority.h: a random priority per pending event, as partial order sampling
 * has them (pos.c): drawn when the event appears, and anew when an event it races
 * with goes first. */
#ifndef HD_EVENT_PRIORITY_H
#define HD_EVENT_PRIORITY_H

#include "strategy/strategy.h"

struct hd_event_priority {
    u64 of[HD_MAX_THREADS]; /* of the thread's pending event; 0 = to be drawn */
};

HD_INLINE u64 hd_event_priority(struct hd_event_priority *p, struct hd_rng *rng, u32 tid)
{
    if (!p->of[tid])
        p->of[tid] = hd_rng_next(rng) | 1;
    return p->of[tid];
}

HD_INLINE bool hd_event_overlaps(u64 a, u64 a_size, u64 b, u64 b_size)
{
    return a <= b ? b - a < HD_MAX(a_size, 1) : a - b < HD_MAX(b_size, 1);
}

/* COND_WAIT and FUTEX_REQUEUE act on a second object too. */
HD_INLINE bool hd_event_shares_object(const struct hd_op *a, const struct hd_op *b)
{
    return hd_event_overlaps(a->obj, a->size, b->obj, b->size) || (a->obj2 && a->obj2 == b->obj) ||
           (b->obj2 && (b->obj2 == a->obj || b->obj2 == a->obj2));
}

/* `chosen` goes next: those it races with are drawn anew. "Races" = enabled
 * together, overlapping objects, and not commuting. */
HD_INLINE void hd_event_priority_picked(struct hd_event_priority *p, const struct hd_view *v,
                                        u32 chosen)
{
    const struct hd_op *op = hd_view_op(v, chosen);
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *other = hd_view_op(v, t);
        if (t != chosen && hd_event_shares_object(op, other) &&
            hd_event_conflicts(op->kind, other->kind))
            p->of[t] = 0;
    }
}

#endif
