/* refuse.h: programs that cannot be tested as they are: a campaign ends with a sentence that says
 * why and what to do; see refuse.c. */
#ifndef HD_REFUSE_H
#define HD_REFUSE_H

#include "campaign/campaign.h"

/* The program ended on its own terms before it had a second thread: a usage message is no
 * concurrency bug. */
bool hd_refuse_is_refusal(const struct hd_campaign *c, const struct hd_snapshot *run);
/* These fill in *err and return its errno. */
int hd_refuse_refusal(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                      struct hd_error *err);
/* The failure is what earlier runs left behind, not the schedule's. */
int hd_refuse_leftover(struct hd_campaign *c, struct hd_worker *w, const struct hd_finding *f,
                       struct hd_error *err);
/* The end of a sentence: why the run's part of the shared memory makes no sense. */
extern const char hd_refuse_overwritten[];
/* Our own bug: keeps the schedule that shows it. */
int hd_refuse_own_bug(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_error *err);

/* Runs have one thread, so there is no choice, and start processes, which may be what is to be
 * tested. */
bool hd_refuse_is_command(const struct hd_campaign *c);

#endif
