/* syncpair.c: synchronization pairs (Hong, Ahn, Park, Kim, Harrold, ISSTA
 * 2012). Element: <l1, l2>, two lock sites that took one lock directly after
 * each other; pairs within one thread count.
 *
 * Taking the lock again after a condition wait is a lock call at the site of
 * the wait. A recursive lock counts where it is really taken: the inner calls
 * cannot be scheduled apart from the outer one. Failed attempts do not count.
 */
#include "observe/observe.h"

#include <stdlib.h>

struct hd_syncpair {
    struct taken {
        u64 generation;
        u32 site;
    } *lock;
    u32 cap;
};

static void syncpair_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    struct hd_syncpair *p = state;
    u32 obj = s->part[0].obj;
    u64 generation = io->feed.object[obj].generation;
    if (s->is_nested)
        return;
    p->lock = hd_observe_room(p->lock, &p->cap, obj, sizeof *p->lock);
    if (p->lock[obj].generation == generation)
        hd_observe_pair(io, HD_METRIC_syncpair, 0, p->lock[obj].site, s->site);
    p->lock[obj] = (struct taken){generation, s->site};
}

static void syncpair_release(void *state)
{
    free(((struct hd_syncpair *)state)->lock);
}

const struct hd_observer hd_observer_syncpair = {
    .state = sizeof(struct hd_syncpair),
    .wants = 1u << HD_DOES_ACQ,
    .event = syncpair_event,
    .release = syncpair_release,
};
