/* active_part.h: of strategy active: a goal on its way, and which part an operation plays
 * in it; see active.c. */
#ifndef HD_ACTIVE_PART_H
#define HD_ACTIVE_PART_H

#include "event/goal.h"
#include "strategy/event_priority.h"

#define COUNTS 1024 /* (thread, site, context) whose executions are counted; power of two */

#define HOLD_TIMES 4u /* the points of the longest run */

enum standing { READY, DRIVEN, FREE, LOW, SOFT, HELD };

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
    bool is_over;     /* every event has come */
    u16 keeper[HD_GOAL_EVENTS]; /* thread that is held for an event to come */
};

struct count {
    u64 key;
    u32 n;
};

struct hd_active {
    struct hd_rng rng;
    const struct hd_goals *goals;
    struct chase chase[HD_GOALS];
    u32 n_open;       /* goals that are not over */
    u32 patience;
    u64 hold_steps;   /* for which a thread is held at most, whatever the others do */
    u64 awaited;      /* step of the last time that input was waited for, + 1 */
    struct count count[COUNTS];
    struct hd_event_priority priority; /* HD_ORDER_CHANCE */
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

#endif
