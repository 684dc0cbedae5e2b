/* rare.c: threads wait for one another at sites that are drawn with equal chance, however often
 * they execute. In a run of 10^5 steps a moment drawn from all steps lies in a hot loop; what
 * happens once, behind the loop, is as likely here as any line of it.
 *
 *   points   one to three sites of earlier runs, and which execution of each: the first, or a
 *            later one (of any order of magnitude)
 *   armed    the rarest at once; one that executes LANDMARK times as often, when a thread has come to
 *            the one before: executions are counted from there, not from the beginning
 *   held     a thread that comes to an armed point, once for each point, until nobody else can
 *            go on; then one of those held goes on, or (in half of the runs) all of them
 *
 * The others change as in burst.c, at a rate of any order of magnitude. Without earlier runs it is
 * that. The bound on holding (as many steps as the longest run had) keeps it fair.
 */
#include "strategy/strategy.h"

enum { POINTS = 3, LANDMARK = 8, PATIENCE = 16, SPARE = 64 };

struct point {
    u64 site;
    u32 times;                    /* that a thread comes there in a run, about */
    u32 nth;                      /* execution of a thread since it is armed, from 1 */
    bool is_armed, is_reached;
    u64 passed[HD_BITS_WORDS(HD_MAX_THREADS)]; /* threads that are not held here any more */
    u32 n[HD_MAX_THREADS];        /* executions of a thread since it is armed */
};

struct hd_rare {
    struct hd_rng rng;
    u64 mask;                     /* a thread is left when these bits of a draw are 0 */
    u32 n;
    bool lets_all;
    u32 patience;                 /* times that a sleeper's time may be made to come */
    u64 most, until;              /* steps that threads may be held for; ... the last one, 0 = not yet */
    struct point at[POINTS];      /* rare ones first */
};

/* 1, or a number up to `most`: each order of magnitude is equally likely. */
static u32 draw_nth(struct hd_rng *r, u32 most)
{
    u32 bits = 0;
    if (most < 2 || hd_rng_below(r, 2))
        return 1;
    while (bits < 31 && most >> (bits + 1))
        bits++;
    u64 high = (u64)1 << hd_rng_below(r, bits + 1);
    return (u32)HD_MIN(high + hd_rng_below(r, high), (u64)most);
}

static void add_point(struct hd_rare *s, u64 site, u32 times)
{
    u32 i = s->n;
    for (u32 k = 0; k < s->n; k++)
        if (s->at[k].site == site)
            return;
    for (; i > 0 && s->at[i - 1].times > times; i--) {
        s->at[i].site = s->at[i - 1].site;
        s->at[i].times = s->at[i - 1].times;
        s->at[i].nth = s->at[i - 1].nth;
    }
    s->at[i].site = site;
    s->at[i].times = times;
    s->at[i].nth = draw_nth(&s->rng, times);
    s->n++;
}

static void draw_points(struct hd_rare *s, const struct hd_site_points *sites)
{
    u32 known = 0, n = hd_rng_below(&s->rng, 2) ? 1 : 2 + (u32)hd_rng_below(&s->rng, POINTS - 1);
    for (u32 i = 0; i < HD_LEARN_SITES; i++)
        known += sites->site[i] != 0;
    for (u32 k = 0; known && k < n; k++) {
        u32 nth = (u32)hd_rng_below(&s->rng, known), at = 0;
        for (;; at++)
            if (sites->site[at] && !nth--)
                break;
        add_point(s, sites->site[at], hd_site_points_each(sites, at));
    }
}

static void arm(struct hd_rare *s)
{
    for (u32 i = 0; i < s->n; i++)
        s->at[i].is_armed |= !i || s->at[i - 1].is_reached ||
                             (s->at[i - 1].is_armed &&
                              s->at[i].times < (u64)LANDMARK * s->at[i - 1].times);
}

static void rare_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_rare *s = state;
    u32 bits = 1;
    s->rng = arg->rng;
    while (bits < 31 && arg->learned->max_points >> (bits + 1))
        bits++;
    s->mask = ((u64)1 << (1 + hd_rng_below(&s->rng, bits))) - 1;
    s->lets_all = hd_rng_below(&s->rng, 2);
    s->patience = PATIENCE;
    s->most = arg->learned->max_points + SPARE;
    draw_points(s, &arg->learned->sites);
    arm(s);
}

/* The point that t is held at, or NULL. */
static struct point *holds_at(struct hd_rare *s, const struct hd_view *v, u32 t)
{
    const struct hd_op *op = hd_view_op(v, t);
    if (s->until && v->step > s->until)
        return NULL;
    for (u32 i = 0; i < s->n; i++) {
        struct point *p = &s->at[i];
        if (p->site == op->site && p->is_armed && p->n[t] + 1 >= p->nth &&
            !hd_bit_is_set(p->passed, t))
            return p;
    }
    return NULL;
}

static void let_go(struct hd_rare *s, const struct hd_view *v, u32 t)
{
    for (struct point *p; (p = holds_at(s, v, t));)
        hd_bit_set(p->passed, t);
}

static u32 rare_pick(void *state, const struct hd_view *v)
{
    struct hd_rare *s = state;
    u32 n = 0, chosen = HD_NO_THREAD;
    bool stays = v->current != HD_NO_THREAD && hd_rng_next(&s->rng) & s->mask;
    HD_BITS_EACH(t, v->enabled, v->words) {
        struct point *p = holds_at(s, v, t);
        if (p) {
            p->is_reached = true;
            s->until = s->until ? s->until : v->step + s->most;
        } else if (stays && t == v->current) {
            return t;
        } else if (!hd_rng_below(&s->rng, ++n)) {
            chosen = t;
        }
    }
    arm(s);
    if (chosen != HD_NO_THREAD)
        return chosen;
    chosen = hd_bits_nth(v->enabled, v->words, (u32)hd_rng_below(&s->rng, v->n_enabled));
    let_go(s, v, chosen);
    if (s->lets_all)
        HD_BITS_EACH(t, v->enabled, v->words)
            let_go(s, v, t);
    return chosen;
}

static void rare_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_rare *s = state;
    bool is_new = false;
    for (u32 i = 0; i < s->n; i++) {
        struct point *p = &s->at[i];
        if (p->site == op->site && p->is_armed && ++p->n[tid] >= p->nth && !p->is_reached)
            is_new = p->is_reached = true;
    }
    if (is_new)
        arm(s);
}

/* Everybody who can go is held, and somebody sleeps: let time pass. */
static bool rare_wait(void *state, const struct hd_view *v)
{
    struct hd_rare *s = state;
    if (!s->patience)
        return false;
    HD_BITS_EACH(t, v->enabled, v->words)
        if (!holds_at(s, v, t))
            return false;
    s->patience--;
    return true;
}

static u64 rare_holds(void *state, const struct hd_view *v, u32 tid)
{
    struct hd_rare *s = state;
    return holds_at(s, v, tid) ? s->most : 0;
}

const struct hd_strategy hd_strategy_rare = {
    .name = "rare",
    .doc = "threads wait for one another at sites drawn with equal chance, however hot they are",
    .state_size = sizeof(struct hd_rare),
    .is_fair = true,
    .is_seeded = true,
    .start = rare_start,
    .pick = rare_pick,
    .stepped = rare_stepped,
    .wait = rare_wait,
    .holds = rare_holds,
};
_Static_assert(sizeof(struct hd_rare) <= 8 * HD_STRATEGY_WORDS, "state");
