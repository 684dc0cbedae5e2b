/* held.c: who holds which lock, read off the events alone.
 *
 * The history may begin in the middle of the run, so the answer is "as far as is known". A
 * cond wait gives its mutex up by an UNLOCK event of its own.
 */
#include "report/explain/model.h"

/* ---- locks ------------------------------------------------------------------- */

static struct hd_held *find(const struct hd_held_set *h, u64 obj, u16 tid)
{
    for (size_t i = 0; i < h->v.n; i++)
        if (h->v.at[i].obj == obj && (tid == HD_NO_THREAD || h->v.at[i].tid == tid))
            return &h->v.at[i];
    return NULL;
}

static void take(struct hd_held_set *h, const struct hd_event *e, u32 i)
{
    if (!hd_may(e->kind, HD_SHARED))
        for (size_t k = h->v.n; k-- > 0;)
            if (h->v.at[k].obj == e->obj && h->v.at[k].tid != e->tid)
                hd_vec_del_fast(&h->v, k);
    struct hd_held *own = find(h, e->obj, e->tid);
    if (own) {
        own->depth++;
        return;
    }
    *hd_vec_add(&h->v) = (struct hd_held){.obj = e->obj, .tid = e->tid, .depth = 1, .event = i};
}

void hd_held_step(struct hd_held_set *h, const struct hd_finding *f, u32 i)
{
    const struct hd_event *e = &f->events[i];
    u32 effects = hd_effects(e);
    if (effects & HD_TAKES) {
        take(h, e, i);
    } else if (effects & HD_GIVES) {
        struct hd_held *own = find(h, e->obj, e->tid);
        if (own && --own->depth == 0)
            hd_vec_del_fast(&h->v, (size_t)(own - h->v.at));
    }
}

const struct hd_held *hd_held_find(const struct hd_held_set *h, u64 obj, u16 tid)
{
    return find(h, obj, tid);
}

void hd_held_release(struct hd_held_set *h)
{
    hd_vec_release(&h->v);
}
