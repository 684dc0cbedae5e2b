/* races.h: races that the runs of a campaign showed, driven and told apart by what they do.
 * Also those that runs ordered by luck alone (observe/race/race_possible.h).
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

#define HD_RACES_LISTED 50 /* findings of a campaign; the rest is counted */

/* After the runs of a campaign, on one of its workers: o->races as findings. 0 or negative
 * errno with a sentence. */
int hd_races_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err);

/* Frees what the campaign says about races in words. */
void hd_races_forget(struct hd_campaign *c);

#endif
