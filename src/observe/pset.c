/* pset.c: predecessor sets of memory accesses (Yu and Narayanasamy, ISCA 2009;
 * as used in Wang, Said, Gupta, ICSE 2011). Element: <site before, site>.
 *
 * At every access, each other thread's last conflicting access to the object
 * precedes it, unless this thread has touched the object since: in the worked
 * example of the paper a second read of a pointer has no predecessor, because
 * the first read stands between it and the write.
 */
#include "observe/observe.h"

static void pset_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    const struct hd_feed *f = &io->feed;
    bool is_read = s->what == HD_DOES_READ;
    for (u32 i = 0; i < s->n; i++) {
        const struct hd_feed_object *o = &f->object[s->part[i].obj];
        if (o->recent == s->part[i].own)
            continue; /* nobody else was here since */
        u32 own = hd_last_now(&f->last[s->part[i].own]);
        HD_LAST_EACH (l, f, o) {
            const struct hd_touch *t = is_read || l->w.now >= l->r.now ? &l->w : &l->r;
            if (t->now > own && l->tid != s->tid)
                hd_observe_pair(io, HD_METRIC_pset, 0, t->site, s->site);
        }
    }
}

const struct hd_observer hd_observer_pset = {
    .wants = HD_WANTS_MEMORY,
    .event = pset_event,
};
