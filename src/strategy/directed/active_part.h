/* active_part.h: of strategy active: a goal on its way, and which part an operation plays
 * in it; see active.c. */
#ifndef HD_ACTIVE_PART_H
#define HD_ACTIVE_PART_H

#include "event/goal.h"
#include "strategy/event_priority.h"

#define COUNTS 1024 /* (thread, site, context) whose executions are counted; power of two */

#define HOLD_TIMES 4u /* the points of the longest run */

enum standing { READY, DRIVEN, FREE, LOW, LATER, SOFT, HELD };

struct object {
    u64 addr;
    u32 size; /* 0 = not bound yet */
};

/* One goal on its way. */
struct chase {
    u8 done;          /* bit per event */
    u16 thread[2];    /* by role; HD_NO_THREAD = nobody yet */
    struct object object[2];
    u32 steps[2];     /* of the role's thread since its first event */
    u16 keeper[HD_GOAL_EVENTS]; /* thread that is held for an event to come */
};

#define LANDMARK 8u /* an event that comes so many times as often as another leads nowhere */

struct count {
    u64 key;
    u32 n;
};

#define AT_ONCE 4u       /* goals of the queue that are on their way at the same time */
#define QUEUE_LOSSES 2u  /* times that a goal of the queue may have to start over */
#define QUEUE_STEPS 256u /* that it may take at least */
#define SITE_BITS 4096u

enum { SHARES = 6, SHARE_LEAST = 4 }; /* 4, 8, .. 128, as pctlarge.c */

/* Goals that are taken up as threads come to their events, see below. */
struct queue {
    u32 ahead, taken;        /* bit per goal: not taken up yet; ... so far */
    u64 steps;               /* a goal may take so many */
    u64 since[HD_GOALS];     /* step at which it was taken up */
    u8 losses[HD_GOALS];
    u64 sites[SITE_BITS / 64]; /* of goals in the queue, hashed */
};

struct hd_active {
    struct hd_rng rng;
    const struct hd_goals *goals;
    struct chase chase[HD_GOALS];
    u8 landmarks[HD_GOALS]; /* bit per event: one of the rarest of its goal; ... */
    u8 rare[HD_GOALS];      /* ... one that hardly ever comes */
    u32 live;         /* bit per goal: on its way */
    u32 first;        /* ... there from the beginning; the others are the queue: */
    struct queue queue;
    u32 patience;
    u64 hold_steps;   /* for which a thread is held at most, whatever the others do */
    u64 awaited;      /* step of the last time that input was waited for, + 1 */
    struct count count[COUNTS];
    struct hd_event_priority priority; /* HD_ORDER_CHANCE */
    u8 share[HD_MAX_THREADS]; /* of the steps when its goals are over; 0 = to be drawn */
};

/* ---- does an operation play a part ---------------------------------------------------- */

HD_INLINE bool is_touch(u8 does) { return does <= HD_GOAL_UPDATE; }

/* To wait for being woken: that comes later, as another event. */
HD_INLINE bool is_wait_begun(const struct hd_op *op)
{
    return op->kind == HD_EV_COND_WAIT || op->kind == HD_EV_FUTEX_WAIT;
}

/* Two kinds have another name when they are about to happen: a cond wait gives up
 * its mutex, and a wait for a lock is one for its object. */
HD_INLINE bool does_it(const struct hd_op *op, u8 does, struct object *what)
{
    *what = (struct object){op->obj, op->size ? op->size : 1};
    switch (does) {
    case HD_GOAL_READ: return op->kind == HD_EV_READ || op->kind == HD_EV_ALOAD;
    case HD_GOAL_WRITE: return op->kind == HD_EV_WRITE || op->kind == HD_EV_ASTORE;
    case HD_GOAL_UPDATE: return op->kind == HD_EV_ARMW;
    case HD_GOAL_TAKE: return hd_event_class(op->kind) == HD_CLASS_ACQ;
    case HD_GOAL_GIVE:
        if (op->kind == HD_EV_COND_WAIT)
            what->addr = op->obj2;
        return op->kind == HD_EV_COND_WAIT || hd_event_class(op->kind) == HD_CLASS_REL;
    case HD_GOAL_WOKEN: return hd_event_class(op->kind) == HD_CLASS_WAITS && !is_wait_begun(op);
    case HD_GOAL_ANY: return true;
    default: return hd_event_class(op->kind) == HD_CLASS_WAKES;
    }
}

HD_INLINE bool overlaps(struct object a, struct object b)
{
    return hd_event_overlaps(a.addr, a.size, b.addr, b.size);
}

HD_INLINE struct count *count_of(struct hd_active *s, u32 tid, const struct hd_op *op)
{
    u64 key = (op->site ^ (u64)op->ctx << 20) * 0x9e3779b97f4a7c15ull + tid + 1;
    u32 at = (u32)(key >> 40) & (COUNTS - 1);
    for (u32 i = 0; i < 16; i++, at = (at + 1) & (COUNTS - 1))
        if (s->count[at].key == key || !s->count[at].key) {
            s->count[at].key = key;
            return &s->count[at];
        }
    return &s->count[at]; /* crowded: shared with another */
}

HD_INLINE bool is_instance(struct hd_active *s, u32 tid, const struct hd_op *op,
                        const struct hd_goal_event *e, struct object *what)
{
    if (op->site != e->site || !does_it(op, e->does, what) ||
        (e->addr && !overlaps((struct object){e->addr, 1}, *what)))
        return false;
    return !e->nth || (op->ctx == e->ctx && count_of(s, tid, op)->n + 1 == e->nth);
}

/* Thread and object can be those of event i, as far as they are known. */
HD_INLINE bool fits(const struct hd_goal *g, const struct chase *c, u32 i, u32 tid, struct object what)
{
    const struct hd_goal_event *e = &g->event[i];
    u16 own = c->thread[e->role], other = c->thread[!e->role];
    if (own != HD_NO_THREAD ? own != tid : other == tid)
        return false;
    if (c->object[e->var].size)
        return overlaps(c->object[e->var], what);
    return g->n_vars < 2 || !c->object[!e->var].size || !overlaps(c->object[!e->var], what);
}

HD_INLINE bool is_due(const struct hd_goal *g, const struct chase *c, u32 i)
{
    return !(c->done >> i & 1) && !(g->event[i].after & ~c->done);
}

/* ---- watch: what would come between ---------------------------------------------------- */

/* `op` of thread tid between source and sink on their object makes their order
 * one that is not immediate (or is no conflict any more). */
HD_INLINE bool comes_between(const struct hd_goal_event *source, const struct hd_goal_event *sink,
                          bool is_source_thread, const struct hd_op *op)
{
    enum hd_evclass class = hd_event_class(op->kind);
    if (is_touch(source->does)) {
        if (class == HD_CLASS_WRITE || class == HD_CLASS_RMW)
            return true;
        bool is_write_write = source->does != HD_GOAL_READ && sink->does != HD_GOAL_READ;
        return class == HD_CLASS_READ &&
               (is_write_write || (is_source_thread && source->does == HD_GOAL_READ));
    }
    if (source->does == HD_GOAL_WAKE)
        return class == HD_CLASS_WAKES;
    return class == HD_CLASS_ACQ || class == HD_CLASS_REL;
}

/* Bit set of the events whose pair with an event done already it would spoil. */
HD_INLINE u32 spoils(const struct hd_goal *g, const struct chase *c, u32 tid, const struct hd_op *op)
{
    struct object what = {op->obj, op->size ? op->size : 1};
    u32 set = 0;
    for (u32 i = 0; i < g->n; i++) {
        const struct hd_goal_event *sink = &g->event[i];
        if (c->done >> i & 1)
            continue;
        for (u32 k = 0; k < g->n; k++) {
            const struct hd_goal_event *source = &g->event[k];
            if (!(sink->after & c->done & 1u << k) || source->var != sink->var ||
                source->role == sink->role || !overlaps(c->object[sink->var], what))
                continue;
            if (source->does == HD_GOAL_TAKE) /* held by the thread: nobody comes between */
                continue;
            if (comes_between(source, sink, c->thread[source->role] == tid, op))
                set |= 1u << i;
        }
    }
    return set;
}

/* ---- the queue ---------------------------------------------------------------------------
 * Goals that wait (event/goal.h), so that one run is driven into many orders, one after the other
 * as it comes to them. Where in the run their events come need not be known: a goal is taken up
 * when a thread is about to do one of them.
 *
 *   ahead -> live -> reached, or lost QUEUE_LOSSES times, or queue.steps steps old
 *
 * Goals that are there from the beginning go first: where the two disagree about a thread the
 * queue gives way, and whom the queue holds goes before whom they hold. */

/* Loop over the numbers of goals in a bit set, as it is now. */
#define GOALS_EACH(i, bits)                                                                        \
    for (u32 left_##i = (bits), i;                                                                 \
         left_##i && (i = (u32)__builtin_ctz(left_##i), 1); left_##i &= left_##i - 1)

HD_INLINE u32 site_bit(u64 site)
{
    return (u32)(site * 0x9e3779b97f4a7c15ull >> 52) & (SITE_BITS - 1);
}

HD_INLINE void queue_start(struct queue *q, const struct hd_goals *goals, u64 points)
{
    u32 n = HD_MIN(goals->n_queued, goals->n);
    for (u32 i = goals->n - n; i < goals->n; i++) {
        q->ahead |= 1u << i;
        for (u32 k = 0; k < goals->at[i].n; k++)
            hd_bit_set(q->sites, site_bit(goals->at[i].event[k].site));
    }
    /* All of them can have their turn. */
    q->steps = n ? HD_MAX(points * AT_ONCE / n, (u64)QUEUE_STEPS) : 0;
}

HD_INLINE bool shares_site(const struct hd_goal *a, const struct hd_goal *b)
{
    for (u32 i = 0; i < a->n; i++)
        for (u32 k = 0; k < b->n; k++)
            if (a->event[i].site == b->event[k].site)
                return true;
    return false;
}

HD_INLINE bool is_compatible(const struct hd_active *s, u32 at)
{
    GOALS_EACH (i, s->live)
        if (shares_site(&s->goals->at[i], &s->goals->at[at]))
            return false;
    return true;
}

HD_INLINE bool is_event_of(struct hd_active *s, const struct hd_goal *g, u32 tid,
                           const struct hd_op *op)
{
    struct object what;
    for (u32 k = 0; k < g->n; k++)
        if (is_instance(s, tid, op, &g->event[k], &what))
            return true;
    return false;
}

/* Before somebody is picked: takes up what threads have come to. */
HD_INLINE void queue_look(struct hd_active *s, const struct hd_view *v)
{
    struct queue *q = &s->queue;
    if (!q->ahead)
        return;
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *op = hd_view_op(v, t);
        if (!hd_bit_is_set(q->sites, site_bit(op->site)))
            continue;
        GOALS_EACH (i, q->ahead) {
            if ((u32)__builtin_popcount(s->live & ~s->first) >= AT_ONCE)
                return;
            if (!is_event_of(s, &s->goals->at[i], t, op) || !is_compatible(s, i))
                continue;
            q->ahead &= ~(1u << i);
            q->taken |= 1u << i;
            q->since[i] = v->step;
            s->live |= 1u << i;
        }
    }
}

/* After a step. */
HD_INLINE void queue_drop(struct hd_active *s, const struct hd_view *v)
{
    GOALS_EACH (i, s->live & ~s->first)
        if (s->queue.losses[i] >= QUEUE_LOSSES || v->step - s->queue.since[i] > s->queue.steps)
            s->live &= ~(1u << i);
}

#endif
