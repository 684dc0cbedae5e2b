/* lock_order.c: see lock_order.h. Edges of a graph of locks, one for each pair of takes by a
 * thread; a new edge is followed from thread to thread until it comes back to its own lock. */
#include "observe/race/lock_order.h"

void hd_lock_order_begin(struct hd_lock_order *l)
{
    hd_vec_clear(&l->edge);
    hd_map_clear(&l->number);
    hd_map_clear(&l->address);
}

void hd_lock_order_release(struct hd_lock_order *l)
{
    hd_vec_release(&l->edge);
    hd_map_release(&l->number);
    hd_map_release(&l->address);
}

/* ---- circles ---------------------------------------------------------------------------- */

struct path {
    const struct hd_lock_order *l;
    const struct hd_race_possible *possible;
    u32 at[HD_LOCK_ORDER_MOST]; /* edges */
    u32 n;
};

/* Can edge `next` be there while those of the path are? The last of them wants its lock. */
static bool fits(const struct path *p, const struct hd_lock_edge *next)
{
    const struct hd_lock_edge *all = p->l->edge.at, *last = &all[p->at[p->n - 1]];
    if (last->wanted != next->held || (last->is_wanted_shared && next->is_held_shared))
        return false;
    for (u32 i = 0; i < p->n; i++) {
        const struct hd_lock_edge *e = &all[p->at[i]];
        if (e->is.tid == next->is.tid || hd_race_locks_meet(&e->all, &next->all))
            return false;
    }
    const struct hd_lock_edge *new = &all[p->at[0]]; /* what its thread knows, it knows now */
    return !hd_order_is_before(&p->possible->bare, next->is.tid, next->time, new->is.tid);
}

static void report(const struct path *p)
{
    struct hd_lock_order_seen seen = {.n = p->n};
    for (u32 i = 0; i < p->n; i++)
        seen.at[i] = p->l->edge.at[p->at[i]].is;
    p->l->report(p->l->self, &seen);
}

static void follow(struct path *p)
{
    const struct hd_lock_edge *all = p->l->edge.at, *first = &all[p->at[0]];
    for (u32 i = 0; i < p->l->edge.n; i++) {
        if (!fits(p, &all[i]))
            continue;
        p->at[p->n++] = i;
        if (all[i].wanted == first->held) {
            if (!(all[i].is_wanted_shared && first->is_held_shared))
                report(p);
        } else if (p->n < HD_LOCK_ORDER_MOST) {
            follow(p);
        }
        p->n--;
    }
}

/* ---- edges ------------------------------------------------------------------------------ */

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* The edge again, at a later time, or a new one; HD_LOCK_ORDER_EDGES = there is no room. */
static u32 add(struct hd_lock_order *l, const struct hd_lock_edge *e)
{
    u64 hash = mix(mix(mix(mix(mix(1, e->held), e->wanted), e->is.take), e->is.want), e->is.tid);
    hash = mix(mix(hash, e->all.exclusive), e->all.shared);
    u64 *number = hd_map_ref(&l->number, hash, 0);
    if (!*number) {
        if (l->edge.n >= HD_LOCK_ORDER_EDGES) {
            hd_map_del(&l->number, hash);
            return HD_LOCK_ORDER_EDGES;
        }
        *hd_vec_add(&l->edge) = *e;
        *number = l->edge.n;
    }
    l->edge.at[*number - 1].time = e->time;
    return (u32)*number - 1;
}

void hd_lock_order_sync(struct hd_lock_order *l, struct hd_race_possible *p, const struct hd_feed *f,
                        const struct hd_seen *s)
{
    if (!l->report || s->what != HD_DOES_ACQ || s->is_nested || !s->n || s->tid >= f->n_threads)
        return;
    u64 wanted = f->object[s->part[0].obj].generation;
    hd_map_put(&l->address, wanted, s->ev->obj);
    if (!hd_may(s->ev->kind, HD_BLOCKS))
        return;
    struct hd_race_locks all = hd_race_locks_held(p, f, s->tid);
    for (size_t i = 0; i < f->thread[s->tid].held.n; i++) {
        const struct hd_feed_lock *h = &f->thread[s->tid].held.at[i];
        const struct hd_touch *t = &hd_feed_last(f, h->obj, s->tid)->r;
        struct hd_lock_edge e = {
            .held = h->generation, .wanted = wanted, .time = s->time, .all = all,
            .is_held_shared = h->is_shared, .is_wanted_shared = s->flag,
            .is = {f->set->site[t->site], s->ev->site, hd_map_get_or(&l->address, h->generation, 0),
                   s->tid}};
        if (h->generation == wanted || !t->now)
            continue;
        struct path path = {.l = l, .possible = p, .n = 1};
        path.at[0] = add(l, &e);
        if (path.at[0] < HD_LOCK_ORDER_EDGES)
            follow(&path);
    }
}
