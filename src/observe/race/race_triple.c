/* race_triple.c: see race_triple.h. */
#include "observe/race/race_triple.h"

#include <stdlib.h>

void hd_race_triples_begin(struct hd_race_triples *t)
{
    for (u32 i = 0; i < t->n_threads; i++)
        t->thread[i] = (struct hd_triple_thread){0};
    for (u32 i = 0; i < t->n_pairs; i++)
        t->pair[i].second_now = 0;
    t->n_threads = t->n_pairs = 0;
}

void hd_race_triples_release(struct hd_race_triples *t)
{
    free(t->pair);
    free(t->thread);
}

void hd_race_triples_rest(struct hd_race_triples *t)
{
    if (t->cap_pairs <= HD_RACE_LARGE)
        return;
    free(t->pair);
    t->pair = NULL;
    t->cap_pairs = t->n_pairs = 0;
}

static struct hd_triple_thread *thread_of(struct hd_race_triples *t, u32 tid)
{
    if (HD_UNLIKELY(tid >= t->cap_threads))
        t->thread = hd_vec_room_zeroed(t->thread, &t->cap_threads, tid, sizeof *t->thread);
    t->n_threads = HD_MAX(t->n_threads, tid + 1);
    return &t->thread[tid];
}

void hd_race_triples_block(struct hd_race_triples *t, const struct hd_seen *s)
{
    struct hd_triple_thread *th = thread_of(t, s->tid);
    if (s->ev->kind == HD_EV_ATOMIC_BEGIN && !th->depth++)
        th->block = s->now;
    if (s->ev->kind == HD_EV_ATOMIC_END && th->depth && !--th->depth)
        th->block = 0;
}

/* ---- what is in between ------------------------------------------------------------------- */

static bool reads(u8 does) { return does != HD_GOAL_WRITE; }
static bool writes(u8 does) { return does != HD_GOAL_READ; }

/* Does it differ from both orders in one piece? */
static bool is_unserializable(const struct hd_triple_pair *p, bool is_write)
{
    bool is_lost = reads(p->does[0]) && is_write && writes(p->does[1]);
    if (!p->in_block)
        return is_lost && p->does[0] == HD_GOAL_READ && p->does[1] == HD_GOAL_WRITE;
    return is_lost || (is_write && reads(p->does[1])) ||
           (!is_write && writes(p->does[0]) && writes(p->does[1]));
}

static void report(struct hd_race_triples *t, const struct hd_triple_pair *p, u64 site, bool is_write,
                 u64 addr, enum hd_race_hidden hidden)
{
    struct hd_race_seen seen = {.site = {t->set->site[p->first], site},
                                .third = t->set->site[p->second], .addr = addr,
                                .does = {p->does[0], is_write ? HD_GOAL_WRITE : HD_GOAL_READ},
                                .does_third = p->does[1], .in_block = p->in_block, .hidden = hidden};
    t->report(t->self, &seen);
}

static const struct hd_race_locks *locks_of(const struct hd_race_possible *p, const struct hd_feed *f,
                                            const struct hd_last *l, bool is_write)
{
    u32 at = (u32)(l - f->last);
    const struct hd_touch *t = is_write ? &l->w : &l->r;
    if (at >= p->cap_under || (is_write ? p->under[at].write_now : p->under[at].read_now) != t->now)
        return hd_race_locks_of(p, 0);
    return hd_race_locks_of(p, is_write ? p->under[at].write : p->under[at].read);
}

/* The pair is complete: who has been in between, or could have been? */
static void check_earlier(struct hd_race_triples *t, const struct hd_feed *f, const struct hd_seen *s,
                      const struct hd_triple_pair *p, u32 obj)
{
    HD_LAST_EACH (l, f, &f->object[obj]) {
        for (u32 is_write = 0; is_write < 2 && l->tid != s->tid; is_write++) {
            const struct hd_touch *b = is_write ? &l->w : &l->r;
            if (!b->now || !is_unserializable(p, is_write))
                continue;
            if (b->now > p->first_now)
                report(t, p, t->set->site[b->site], is_write, s->ev->obj, 0);
            else if (!hd_order_is_before(&t->possible->bare, l->tid, b->time, s->tid) &&
                     !hd_race_locks_meet(hd_race_locks_of(t->possible, p->kept),
                                         locks_of(t->possible, f, l, is_write)))
                report(t, p, t->set->site[b->site], is_write, s->ev->obj, HD_RACE_BY_LOCK);
        }
    }
}

/* The access comes after a pair of another thread: could it have been in between? */
static void check_later(struct hd_race_triples *t, const struct hd_feed *f, const struct hd_seen *s,
                       u32 obj)
{
    struct hd_race_locks held = hd_race_locks_held(t->possible, f, s->tid);
    HD_LAST_EACH (l, f, &f->object[obj]) {
        u32 at = (u32)(l - f->last);
        const struct hd_triple_pair *p = at < t->n_pairs ? &t->pair[at] : NULL;
        if (l->tid == s->tid || !p || !p->second_now || p->second_now != hd_last_now(l) ||
            hd_order_is_before(&t->possible->bare, l->tid, p->second_time, s->tid) ||
            hd_race_locks_meet(hd_race_locks_of(t->possible, p->kept), &held))
            continue;
        if (s->what != HD_DOES_READ && is_unserializable(p, true))
            report(t, p, s->ev->site, true, s->ev->obj, HD_RACE_BY_LOCK);
        if (s->what != HD_DOES_WRITE && is_unserializable(p, false))
            report(t, p, s->ev->site, false, s->ev->obj, HD_RACE_BY_LOCK);
    }
}

/* ---- accesses ----------------------------------------------------------------------------- */

static u8 does_of(const struct hd_last *l)
{
    if (l->r.now == l->w.now)
        return HD_GOAL_UPDATE;
    return l->r.now > l->w.now ? HD_GOAL_READ : HD_GOAL_WRITE;
}

static struct hd_triple_pair *room(struct hd_race_triples *t, u32 own)
{
    if (HD_UNLIKELY(own >= t->cap_pairs))
        t->pair = hd_vec_room_zeroed(t->pair, &t->cap_pairs, own, sizeof *t->pair);
    t->n_pairs = HD_MAX(t->n_pairs, own + 1);
    return &t->pair[own];
}

static void access_part(struct hd_race_triples *t, const struct hd_feed *f, const struct hd_seen *s,
                        const struct hd_part *part)
{
    const struct hd_last *own = &f->last[part->own];
    struct hd_triple_pair *p = room(t, part->own);
    u32 before = hd_last_now(own), block = thread_of(t, s->tid)->block;
    if (f->object[part->obj].n > 1)
        check_later(t, f, s, part->obj);
    const struct hd_touch *first = own->r.now > own->w.now ? &own->r : &own->w;
    p->second_now = 0;
    if (!before || first->site == s->site)
        return;
    *p = (struct hd_triple_pair){
        .first_now = before, .second_now = s->now, .second_time = s->time, .first = first->site,
        .second = s->site, .in_block = block && before > block,
        .does = {does_of(own), s->what == HD_DOES_RMW    ? HD_GOAL_UPDATE
                               : s->what == HD_DOES_READ ? HD_GOAL_READ
                                                         : HD_GOAL_WRITE}};
    if (f->thread[s->tid].locks_changed < before) {
        struct hd_race_locks held = hd_race_locks_held(t->possible, f, s->tid);
        p->kept = hd_race_locks_number(t->possible, &held);
    }
    if (f->object[part->obj].n > 1)
        check_earlier(t, f, s, p, part->obj);
}

void hd_race_triples_access(struct hd_race_triples *t, const struct hd_feed *f,
                            const struct hd_seen *s)
{
    for (u32 i = 0; i < s->n; i++)
        access_part(t, f, s, &s->part[i]);
}
