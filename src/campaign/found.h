/* found.h: from a failed run to a finding; see found.c. */
#ifndef HD_CAMPAIGN_FOUND_H
#define HD_CAMPAIGN_FOUND_H

#include "campaign/campaign.h"
#include "error/error.h"

/* Names, confirms, minimizes and saves what was taken from a run that took so long, and
 * tells o->on_finding. It is the campaign's from now on. *is_new is false if the campaign
 * had it already or o->suppress hides it. */
int hd_found_persist(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     const struct hd_finding *taken, s64 took_ns, bool *is_new,
                     struct hd_error *err);
/* The campaign's finding of that id, or NULL. */
const struct hd_finding *hd_found_known(const struct hd_campaign *c, const char *id);
/* The symbols of the program that the finding is of: the campaign's, until it is asked for others. */
struct hd_symbols *hd_found_symbols(struct hd_campaign *c, const struct hd_finding *f);

#endif
