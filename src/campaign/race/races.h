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
#include "plan/look/look.h"

#define HD_RACES_LISTED 50 /* findings of a campaign; the rest is counted */

/* What was brought about, or could not be, under one input: lines and variables. Another input of
 * the same build does not try again. */
struct hd_race_memory {
    HD_VEC(char *) key;
    struct hd_map vain; /* by pair of functions (race_class.c) */
    struct hd_look look; /* whatever was seen, tried or not (plan/look/look.c) */
};
void hd_race_memory_release(struct hd_race_memory *m);

/* After the runs of a campaign, on one of its workers: o->races as findings. 0 or negative
 * errno with a sentence. */
int hd_races_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err);

/* Pairs of sites that race or could, and three of which one could come between the others
 * (race_list.c): one text each, sorted. */
struct hd_race_list {
    HD_VEC(char *) v;
};
struct hd_places;
void hd_race_list(struct hd_race_list *l, const struct hd_races *r, struct hd_places *p);
void hd_atomicity_list(struct hd_race_list *l, const struct hd_races *r, struct hd_places *p);
void hd_race_list_release(struct hd_race_list *l);

/* Frees what the campaign says about races in words. */
void hd_races_forget(struct hd_campaign *c);

#endif
