/* limit.h: runs that a limit of ours ended; see limit.c. */
#ifndef HD_CAMPAIGN_LIMIT_H
#define HD_CAMPAIGN_LIMIT_H

#include "campaign/campaign.h"

/* Word of an enum hd_run_limit, for JSON. */
const char *hd_limit_word(u32 limit);
/* Takes note of the verdict if it is HD_V_LIMIT. */
void hd_limit_count(struct hd_campaign *c, const struct hd_verdict *v);
u64 hd_limit_runs(const struct hd_campaign *c);
/* Line number `line` of what the summary says of limits; false past the last. */
bool hd_limit_format(const struct hd_campaign *c, u32 line, char *buf, size_t size);
/* NULL, or why a campaign without findings says nothing (exit 98): nothing was tested,
 * every run met a limit, interrupted. */
const char *hd_campaign_inconclusive(const struct hd_campaign *c);

#endif
