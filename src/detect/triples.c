/* triples.c: see triples.h. */
#include "detect/triples.h"

#include "detect/accesses.h"

#include <string.h>

#define OPEN 32 /* first accesses that wait for their second */

void hd_triples_release(struct hd_triples *t)
{
    hd_vec_release(&t->all);
    hd_map_release(&t->number);
}

void hd_triples_add(struct hd_triples *t, const struct hd_race_seen *s, bool is_fixed)
{
    const u64 site[3] = {s->site[0], s->site[1], s->third};
    u64 *number = hd_map_ref(&t->number, hd_sites_key(1, site, 3), 0);
    if (!*number) {
        if (t->all.n >= HD_TRIPLES_MOST)
            return;
        *hd_vec_add(&t->all) = (struct hd_triple){.is = *s, .var = is_fixed ? s->addr : 0};
        *number = t->all.n;
    }
    struct hd_triple *is = &t->all.at[*number - 1];
    if (!is_fixed || is->var != s->addr)
        is->var = 0; /* of several variables, or of none that stays */
    is->is.in_block |= s->in_block;
    *(s->hidden ? &is->possible : &is->exposed) += 1;
}

/* ---- in a run ----------------------------------------------------------------------------- */

struct open {
    u32 first, between; /* index + 1; between 0 = nobody yet */
    u16 tid;
};

/* An access of another thread, or of the same: is the triple complete? */
static bool follow(struct open *o, const struct hd_event *ev, u32 i, const u64 at[3])
{
    const struct hd_event *first = &ev[o->first - 1];
    if (!hd_overlaps(first, &ev[i]))
        return false;
    if (ev[i].tid != o->tid) {
        if (ev[i].site == at[1])
            o->between = i + 1;
        return false;
    }
    bool is_found = o->between && ev[i].site == at[2];
    if (!is_found)
        o->first = 0;
    return is_found;
}

bool hd_triple_find(const struct hd_event *ev, u32 n, const u64 at[3], bool in_block, u32 found[3])
{
    static struct hd_blocks blocks; /* host: one thread */
    struct open open[OPEN] = {{0}};
    u32 next = 0;
    memset(&blocks, 0, sizeof blocks);
    for (u32 i = 0; i < n; i++) {
        u16 tid = ev[i].tid;
        if (tid >= HD_MAX_THREADS)
            continue;
        if (hd_blocks_leave(&blocks, &ev[i]) && in_block)
            for (u32 k = 0; k < OPEN; k++)
                if (open[k].tid == tid)
                    open[k].first = 0;
        if (!hd_is_access(&ev[i]))
            continue;
        for (u32 k = 0; k < OPEN; k++)
            if (open[k].first && follow(&open[k], ev, i, at)) {
                found[0] = open[k].first - 1;
                found[1] = open[k].between - 1;
                found[2] = i;
                return true;
            }
        if (ev[i].site == at[0] && (!in_block || blocks.depth[tid]))
            open[next++ % OPEN] = (struct open){i + 1, 0, tid};
    }
    return false;
}
