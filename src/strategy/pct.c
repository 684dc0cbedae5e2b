/* pct.c: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi,
 * Nagarakatte, ASPLOS 2010). Strict random priorities; at d-1 random moments
 * the thread about to run drops below all initial priorities. A bug of depth d
 * with n threads and k choices is hit with probability >= 1 / (n * K^(d-1)),
 * K = k + d - 1. Deviations, and why the bound holds:
 * - k counts choices with two candidates or more (what the core measures): with
 *   one candidate a change would change nothing. The paper's k counts all
 *   steps, so ours is no worse once d-1 steps of a run had one candidate.
 * - The paper lowers the thread that just ran; we lower the one about to run,
 *   so one that blocked meanwhile is lowered when it comes back. Each order
 *   constraint needs one change, at one certain look (change_points.h), or
 *   none: the extra look, never reached then, is where an unneeded one hides.
 * As in the paper the i-th change *drawn* (not the i-th to happen) gives d-i.
 */
#include "strategy/change_points.h"

#define PCT_INITIAL ((u64)1 << 63) /* set in every initial priority, in no lowered one */

struct hd_pct {
    struct hd_rng rng;            /* one draw per thread, none per step */
    struct hd_change_points change;
    u32 known;                    /* threads [0, known) have a priority */
    u32 top;                      /* the highest of them, finished ones left out */
    u64 priority[HD_MAX_THREADS]; /* 0 = finished */
};

static void pct_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_pct *s = state;
    s->rng = arg->rng;
    hd_change_points_init(&s->change, &s->rng, arg);
}

static void find_top(struct hd_pct *s)
{
    s->top = 0;
    for (u32 t = 1; t < s->known; t++)
        if (s->priority[t] > s->priority[s->top])
            s->top = t;
}

/* A random order of all threads, also of those to come: random keys, made
 * distinct by the thread number in the low bits. */
static HD_COLD void admit(struct hd_pct *s, u32 n_threads)
{
    for (; s->known < n_threads; s->known++) {
        u64 key = hd_rng_next(&s->rng) & ~(u64)(HD_MAX_THREADS - 1);
        s->priority[s->known] = PCT_INITIAL | key | s->known;
        if (s->priority[s->known] > s->priority[s->top])
            s->top = s->known;
    }
}

static u32 highest(const struct hd_pct *s, const struct hd_view *v)
{
    u32 best = HD_NO_THREAD;
    u64 most = 0;
    if (hd_bit_is_set(v->enabled, s->top))
        return s->top;
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (best == HD_NO_THREAD || s->priority[t] > most) {
            best = t;
            most = s->priority[t];
        }
    }
    return best;
}

static u32 pct_pick(void *state, const struct hd_view *v)
{
    struct hd_pct *s = state;
    u64 rank;
    if (HD_UNLIKELY(s->known < v->n_threads))
        admit(s, v->n_threads);
    u32 t = highest(s, v);
    while (HD_UNLIKELY(rank = hd_change_points_next(&s->change))) {
        s->priority[t] = rank;
        find_top(s);
        t = highest(s, v);
    }
    return t;
}

static void pct_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_pct *s = state;
    if (HD_LIKELY(op->kind != HD_EV_EXIT) || tid >= s->known)
        return;
    s->priority[tid] = 0;
    if (tid == s->top)
        find_top(s);
}

static u64 pct_quiet(const void *state, const struct hd_view *v, u32 tid)
{
    const struct hd_pct *s = state;
    return s->known < v->n_threads || highest(s, v) != tid ? 0 : hd_change_points_quiet(&s->change);
}

static void pct_skip(void *state, u64 picks)
{
    ((struct hd_pct *)state)->change.moment += picks;
}

const struct hd_strategy hd_strategy_pct = {
    .name = "pct",
    .doc = "strict random priorities, lowered at depth-1 random points",
    .param_name = "depth",
    .param_default = 3,
    .state_size = sizeof(struct hd_pct),
    .is_fair = false,
    .is_seeded = true,
    .start = pct_start,
    .pick = pct_pick,
    .stepped = pct_stepped,
    .quiet = pct_quiet,
    .skip = pct_skip,
};
_Static_assert(sizeof(struct hd_pct) <= 8 * HD_STRATEGY_WORDS, "state");
