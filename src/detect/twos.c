/* twos.c: see twos.h. */
#include "detect/twos.h"

#include "detect/accesses.h"

#include <string.h>

#define OPEN 32 /* first accesses that wait for the others */

void hd_twos_release(struct hd_twos *t)
{
    hd_vec_release(&t->all);
    hd_map_release(&t->number);
}

void hd_twos_add(struct hd_twos *t, const struct hd_two_seen *s, u32 fixed)
{
    u64 key = hd_sites_key(1 + s->is_turned, s->site, 4);
    u64 *number = hd_map_ref(&t->number, key, 0);
    if (!*number) {
        if (t->all.n >= HD_TWOS_MOST) {
            hd_map_del(&t->number, key);
            return;
        }
        *hd_vec_add(&t->all) = (struct hd_two){.is = *s, .var = {s->addr[0], s->addr[1]}};
        *number = t->all.n;
    }
    struct hd_two *is = &t->all.at[*number - 1];
    for (u32 i = 0; i < 2; i++)
        if (!(fixed >> i & 1) || is->var[i] != s->addr[i])
            is->var[i] = 0; /* of several variables, or of none that stays */
    is->is.in_block |= s->in_block;
    *(s->is_exposed ? &is->exposed : &is->possible) += 1;
}

/* ---- in a run ----------------------------------------------------------------------------- */

struct open {
    u32 at[3]; /* index + 1 of the first three; 0 = not yet */
    u16 tid, other;
};

/* Another access: are the four complete? */
static bool follow(struct open *o, const struct hd_event *ev, u32 i, const u64 at[4], bool is_turned)
{
    const struct hd_event *first = &ev[o->at[0] - 1], *e = &ev[i];
    if (e->tid != o->tid) {
        bool is_first = hd_overlaps(first, e);
        if (o->at[1] && e->tid == o->other && e->site == at[2] && is_first == is_turned) {
            o->at[2] = i + 1;
        } else if (e->site == at[1] && is_first == !is_turned) {
            o->at[1] = i + 1;
            o->at[2] = 0;
            o->other = e->tid;
        }
        return false;
    }
    /* which of the other thread's accesses was to the second variable */
    u32 second = is_turned ? o->at[1] : o->at[2];
    if (o->at[2] && e->site == at[3] && hd_overlaps(&ev[second - 1], e))
        return true;
    if (hd_overlaps(first, e) || (second && hd_overlaps(&ev[second - 1], e)))
        o->at[0] = 0;
    return false;
}

bool hd_two_find(const struct hd_event *ev, u32 n, const u64 at[4], bool is_turned, bool in_block,
                 u32 found[4])
{
    static struct hd_blocks blocks; /* host: one thread */
    struct open open[OPEN] = {{{0}, 0, 0}};
    u32 next = 0;
    memset(&blocks, 0, sizeof blocks);
    for (u32 i = 0; i < n; i++) {
        u16 tid = ev[i].tid;
        if (tid >= HD_MAX_THREADS)
            continue;
        if (hd_blocks_leave(&blocks, &ev[i]) && in_block)
            for (u32 k = 0; k < OPEN; k++)
                if (open[k].tid == tid)
                    open[k].at[0] = 0;
        if (!hd_is_access(&ev[i]))
            continue;
        for (u32 k = 0; k < OPEN; k++)
            if (open[k].at[0] && follow(&open[k], ev, i, at, is_turned)) {
                for (u32 j = 0; j < 3; j++)
                    found[j] = open[k].at[j] - 1;
                found[3] = i;
                return true;
            }
        if (ev[i].site == at[0] && (!in_block || blocks.depth[tid]))
            open[next++ % OPEN] = (struct open){{i + 1, 0, 0}, tid, 0};
    }
    return false;
}
