/* race.c: racing pairs: two accesses of different threads to the same bytes,
 * one of them a write, one of them not atomic, that nothing orders (order/order.h,
 * over all synchronization, atomics by their memory order). Element: <site, site>, no order;
 * sub 1: a read and a write, sub 2: two writes.
 *
 * A metric, not a detector: it counts which pairs of sites were seen to race,
 * comparing with the last read and the last write of every other thread.
 */
#include "observe/feed_order.h"
#include "observe/observe.h"

static void race_init(void *state, struct hd_observing *io)
{
    hd_order_init(state, HD_ORDER_ALL);
}

static void race_begin(void *state, struct hd_observing *io) { hd_order_begin(state); }
static void race_release(void *state) { hd_order_release(state); }

static void look(struct hd_order *c, struct hd_observing *io, const struct hd_seen *s, u32 effects,
                 u32 obj)
{
    const struct hd_feed *f = &io->feed;
    bool is_read = !(effects & HD_WRITES);
    HD_LAST_EACH (l, f, &f->object[obj]) {
        if (l->tid == s->tid)
            continue;
        if (l->w.now && !(l->flags & HD_LAST_W_NONE) && !(s->flag && l->flags & HD_LAST_W_FLAG) &&
            !hd_order_is_before(c, l->tid, l->w.time, s->tid))
            hd_observe_both(io, HD_METRIC_race, is_read ? 1 : 2, l->w.site, s->site);
        if (!is_read && l->r.now && !(s->flag && l->flags & HD_LAST_R_FLAG) &&
            !hd_order_is_before(c, l->tid, l->r.time, s->tid))
            hd_observe_both(io, HD_METRIC_race, 1, l->r.site, s->site);
    }
}

/* The same access again, and nobody was here since: nothing to be found. */
static bool is_same(const struct hd_feed *f, const struct hd_seen *s, const struct hd_part *p)
{
    const struct hd_last *own = &f->last[p->own];
    const struct hd_touch *t = s->what == HD_DOES_READ ? &own->r : &own->w;
    return f->object[p->obj].recent == p->own && t->site == s->site;
}

/* An atomic load knows what it acquires before it is compared: what an earlier release of the
 * same atomic brought comes before the load itself. */
static void race_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    if (!(HD_WANTS_MEMORY >> s->what & 1)) {
        hd_feed_order(state, &io->feed, s);
        return;
    }
    u32 effects = hd_effects(s->ev);
    if (s->flag)
        hd_feed_order_part(state, &io->feed, s, effects, HD_FEED_ORDER_BEFORE);
    for (u32 i = 0; i < s->n; i++)
        if (io->feed.object[s->part[i].obj].n > 1 && !is_same(&io->feed, s, &s->part[i]))
            look(state, io, s, effects, s->part[i].obj);
    if (s->flag)
        hd_feed_order_part(state, &io->feed, s, effects, HD_FEED_ORDER_AFTER);
}

const struct hd_observer hd_observer_race = {
    .state = sizeof(struct hd_order),
    .wants = HD_WANTS_ALL & ~(1u << HD_DOES_NOTHING),
    .init = race_init,
    .begin = race_begin,
    .event = race_event,
    .release = race_release,
};
