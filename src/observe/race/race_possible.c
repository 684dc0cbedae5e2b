/* race_possible.c: see race_possible.h. */
#include "observe/race/race_possible.h"

#include <stdlib.h>
#include <string.h>

#include "event/goal.h"

#define NO_LOCKS (HD_ORDER_ALL & ~(HD_ORDERS(MUTEX) | HD_ORDERS(RWLOCK)))
/* A semaphore may stand for a lock, and of a once it is luck who comes first. */
#define BARE (HD_ORDER_NO_LOCKS & ~(HD_ORDERS(SEM) | HD_ORDERS(ONCE)))

void hd_race_possible_init(struct hd_race_possible *p)
{
    hd_order_init(&p->no_locks, NO_LOCKS);
    hd_order_init(&p->bare, BARE);
    hd_map_init(&p->number);
    hd_map_init(&p->locks_number);
}

void hd_race_possible_begin(struct hd_race_possible *p)
{
    hd_order_begin(&p->no_locks);
    hd_order_begin(&p->bare);
    hd_vclock_clear(&p->external);
    hd_map_clear(&p->number);
    hd_map_clear(&p->locks_number);
    hd_vec_clear(&p->locks);
    *hd_vec_add(&p->locks) = (struct hd_race_locks){0, 0};
    p->locks_last = 0;
    /* Numbers of other runs mean nothing in this one. */
    p->first_older += HD_MAX((u32)p->older.n, 1u);
    hd_vec_clear(&p->older);
    if (p->first_older < ~0u - HD_RACE_OLDER)
        return;
    if (p->under)
        memset(p->under, 0, p->cap_under * sizeof *p->under);
    p->first_older = 1;
}

/* NULL: there is none. */
static struct hd_race_older *older_of(const struct hd_race_possible *p, u32 number)
{
    return number >= p->first_older && number - p->first_older < p->older.n ? &p->older.at[number - p->first_older]
                                                                            : NULL;
}

void hd_race_possible_release(struct hd_race_possible *p)
{
    hd_order_release(&p->no_locks);
    hd_order_release(&p->bare);
    hd_vclock_release(&p->external);
    hd_map_release(&p->number);
    free(p->under);
    hd_vec_release(&p->older);
    hd_vec_release(&p->locks);
    hd_map_release(&p->locks_number);
}

void hd_race_possible_rest(struct hd_race_possible *p)
{
    if (p->cap_under <= HD_RACE_LARGE)
        return;
    free(p->under);
    p->under = NULL;
    p->cap_under = 0;
    hd_vec_release(&p->older);
}

/* ---- locks -------------------------------------------------------------------------- */

struct hd_race_locks hd_race_locks_held(struct hd_race_possible *p, const struct hd_feed *f, u16 tid)
{
    struct hd_race_locks all = {0, 0};
    for (size_t i = 0; tid < f->n_threads && i < f->thread[tid].held.n; i++) {
        const struct hd_feed_lock *l = &f->thread[tid].held.at[i];
        u64 *number = hd_map_ref(&p->number, l->generation, 0);
        if (!*number)
            *number = p->number.n;
        *(l->is_shared ? &all.shared : &all.exclusive) |= (u64)1 << *number % 64;
    }
    return all;
}

bool hd_race_locks_meet(const struct hd_race_locks *a, const struct hd_race_locks *b)
{
    return a->exclusive & (b->exclusive | b->shared) || a->shared & b->exclusive;
}

static bool is_same(const struct hd_race_locks *a, const struct hd_race_locks *b)
{
    return a->exclusive == b->exclusive && a->shared == b->shared;
}

u32 hd_race_locks_number(struct hd_race_possible *p, const struct hd_race_locks *l)
{
    if (HD_LIKELY(is_same(l, &p->locks.at[p->locks_last])))
        return p->locks_last;
    if (!l->exclusive && !l->shared)
        return p->locks_last = 0;
    u64 *number = hd_map_ref(&p->locks_number, l->exclusive * 0x9e3779b97f4a7c15ull + l->shared, 0);
    if (!*number || !is_same(l, &p->locks.at[*number])) {
        *number = p->locks.n;
        *hd_vec_add(&p->locks) = *l;
    }
    return p->locks_last = (u32)*number;
}

/* ---- events ------------------------------------------------------------------------- */

void hd_race_possible_sync(struct hd_race_possible *p, const struct hd_feed *f,
                           const struct hd_seen *s)
{
    if (s->ev->kind == HD_EV_IO || s->ev->kind == HD_EV_RETURN) {
        hd_order_thread(&p->no_locks, s->tid)->time = s->time;
        hd_order_learn(&p->no_locks, s->tid, &p->external);
        hd_order_publish(&p->no_locks, s->tid, &p->external);
        return;
    }
    hd_feed_order(&p->no_locks, f, s);
    hd_feed_order(&p->bare, f, s);
}

void hd_race_possible_before(struct hd_race_possible *p, const struct hd_feed *f,
                             const struct hd_seen *s)
{
    if (s->flag)
        hd_feed_order_part(&p->no_locks, f, s, hd_effects(s->ev), HD_FEED_ORDER_BEFORE);
}

static u32 count(const struct hd_race_locks *l)
{
    return (u32)__builtin_popcountll(l->exclusive) + (u32)__builtin_popcountll(l->shared);
}

/* The thread's last read (write) of the object is about to be another one. */
static void keep_older(struct hd_race_possible *p, struct hd_race_under *u, const struct hd_last *was,
                       const struct hd_seen *s, const struct hd_race_locks *held, bool is_write)
{
    const struct hd_touch *t = is_write ? &was->w : &was->r;
    const struct hd_race_locks *under = hd_race_locks_of(p, is_write ? u->write : u->read);
    bool is_known = t->now && (is_write ? u->write_now : u->read_now) == t->now;
    bool is_update = was->r.now == was->w.now && was->flags & HD_LAST_W_FLAG;
    if (!is_known || (is_write && was->flags & HD_LAST_W_NONE) ||
        (t->site == s->site && is_same(under, held)))
        return;
    struct hd_race_older *o = older_of(p, u->older[is_write]);
    if (o ? count(&o->under) < count(under) : p->older.n >= HD_RACE_OLDER)
        return;
    if (!o) {
        u->older[is_write] = p->first_older + (u32)p->older.n;
        o = hd_vec_add(&p->older);
    }
    *o = (struct hd_race_older){
        .touch = *t, .under = *under,
        .does = is_update ? HD_GOAL_UPDATE : is_write ? HD_GOAL_WRITE : HD_GOAL_READ,
        .is_atomic = was->flags & (is_write ? HD_LAST_W_FLAG : HD_LAST_R_FLAG)};
}

/* Entries of hd_last are used again, and one may begin with what a thread did to an object that was split: then
 * what `u` knows is about something else. */
static bool is_of_other_life(const struct hd_race_under *u, const struct hd_last *was)
{
    return (u->read_now && u->read_now != was->r.now) || (u->write_now && u->write_now != was->w.now);
}

void hd_race_possible_after(struct hd_race_possible *p, const struct hd_feed *f,
                            const struct hd_seen *s)
{
    if (s->flag)
        hd_feed_order_part(&p->no_locks, f, s, hd_effects(s->ev), HD_FEED_ORDER_AFTER);
    struct hd_race_locks held = hd_race_locks_held(p, f, s->tid);
    u32 number = hd_race_locks_number(p, &held);
    for (u32 i = 0; i < s->n; i++) {
        u32 own = s->part[i].own;
        if (HD_UNLIKELY(own >= p->cap_under))
            p->under = hd_vec_room_zeroed(p->under, &p->cap_under, own, sizeof *p->under);
        struct hd_race_under *u = &p->under[own];
        const struct hd_last *was = &f->last[own];
        if (is_of_other_life(u, was))
            *u = (struct hd_race_under){0};
        if (s->what != HD_DOES_WRITE)
            keep_older(p, u, was, s, &held, false);
        if (s->what != HD_DOES_READ)
            keep_older(p, u, was, s, &held, true);
        if (s->what != HD_DOES_WRITE) {
            u->read_now = s->now;
            u->read = number;
        }
        if (s->what != HD_DOES_READ) {
            u->write_now = s->now;
            u->write = number;
        }
    }
}

/* Another thread's access at `t`, under locks. */
static enum hd_race_hidden check(struct hd_race_possible *p, const struct hd_feed *f,
                                const struct hd_seen *s, u16 tid, const struct hd_touch *t,
                                const struct hd_race_locks *under)
{
    if (hd_order_is_before(&p->bare, tid, t->time, s->tid))
        return HD_RACE_FIXED;
    struct hd_race_locks held = hd_race_locks_held(p, f, s->tid);
    if (hd_race_locks_meet(under, &held))
        return HD_RACE_FIXED;
    return hd_order_is_before(&p->no_locks, tid, t->time, s->tid) ? HD_RACE_BY_ATOMIC
                                                                  : HD_RACE_BY_LOCK;
}

enum hd_race_hidden hd_race_possible_check(struct hd_race_possible *p, const struct hd_feed *f,
                                          const struct hd_seen *s, const struct hd_last *l,
                                          bool is_write)
{
    u32 at = (u32)(l - f->last);
    const struct hd_touch *t = is_write ? &l->w : &l->r;
    const struct hd_race_under *u = &p->under[at];
    if (at >= p->cap_under || (is_write ? u->write_now : u->read_now) != t->now)
        return HD_RACE_FIXED;
    return check(p, f, s, l->tid, t, hd_race_locks_of(p, is_write ? u->write : u->read));
}

const struct hd_race_older *hd_race_possible_older(const struct hd_race_possible *p,
                                                   const struct hd_feed *f, const struct hd_last *l,
                                                   bool is_write)
{
    u32 at = (u32)(l - f->last);
    const struct hd_touch *t = is_write ? &l->w : &l->r;
    if (at >= p->cap_under || !t->now ||
        (is_write ? p->under[at].write_now : p->under[at].read_now) != t->now)
        return NULL;
    return older_of(p, p->under[at].older[is_write]);
}

enum hd_race_hidden hd_race_possible_check_older(struct hd_race_possible *p, const struct hd_feed *f,
                                                const struct hd_seen *s, u16 tid,
                                                const struct hd_race_older *o)
{
    return check(p, f, s, tid, &o->touch, &o->under);
}
