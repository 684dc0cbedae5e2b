/* budget.c: see budget.h. */
#include "minimize/budget.h"

#define LEAST_RUNS 40
#define WORTH 10 /* an improvement is one part in so many */

void hd_budget_begin(struct hd_budget *b, s64 now, u32 runs, u64 left)
{
    b->mark = left;
    hd_budget_renew(b, now, runs);
}

void hd_budget_renew(struct hd_budget *b, s64 now, u32 runs)
{
    b->news_ns = now;
    b->news_run = runs;
}

void hd_budget_improve(struct hd_budget *b, s64 now, u32 runs, u64 left)
{
    if (left >= b->mark || b->mark - left < HD_MAX(b->mark / WORTH, (u64)1))
        return;
    b->mark = left;
    hd_budget_renew(b, now, runs);
}

bool hd_budget_is_left(const struct hd_budget *b, s64 now, u32 runs)
{
    u32 since = runs - b->news_run;
    if (now >= b->end_ns || (b->end_run && runs >= b->end_run) ||
        (b->patience_runs && since >= b->patience_runs))
        return false;
    return now - b->news_ns < b->patience_ns || since < LEAST_RUNS;
}
