/* maple.c: Maple's active scheduler as its paper has it (Yu, Narayanasamy, Pereira, Pokam, OOPSLA
 * 2012, section 4), to compare active.c with: `heddle test --strategy maple`.
 *
 *   who goes next                     the enabled thread of the highest priority, strictly: the
 *                                     one created first in the first attempt at a candidate, the
 *                                     one created last in the second (4.3)
 *   it reaches an event of the goal   it is parked: lowest priority (4.2)
 *   ... and its partner is parked     both go, in the order of the goal
 *   a parked one goes all the same    nobody else could. If its event was due it stays low, and
 *                                     all is watched (4.4); else the goal starts over
 *   would come between (watch)        parked, once, if it is a third thread
 *   a second thread or object for an  arbitration by chance: who was there stays with 1/2 before
 *   event that somebody is parked at  the first dependency, with 4/5 after it (4.5, 4.7)
 *   nobody but parked ones can go     the world is waited for, if the goal depends on it (4.6)
 *
 * What is a part of the goal, watching and the window are those of active.c. Deviations: priorities
 * are ours, not those of the operating system; the paper gives no number for "a higher probability"
 * after the first dependency: 4/5.
 */
#include "strategy/directed/active_part.h"

enum { NOBODY = HD_NO_THREAD };

struct hd_maple {
    struct hd_active is;            /* first: start and stepped are those of active */
    u64 parked[HD_MAX_THREADS];     /* when; 0 = it is not */
    u64 clock;
    u64 decided[HD_BITS_WORDS(HD_MAX_THREADS)]; /* its pending operation was looked at: it may go */
    u64 spoiler[HD_BITS_WORDS(HD_MAX_THREADS)]; /* was parked for the watch once */
    u16 holder[HD_GOAL_EVENTS];     /* who is parked at an event */
    u16 next[2];                    /* who goes now, and then */
};

extern const struct hd_strategy hd_strategy_active;

/* ---- parking ------------------------------------------------------------------------------ */

static void park(struct hd_maple *s, u32 t) { s->parked[t] = ++s->clock; }

static void forget(struct hd_maple *s)
{
    for (u32 t = 0; t < HD_MAX_THREADS; t++)
        s->parked[t] = 0;
    for (u32 i = 0; i < HD_BITS_WORDS(HD_MAX_THREADS); i++)
        s->spoiler[i] = 0;
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        s->holder[i] = NOBODY;
    s->next[0] = s->next[1] = NOBODY;
}

static void start_over(struct hd_maple *s)
{
    s->is.chase[0] = (struct chase){.thread = {NOBODY, NOBODY}};
    forget(s);
}

/* Parked at event i; the thread that has to come to the other one goes on. */
static void hold(struct hd_maple *s, const struct hd_goal *g, u32 i, u32 t)
{
    u16 other = s->is.chase[0].thread[!g->event[i].role];
    s->holder[i] = (u16)t;
    park(s, t);
    if (other != NOBODY)
        s->parked[other] = 0;
}

/* ---- what a thread that reaches something does ---------------------------------------------- */

/* Both first events of idiom 5 are executed together, on two objects. */
static bool is_crossed(const struct hd_goal *g)
{
    return g->n == 4 && !g->event[0].after && !g->event[2].after;
}

/* Event k stands on the other side of a dependency of event i. */
static bool is_partner(const struct hd_goal *g, u32 i, u32 k)
{
    const struct hd_goal_event *a = &g->event[i], *b = &g->event[k];
    if (is_crossed(g))
        return i != k && !a->after && !b->after;
    return a->role != b->role && a->var == b->var && (a->after >> k & 1 || b->after >> i & 1);
}

/* Somebody is parked at the partner of event i, so that the two can go: they will. */
static bool meets(struct hd_maple *s, const struct hd_view *v, const struct hd_goal *g, u32 i, u32 t,
                  struct object what)
{
    const struct chase *c = &s->is.chase[0];
    for (u32 k = 0; k < g->n; k++) {
        struct object other;
        u32 h = s->holder[k];
        if (h == NOBODY || h == t || c->done >> k & 1 || !is_partner(g, i, k) ||
            !is_instance(&s->is, h, hd_view_op(v, h), &g->event[k], &other) ||
            overlaps(what, other) == is_crossed(g))
            continue;
        bool is_first = is_due(g, c, i) && (is_crossed(g) || g->event[k].after >> i & 1);
        if (!(is_first ? hd_bit_is_set(v->enabled, t) : hd_bit_is_set(v->enabled, h) && is_due(g, c, k)))
            continue;
        s->next[0] = (u16)(is_first ? t : h);
        s->next[1] = (u16)(is_first ? h : t);
        s->parked[h] = 0;
        s->holder[k] = NOBODY;
        return true;
    }
    return false;
}

/* Whoever is there stays. */
static bool is_kept(struct hd_maple *s)
{
    bool has_first = __builtin_popcount(s->is.chase[0].done) >= 2;
    return has_first ? hd_rng_below(&s->is.rng, 5) > 0 : hd_rng_below(&s->is.rng, 2);
}

/* The dependency that event i ends has begun. */
static bool is_awaited(const struct hd_goal *g, const struct chase *c, u32 i)
{
    for (u32 k = 0; k < g->n; k++)
        if (c->done >> k & 1 && g->event[i].after >> k & 1 && g->event[k].role != g->event[i].role)
            return true;
    return false;
}

static bool is_held(const struct hd_maple *s)
{
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        if (s->holder[i] != NOBODY)
            return true;
    return false;
}

/* Thread t has come to its pending operation: may it go? False: it was parked, or two threads
 * have met. */
static bool may_go(struct hd_maple *s, const struct hd_view *v, u32 t)
{
    const struct hd_goal *g = &s->is.goals->at[0];
    const struct chase *c = &s->is.chase[0];
    const struct hd_op *op = hd_view_op(v, t);
    u32 part = g->n;
    bool is_fit = false;
    if (!s->is.live)
        return true;
    for (u32 i = 0; i < g->n; i++) {
        struct object what;
        bool is_done = c->done >> i & 1;
        if (!is_instance(&s->is, t, op, &g->event[i], &what) ||
            (is_done && c->thread[g->event[i].role] == t))
            continue;
        bool fits_here = !is_done && fits(g, c, i, t, what);
        if (fits_here && meets(s, v, g, i, t, what))
            return false;
        if (part == g->n || (fits_here && !is_fit)) {
            part = i;
            is_fit = fits_here;
        }
    }
    if (part < g->n && is_fit && is_due(g, c, part) && is_awaited(g, c, part))
        return true;
    if (part < g->n && is_fit && (c->done ? s->holder[part] == NOBODY : !is_held(s))) {
        hold(s, g, part, t);
        return false;
    }
    if (part < g->n) { /* one more */
        if (is_kept(s))
            return true;
        start_over(s);
        hold(s, g, part, t);
        return false;
    }
    if (!spoils(g, c, t, op) || c->thread[0] == t || c->thread[1] == t || hd_bit_is_set(s->spoiler, t))
        return true;
    hd_bit_set(s->spoiler, t);
    park(s, t);
    return false;
}

/* ---- the strategy --------------------------------------------------------------------------- */

static void maple_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_maple *s = state;
    hd_strategy_active.start(&s->is, arg);
    forget(s);
}

/* Parked threads in the order they came; the others by creation. */
static bool is_before(const struct hd_maple *s, u32 a, u32 b)
{
    if (!s->parked[a] != !s->parked[b])
        return !s->parked[a];
    if (s->parked[a])
        return s->parked[a] < s->parked[b];
    return s->is.goals->order == HD_ORDER_LATER ? a > b : a < b;
}

static u32 highest(const struct hd_maple *s, const struct hd_view *v)
{
    u32 best = NOBODY;
    HD_BITS_EACH(t, v->enabled, v->words)
        if (best == NOBODY || is_before(s, t, best))
            best = t;
    return best;
}

static u32 maple_pick(void *state, const struct hd_view *v)
{
    struct hd_maple *s = state;
    for (;;) {
        if (s->next[0] != NOBODY && hd_bit_is_set(v->enabled, s->next[0]))
            return s->next[0];
        s->next[0] = s->next[1] = NOBODY;
        u32 t = highest(s, v);
        if (s->parked[t] || hd_bit_is_set(s->decided, t) || may_go(s, v, t)) {
            hd_bit_set(s->decided, t);
            return t;
        }
    }
}

/* Event i has happened: who began a dependency must not come to the object before it has ended;
 * whoever else has a part goes on. */
static void happened(struct hd_maple *s, u32 i, u32 tid)
{
    const struct hd_goal *g = &s->is.goals->at[0];
    const struct chase *c = &s->is.chase[0];
    s->parked[tid] = 0;
    for (u32 k = 0; k < g->n; k++) {
        u16 other = c->thread[g->event[k].role];
        if (c->done >> k & 1 || !is_partner(g, i, k) || !(g->event[k].after >> i & 1))
            continue;
        park(s, tid);
        if (other != NOBODY)
            s->parked[other] = 0;
    }
}

static void maple_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_maple *s = state;
    const struct chase *c = &s->is.chase[0];
    u8 before = c->done;
    bool was_over = !s->is.live;
    hd_strategy_active.stepped(&s->is, v, tid, op);
    hd_bit_clear(s->decided, tid);
    if (s->next[0] == tid) {
        s->next[0] = s->next[1];
        s->next[1] = NOBODY;
    }
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        if (s->holder[i] == tid)
            s->holder[i] = NOBODY;
    if (was_over)
        return;
    if (!s->is.live || before & ~c->done) /* shown, or lost */
        forget(s);
    else if (c->done & ~before)
        happened(s, (u32)__builtin_ctz(c->done & ~before), tid);
    else if (s->parked[tid] && c->thread[0] != tid && c->thread[1] != tid)
        s->parked[tid] = 0;
}

/* The goal is about to be abandoned, and somebody waits for what only the world can bring. */
static bool maple_await(void *state, const struct hd_view *v)
{
    struct hd_maple *s = state;
    if (!s->is.live || !s->is.patience || !s->is.goals->awaits)
        return false;
    HD_BITS_EACH(t, v->enabled, v->words)
        if (!s->parked[t])
            return false;
    s->is.patience--;
    return true;
}

const struct hd_strategy hd_strategy_maple = {
    .name = "maple",
    .doc = "drives the run into predicted orders as the paper on Maple does, for comparison",
    .state_size = sizeof(struct hd_maple),
    .is_fair = false,
    .is_seeded = false,
    .start = maple_start,
    .pick = maple_pick,
    .stepped = maple_stepped,
    .wait = maple_await,
    .await = maple_await,
};
_Static_assert(sizeof(struct hd_maple) <= 8 * HD_STRATEGY_WORDS, "state");
