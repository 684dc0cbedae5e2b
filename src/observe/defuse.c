/* defuse.c: def-use pairs: a write and a read that got its value. Element:
 * <site of the write, site of the read>; sub 1: both in one thread (local),
 * sub 2: in two (remote). Definitions: Shi et al., "Do I use the wrong
 * definition?", OOPSLA 2010. */
#include "observe/observe.h"

static void defuse_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    const struct hd_feed *f = &io->feed;
    for (u32 i = 0; i < s->n; i++) {
        const struct hd_feed_object *o = &f->object[s->part[i].obj];
        const struct hd_last *own = &f->last[s->part[i].own], *def = &f->last[o->writer];
        if (!def->w.now || (own->r.now > def->w.now && own->r.site == s->site))
            continue; /* nothing written yet, or this very pair was met the last time */
        hd_observe_pair(io, HD_METRIC_defuse, def->tid == s->tid ? 1 : 2, def->w.site, s->site);
    }
}

const struct hd_observer hd_observer_defuse = {
    .wants = 1u << HD_DOES_READ | 1u << HD_DOES_RMW,
    .event = defuse_event,
};
