/* progress.h: what the user sees while a campaign goes on; see progress.c. */
#ifndef HD_CAMPAIGN_PROGRESS_H
#define HD_CAMPAIGN_PROGRESS_H

#include "campaign/campaign.h"
#include "plan/director.h"

struct hd_progress {
    bool is_quiet, is_terminal, is_visible;
    u32 lines;            /* of the screen that is shown */
    s64 next_ns;
};
/* What is to be shown, as data. */
struct hd_progress_view {
    u64 runs, of;         /* of 0: no limit */
    double seconds, rate;
    double left;          /* seconds, < 0: not known */
    u32 threads, findings;
    u64 suppressed;
    const char *program, *last; /* last: id of the newest finding, NULL = none */
    double last_ago;      /* seconds */
    struct hd_director_state at;
    bool has_news;        /* runs brought something that none before had: */
    u64 news_runs;        /* so many runs ago */
    double news_ago;      /* seconds */
};
void hd_progress_init(struct hd_progress *p, bool quiet);
/* Shows the state if it is time to. */
void hd_progress_tick(struct hd_progress *p, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads);
void hd_progress_read(struct hd_progress_view *v, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads, s64 now);
/* Lines of at most `width` characters; returns how many. */
u32 hd_progress_screen(char *buf, size_t size, const struct hd_progress_view *v, u32 width);
/* One line with its end. */
void hd_progress_plain(char *buf, size_t size, const struct hd_progress_view *v);
/* While a finding is made smaller: a line if it is time to. `p` is a struct hd_progress. */
struct hd_minimize_state;
void hd_progress_minimize(void *p, const struct hd_minimize_state *s);
/* The line, without its end. */
void hd_progress_minimize_line(char *buf, size_t size, const struct hd_minimize_state *s);
/* Takes the screen away, before anything else is printed. */
void hd_progress_clear(struct hd_progress *p);

#endif
