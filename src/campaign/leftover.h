/* leftover.h: does a program fail because of what earlier runs left behind?
 *
 * A program that creates a file with O_EXCL ends well once and fails from then on,
 * whatever the schedule. So the schedule of a campaign's first run, if that ended well, is
 * kept, and followed again when a run fails for the first time: if it now leads to the
 * same failure, the schedule is not to blame. Such a failure is not a finding; the user
 * is told about --setup and --cleanup.
 */
#ifndef HD_FIRST_H
#define HD_FIRST_H

#include "campaign/campaign.h"

struct hd_first {
    struct hd_replay r;
    bool is_held;
    bool is_asked; /* at the first failure only: it costs a run or two */
};

/* The run that just ended in w was the first one. */
void hd_first_take(struct hd_first *f, const struct hd_campaign_opts *o, struct hd_worker *w);
/* Does the first run's schedule lead to failure `g` now, twice? Runs on w. */
bool hd_first_fails_too(struct hd_first *f, const struct hd_campaign_opts *o, struct hd_worker *w,
                        const struct hd_finding *g);
void hd_first_release(struct hd_first *f);

#endif
