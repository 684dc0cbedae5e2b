/* causal.c: the races of a run: pairs of steps that depend on each other, could come
 * in the other order, and are not ordered otherwise. Happens-before is the dependence
 * of event/depend.h, closed over threads; clocks are kept by order/steps.h.
 *
 * Uses of one object are chained back in time; a walk along a chain ends at the
 * first use that everything older comes before. A lock is taken after an unlock
 * that cannot be swapped with it: the walk goes on to the lock before.
 */
#include "search/node.h"

#include <string.h>

#define MAX_GRANULES (HD_MAX_KEYS - 2)

enum { KEY_WILD = 1, KEY_ROBUST = 2, KEY_IO = 3, KEY_SIGNAL = 4 };

/* ---- keys ----------------------------------------------------------------------------- */

static u64 key_of(enum hd_space space, u64 obj)
{
    return (obj << 4 | (u64)space) * 0x9e3779b97f4a7c15ull | 1ull << 63;
}

static u32 granules(u64 *key, u64 obj, u32 size)
{
    u32 n = 0;
    for (u64 g = obj >> 3; g <= (obj + size - 1) >> 3; g++)
        key[n++] = key_of(HD_SPACE_MEMORY, g);
    return n;
}

static bool is_broad(const struct hd_act *a)
{
    return hd_act_is_wild(a) || (hd_act_space(a->kind) == HD_SPACE_MEMORY &&
                                 (a->obj + a->size - 1) / 8 - a->obj / 8 >= MAX_GRANULES);
}

u32 hd_causal_keys(const struct hd_act *a, u64 *key)
{
    enum hd_space space = hd_act_space(a->kind);
    u32 n = 0;
    if (is_broad(a)) {
        key[0] = KEY_WILD;
        return 1;
    }
    switch (space) {
    case HD_SPACE_NONE: return 0;
    case HD_SPACE_IO: key[0] = KEY_IO; return 1;
    case HD_SPACE_SIGNAL: key[0] = KEY_SIGNAL; return 1;
    case HD_SPACE_MEMORY: return granules(key, a->obj, a->size);
    case HD_SPACE_THREAD:
        key[n++] = key_of(space, a->kind == HD_EV_START || a->kind == HD_EV_EXIT ? a->tid : a->obj);
        if (a->kind == HD_EV_EXIT)
            key[n++] = KEY_ROBUST;
        return n;
    default: break;
    }
    key[n++] = key_of(space, a->obj);
    if (a->kind == HD_EV_FUTEX_WAIT)
        n += granules(key + n, a->obj, 4);
    if (a->flags & HD_ACT_ROBUST)
        key[n++] = KEY_ROBUST;
    return n;
}

/* Whatever older depends on b depends on a too. */
static bool is_total(const struct hd_act *a, const struct hd_act *b)
{
    enum hd_space space = hd_act_space(a->kind);
    if (space == HD_SPACE_MEMORY)
        return !hd_act_reads(a->kind) && hd_act_space(b->kind) == space && a->obj <= b->obj &&
               b->obj + b->size <= a->obj + a->size;
    if (space != hd_act_space(b->kind))
        return false;
    if (space == HD_SPACE_IO)
        return true;
    if (a->obj != b->obj)
        return false;
    if (space == HD_SPACE_MUTEX || a->kind == HD_EV_WRLOCK || a->kind == HD_EV_TRYWRLOCK ||
        a->kind == HD_EV_SEM_WAIT || a->kind == HD_EV_SEM_TRYWAIT)
        return !hd_act_failed(a);
    if (a->kind == HD_EV_ONCE_BEGIN)
        return a->arg;
    return a->kind == HD_EV_BARRIER_WAIT || a->kind == HD_EV_ONCE_END;
}

/* ---- steps ---------------------------------------------------------------------------- */

void hd_causal_release(struct hd_causal *o)
{
    hd_order_steps_release(&o->steps);
    hd_vec_release(&o->use);
    hd_vec_release(&o->first_use);
    hd_vec_release(&o->first_act);
    hd_vec_release(&o->race);
    hd_map_release(&o->head);
    memset(o, 0, sizeof *o);
}

void hd_causal_cut(struct hd_branch *s, u32 n)
{
    struct hd_causal *o = &s->causal;
    for (u32 i = 0; i < o->steps.n && i < n; i++)
        if (i >= s->step.n || o->first_act.at[i] != s->step.at[i].act)
            n = i; /* a prefix that is not quite the same */
    if (n < o->steps.n) {
        u32 keep = o->first_use.at[n];
        while (o->use.n > keep) {
            const struct hd_use *u = &o->use.at[--o->use.n];
            if (u->before)
                hd_map_put(&o->head, u->key, u->before);
            else
                hd_map_del(&o->head, u->key);
        }
        o->first_use.n = o->first_act.n = n;
    }
    hd_order_steps_cut(&o->steps, n, s->n_threads);
}

static const u32 *clock_of(const struct hd_branch *s, u32 i)
{
    return hd_order_steps_clock(&s->causal.steps, i);
}

bool hd_causal_is_before(const struct hd_branch *s, u32 i, u32 k)
{
    const struct hd_search_step *e = &s->step.at[i];
    return hd_order_steps_knows(&s->causal.steps, k, e->tid, e->nth);
}

/* ---- races ------------------------------------------------------------------------------ */

struct visit {
    struct hd_branch *s;
    u16 tid;
    u32 since; /* first step that was chosen while tid was about to do this */
    const struct hd_act *act;
    u32 n;
    enum hd_depth depth;
    u32 *now; /* clock of the step so far */
};

enum { APART, ORDERED, SWAPPABLE };

static int relate(const struct visit *l, u32 i)
{
    const struct hd_search_step *e = &l->s->step.at[i];
    int how = APART;
    for (u32 k = 0; k < e->n_acts; k++)
        for (u32 m = 0; m < l->n; m++) {
            const struct hd_act *a = &l->s->act.at[e->act + k], *b = &l->act[m];
            if (!hd_act_depends(a, b))
                continue;
            if (!hd_act_may_swap(a, b))
                return ORDERED;
            how = SWAPPABLE;
        }
    return how;
}

/* Without step i and what depends on it, is there a unit of the semaphore left?
 * How many there were is known if the last one was taken. */
static bool has_unit(const struct visit *l, u32 i)
{
    const struct hd_act *e = l->act;
    s32 units = 1;
    if (e->kind != HD_EV_SEM_WAIT || !(e->flags & HD_ACT_LAST_UNIT))
        return true;
    for (u32 k = i; k < l->s->causal.steps.n; k++) {
        const struct hd_act *a = &l->s->act.at[l->s->step.at[k].act];
        if (hd_act_space(a->kind) != HD_SPACE_SEM || a->obj != e->obj || hd_act_failed(a) ||
            (k != i && !hd_causal_is_before(l->s, i, k)))
            continue;
        units -= a->kind == HD_EV_SEM_POST;
        units += a->kind == HD_EV_SEM_WAIT || a->kind == HD_EV_SEM_TRYWAIT;
    }
    return units > 0;
}

/* Could this have gone when step i was chosen instead? Not known if the thread
 * was not there yet, or if a step since then that i has nothing to do with may
 * have let it go. */
static bool could_go(const struct visit *l, u32 i)
{
    const struct hd_branch *s = l->s;
    const struct hd_option *o = &s->node.at[s->step.at[i].node].o;
    if (i < l->since || ((o->could | o->early) & HD_BIT(l->tid)))
        return true;
    for (u32 k = i + 1; k < s->causal.steps.n; k++)
        if (!hd_causal_is_before(s, i, k) && relate(l, k) != APART)
            return true;
    return false;
}

/* Step i of another thread, not in this thread's past; true if it races. */
static bool meet(struct visit *l, u32 i)
{
    struct hd_causal *o = &l->s->causal;
    int how = relate(l, i);
    if (how == APART)
        return false;
    if (how == SWAPPABLE && (!could_go(l, i) || !has_unit(l, i)))
        how = ORDERED; /* it made way, or something older has to go first */
    hd_vclock_join_row(l->now, clock_of(l->s, i), o->steps.threads);
    if (how != SWAPPABLE && !(l->depth == HD_DEPTH_WAYS && i < l->since))
        return false;
    for (size_t k = 0; k < o->race.n; k++)
        if (o->race.at[k] == i)
            return true;
    *hd_vec_add(&o->race) = i;
    return true;
}

static void walk(struct visit *l, u64 key, const struct hd_act *b)
{
    struct hd_causal *o = &l->s->causal;
    for (u32 at = (u32)hd_map_get_or(&o->head, key, 0); at; at = o->use.at[at - 1].before) {
        const struct hd_use *u = &o->use.at[at - 1];
        const struct hd_search_step *e = &l->s->step.at[u->step];
        bool is_total_use = is_total(&l->s->act.at[u->act], b);
        if (e->tid == l->tid || e->nth <= o->clock_before[e->tid]) {
            if (is_total_use)
                break;
        } else if (meet(l, u->step) && is_total_use && l->depth == HD_DEPTH_NEXT) {
            break;
        }
    }
}

/* The latest steps of each thread, whatever they act on. */
static void walk_all(struct visit *l)
{
    struct hd_branch *s = l->s;
    for (u32 p = 0; p < s->n_threads; p++) {
        if (p == l->tid)
            continue;
        for (size_t k = s->of_thread[p].n; k--;) {
            u32 i = s->of_thread[p].at[k];
            if (i >= s->causal.steps.n)
                continue;
            if (s->step.at[i].nth <= s->causal.clock_before[p] || (meet(l, i) && l->depth == HD_DEPTH_NEXT))
                break;
        }
    }
}

/* Leaves the immediate races: none that comes before another one of the list. */
static void filter(struct hd_branch *s)
{
    struct hd_causal *o = &s->causal;
    size_t n = 0;
    for (size_t i = 0; i < o->race.n; i++) {
        bool is_hidden = false;
        for (size_t k = 0; k < o->race.n && !is_hidden; k++)
            is_hidden = k != i && hd_causal_is_before(s, o->race.at[i], o->race.at[k]);
        if (!is_hidden) {
            u32 keep = o->race.at[i];
            o->race.at[i] = o->race.at[n];
            o->race.at[n++] = keep;
        }
    }
    o->race.n = n;
}

static int later_first(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Fills past, race and `now`. */
static void visit(struct hd_branch *s, u16 q, const struct hd_act *act, u32 n, enum hd_depth depth,
                 u32 *now)
{
    struct hd_causal *o = &s->causal;
    struct visit l = {.s = s, .tid = q, .act = act, .n = n, .depth = depth, .now = now};
    u64 key[HD_MAX_KEYS];
    memset(o->clock_before, 0, sizeof o->clock_before);
    for (size_t k = s->of_thread[q].n; k--;) /* its step before */
        if (s->of_thread[q].at[k] < o->steps.n) {
            l.since = s->of_thread[q].at[k] + 1;
            memcpy(o->clock_before, clock_of(s, s->of_thread[q].at[k]), o->steps.threads * sizeof(u32));
            break;
        }
    memcpy(now, o->clock_before, o->steps.threads * sizeof(u32));
    hd_vec_clear(&o->race);
    for (u32 i = 0; i < n; i++) {
        if (is_broad(&act[i])) {
            walk_all(&l);
            break;
        }
        u32 keys = hd_causal_keys(&act[i], key);
        for (u32 k = 0; k < keys; k++)
            walk(&l, key[k], &act[i]);
    }
    walk(&l, KEY_WILD, &act[0]);
    if (o->race.n > 1) {
        if (depth == HD_DEPTH_NEXT)
            filter(s);
        qsort(o->race.at, o->race.n, sizeof *o->race.at, later_first);
    }
}

void hd_causal_preview(struct hd_branch *s, u16 q, const struct hd_act *act, u32 n,
                    enum hd_depth depth)
{
    u32 now[HD_SEARCH_THREADS];
    visit(s, q, act, n, depth, now);
}

void hd_causal_add(struct hd_branch *s, enum hd_depth depth)
{
    struct hd_causal *o = &s->causal;
    u32 n = o->steps.n;
    const struct hd_search_step *e = &s->step.at[n];
    u32 now[HD_SEARCH_THREADS];
    u64 key[HD_MAX_KEYS];
    visit(s, e->tid, &s->act.at[e->act], e->n_acts, depth, now);
    now[e->tid] = e->nth;
    hd_order_steps_add(&o->steps, now);
    *hd_vec_add(&o->first_use) = (u32)o->use.n;
    *hd_vec_add(&o->first_act) = e->act;
    for (u32 i = 0; i < e->n_acts; i++) {
        u32 keys = hd_causal_keys(&s->act.at[e->act + i], key);
        for (u32 k = 0; k < keys; k++) {
            u64 *head = hd_map_ref(&o->head, key[k], 0);
            *hd_vec_add(&o->use) = (struct hd_use){
                .key = key[k], .step = n, .act = e->act + i, .before = (u32)*head};
            *head = o->use.n;
        }
    }
}

/* ---- initials ------------------------------------------------------------------------- */

u64 hd_causal_initials(const struct hd_branch *s, u32 i, u32 j, u16 q, const struct hd_act *act,
                      u32 n, u64 enough)
{
    const struct hd_causal *o = &s->causal;
    u32 first[HD_SEARCH_THREADS] = {0}; /* nth of its first step in v */
    u32 now[HD_SEARCH_THREADS];
    u64 in = 0, set = 0; /* threads in v; initials */
    memcpy(now, o->clock_before, o->steps.threads * sizeof(u32));
    for (u32 k = i + 1; k < j; k++) {
        const struct hd_search_step *e = &s->step.at[k];
        if (hd_causal_is_before(s, i, k))
            continue;
        const u32 *c = clock_of(s, k);
        if (hd_acts_depend(&s->act.at[e->act], e->n_acts, act, n))
            hd_vclock_join_row(now, c, o->steps.threads);
        if (in & HD_BIT(e->tid))
            continue;
        bool is_free = true;
        HD_EACH_BIT(r, in)
            is_free &= c[r] < first[r];
        in |= HD_BIT(e->tid);
        first[e->tid] = e->nth;
        if (is_free) {
            set |= HD_BIT(e->tid);
            if (enough & HD_BIT(e->tid))
                return set;
        }
    }
    if (!(in & HD_BIT(q))) {
        bool is_free = true;
        HD_EACH_BIT(r, in)
            is_free &= now[r] < first[r];
        if (is_free)
            set |= HD_BIT(q);
    }
    return set;
}
