/* portfolio.c: see portfolio.h. */
#include "plan/portfolio.h"

#include <string.h>

#define KEPT 0.98        /* of gain and cost after a run: about fifty runs count */
#define LEAST 1e-6       /* news for a cost of 1, in the mean */
#define PRIOR_NEWS 2.0   /* the prior counts as so many runs with news; */
#define MEMORY_RUNS 12.0 /* what earlier campaigns brought counts as at most so many runs */

static const struct {
    const char *name;
    double prior[2]; /* of programs with short runs, with long ones */
    double floor;
} row[HD_ARMS] = {
#define HD_ARM(name, prior, long, floor) {#name, {(prior) / 100.0, (long) / 100.0}, (floor) / 100.0},
#include "plan/portfolio.def"
#undef HD_ARM
};

const char *hd_arm_name(u32 arm) { return row[arm].name; }

void hd_portfolio_init(struct hd_portfolio *p)
{
    memset(p, 0, sizeof *p);
    p->gain = p->spent = 4;
    for (u32 i = 0; i < HD_ARMS; i++)
        p->arm[i].price = 1;
}

void hd_portfolio_remember(struct hd_portfolio *p, u32 arm, u64 runs, u64 cost, u64 news)
{
    double scale = runs > MEMORY_RUNS ? MEMORY_RUNS / (double)runs : 1;
    p->arm[arm].gain += (double)news * scale;
    p->arm[arm].spent += (double)cost * scale;
}

/* News for a cost of 1. The prior is relative to the mean of all, which falls with time, and so
 * does what a run without news says. The square counts: who is twice as good gets four times
 * as much. */
static double merit(const struct hd_portfolio *p, u32 arm)
{
    const struct hd_arm_state *a = &p->arm[arm];
    double mean = HD_MAX(p->gain / p->spent, LEAST);
    double rate = (PRIOR_NEWS * row[arm].prior[p->is_long] + a->gain) / (PRIOR_NEWS / mean + a->spent);
    return rate * rate;
}

double hd_portfolio_weight(const struct hd_portfolio *p, u32 arm, u32 available)
{
    double floors = 0, merits = 0;
    for (u32 i = 0; i < HD_ARMS; i++) {
        if (!(available >> i & 1))
            continue;
        floors += row[i].floor;
        merits += merit(p, i);
    }
    return row[arm].floor + (1 - floors) * merit(p, arm) / merits;
}

/* Who could not be chosen for a while does not catch up. */
static void let_in(struct hd_portfolio *p, u32 available)
{
    for (u32 i = 0; i < HD_ARMS; i++)
        if ((available & ~p->available) >> i & 1)
            p->arm[i].at = HD_MAX(p->arm[i].at, p->now);
    p->available = available;
}

/* When its next run would be over: so what costs much has to wait longer, and of those that
 * have had nothing the heaviest is first. */
static double due(const struct hd_portfolio *p, u32 arm, u32 available)
{
    const struct hd_arm_state *a = &p->arm[arm];
    return a->at + (double)a->price / hd_portfolio_weight(p, arm, available);
}

u32 hd_portfolio_choose(struct hd_portfolio *p, u32 available)
{
    u32 best = HD_ARMS;
    let_in(p, available);
    for (u32 i = 0; i < HD_ARMS; i++)
        if (available >> i & 1 &&
            (best == HD_ARMS || due(p, i, available) < due(p, best, available)))
            best = i;
    HD_ASSERT(best < HD_ARMS);
    return best;
}

u64 hd_portfolio_charge(struct hd_portfolio *p, u32 arm)
{
    struct hd_arm_state *a = &p->arm[arm];
    p->now = HD_MAX(p->now, a->at);
    a->at = due(p, arm, p->available);
    return a->price;
}

void hd_portfolio_paid(struct hd_portfolio *p, u32 arm, u64 cost, u64 charged, u64 news)
{
    struct hd_arm_state *a = &p->arm[arm];
    a->at += ((double)cost - (double)charged) / hd_portfolio_weight(p, arm, p->available | 1u << arm);
    a->price = cost;
    a->runs++;
    a->cost += cost;
    a->news += news > 0;
    for (u32 i = 0; i < HD_ARMS; i++) {
        p->arm[i].gain *= KEPT;
        p->arm[i].spent *= KEPT;
    }
    a->gain += news > 0;
    a->spent += (double)cost;
    p->gain = p->gain * KEPT + (news > 0);
    p->spent = p->spent * KEPT + (double)cost;
}
