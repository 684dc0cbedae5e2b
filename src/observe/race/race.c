/* race.c: racing pairs: two accesses of different threads to the same bytes,
 * one of them a write, one of them not atomic, that nothing orders (order/order.h,
 * over all synchronization, atomics by their memory order). Element: <site, site>, no order;
 * sub 1: a read and a write, sub 2: two writes.
 *
 * An access is compared with the last read and the last write of every other thread, and with one
 * of each before that from another site or under other locks. For
 * the detector (detect/races.h) each pair has three facts more:
 *   is_pending  the later access's thread has done nothing since before the earlier access,
 *               so both threads stood at their accesses at the same time: whatever we do not
 *               know of the program, nothing kept them apart
 *   is_schedulable  also if a read comes after the write it saw, nothing orders them (race_shb.h)
 *   is_weak     a second order, in which every atomic is acquire and release, orders them
 *   is_carried  no atomic does, but a read of what the first thread wrote after its access: data behind a flag
 *               or pointer that races itself
 * Calls that may hand data over in ways that are not known (pipes, sockets) order all that
 * comes before one with all that comes after another, which is more than they do. Pairs that
 * the run ordered, but another one need not, are told as well (race_possible.h).
 */
#include "observe/race/race.h"
#include "observe/feed/feed_order.h"
#include "observe/observe.h"
#include "observe/race/lock_order.h"
#include "observe/race/race_object.h"
#include "observe/race/race_possible.h"
#include "observe/race/race_shb.h"
#include "observe/race/race_triple.h"
#include "observe/race/race_two.h"
#include "observe/race/race_wide.h"
#include "order/benign.h"

#include <stdlib.h>

#define EDGES 4 /* kept of each thread */

/* A thread read what another one stored, and one of the two was too weak to order them. */
struct weak_edge {
    struct hd_race_edge is;
    u32 time;  /* of the thread that stored */
    u16 from;
};

struct race_thread {
    u32 now;   /* number of its last event, 0 = none */
    struct edges {
        u32 n; /* in all */
        struct weak_edge at[EDGES];
    } weak, plain; /* by atomics; by races */
};

struct race_store {
    u64 generation;
    u64 site;
    u32 time;
    u16 tid;
    u8 order;
};

struct race {
    struct hd_order order, strong;
    struct hd_race_shb shb;
    struct hd_race_possible possible;
    struct hd_race_objects objects;
    struct hd_race_triples triples;
    struct hd_race_twos twos;
    struct hd_lock_order locks;
    struct hd_vclock external; /* what threads knew when they called the outside world */
    struct race_thread *thread;
    u32 n_threads, cap_threads;
    struct hd_race_wide wide;
    struct hd_benign benign;
    struct race_store *store; /* by object: its last atomic store */
    u32 cap_stores;
    u32 step;                 /* of the last event */
};

static void race_init(void *state, struct hd_observing *io)
{
    struct race *r = state;
    hd_order_init(&r->order, HD_ORDER_ALL);
    hd_order_init(&r->strong, HD_ORDER_ALL);
    hd_race_shb_init(&r->shb);
    hd_race_possible_init(&r->possible);
}

static void race_begin(void *state, struct hd_observing *io)
{
    struct race *r = state;
    hd_order_begin(&r->order);
    hd_order_begin(&r->strong);
    hd_race_shb_begin(&r->shb);
    hd_race_possible_begin(&r->possible);
    hd_race_objects_begin(&r->objects);
    hd_race_triples_begin(&r->triples);
    r->triples.possible = &r->possible;
    r->triples.set = &io->set;
    r->triples.report = io->cfg.race;
    r->triples.self = io->cfg.race_self;
    hd_race_twos_begin(&r->twos);
    r->twos.possible = &r->possible;
    r->twos.set = &io->set;
    r->twos.report = io->cfg.two;
    r->twos.self = io->cfg.race_self;
    hd_race_wide_begin(&r->wide);
    hd_lock_order_begin(&r->locks);
    r->locks.report = io->cfg.lock_order;
    r->locks.self = io->cfg.race_self;
    hd_vclock_clear(&r->external);
    for (u32 t = 0; t < r->n_threads; t++)
        r->thread[t] = (struct race_thread){0};
    if (!io->feed.now) /* a run; behind a gap they are what they were */
        hd_benign_clear(&r->benign);
    r->n_threads = r->step = 0;
}

static void race_end(void *state, struct hd_observing *io)
{
    struct race *r = state;
    hd_race_possible_rest(&r->possible);
    hd_race_triples_rest(&r->triples);
}

static void race_release(void *state)
{
    struct race *r = state;
    hd_order_release(&r->order);
    hd_order_release(&r->strong);
    hd_race_shb_release(&r->shb);
    hd_race_possible_release(&r->possible);
    hd_race_objects_release(&r->objects);
    hd_race_triples_release(&r->triples);
    hd_race_twos_release(&r->twos);
    hd_lock_order_release(&r->locks);
    hd_vclock_release(&r->external);
    free(r->thread);
    free(r->store);
    hd_benign_release(&r->benign);
}

static struct race_thread *thread_of(struct race *r, u32 tid)
{
    if (HD_UNLIKELY(tid >= r->cap_threads))
        r->thread = hd_vec_room_zeroed(r->thread, &r->cap_threads, tid, sizeof *r->thread);
    r->n_threads = HD_MAX(r->n_threads, tid + 1);
    return &r->thread[tid];
}

/* ---- pairs -------------------------------------------------------------------------- */

static u8 does_of(const struct hd_last *l, bool is_write)
{
    if (l->r.now == l->w.now && l->flags & HD_LAST_W_FLAG)
        return HD_GOAL_UPDATE;
    return is_write ? HD_GOAL_WRITE : HD_GOAL_READ;
}

/* The edge of a thread by which it has got to know what `from` did after `time`. */
static struct hd_race_edge find_edge(const struct edges *e, u16 from, u32 time)
{
    for (u32 i = HD_MIN(e->n, (u32)EDGES); i-- > 0;)
        if (e->at[i].from == from && e->at[i].time >= time)
            return e->at[i].is;
    return (struct hd_race_edge){0};
}

/* The access, and thread tid's earlier one. */
static void report(struct race *r, struct hd_observing *io, const struct hd_seen *s, u16 tid,
                   const struct hd_touch *t, u8 does, enum hd_race_hidden hidden)
{
    if (!io->cfg.race || hd_benign_has(&r->benign, s->ev))
        return;
    bool is_update = s->what == HD_DOES_RMW, is_read = s->what == HD_DOES_READ;
    struct hd_race_seen seen = {
        .site = {io->set.site[t->site], s->ev->site}, .addr = s->ev->obj, .tid = {tid, s->tid},
        .does = {does, is_update ? HD_GOAL_UPDATE : is_read ? HD_GOAL_READ
                                                                            : HD_GOAL_WRITE},
        .is_pending = !hidden && s->ev->step > r->step && r->thread[s->tid].now < t->now,
        .is_schedulable = !hidden && hd_race_shb_can(&r->shb, tid, t->time, s->tid),
        .is_weak = !hidden && hd_order_is_before(&r->strong, tid, t->time, s->tid),
        .hidden = hidden};
    if (seen.is_weak)
        seen.edge = find_edge(&r->thread[s->tid].weak, tid, t->time);
    else if (!hidden && !seen.is_schedulable)
        seen.edge = find_edge(&r->thread[s->tid].plain, tid, t->time);
    seen.is_carried = !seen.is_weak && seen.edge.store;
    io->cfg.race(io->cfg.race_self, &seen);
}

/* The access and an earlier one of another thread, one of them a write, not both atomic. */
static void compare(struct race *r, struct hd_observing *io, const struct hd_seen *s,
                    const struct hd_last *l, bool is_write, u8 sub)
{
    const struct hd_touch *t = is_write ? &l->w : &l->r;
    if (!hd_order_is_before(&r->order, l->tid, t->time, s->tid)) {
        hd_observe_both(io, HD_METRIC_race, sub, t->site, s->site);
        report(r, io, s, l->tid, t, does_of(l, is_write), 0);
    } else if (io->cfg.race) {
        enum hd_race_hidden h = hd_race_possible_check(&r->possible, &io->feed, s, l, is_write);
        if (h)
            report(r, io, s, l->tid, t, does_of(l, is_write), h);
    }
}

/* ... and what that thread did before its last read or write of it: the last one may have been under a
 * lock, and that one not. */
static void compare_older(struct race *r, struct hd_observing *io, const struct hd_seen *s,
                          const struct hd_last *l, bool is_write)
{
    const struct hd_race_older *o = hd_race_possible_older(&r->possible, &io->feed, l, is_write);
    if (!o || (s->flag && o->is_atomic))
        return;
    bool is_ordered = hd_order_is_before(&r->order, l->tid, o->touch.time, s->tid);
    enum hd_race_hidden h =
        is_ordered ? hd_race_possible_check_older(&r->possible, &io->feed, s, l->tid, o) : 0;
    if (!is_ordered || h)
        report(r, io, s, l->tid, &o->touch, o->does, h);
}

static void check(struct race *r, struct hd_observing *io, const struct hd_seen *s, u32 effects,
                 u32 obj)
{
    const struct hd_feed *f = &io->feed;
    bool is_read = !(effects & HD_WRITES);
    HD_LAST_EACH (l, f, &f->object[obj]) {
        if (l->tid == s->tid)
            continue;
        if (l->w.now && !(l->flags & HD_LAST_W_NONE) && !(s->flag && l->flags & HD_LAST_W_FLAG))
            compare(r, io, s, l, true, is_read ? 1 : 2);
        if (!is_read && l->r.now && !(s->flag && l->flags & HD_LAST_R_FLAG))
            compare(r, io, s, l, false, 1);
        if (io->cfg.race)
            compare_older(r, io, s, l, true);
        if (io->cfg.race && !is_read)
            compare_older(r, io, s, l, false);
    }
}

struct looking {
    struct race *r;
    struct hd_observing *io;
    const struct hd_seen *s;
    u32 effects;
};

static void check_object(void *self, u32 obj)
{
    const struct looking *l = self;
    check(l->r, l->io, l->s, l->effects, obj);
}

/* Ranges longer than the feed knows (race_wide.h). */
static void check_wide(struct race *r, struct hd_observing *io, const struct hd_seen *s, u32 effects)
{
    bool is_write = effects & HD_WRITES;
    const struct hd_wide *w;
    for (u32 i = 0; (w = hd_race_wide_next(&r->wide, s->ev, is_write, &i));) {
        if (hd_order_is_before(&r->order, w->tid, w->touch.time, s->tid))
            continue;
        hd_observe_both(io, HD_METRIC_race, is_write && w->is_write ? 2 : 1, w->touch.site, s->site);
        report(r, io, s, w->tid, &w->touch, w->is_write ? HD_GOAL_WRITE : HD_GOAL_READ, 0);
    }
    if (HD_LIKELY(s->ev->size < HD_EVENT_WIDE) || !hd_race_wide_rest(s->ev))
        return;
    hd_race_wide_objects(&r->wide, &io->feed, s->ev, check_object, &(struct looking){r, io, s, effects});
    hd_race_wide_add(&r->wide, s);
}

/* The same access again, and nobody was here since: nothing to be found. */
static bool is_same(const struct hd_feed *f, const struct hd_seen *s, const struct hd_part *p)
{
    const struct hd_last *own = &f->last[p->own];
    const struct hd_touch *t = s->what == HD_DOES_READ ? &own->r : &own->w;
    return f->object[p->obj].recent == p->own && t->site == s->site;
}

/* ---- atomics ------------------------------------------------------------------------ */

/* What every atomic access would do if its order were the strongest. */
static u32 strong_effects(u32 effects)
{
    return effects | (effects & HD_READS ? HD_ACQUIRES : 0) | (effects & HD_WRITES ? HD_RELEASES : 0);
}

/* Did the load learn something in the strong order that its memory order, or that of the
 * store, does not give it? */
static void note_edge(struct race *r, const struct hd_feed *f, const struct hd_seen *s, u32 obj)
{
    const struct race_store *from = obj < r->cap_stores ? &r->store[obj] : NULL;
    if (!from || from->generation != f->object[obj].generation || from->tid == s->tid ||
        hd_order_is_before(&r->order, from->tid, from->time, s->tid) ||
        !hd_order_is_before(&r->strong, from->tid, from->time, s->tid))
        return;
    struct edges *e = &r->thread[s->tid].weak;
    e->at[e->n++ % EDGES] = (struct weak_edge){
        {from->site, s->ev->site, from->order, (u8)(s->ev->arg & HD_MO_MASK)}, from->time, from->tid};
}

/* A read that races with the write it saw tells its thread about it all the same. */
static void note_plain(struct race *r, const struct hd_observing *io, const struct hd_seen *s, u32 obj)
{
    const struct hd_last *w = &io->feed.last[io->feed.object[obj].writer];
    bool is_atomic = w->flags & HD_LAST_W_FLAG;
    if (!w->w.now || w->tid == s->tid || (s->flag && is_atomic) ||
        hd_order_is_before(&r->order, w->tid, w->w.time, s->tid))
        return;
    bool has_order = is_atomic && obj < r->cap_stores && r->store[obj].generation == io->feed.object[obj].generation;
    struct edges *e = &r->thread[s->tid].plain;
    e->at[e->n++ % EDGES] = (struct weak_edge){
        {io->set.site[w->w.site], s->ev->site, has_order ? r->store[obj].order : HD_MO_PLAIN,
         s->flag ? (u8)(s->ev->arg & HD_MO_MASK) : HD_MO_PLAIN}, w->w.time, w->tid};
}

static void atomic_before(struct race *r, const struct hd_feed *f, const struct hd_seen *s,
                          u32 effects)
{
    hd_feed_order_part(&r->order, f, s, effects, HD_FEED_ORDER_BEFORE);
    hd_feed_order_part(&r->strong, f, s, strong_effects(effects), HD_FEED_ORDER_BEFORE);
    for (u32 i = 0; effects & HD_READS && i < s->n; i++)
        note_edge(r, f, s, s->part[i].obj);
}

static void atomic_after(struct race *r, const struct hd_feed *f, const struct hd_seen *s,
                         u32 effects)
{
    hd_feed_order_part(&r->order, f, s, effects, HD_FEED_ORDER_AFTER);
    hd_feed_order_part(&r->strong, f, s, strong_effects(effects), HD_FEED_ORDER_AFTER);
    for (u32 i = 0; effects & HD_WRITES && i < s->n; i++) {
        u32 obj = s->part[i].obj;
        if (HD_UNLIKELY(obj >= r->cap_stores))
            r->store = hd_vec_room_zeroed(r->store, &r->cap_stores, obj, sizeof *r->store);
        r->store[obj] = (struct race_store){f->object[obj].generation, s->ev->site, s->time, s->tid,
                                            (u8)(s->ev->arg & HD_MO_MASK)};
    }
}

/* Bytes and signals go by ways that are not known: everybody who calls knows what those
 * knew who called before. */
static void pass_external(struct race *r, const struct hd_seen *s)
{
    hd_order_thread(&r->order, s->tid)->time = s->time;
    hd_order_learn(&r->order, s->tid, &r->external);
    hd_order_publish(&r->order, s->tid, &r->external);
}

/* An atomic load knows what it acquires before it is compared: what an earlier release of the
 * same atomic brought comes before the load itself. */
static void memory_event(struct race *r, struct hd_observing *io, const struct hd_seen *s)
{
    u32 effects = hd_effects(s->ev);
    if (s->flag)
        atomic_before(r, &io->feed, s, effects);
    if (io->cfg.race)
        hd_race_possible_before(&r->possible, &io->feed, s);
    for (u32 i = 0; i < s->n; i++)
        if (io->feed.object[s->part[i].obj].n > 1 && !is_same(&io->feed, s, &s->part[i]))
            check(r, io, s, effects, s->part[i].obj);
    if (HD_UNLIKELY(r->wide.n || s->ev->size == HD_EVENT_WIDE))
        check_wide(r, io, s, effects);
    if (s->flag)
        atomic_after(r, &io->feed, s, effects);
    for (u32 i = 0; io->cfg.race && s->what != HD_DOES_WRITE && i < s->n; i++)
        if (io->feed.object[s->part[i].obj].n > 1)
            note_plain(r, io, s, s->part[i].obj);
    if (io->cfg.race) {
        hd_race_shb_access(&r->shb, &io->feed, s);
        hd_race_triples_access(&r->triples, &io->feed, s);
        hd_race_twos_access(&r->twos, &io->feed, s);
        hd_race_possible_after(&r->possible, &io->feed, s);
    }
}

/* The order is the strong one: calls to the outside world order all of the other, so that no
 * use of a descriptor would ever race. */
static void object_event(struct race *r, struct hd_observing *io, const struct hd_seen *s)
{
    const struct hd_event *e = s->ev;
    const struct hd_race_use *u;
    bool is_end = hd_race_is_end(e);
    for (u32 i = 0; is_end && (u = hd_race_object_next(&r->objects, e, &r->strong, &i));) {
        struct hd_race_seen seen = {
            .site = {u->site, e->site}, .addr = e->obj, .tid = {u->tid, e->tid},
            .does = {HD_GOAL_ANY, HD_GOAL_ANY},
            .is_pending = e->step > r->step && r->thread[s->tid].now < u->now};
        io->cfg.race(io->cfg.race_self, &seen);
    }
    if (is_end || hd_effects(e) & HD_BEGINS)
        hd_race_object_forget(&r->objects, e);
    else if (hd_race_is_use(e))
        hd_race_object_used(&r->objects, e, s->now, s->time);
}

static void race_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    struct race *r = state;
    struct race_thread *th = thread_of(r, s->tid);
    if (io->cfg.race && !(HD_WANTS_MEMORY >> s->what & 1)) {
        hd_race_shb_sync(&r->shb, &io->feed, s);
        hd_race_possible_sync(&r->possible, &io->feed, s);
        hd_lock_order_sync(&r->locks, &r->possible, &io->feed, s);
        object_event(r, io, s);
        hd_race_triples_block(&r->triples, s);
        hd_race_twos_sync(&r->twos, &io->feed, s);
        hd_benign_event(&r->benign, s->ev);
        if (s->ev->kind == HD_EV_FREE)
            hd_race_wide_forget(&r->wide, s->ev->obj, s->ev->arg);
    }
    if (HD_WANTS_MEMORY >> s->what & 1) {
        memory_event(r, io, s);
    } else if (s->ev->kind == HD_EV_IO || s->ev->kind == HD_EV_RETURN) {
        pass_external(r, s);
    } else {
        hd_feed_order(&r->order, &io->feed, s);
        hd_feed_order(&r->strong, &io->feed, s);
    }
    th->now = s->now;
    r->step = s->ev->step;
}

const struct hd_observer hd_observer_race = {
    .state = sizeof(struct race),
    .wants = HD_WANTS_ALL,
    .init = race_init,
    .begin = race_begin,
    .event = race_event,
    .end = race_end,
    .release = race_release,
};
