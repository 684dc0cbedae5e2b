/* hapset.c: history-aware predecessor sets (Wang, Said, Gupta, ICSE 2011).
 * Element: <statement before, statement>, a statement being (site, context),
 * the context the hash of the innermost 5 frames; sub 1: the earlier one ran in
 * the thread with the smaller number (thr 0 and 1), sub 2: in the other.
 *
 * As pset, and: lock after lock, waiting and waking in either order. Unlocks
 * count for recursive locks only. A read lock does not conflict with another.
 * Deviation: a condition wait is two events, begin and wake, at one site; both
 * take part, so a signal before the wait (lost wake-up) differs from one after.
 */
#include "observe/observe.h"

static void add(struct hd_observing *io, const struct hd_seen *s, u16 tid, const struct hd_touch *t)
{
    struct hd_key k = {.metric = HD_METRIC_hapset, .sub = tid < s->tid ? 1 : 2, .n = 2,
                       .n_extra = 2, .site = {t->site, s->site}, .extra = {t->ctx, s->ev->ctx}};
    u64 tag = hd_memo_tag(k.metric, k.sub, t->site, s->site);
    u32 at = hd_memo_pair(&io->memo, tag);
    const u32 *known = io->set.record[at].key.extra; /* the cache knows sites, not contexts */
    if (!at || known[0] != k.extra[0] || known[1] != k.extra[1])
        hd_memo_put_pair(&io->memo, tag, hd_observe_add(io, &k));
}

static const struct hd_touch *later(const struct hd_last *l)
{
    return l->w.now >= l->r.now ? &l->w : &l->r;
}

/* The last thing another thread did that conflicts with s; .now 0 = none. */
static const struct hd_touch *conflicting(const struct hd_feed *f, const struct hd_seen *s,
                                          const struct hd_feed_object *o, const struct hd_last *l)
{
    switch (s->what) {
    case HD_DOES_READ: case HD_DOES_WAIT: case HD_DOES_WOKEN: return &l->w;
    case HD_DOES_WAKE: return &l->r;
    case HD_DOES_ACQ:
        if (o->is_recursive)
            return later(l);
        return s->flag && l->flags & HD_LAST_R_FLAG ? &f->last[0].r : &l->r;
    default: return later(l);
    }
}

static u32 own_since(const struct hd_seen *s, const struct hd_feed_object *o,
                     const struct hd_last *own)
{
    return s->what == HD_DOES_ACQ && !o->is_recursive ? own->r.now : hd_last_now(own);
}

static void hapset_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    const struct hd_feed *f = &io->feed;
    if (s->is_nested)
        return;
    for (u32 i = 0; i < s->n; i++) {
        const struct hd_feed_object *o = &f->object[s->part[i].obj];
        if (o->recent == s->part[i].own)
            continue;
        u32 own = own_since(s, o, &f->last[s->part[i].own]);
        HD_LAST_EACH (l, f, o) {
            const struct hd_touch *t = conflicting(f, s, o, l);
            if (t->now > own && l->tid != s->tid)
                add(io, s, l->tid, t);
        }
    }
}

const struct hd_observer hd_observer_hapset = {
    .wants = (HD_WANTS_MEMORY | HD_WANTS_SYNC) & ~(1u << HD_DOES_REL),
    .event = hapset_event,
};
