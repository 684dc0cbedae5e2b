/* suspect.h: runs that may hang, held until it is known. See suspect.c, loop.c. */
#ifndef HD_SUSPECT_H
#define HD_SUSPECT_H

#include "campaign/campaign.h"

struct hd_suspect {
    bool is_held;
    u64 steps;                 /* it took before it was ended */
    u32 worker;                /* that it ran on, */
    u32 ended;                 /* and totals.ended_ever then */
    struct hd_finding finding; /* not confirmed, not named */
};

/* The run that just ended on `w` (stats.is_guess) is held, unless there is one. 0 or
 * negative errno. */
int hd_suspect_take(struct hd_suspect *s, const struct hd_campaign_opts *o, struct hd_worker *w);
/* After any run: does what has ended on this worker say that it hung? If it says that
 * it did not, it is let go. */
bool hd_suspect_is_guilty(struct hd_suspect *s, const struct hd_campaign_opts *o,
                          const struct hd_worker *w);
/* Follows it again and lets it go on for a while. True: it failed, and s holds the run
 * to be reported. Else it ended well, or there was no time, and it is let go. */
bool hd_suspect_again(struct hd_suspect *s, const struct hd_campaign_opts *o, struct hd_worker *w,
                      s64 until_ns);
void hd_suspect_release(struct hd_suspect *s);

#endif
