/* portfolio.h: which kind of run next, by what each has brought: no strategy is the best for
 * every program. See docs/design/portfolio.md.
 *
 *   choose -> charge -> (run) -> paid     of every run
 *
 * An arm is a strategy, the goals of an idiom, a set of goals, the corpus. Time is shared out:
 * each arm has a weight, a floor and what is left by its rate of news (a discounted mean, with a
 * prior), and who has had least for its weight is next. Costs are counted in
 * steps, not timed, and there is no chance in it: the same runs give the same choices. Pure.
 */
#ifndef HD_PORTFOLIO_H
#define HD_PORTFOLIO_H

#include "base/base.h"

enum hd_arm {
#define HD_ARM(name, ...) HD_ARM_##name,
#include "plan/portfolio.def"
#undef HD_ARM
    HD_ARMS
};
#define HD_ARM_STRATEGIES HD_ARM_goal1 /* so many come first */
#define HD_ARM_GOAL(idiom) (HD_ARM_goal1 + (idiom) - 1u)

struct hd_arm_state {
    u64 runs, cost, news;  /* in all: runs, their costs, those that brought something */
    double gain, spent;    /* discounted: news, cost */
    double at;             /* virtual time: cost for its weight */
    u64 price;             /* cost of its last run */
};

struct hd_portfolio {
    struct hd_arm_state arm[HD_ARMS];
    u32 available;         /* at the last choice */
    bool is_long;          /* the program's runs are: the caller says so */
    double gain, spent;    /* of all arms, discounted */
    double now;            /* virtual time: no run has begun later */
};

void hd_portfolio_init(struct hd_portfolio *p);
const char *hd_arm_name(u32 arm);
/* Of those in `available` (bit i = arm i; at least one): who is next. */
u32 hd_portfolio_choose(struct hd_portfolio *p, u32 available);
/* A run of the arm just chosen is planned. Returns what it is expected to cost. */
u64 hd_portfolio_charge(struct hd_portfolio *p, u32 arm);
/* It is over: its cost, what it was charged, how many new things it showed. */
void hd_portfolio_paid(struct hd_portfolio *p, u32 arm, u64 cost, u64 charged, u64 news);
/* What earlier campaigns on the same program counted: goes before the prior. */
void hd_portfolio_remember(struct hd_portfolio *p, u32 arm, u64 runs, u64 cost, u64 news);
/* Its share of the time among those available, 0 to 1. */
double hd_portfolio_weight(const struct hd_portfolio *p, u32 arm, u32 available);

#endif
