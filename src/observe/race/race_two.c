/* race_two.c: see race_two.h. */
#include "observe/race/race_two.h"

#include <stdlib.h>
#include <string.h>

void hd_race_twos_begin(struct hd_race_twos *t)
{
    for (u32 i = 0; i < t->n_threads; i++)
        t->thread[i] = (struct hd_two_thread){0};
    t->n_threads = 0;
    hd_vec_clear(&t->pair);
    hd_map_clear(&t->number);
    hd_map_clear(&t->first);
    hd_map_clear(&t->sections);
}

void hd_race_twos_release(struct hd_race_twos *t)
{
    free(t->thread);
    hd_vec_release(&t->pair);
    hd_map_release(&t->number);
    hd_map_release(&t->first);
    hd_map_release(&t->sections);
}

static struct hd_two_thread *thread_of(struct hd_race_twos *t, u32 tid)
{
    if (HD_UNLIKELY(tid >= t->cap_threads))
        t->thread = hd_vec_room_zeroed(t->thread, &t->cap_threads, tid, sizeof *t->thread);
    t->n_threads = HD_MAX(t->n_threads, tid + 1);
    return &t->thread[tid];
}

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

void hd_race_twos_sync(struct hd_race_twos *t, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_two_thread *th = thread_of(t, s->tid);
    if (s->tid >= f->n_threads || !f->thread[s->tid].held.n)
        th->section++; /* whatever it holds next is another section */
    if (s->ev->kind == HD_EV_ATOMIC_BEGIN && !th->depth++)
        th->block = s->now;
    if (s->ev->kind == HD_EV_ATOMIC_END && th->depth && !--th->depth)
        th->block = 0;
}

/* ---- what is in between ------------------------------------------------------------------- */

static bool writes(u8 does) { return does != HD_GOAL_READ; }

/* B's access to the variable of A's access i. */
static const struct hd_two_access *partner(const struct hd_two_pair *a, const struct hd_two_pair *b,
                                           u32 i)
{
    return b->at[0].generation == a->at[i].generation ? &b->at[0] : &b->at[1];
}

static u64 section_key(u16 tid, const struct hd_two_access *a) { return mix(mix(2, tid), a->generation); }

/* Every section of the thread that had one of the variables had the other. */
static bool is_always(const struct hd_race_twos *t, const struct hd_two_pair *b)
{
    for (u32 i = 0; i < 2; i++)
        if (hd_map_get_or(&t->sections, section_key(b->tid, &b->at[i]), 0) >> 32 != b->together)
            return false;
    return true;
}

/* Would it be a cycle if B came between A's two accesses? */
static bool is_cycle(const struct hd_race_twos *t, const struct hd_two_pair *a,
                     const struct hd_two_pair *b)
{
    if (a->tid == b->tid || (!a->in_block && (a->in_section || !b->in_section)))
        return false;
    for (u32 i = 0; i < 2; i++)
        if (!writes(a->at[i].does) && !writes(partner(a, b, i)->does))
            return false;
    bool is_turned = partner(a, b, 0) == &b->at[1];
    if (!b->in_section && !b->in_block && is_turned)
        return false; /* its first access may come before all of A, its second after */
    if (!a->in_block && (a->at[1].does == HD_GOAL_UPDATE || !is_always(t, b)))
        return false;
    return !hd_race_locks_meet(&a->kept, &b->held);
}

static void compare(struct hd_race_twos *t, const struct hd_two_pair *a, const struct hd_two_pair *b,
                    const struct hd_seen *s)
{
    const struct hd_two_pair *earlier = a->tid == s->tid ? b : a;
    if (!is_cycle(t, a, b))
        return;
    bool is_exposed = a->at[0].now < b->at[0].now && b->at[1].now < a->at[1].now;
    if (!is_exposed &&
        hd_order_is_before(&t->possible->bare, earlier->tid, earlier->at[1].time, s->tid))
        return;
    const u32 *site[] = {&a->at[0].site, &b->at[0].site, &b->at[1].site, &a->at[1].site};
    struct hd_two_seen seen = {
        .does = {a->at[0].does, b->at[0].does, b->at[1].does, a->at[1].does},
        .addr = {a->at[0].addr, a->at[1].addr}, .is_turned = partner(a, b, 0) == &b->at[1],
        .in_block = a->in_block, .is_exposed = is_exposed};
    for (u32 i = 0; i < 4; i++)
        seen.site[i] = t->set->site[*site[i]];
    t->report(t->self, &seen);
}

/* ---- pairs -------------------------------------------------------------------------------- */

static struct hd_two_pair *find_pair(struct hd_race_twos *t, u16 tid, const struct hd_two_access *x,
                                     const struct hd_two_access *y)
{
    u64 key = mix(mix(mix(mix(mix(1, tid), x->site), y->site), x->generation), y->generation);
    u64 low = HD_MIN(x->generation, y->generation), high = HD_MAX(x->generation, y->generation);
    u64 *number = hd_map_ref(&t->number, key, 0);
    if (*number)
        return &t->pair.at[*number - 1];
    if (t->pair.n >= HD_TWO_PAIRS) {
        hd_map_del(&t->number, key);
        return NULL;
    }
    *number = t->pair.n + 1;
    u64 *first = hd_map_ref(&t->first, mix(mix(3, low), high), 0);
    *hd_vec_add(&t->pair) = (struct hd_two_pair){.tid = tid, .next = (u32)*first};
    *first = t->pair.n;
    return hd_vec_last(&t->pair);
}

static void add_pair(struct hd_race_twos *t, const struct hd_feed *f, const struct hd_seen *s,
                     const struct hd_two_access *x, const struct hd_two_access *y, bool in_block)
{
    struct hd_two_pair *p = find_pair(t, s->tid, x, y);
    if (!p)
        return;
    p->in_block = in_block;
    p->in_section = x->section && x->section == y->section;
    p->together += p->in_section && (!p->together || p->at[1].section != y->section);
    p->at[0] = *x;
    p->at[1] = *y;
    if (p->looks++ >= HD_TWO_LOOKS) {
        p->looks = HD_TWO_LOOKS;
        return;
    }
    p->held = hd_race_locks_held(t->possible, f, s->tid);
    p->kept = (struct hd_race_locks){0, 0};
    if (f->thread[s->tid].locks_changed < x->now)
        p->kept = p->held;
    u64 low = HD_MIN(x->generation, y->generation), high = HD_MAX(x->generation, y->generation);
    u64 i = hd_map_get_or(&t->first, mix(mix(3, low), high), 0);
    for (; i; i = t->pair.at[i - 1].next) {
        const struct hd_two_pair *o = &t->pair.at[i - 1];
        compare(t, p, o, s);
        compare(t, o, p, s);
    }
}

/* ---- accesses ----------------------------------------------------------------------------- */

static void count_section(struct hd_race_twos *t, u16 tid, const struct hd_two_access *y)
{
    u64 *n = hd_map_ref(&t->sections, section_key(tid, y), 0);
    if (y->section && (u32)*n != y->section)
        *n = ((*n >> 32) + 1) << 32 | y->section;
}

static void remember(struct hd_two_thread *th, const struct hd_two_access *y)
{
    u32 i = 0;
    while (i < th->n && th->recent[i].generation != y->generation)
        i++;
    if (i == th->n)
        th->n = HD_MIN(th->n + 1, (u32)HD_TWO_RECENT);
    i = HD_MIN(i, (u32)HD_TWO_RECENT - 1);
    memmove(&th->recent[1], &th->recent[0], i * sizeof th->recent[0]);
    th->recent[0] = *y;
}

/* Is the section of y an operation of its own? The section of x had the variable of y as well, or
 * one that this section comes to again: each is whole, and sees what the other left. */
static bool is_another(const struct hd_two_thread *th, const struct hd_two_access *x,
                       const struct hd_two_access *y)
{
    return x->section && x->section != y->section && th->again == y->section && th->again_of == x->section;
}

/* The section comes to a variable that the thread's section `before` had. */
static void note_again(struct hd_two_thread *th, const struct hd_two_access *y, u32 before)
{
    if (!y->section || !before || before == y->section)
        return;
    th->again_of = th->again == y->section ? HD_MAX(th->again_of, before) : before;
    th->again = y->section;
}

void hd_race_twos_access(struct hd_race_twos *t, const struct hd_feed *f, const struct hd_seen *s)
{
    bool is_locked = s->tid < f->n_threads && f->thread[s->tid].held.n;
    struct hd_two_thread *th = thread_of(t, s->tid);
    if (!t->report || s->n != 1 || !(is_locked || s->flag || th->block))
        return;
    struct hd_two_access y = {
        .generation = f->object[s->part[0].obj].generation, .addr = s->ev->obj, .obj = s->part[0].obj,
        .site = s->site, .now = s->now, .time = s->time, .section = is_locked ? th->section + 1 : 0,
        .does = s->what == HD_DOES_RMW    ? HD_GOAL_UPDATE
                : s->what == HD_DOES_READ ? HD_GOAL_READ
                                          : HD_GOAL_WRITE};
    u32 before = (u32)hd_map_get_or(&t->sections, section_key(s->tid, &y), 0);
    note_again(th, &y, before);
    count_section(t, s->tid, &y);
    for (u32 i = 0; i < th->n && th->recent[i].generation != y.generation; i++) {
        const struct hd_two_access *x = &th->recent[i];
        bool in_block = th->block && x->now > th->block;
        if (s->time - x->time > HD_TWO_WINDOW || f->object[x->obj].generation != x->generation)
            continue;
        if (in_block || !is_another(th, x, &y))
            add_pair(t, f, s, x, &y, in_block);
    }
    remember(th, &y);
}
