/* minimize.h: a finding made small and explained, by running it again and again.
 *
 *   minimize.c        stages, runs on a worker, what becomes of the finding
 *   budget.c          how long it goes on
 *   minimize_sites.c  more scheduling points than the recorded run knew
 *   shrink*.c         the search itself
 */
#ifndef HD_MINIMIZE_H
#define HD_MINIMIZE_H

#include "process/worker.h"
#include "report/finding.h"
#include "minimize/budget.h"
#include "minimize/shrink.h"

#define HD_MINIMIZE_REPLAYS 200 /* in a campaign, without an improvement */
#define HD_MINIMIZE_TIMES 20 /* runs that verify each of the two orders */

/* What a person may want to know meanwhile. */
struct hd_minimize_state {
    u64 preemptions, preemptions_before;
    u32 runs;
    double seconds;
    bool is_pair; /* the order that decides is looked for */
};

struct hd_minimize_opts {
    double seconds;       /* without an improvement (budget.h): then it ends */
    double most_seconds;  /* ... or after so much time in all; 0 = 20 times `seconds` */
    u32 least_replays;    /* ... unless the run is so long that this leaves time for fewer runs */
    u32 replays;          /* ... or after so many runs without; 0 = no limit */
    u32 most_replays;     /* ... or after so many in all; 0 = no limit */
    void (*on_run)(void *self, const struct hd_minimize_state *state); /* may be NULL */
    void *self;
    u32 timeout_ms;       /* per run */
    const int *exit_ok;   /* statuses besides 0 that are no failure */
    u32 n_exit_ok;
};

/* Pre: f was recorded on `w` or a worker of the same program, confirmed
 * (f->reproduced of f->tried) and identified with the symbols s. Fills
 * f->decided; if a smaller schedule was found, f shows the run of that one and
 * f->original keeps the recorded one. Goes on while it gets smaller; Ctrl-C ends it
 * with what was found by then. The worker's site table and configuration
 * are as before. */
void hd_minimize(struct hd_finding *f, struct hd_symbols *s, struct hd_worker *w,
                 const struct hd_minimize_opts *o);

/* ---- runs, shared by the two files ------------------------------------------------- */

struct hd_trials {
    struct hd_worker *w;
    const struct hd_minimize_opts *o;
    const struct hd_finding *f;
    struct hd_symbols *s;
    struct hd_replay base;   /* program, sites and configuration; no schedule */
    struct hd_budget budget; /* of the present stage */
    s64 began_ns;
    s64 run_ns;              /* what the first run took */
    u64 preemptions;         /* the fewest so far */
    u32 done;
    bool is_pair;            /* the present stage looks for the order that decides */
    bool is_last;            /* the run that shows the result: whatever the budget says */
    HD_VEC(struct hd_event) pending;
    struct hd_list log;      /* of a run that did not fit in shared memory */
};

/* One run with further bits of enum hd_mode; otherwise as hd_runner.run. */
void hd_trials_run(struct hd_trials *t, const struct hd_list *script, u64 variant, u32 more_mode,
                   struct hd_ran *out);

/* Makes sites that the recorded run did not yet know as shared into scheduling
 * points: those of `known` (a whole site table, may be NULL) and those that show
 * in a run of s->list. Rewrites s->list and its numbers to match, or leaves both
 * as they were. */
void hd_trials_learn(struct hd_trials *t, struct hd_shrunk *s, const struct hd_site *known,
                     u32 n_known);
/* The same for accesses that threads share under locks, so that the order that decides can be
 * one of accesses, with their values, and not only of locks. */
void hd_trials_guarded(struct hd_trials *t, struct hd_shrunk *s);

#endif
