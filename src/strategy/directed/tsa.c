/* tsa.c: drives runs to synchronization pairs that were not covered yet (Hong, Ahn,
 * Park, Kim, Harrold, ISSTA 2012, Algorithm 1; event/pairs.h has the pairs). A lock
 * call is paused if its site is in such a pair, or if a paused one wants the same
 * lock. When all that could go is paused one is let go, by the first rule that fits:
 *   1  it makes an uncovered pair with who took the lock last (at once, in fact)
 *   2  it and another paused call of the same lock make one, in this order
 *   3  its site is in the fewest uncovered pairs: least is lost
 * tsa=2: without rule 3. Deviations, each measured: every other run targets some of
 * the pairs only, down to one, and every other one has rule 3, else runs become the same
 * and stop covering; nobody comes between the two halves of a pair that has begun; the
 * rest is drawn by weights of threads (as pctlarge), or in one run of four by priorities
 * of events (as POS); a call paused for long is let go: others may wait for it in a loop.
 */
#include "event/pairs.h"
#include "strategy/event_priority.h"

#define LOCKS 1024        /* whose last taker is known; power of two */
#define NEAR 8            /* slots looked at for a lock */
#define LEVELS 6          /* of weights, a factor of two each */
#define PATIENCE 1000     /* steps; at least twice the choices of a usual run */

struct lock {
    u64 obj;
    u64 last;             /* site that took it last */
    u16 owner;            /* thread + 1, 0 = nobody, or readers */
    u16 depth;
};

struct hd_tsa {
    struct hd_rng rng;
    const struct hd_pairs *pairs; /* NULL = none is left to target */
    u64 patience;
    bool has_rule_3;
    u32 by_rule[HD_STRATEGY_RULES];     /* picks of paused calls */
    bool is_weighed;                    /* priorities stand for weights of threads */
    u64 wanted[HD_PAIR_SLOTS / 64];     /* pairs this run targets and has not covered */
    u16 left[HD_PAIR_SITES];            /* ... with this site in it, */
    u16 firsts[HD_PAIR_SITES];          /* ... as the first one */
    struct hd_event_priority priority;
    u64 paused[HD_BITS_WORDS(HD_MAX_THREADS)];
    u32 since[HD_MAX_THREADS];          /* step at which it was paused */
    struct lock lock[LOCKS];
};

static bool is_same(const struct hd_sync_pair *a, const struct hd_sync_pair *b)
{
    return a->first == b->first && a->second == b->second;
}

/* The one asked for; or all pairs; or all, about half of them, a quarter, ... or one. */
static void choose_pairs(struct hd_tsa *s)
{
    u32 most = 32 - (u32)__builtin_clz(s->pairs->n);
    const struct hd_sync_pair *only = &s->pairs->only;
    u64 of = hd_rng_below(&s->rng, 2) ? 1 : (u64)1 << hd_rng_below(&s->rng, most);
    for (u32 i = 0; i < HD_PAIR_SLOTS; i++) {
        const struct hd_sync_pair *p = &s->pairs->pair[i];
        if (!p->first || (only->first ? !is_same(p, only) : hd_rng_below(&s->rng, of) != 0))
            continue;
        hd_bit_set(s->wanted, i);
        s->left[hd_pairs_site(s->pairs, p->first)]++;
        s->firsts[hd_pairs_site(s->pairs, p->first)]++;
        if (p->second != p->first)
            s->left[hd_pairs_site(s->pairs, p->second)]++;
    }
}

static void tsa_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_tsa *s = state;
    s->rng = arg->rng;
    s->pairs = arg->pairs && arg->pairs->n ? arg->pairs : NULL;
    s->has_rule_3 = arg->param >= 3 && hd_rng_below(&s->rng, 2);
    s->is_weighed = hd_rng_below(&s->rng, 4) != 0;
    s->patience = HD_MAX((u64)PATIENCE, 2 * arg->learned->mean_points);
    if (s->pairs)
        choose_pairs(s);
}

/* ---- what is known ----------------------------------------------------------------------- */

static bool is_lock(const struct hd_op *op) { return hd_event_class(op->kind) == HD_CLASS_ACQ; }

/* Entry of a lock; one that was not used for long makes room. */
static struct lock *lock_of(struct hd_tsa *s, u64 obj)
{
    u32 first = (u32)hd_pairs_mix(obj);
    for (u32 i = 0; i < NEAR; i++) {
        struct lock *l = &s->lock[(first + i) & (LOCKS - 1)];
        if (l->obj == obj || !l->obj) {
            l->obj = obj;
            return l;
        }
    }
    struct lock *l = &s->lock[first & (LOCKS - 1)];
    *l = (struct lock){.obj = obj};
    return l;
}

/* Slot of the pair if the run targets it, else HD_NO_PAIR. */
static u32 wanted(const struct hd_tsa *s, u64 first, u64 second)
{
    u32 at = first ? hd_pairs_find(s->pairs, first, second) : HD_NO_PAIR;
    return at != HD_NO_PAIR && hd_bit_is_set(s->wanted, at) ? at : HD_NO_PAIR;
}

/* In how many of these pairs is the site? */
static u32 relevant(const struct hd_tsa *s, u64 site)
{
    u32 at = hd_pairs_site(s->pairs, site);
    return at == HD_NO_PAIR ? 0 : s->left[at];
}

static void cover(struct hd_tsa *s, u64 first, u64 second)
{
    u32 at = wanted(s, first, second);
    if (at == HD_NO_PAIR)
        return;
    hd_bit_clear(s->wanted, at);
    s->left[hd_pairs_site(s->pairs, first)]--;
    s->firsts[hd_pairs_site(s->pairs, first)]--;
    if (second != first)
        s->left[hd_pairs_site(s->pairs, second)]--;
}

/* Would another call, now, take the place of the second one of a pair that has begun? */
static bool is_guarded(struct hd_tsa *s, u64 obj)
{
    u64 last = lock_of(s, obj)->last;
    u32 at = last ? hd_pairs_site(s->pairs, last) : HD_NO_PAIR;
    return at != HD_NO_PAIR && s->firsts[at];
}

/* ---- pausing ------------------------------------------------------------------------------ */

static void hold(struct hd_tsa *s, const struct hd_view *v, u32 t)
{
    hd_bit_set(s->paused, t);
    s->since[t] = (u32)v->step;
}

static bool is_wanted(const struct hd_tsa *s, const struct hd_view *v, u64 obj)
{
    HD_BITS_EACH(t, v->enabled, v->words)
        if (hd_bit_is_set(s->paused, t) && hd_view_op(v, t)->obj == obj)
            return true;
    return false;
}

/* Pauses what is to be; returns how many may go. */
static u32 pause_all(struct hd_tsa *s, const struct hd_view *v)
{
    u64 filter = 0; /* locks of paused calls: a bit each, more or less */
    u32 n = 0;
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *op = hd_view_op(v, t);
        if (!is_lock(op))
            continue;
        if (!hd_bit_is_set(s->paused, t) && (relevant(s, op->site) || is_guarded(s, op->obj)))
            hold(s, v, t);
        if (hd_bit_is_set(s->paused, t))
            filter |= (u64)1 << (hd_pairs_mix(op->obj) & 63);
    }
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *op = hd_view_op(v, t);
        if (hd_bit_is_set(s->paused, t))
            continue;
        if (is_lock(op) && filter >> (hd_pairs_mix(op->obj) & 63) & 1 && is_wanted(s, v, op->obj))
            hold(s, v, t);
        else
            n++;
    }
    return n;
}

/* ---- letting go ---------------------------------------------------------------------------- */

/* The best so far, by priority; or one drawn by weight. */
struct best {
    u32 tid;
    u64 priority; /* sum of weights; 0 = nobody */
};

static void consider(struct hd_tsa *s, struct best *b, u32 t)
{
    u64 mine = hd_event_priority(&s->priority, &s->rng, t);
    if (s->is_weighed) {
        u64 weight = (u64)1 << (mine >> 8) % LEVELS;
        b->priority += weight;
        if (hd_rng_below(&s->rng, b->priority) < weight)
            b->tid = t;
    } else if (mine > b->priority) {
        *b = (struct best){t, mine};
    }
}

static bool rule_1(struct hd_tsa *s, const struct hd_view *v, struct best *b)
{
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *op = hd_view_op(v, t);
        if (is_lock(op) && wanted(s, lock_of(s, op->obj)->last, op->site) != HD_NO_PAIR)
            consider(s, b, t);
    }
    return b->priority;
}

/* Is there a paused call that makes an uncovered pair right after t's? */
static bool has_next(const struct hd_tsa *s, const struct hd_view *v, u32 t)
{
    const struct hd_op *op = hd_view_op(v, t);
    if (!relevant(s, op->site))
        return false;
    HD_BITS_EACH(u, v->enabled, v->words) {
        const struct hd_op *next = hd_view_op(v, u);
        if (u != t && next->obj == op->obj && wanted(s, op->site, next->site) != HD_NO_PAIR)
            return true;
    }
    return false;
}

static bool rule_2(struct hd_tsa *s, const struct hd_view *v, struct best *b)
{
    HD_BITS_EACH(t, v->enabled, v->words)
        if (has_next(s, v, t))
            consider(s, b, t);
    return b->priority;
}

static void rule_3(struct hd_tsa *s, const struct hd_view *v, struct best *b)
{
    u32 least = ~(u32)0;
    HD_BITS_EACH(t, v->enabled, v->words) {
        u32 n = s->has_rule_3 ? relevant(s, hd_view_op(v, t)->site) : 0;
        if (n > least)
            continue;
        if (n < least)
            b->priority = 0;
        least = n;
        consider(s, b, t);
    }
}

/* Pre: all enabled ones are paused. */
static u32 let_go(struct hd_tsa *s, const struct hd_view *v)
{
    struct best b = {HD_NO_THREAD, 0};
    bool by_2 = rule_2(s, v, &b);
    if (!by_2)
        rule_3(s, v, &b);
    s->by_rule[by_2 ? 1 : 2]++;
    return b.tid;
}

/* Who was paused too long, or HD_NO_THREAD. */
static u32 impatient(const struct hd_tsa *s, const struct hd_view *v)
{
    u32 oldest = HD_NO_THREAD;
    HD_BITS_EACH(t, v->enabled, v->words)
        if (hd_bit_is_set(s->paused, t) && (u32)v->step - s->since[t] > s->patience &&
            (oldest == HD_NO_THREAD || (s32)(s->since[t] - s->since[oldest]) < 0))
            oldest = t;
    return oldest;
}

/* Who goes, of those that are not paused. */
static u32 free_one(struct hd_tsa *s, const struct hd_view *v)
{
    struct best b = {HD_NO_THREAD, 0};
    HD_BITS_EACH(t, v->enabled, v->words)
        if (!hd_bit_is_set(s->paused, t))
            consider(s, &b, t);
    return b.tid;
}

static u32 tsa_pick(void *state, const struct hd_view *v)
{
    struct hd_tsa *s = state;
    struct best b = {HD_NO_THREAD, 0};
    u32 n = s->pairs ? pause_all(s, v) : v->n_enabled;
    u32 t = n < v->n_enabled ? impatient(s, v) : HD_NO_THREAD;
    if (t == HD_NO_THREAD && s->pairs && rule_1(s, v, &b)) {
        t = b.tid;
        s->by_rule[0]++;
    }
    if (t == HD_NO_THREAD)
        t = n ? free_one(s, v) : let_go(s, v);
    if (!s->is_weighed)
        hd_event_priority_picked(&s->priority, v, t);
    return t;
}

/* ---- what happened ------------------------------------------------------------------------- */

/* A call of a lock that its thread has, or that another thread has and was only
 * tried, takes nothing. */
static void take(struct hd_tsa *s, u32 tid, const struct hd_op *op)
{
    struct lock *l = lock_of(s, op->obj);
    bool is_shared = op->kind == HD_EV_RDLOCK || op->kind == HD_EV_TRYRDLOCK;
    if (l->owner) {
        l->depth += l->owner == tid + 1;
        return;
    }
    if (s->pairs)
        cover(s, l->last, op->site);
    l->last = op->site;
    l->owner = is_shared ? 0 : (u16)(tid + 1);
    l->depth = 0;
}

static void abandon(struct hd_tsa *s, u32 tid, u64 obj, bool is_whole)
{
    struct lock *l = lock_of(s, obj);
    if (l->owner != tid + 1)
        return;
    if (l->depth && !is_whole)
        l->depth--;
    else
        l->owner = 0;
}

static void tsa_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_tsa *s = state;
    hd_bit_clear(s->paused, tid);
    if (!s->is_weighed)
        s->priority.of[tid] = 0; /* its next event is another one */
    if (is_lock(op))
        take(s, tid, op);
    else if (hd_event_class(op->kind) == HD_CLASS_REL)
        abandon(s, tid, op->obj, false);
    else if (op->kind == HD_EV_COND_WAIT)
        abandon(s, tid, op->obj2, true);
    else if (op->kind == HD_EV_MUTEX_INIT || op->kind == HD_EV_MUTEX_DESTROY ||
             op->kind == HD_EV_RW_INIT || op->kind == HD_EV_RW_DESTROY)
        *lock_of(s, op->obj) = (struct lock){.obj = op->obj}; /* another one at this address */
}

static void tsa_count(const void *state, u32 by_rule[HD_STRATEGY_RULES])
{
    const struct hd_tsa *s = state;
    for (u32 i = 0; i < HD_STRATEGY_RULES; i++)
        by_rule[i] = s->by_rule[i];
}

const struct hd_strategy hd_strategy_tsa = {
    .name = "tsa",
    .doc = "lock calls wait for those they were never seen next to",
    .param_name = "rules",
    .param_default = 3,
    .state_size = sizeof(struct hd_tsa),
    .is_fair = true,
    .is_seeded = true,
    .start = tsa_start,
    .pick = tsa_pick,
    .stepped = tsa_stepped,
    .count = tsa_count,
};
_Static_assert(sizeof(struct hd_tsa) <= 8 * HD_STRATEGY_WORDS, "state");
