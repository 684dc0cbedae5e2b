/* search_run.h: a campaign directed by a search (src/search) instead of a strategy
 * in the target: one worker, one run at a time.
 *
 *   begin   the next schedule -> script in shared memory
 *   (run)
 *   end     what happened -> the search; before the run is judged, since
 *           confirming a finding overwrites it
 */
#ifndef HD_SEARCH_RUN_H
#define HD_SEARCH_RUN_H

#include "campaign/campaign.h"

struct hd_search_run;

struct hd_search_run *hd_search_run_open(const struct hd_search_method *method, u64 param);
void hd_search_run_close(struct hd_search_run *r);

/* Makes time stand still in a run but for waits, and loops that wait short. */
void hd_search_run_config(struct hd_config *cfg);

/* Prepares w's next run; false: the search is over. */
bool hd_search_run_begin(struct hd_search_run *r, struct hd_worker *w);
void hd_search_run_end(struct hd_search_run *r, const struct hd_campaign_opts *o,
                       struct hd_worker *w);
/* Puts the result into c. */
void hd_search_run_result(const struct hd_search_run *r, struct hd_campaign *c);

/* Result as sentences, one per call with i = 0, 1, ...; false past the last. */
bool hd_search_run_say(const struct hd_campaign *c, u32 i, char *buf, size_t size);
/* Was everything explored, as far as Heddle can tell? */
bool hd_search_run_is_complete(const struct hd_campaign *c);

#endif
