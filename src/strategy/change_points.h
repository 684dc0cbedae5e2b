/* change_points.h: the d-1 random moments at which pct and pctlarge lower the
 * thread that is about to run.
 *
 * Change points are placed at *moments*: a moment is one consideration of "who would
 * go next" at a choice with two candidates or more. A choice is one moment, plus
 * one more for every lowering done there, because then somebody else is
 * considered. A run with k choices has at most k + d - 1 moments; those of the d-1
 * changes are drawn uniformly from 1..k+d-1. pct.c says why.
 */
#ifndef HD_CHANGE_POINTS_H
#define HD_CHANGE_POINTS_H

#include "strategy/strategy.h"

#define HD_CHANGE_MAX 63 /* depth 64; a larger one is cut to that */

struct hd_change_points {
    u64 moment; /* number of the present one */
    u64 next;   /* moment of the next change, ~0 = none left */
    u32 n, used;
    struct {
        u64 at;
        u64 rank; /* n for the first drawn .. 1 for the last: its low priority */
    } point[HD_CHANGE_MAX]; /* ascending by at, then descending by rank */
};

/* Nobody has counted choices yet: some order of magnitude from 64 to 8192. */
HD_INLINE u64 hd_change_points_guess(struct hd_rng *r)
{
    return (u64)64 << hd_rng_below(r, 8);
}

HD_INLINE void hd_change_points_init(struct hd_change_points *c, struct hd_rng *r,
                                     const struct hd_strategy_arg *arg)
{
    u64 k = arg->learned->max_points;
    c->n = arg->param < 2 ? 0 : (u32)HD_MIN(arg->param - 1, HD_CHANGE_MAX);
    if (k == 0)
        k = hd_change_points_guess(r);
    for (u32 i = 0; i < c->n; i++) {
        u64 at = 1 + hd_rng_below(r, k + c->n);
        u32 j = i; /* insertion: equal moments stay in order of drawing */
        for (; j > 0 && c->point[j - 1].at > at; j--)
            c->point[j] = c->point[j - 1];
        c->point[j].at = at;
        c->point[j].rank = c->n - i;
    }
    c->next = c->n ? c->point[0].at : ~(u64)0;
}

/* The next one. 0, or the rank (1..d-1) to lower the considered thread to; then
 * the caller considers again. */
HD_INLINE u64 hd_change_points_next(struct hd_change_points *c)
{
    u64 rank = 0;
    if (HD_LIKELY(++c->moment != c->next))
        return 0;
    for (; c->used < c->n && c->point[c->used].at == c->moment; c->used++)
        rank = c->point[c->used].rank;
    c->next = c->used < c->n ? c->point[c->used].at : ~(u64)0;
    return rank;
}

/* So many moments to come have no change. */
HD_INLINE u64 hd_change_points_quiet(const struct hd_change_points *c)
{
    return c->next - c->moment - 1;
}

#endif
