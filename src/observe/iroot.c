/* iroot.c: interleaving idioms (Yu, Narayanasamy, Pereira, Pokam: Maple, OOPSLA
 * 2012). Element: idiom (sub) and its sites e0, e1, ... (idiom 6: A B C D).
 *
 * Dependencies (`=>`, immediate only): read after write if it is the reader's
 * first since; write after the last read of every other thread since the last
 * write; write after write if no read came between; lock after unlock; going on
 * after the wake that allowed it. All compound idioms are two dependencies
 * between two threads, the second one ending now:
 *
 *   E1 (T1=>T2) then E2 (T2=>T1)  same X:  e1 == e2: 2     e1 before e2: 3
 *                                 X != Y:  e1 before e2: 4  e2 before e1: 5
 *   E1 (T1=>T2) then E2 (T1=>T2)  X != Y, A before C, B before D: 6
 *
 * So each thread keeps its latest incoming dependencies, one per (source
 * thread, object): exclusion makes older ones useless. Windows and exclusion:
 * T1 for 2-4, both threads for 5 and 6 (6 is not in the paper's tool). Idiom 5
 * also comes from a deadlock (iroot_blocked), where nobody gets any further.
 */
#include "observe/observe.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 16, LISTS = 8 };

struct dependency {
    u64 generation;  /* of the object */
    u32 obj;
    u32 id;          /* record of the idiom-1 element it is */
    u16 src;         /* source thread */
    u8 next;         /* in its list, + 1 */
    struct hd_touch from, to;
    u32 to_before;   /* the target thread's touch of the object before `to` */
};

struct incoming {
    u32 n, next;
    u8 list[LISTS];  /* by source thread: first + 1 */
    struct dependency at[KEPT];
};

/* Loop over those from a thread. */
#define FROM_EACH(d, in, thread)                                                                   \
    for (const struct dependency *d = first(in, (in)->list[(thread) % LISTS]); d;                  \
         d = first(in, d->next))                                                                   \
        if (d->src == (thread))

static const struct dependency *first(const struct incoming *in, u8 link)
{
    return link ? &in->at[link - 1] : NULL;
}

struct hd_iroot {
    struct incoming **thread; /* by target thread, NULL = none yet */
    u32 cap, n_threads;
    u32 done[HD_FEED_PARTS]; /* sources this event has depended on already */
    u32 n_done;
};

/* ---- compound idioms ------------------------------------------------------------- */

static u32 last_touch(const struct hd_observing *io, u32 obj, u16 tid)
{
    return hd_last_touch(hd_feed_last(&io->feed, obj, tid));
}

static bool is_near(const struct hd_observing *io, u32 from, u32 to)
{
    return to - from < io->cfg.window;
}

static struct hd_key key(u8 sub, const struct dependency *e1, const struct dependency *e2)
{
    return (struct hd_key){.metric = HD_METRIC_iroot, .sub = sub, .n = 4,
                           .site = {e1->from.site, e1->to.site, e2->from.site, e2->to.site}};
}

/* Idiom 5 has two names for one thing: the edge with smaller sites goes first. */
static struct hd_key crossed(const struct hd_observing *io, const struct dependency *e1,
                             const struct dependency *e2)
{
    const u64 *site = io->set.site;
    u64 a = site[e1->from.site], b = site[e2->from.site];
    bool is_swapped = b < a || (b == a && site[e2->to.site] < site[e1->to.site]);
    return is_swapped ? key(5, e2, e1) : key(5, e1, e2);
}

/* The two make an idiom, unless T1 (or T2) touched X or Y in between. */
static bool is_excluded(const struct hd_observing *io, u8 sub, const struct dependency *e1,
                        const struct dependency *e2, u16 t1, u16 t2)
{
    const struct hd_feed *f = &io->feed;
    if (f->object[e1->obj].generation != e1->generation)
        return true; /* freed meanwhile: nobody knows any more */
    switch (sub) {
    case 2: case 3: return e2->to_before != e1->from.now;
    case 4: return last_touch(io, e1->obj, t1) != e1->from.now;
    case 5:
        return last_touch(io, e1->obj, t1) != e1->from.now ||
               !hd_feed_is_untouched(f, e2->obj, t2, e2->from.now, e1->to.now);
    default:
        return last_touch(io, e1->obj, t2) != e1->to.now ||
               !hd_feed_is_untouched(f, e1->obj, t1, e1->from.now, e2->from.now) ||
               !hd_feed_is_untouched(f, e2->obj, t1, e1->from.now, e2->from.now);
    }
}

static void show(struct hd_observing *io, u8 sub, const struct dependency *e1,
                 const struct dependency *e2, u16 t1, u16 t2)
{
    u64 tag = hd_memo_tag(HD_METRIC_iroot, sub, e1->id, e2->id);
    if (hd_memo_has(&io->memo, tag) || is_excluded(io, sub, e1, e2, t1, t2))
        return;
    struct hd_key k = sub == 5 ? crossed(io, e1, e2) : key(sub, e1, e2);
    if (sub == 2) {
        k.n = 3;
        k.site[2] = k.site[3];
        k.site[3] = 0;
    }
    hd_observe_add(io, &k);
    hd_memo_put(&io->memo, tag);
}

/* e2: T2 => T1 now. e1: T1 => T2 earlier. */
static void there_and_back(struct hd_observing *io, const struct dependency *e1,
                           const struct dependency *e2, u16 t1, u16 t2)
{
    if (!is_near(io, e1->from.time, e2->to.time))
        return;
    if (e1->generation == e2->generation) {
        if (e1->to.now <= e2->from.now)
            show(io, e1->to.now == e2->from.now ? 2 : 3, e1, e2, t1, t2);
        return;
    }
    if (e2->to_before > e1->from.now || e1->to.now == e2->from.now)
        return; /* T1 touched Y in between; one event on both X and Y */
    if (e1->to.now < e2->from.now)
        show(io, 4, e1, e2, t1, t2);
    else if (is_near(io, e2->from.time, e1->to.time) && e1->to_before < e2->from.now)
        show(io, 5, e1, e2, t1, t2);
}

/* Both T1 => T2: e1 earlier, e2 now. */
static void same_way(struct hd_observing *io, const struct dependency *e1,
                     const struct dependency *e2, u16 t1, u16 t2)
{
    if (e1->from.now < e2->from.now && e2->to_before <= e1->to.now &&
        is_near(io, e1->from.time, e2->from.time) && is_near(io, e1->to.time, e2->to.time))
        show(io, 6, e1, e2, t1, t2);
}

static struct incoming *incoming(struct hd_iroot *r, u16 tid)
{
    r->thread = hd_observe_room(r->thread, &r->cap, tid, sizeof *r->thread);
    r->n_threads = HD_MAX(r->n_threads, tid + 1u);
    if (!r->thread[tid]) {
        r->thread[tid] = calloc(1, sizeof *r->thread[tid]);
        HD_ASSERT(r->thread[tid]);
    }
    return r->thread[tid];
}

/* Takes the place of the one from the same thread on the same object (`old`),
 * else of the oldest. */
static void keep(struct incoming *in, const struct dependency *d, const struct dependency *old)
{
    u32 at = old ? (u32)(old - in->at) : in->next;
    struct dependency *to = &in->at[at];
    u8 link = to->next, *list = &in->list[d->src % LISTS];
    if (!old) {
        in->next = (in->next + 1) % KEPT;
        if (in->n == KEPT) {
            u8 *l = &in->list[to->src % LISTS];
            while (*l != at + 1)
                l = &in->at[*l - 1].next;
            *l = to->next;
        } else {
            in->n++;
        }
        link = *list;
        *list = (u8)(at + 1);
    }
    *to = *d;
    to->next = link;
}

static void compound(struct hd_iroot *r, struct hd_observing *io, const struct dependency *d,
                     u16 tid)
{
    struct incoming *in = incoming(r, tid);
    const struct incoming *back = d->src < r->cap ? r->thread[d->src] : NULL;
    const struct dependency *old = NULL;
    if (back)
        FROM_EACH (e, back, tid)
            there_and_back(io, e, d, tid, d->src);
    FROM_EACH (e, in, d->src) {
        if (e->generation == d->generation)
            old = e;
        else
            same_way(io, e, d, d->src, tid);
    }
    keep(in, d, old);
}

/* ---- dependencies ---------------------------------------------------------------- */

static void depend(struct hd_iroot *r, struct hd_observing *io, const struct hd_seen *s,
                   const struct hd_part *p, const struct hd_last *l, const struct hd_touch *from)
{
    for (u32 i = 0; i < r->n_done; i++)
        if (r->done[i] == from->now)
            return; /* the same two events meet on several objects */
    if (r->n_done < HD_FEED_PARTS)
        r->done[r->n_done++] = from->now;
    struct dependency d = {.generation = io->feed.object[p->obj].generation,
                           .obj = p->obj, .src = l->tid,
                           .from = *from, .to = {s->now, s->time, s->site, s->ev->ctx},
                           .to_before = hd_last_touch(&io->feed.last[p->own])};
    d.id = hd_observe_pair(io, HD_METRIC_iroot, 1, from->site, s->site);
    if (!io->cfg.only_pairs)
        compound(r, io, &d, s->tid);
}

static void after_write(struct hd_iroot *r, struct hd_observing *io, const struct hd_seen *s,
                        const struct hd_part *p)
{
    const struct hd_feed *f = &io->feed;
    const struct hd_last *l = &f->last[f->object[p->obj].writer];
    if (s->what == HD_DOES_ACQ && s->flag) { /* a reader waits for writers only */
        const struct hd_last *best = f->last;
        HD_LAST_EACH (x, f, &f->object[p->obj])
            if (!(x->flags & HD_LAST_W_FLAG) && x->w.now > best->w.now)
                best = x;
        l = best;
    }
    if (l->w.now > f->last[p->own].r.now && l->tid != s->tid)
        depend(r, io, s, p, l, &l->w);
}

static void before_write(struct hd_iroot *r, struct hd_observing *io, const struct hd_seen *s,
                         const struct hd_part *p)
{
    const struct hd_feed *f = &io->feed;
    const struct hd_feed_object *o = &f->object[p->obj];
    const struct hd_last *w = &f->last[o->writer];
    bool is_read = s->what == HD_DOES_RMW;
    HD_LAST_EACH (l, f, o) {
        if (l->r.now <= w->w.now)
            continue;
        is_read = true;
        if (l->tid != s->tid)
            depend(r, io, s, p, l, &l->r);
    }
    if (!is_read && w->w.now && w->tid != s->tid)
        depend(r, io, s, p, w, &w->w);
}

static void iroot_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    struct hd_iroot *r = state;
    if (s->is_nested)
        return;
    r->n_done = 0;
    for (u32 i = 0; i < s->n; i++) {
        const struct hd_part *p = &s->part[i];
        if (io->feed.object[p->obj].n < 2)
            continue;
        if (s->what != HD_DOES_WRITE)
            after_write(r, io, s, p);
        if (s->what == HD_DOES_WRITE || s->what == HD_DOES_RMW)
            before_write(r, io, s, p);
    }
}

/* Threads a and b wait for what the other one holds: each has taken its lock
 * and has reached the other's. */
static void deadlocked(struct hd_observing *io, const struct hd_blocked *a,
                       const struct hd_blocked *b)
{
    struct dependency e1 = {.from = hd_feed_last(&io->feed, b->obj, a->tid)->r,
                            .to = {.site = b->site, .time = b->time}};
    struct dependency e2 = {.from = hd_feed_last(&io->feed, a->obj, b->tid)->r,
                            .to = {.site = a->site, .time = a->time}};
    if (!e1.from.now || !e2.from.now || !is_near(io, e1.from.time, e2.to.time) ||
        !is_near(io, e2.from.time, e1.to.time))
        return;
    struct hd_key k = crossed(io, &e1, &e2);
    hd_observe_add(io, &k);
}

static void iroot_blocked(void *state, struct hd_observing *io, const struct hd_blocked *b, u32 n)
{
    if (io->cfg.only_pairs)
        return;
    for (u32 i = 0; i < n; i++)
        for (u32 k = i + 1; k < n; k++)
            if (io->feed.object[b[i].obj].holder == b[k].tid &&
                io->feed.object[b[k].obj].holder == b[i].tid)
                deadlocked(io, &b[i], &b[k]);
}

static void iroot_begin(void *state, struct hd_observing *io)
{
    struct hd_iroot *r = state;
    for (u32 t = 0; t < r->n_threads; t++)
        if (r->thread[t])
            memset(r->thread[t], 0, offsetof(struct incoming, at));
    r->n_threads = 0;
}

static void iroot_release(void *state)
{
    struct hd_iroot *r = state;
    for (u32 t = 0; t < r->cap; t++)
        free(r->thread[t]);
    free(r->thread);
}

const struct hd_observer hd_observer_iroot = {
    .state = sizeof(struct hd_iroot),
    .wants = HD_WANTS_MEMORY | 1u << HD_DOES_ACQ | 1u << HD_DOES_WOKEN,
    .begin = iroot_begin,
    .event = iroot_event,
    .blocked = iroot_blocked,
    .release = iroot_release,
};
