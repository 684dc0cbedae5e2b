/* order.c: who holds which lock, and what synchronization orders, read off the
 * events alone.
 *
 * The history may begin in the middle of the run, so both answer "as far as is
 * known". A cond wait gives its mutex up by an UNLOCK event of its own.
 */
#include "report/explain/model.h"

#include <errno.h>

#include "base/bits.h"
#include "base/map.h"

/* ---- locks ------------------------------------------------------------------- */

static bool is_exclusive(u8 kind)
{
    return kind == HD_EV_LOCK || kind == HD_EV_TRYLOCK || kind == HD_EV_WRLOCK ||
           kind == HD_EV_TRYWRLOCK;
}

static struct hd_held *find(const struct hd_held_set *h, u64 obj, u16 tid)
{
    for (size_t i = 0; i < h->v.n; i++)
        if (h->v.at[i].obj == obj && (tid == HD_NO_THREAD || h->v.at[i].tid == tid))
            return &h->v.at[i];
    return NULL;
}

static void take(struct hd_held_set *h, const struct hd_event *e, u32 i)
{
    if (is_exclusive(e->kind))
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
    if (e->kind >= HD_EV_COUNT)
        return;
    enum hd_evclass class = hd_event_class(e->kind);
    if (class == HD_CLASS_ACQ && (e->arg == 0 || e->arg == EOWNERDEAD)) {
        take(h, e, i);
    } else if (class == HD_CLASS_REL && e->arg == 0) {
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

/* ---- happens-before ------------------------------------------------------------ */

/* What event i has reached so far: threads by number, objects by address. */
struct reach {
    u64 thread[HD_BITS_WORDS(HD_MAX_THREADS)];
    struct hd_map obj;
};

static bool is_thread_in(const struct reach *r, u64 t)
{
    return t < HD_MAX_THREADS && hd_bit_is_set(r->thread, (u32)t);
}

static void add_thread(struct reach *r, u64 t)
{
    if (t < HD_MAX_THREADS)
        hd_bit_set(r->thread, (u32)t);
}

static bool is_object_in(const struct reach *r, u64 obj) { return hd_map_has(&r->obj, obj); }
static void add_object(struct reach *r, u64 obj) { hd_map_put(&r->obj, obj, 1); }

static void spread(struct reach *r, const struct hd_event *e)
{
    bool is_in = is_thread_in(r, e->tid);
    switch (e->kind) {
    case HD_EV_CREATE:
        if (is_in)
            add_thread(r, e->obj);
        return;
    case HD_EV_JOIN:
        if (e->arg == 0 && is_thread_in(r, e->obj))
            add_thread(r, e->tid);
        return;
    case HD_EV_BARRIER_WAIT: case HD_EV_ARMW:
        break;
    case HD_EV_ASTORE:
        if (is_in)
            add_object(r, e->obj);
        return;
    case HD_EV_ALOAD:
        if (is_object_in(r, e->obj))
            add_thread(r, e->tid);
        return;
    default:
        switch (hd_event_class(e->kind)) {
        case HD_CLASS_REL: case HD_CLASS_WAKES:
            if (is_in)
                add_object(r, e->obj);
            return;
        case HD_CLASS_ACQ: case HD_CLASS_WAITS:
            if (is_object_in(r, e->obj))
                add_thread(r, e->tid);
            return;
        default:
            return;
        }
    }
    /* both ways */
    if (is_object_in(r, e->obj))
        add_thread(r, e->tid);
    else if (is_in)
        add_object(r, e->obj);
}

bool hd_order_is_before(const struct hd_finding *f, u32 i, u32 j)
{
    struct reach r = {0};
    add_thread(&r, f->events[i].tid);
    u16 want = f->events[j].tid;
    u32 k = i + 1;
    for (; k < j && !is_thread_in(&r, want); k++)
        if (f->events[k].kind < HD_EV_COUNT)
            spread(&r, &f->events[k]);
    bool is_before = is_thread_in(&r, want);
    hd_map_release(&r.obj);
    return is_before;
}
