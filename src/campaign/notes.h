/* notes.h: remarks about runs that are no failure; see notes.c. */
#ifndef HD_CAMPAIGN_NOTES_H
#define HD_CAMPAIGN_NOTES_H

#include "campaign/campaign.h"

/* "file:line" of the user's code, relative to where we are. */
void hd_notes_place(struct hd_symbols *s, u64 site, char *buf, size_t size);
/* A sentence for c->notes, unless it is there. */
void hd_notes_add(struct hd_campaign *c, const char *text);
/* Makes sentences of what the worker's runs left in shm->notes and adds them to
 * c->notes, but for what o->suppress hides. */
void hd_notes_collect(struct hd_campaign *c, const struct hd_campaign_opts *o,
                      struct hd_worker *w);

#endif
