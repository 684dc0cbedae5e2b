/* races.h: races that the runs of a campaign showed, driven and told apart by what they do.
 *
 *   races.c         which races, driving runs into them, findings
 *   race_result.c   both orders of the two accesses, and what comes of them
 *
 * Nothing is reported that was not confirmed: a run in which both threads stood at their
 * accesses at the same time; or, where only memory orders are missing, a run whose events
 * show exactly that.
 */
#ifndef HD_CAMPAIGN_RACES_H
#define HD_CAMPAIGN_RACES_H

#include "campaign/campaign.h"
#include "detect/races.h"
#include "error/error.h"

#define HD_RACES_SHOWN 50 /* findings of a campaign; the rest is counted */

/* After the runs of a campaign, on one of its workers: o->races as findings. 0 or negative
 * errno with a sentence. */
int hd_races_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err);

/* One run on the worker, all set up in its shared memory. False: there was none. */
bool hd_races_run(const struct hd_campaign_opts *o, struct hd_worker *w, u64 run);

/* Fills f->race: class, results. `f` is the run that showed the race, both accesses pending
 * (f->race.step). If one order fails, *failed is that run, to be released by the caller, and
 * the class is HD_RACE_FAILS. `times`: runs of each order. */
void hd_races_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_finding *f,
                    u32 times, struct hd_finding *failed);
/* Did the run that just ended fail? */
bool hd_races_is_failure(const struct hd_campaign_opts *o, const struct hd_verdict *v);

#endif
