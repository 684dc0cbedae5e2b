/* pctlarge.c: PCT with weights instead of strict priorities (Yu, Narayanasamy,
 * Pereira, Pokam: Maple, OOPSLA 2012, sections 6.2 and 6.3.1).
 *
 * A thread's priority is its share of the steps, not a right to all of them,
 * so there are many more switches than under pct, and no thread starves; that
 * paper found it the best of the random ones. It used Linux nice values, where
 * one level is a constant factor of time; we draw one of six levels, a factor
 * of two each, and hold a lottery per choice (memoryless time slices). Change
 * points are those of pct; a lowered thread weighs less than any other.
 */
#include "strategy/change_points.h"

enum { LEVELS = 6, WEIGHT_LOWERED = 1, WEIGHT_LOWEST = 4 }; /* 4, 8, .. 128 */

struct hd_pctlarge {
    struct hd_rng rng;
    struct hd_change_points change;
    u32 known;                 /* threads [0, known) have a weight */
    u32 weight[HD_MAX_THREADS];
};

static void pctlarge_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_pctlarge *s = state;
    s->rng = arg->rng;
    hd_change_points_init(&s->change, &s->rng, arg);
}

static u32 lottery(struct hd_pctlarge *s, const struct hd_view *v)
{
    u64 sum = 0;
    HD_BITS_EACH(t, v->enabled, v->words)
        sum += s->weight[t];
    u64 ticket = hd_rng_below(&s->rng, sum);
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (ticket < s->weight[t])
            return t;
        ticket -= s->weight[t];
    }
    HD_BUG("ticket beyond all weights");
}

static u32 pctlarge_pick(void *state, const struct hd_view *v)
{
    struct hd_pctlarge *s = state;
    for (; s->known < v->n_threads; s->known++)
        s->weight[s->known] = (u32)WEIGHT_LOWEST << hd_rng_below(&s->rng, LEVELS);
    u32 t = lottery(s, v);
    while (HD_UNLIKELY(hd_change_points_next(&s->change))) {
        s->weight[t] = WEIGHT_LOWERED;
        t = lottery(s, v);
    }
    return t;
}

const struct hd_strategy hd_strategy_pctlarge = {
    .name = "pctlarge",
    .doc = "random weights, lowered at depth-1 random points",
    .param_name = "depth",
    .param_default = 3,
    .state_size = sizeof(struct hd_pctlarge),
    .is_fair = true,
    .is_seeded = true,
    .start = pctlarge_start,
    .pick = pctlarge_pick,
};
_Static_assert(sizeof(struct hd_pctlarge) <= 8 * HD_STRATEGY_WORDS, "state");
