/* delay.h: delays that failures need: remarks, and runs that look for them (delay.c). */
#ifndef HD_CAMPAIGN_DELAY_H
#define HD_CAMPAIGN_DELAY_H

#include "campaign/campaign.h"
#include "error/error.h"

/* `f`, the newest finding of c, is confirmed and made small: if it needs a longer delay
 * than o->cfg.max_delay_ns, it becomes a remark. Returns where it is now. */
struct hd_finding *hd_delay_judge(struct hd_campaign *c, const struct hd_campaign_opts *o,
                                  struct hd_worker *w, struct hd_finding *f);

/* The last runs of a campaign: delays of any length, if some timeout was too far away
 * for the others. 0 or negative errno with a sentence. */
int hd_delay_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err);

/* Sets c->sleep_at if the threads never met and a sleep is why. */
void hd_delay_note(struct hd_campaign *c, struct hd_worker *w);

#endif
