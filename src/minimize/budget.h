/* budget.h: how long minimizing goes on: while it improves. Pure: the clock and the number
 * of runs are given.
 *
 *   patience   time (and number of runs) without an improvement after which a stage ends,
 *              after LEAST_RUNS runs at the earliest: one slow run says little
 *   end        the stage ends then, whatever it has achieved
 *
 * An improvement must be worth the time: a tenth of what is left, at least one.
 */
#ifndef HD_BUDGET_H
#define HD_BUDGET_H

#include "base/base.h"

struct hd_budget {
    s64 patience_ns, end_ns;
    u32 patience_runs, end_run; /* 0 = no limit */
    s64 news_ns;       /* of the last improvement, or the begin */
    u32 news_run;
    u64 mark;          /* what was left then */
};

/* A stage begins at `now` with so many runs done and `left` (preemptions) to get rid of.
 * Pre: its limits are set. */
void hd_budget_begin(struct hd_budget *b, s64 now, u32 runs, u64 left);
/* Only `left` are left by now. */
void hd_budget_improve(struct hd_budget *b, s64 now, u32 runs, u64 left);
/* Something was achieved that cannot be counted. */
void hd_budget_renew(struct hd_budget *b, s64 now, u32 runs);
bool hd_budget_is_left(const struct hd_budget *b, s64 now, u32 runs);

#endif
