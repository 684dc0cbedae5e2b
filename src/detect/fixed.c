/* fixed.c: see fixed.h. */
#include "detect/fixed.h"

#include "detect/accesses.h"

#define THREADS 255    /* of an object whose last accesses the feed keeps */
#define KEPT (1u << 20)  /* accesses of all sites */

void hd_fixed_init(struct hd_fixed *s, const struct hd_event *ev)
{
    *s = (struct hd_fixed){.ev = ev};
    hd_set_init(&s->set);
    hd_feed_init(&s->feed, &s->set, THREADS);
    hd_must_init(&s->order, 0);
    s->order.has_passes = true;
    hd_map_init(&s->last);
    hd_feed_begin(&s->feed);
    hd_must_begin(&s->order);
}

void hd_fixed_release(struct hd_fixed *s)
{
    hd_vec_release(&s->at);
    hd_map_release(&s->last);
    hd_must_release(&s->order);
    hd_feed_release(&s->feed);
    hd_set_release(&s->set);
}

void hd_fixed_want(struct hd_fixed *s, u64 site) { hd_map_ref(&s->last, site, 0); }

static void keep(struct hd_fixed *s, u32 i, u64 *last)
{
    u16 tid = s->ev[i].tid;
    *hd_vec_add(&s->at) = (struct hd_fixed_access){i, *hd_must_epoch(&s->order, tid),
                                                   hd_must_clock(&s->order, tid), (u32)*last};
    *last = s->at.n;
}

void hd_fixed_read(struct hd_fixed *s, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const struct hd_event *e = &s->ev[i];
        if (e->kind == HD_EV_GAP) {
            hd_feed_gap(&s->feed, e->arg);
            hd_must_gap(&s->order, &s->feed);
            continue;
        }
        const struct hd_seen *seen = hd_feed_decode(&s->feed, e);
        u64 *last = hd_space_of(e->kind) == HD_SPACE_MEMORY ? hd_map_get(&s->last, e->site) : NULL;
        hd_must_before(&s->order, &s->feed, seen);
        if (last && s->at.n < KEPT)
            keep(s, i, last);
        hd_feed_done(&s->feed);
        hd_must_after(&s->order, &s->feed, seen);
    }
}

static bool is_ordered(const struct hd_fixed *s, const struct hd_fixed_access *a,
                       const struct hd_fixed_access *b)
{
    return hd_must_knows(&s->order, b->clock, s->ev[a->event].tid, a->epoch) ||
           hd_must_knows(&s->order, a->clock, s->ev[b->event].tid, b->epoch);
}

enum hd_fixed_is hd_fixed_ask(struct hd_fixed *s, const u64 site[2], u64 most)
{
    enum hd_fixed_is is = HD_FIXED_UNSEEN;
    u64 until = s->work + most;
    for (u32 i = (u32)hd_map_get_or(&s->last, site[0], 0); i && s->work < until; i = s->at.at[i - 1].next)
        for (u32 k = (u32)hd_map_get_or(&s->last, site[1], 0); k && s->work < until;
             k = s->at.at[k - 1].next) {
            const struct hd_fixed_access *a = &s->at.at[i - 1], *b = &s->at.at[k - 1];
            s->work++;
            if (!hd_accesses_conflict(&s->ev[a->event], &s->ev[b->event]))
                continue;
            if (!is_ordered(s, a, b))
                return HD_FIXED_OPEN;
            is = HD_FIXED_ORDERED;
        }
    return is;
}
