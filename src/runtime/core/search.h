/* search.h: what a search in the host learns of a run (HD_MODE_SEARCH). */
#ifndef HD_RT_SEARCH_H
#define HD_RT_SEARCH_H

#include "runtime/core/rt.h"

/* Callbacks of the scheduler; baton held. */
void hd_search_chosen(void *self, const struct hd_option *o);
void hd_search_pending(void *self, u16 tid, const struct hd_pending *p);
/* Before a run: forget the last one. In the server. */
void hd_search_reset(void);
/* The part of the configuration that makes the scheduler tell. */
void hd_search_config(struct hd_sched_config *cfg);

#endif
