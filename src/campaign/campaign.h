/* campaign.h: many runs of one target: ask what the next is for (src/plan), give it to a
 * worker (src/process), judge, repeat.
 *
 *   loop.c       the campaign: workers, budget
 *   found.c      a run that failed: copy, confirm by replay, name (found.h)
 *   limit.c      runs that a limit of ours ended, and whether anything was tested (limit.h)
 *   leftover.c   a failure because of what earlier runs left behind (leftover.h)
 *   delay.c      failures that need a thread to be slow (delay.h)
 *   race/        races that were seen or are possible, driven and judged (race/races.h)
 *   save.c       .heddle/findings/<id>/ (save.h); trust.c: whose files these are
 *   remember.c   findings in the store
 *   notes.c      remarks about the runs that are no failure (notes.h)
 *   progress.c   the status screen (progress.h)
 */
#ifndef HD_CAMPAIGN_H
#define HD_CAMPAIGN_H

#include "error/error.h"
#include "process/worker.h"
#include "report/finding.h"

struct hd_campaign;

struct hd_director;
struct hd_cover;
struct hd_races;
struct hd_race_memory;
struct hd_script_input;
struct hd_children;
struct hd_wanted;

struct hd_campaign_opts {
    const struct hd_target *target;
    char *const *argv;
    struct hd_config cfg;
    u64 runs;             /* 0 = until time */
    double seconds;       /* 0 = until runs */
    u32 timeout_ms;       /* per run */
    u32 jobs;
    bool keep_going;
    const int *exit_ok; u32 n_exit_ok; /* statuses besides 0 that are fine */
    const char *dir;      /* ".heddle" */
    bool quiet, show_output;
    double minimize_seconds; /* for each new finding; 0 = leave it as it was found */
    int stdin_fd;
    const struct hd_oracle *oracle;    /* NULL = none; runs are then given one by one */
    const struct hd_around *around;    /* likewise */
    struct hd_cover *cover;            /* NULL = coverage is not observed */
    const struct hd_scope *scope;      /* code of the program that is left out; NULL = none */
    struct hd_races *races;            /* what its runs show of races; NULL = not wanted */
    bool is_races;                     /* races are what it is for */
    bool brings_all;                   /* ... and each is tried, however long it takes */
    bool no_memory;                    /* what earlier campaigns tried does not count */
    struct hd_race_memory *tested;     /* races that need not be brought about again: what other
                                          inputs of a suite have tested; NULL = none */
    const struct hd_script_input *script; /* NULL = none (script.h); needs is_single */
    const struct hd_children *children; /* argv is a command that starts the target; likewise */
    bool until_saturated;              /* stop when it does not grow any more; one by one, too */
    bool is_single;                    /* give runs one by one in any case */
    struct hd_director *director;      /* what the next run is for (plan/director.h) */
    bool until_done;                   /* stop when it has nothing left to target */
    bool until_command;                /* ... when runs have one thread and start processes, which
                                          are what is to be tested */
    struct hd_suppressions *suppress;  /* NULL = none */
    const char *command;               /* the command line, for the README of findings */
    const struct hd_wanted *wanted;    /* only this failure ends it; NULL = any (report/wanted.h) */
    /* Called for every new finding, after it was saved. May be NULL. */
    void (*on_finding)(void *self, const struct hd_finding *f, struct hd_symbols *s);
    void *self;
};

struct hd_campaign {
    u64 runs;
    double seconds;
    u64 steps, points, switches;
    u32 max_threads;
    u32 uncontrolled;     /* union over runs */
    char uncontrolled_call[64];
    bool is_instrumented;
    bool interrupted;
    bool is_refused;      /* it failed by itself: before it had a second thread, or because of
                             what earlier runs left behind */
    u64 limited[HD_RUN_LIMIT_COUNT]; /* runs that a limit of ours ended */
    bool is_reproduced;   /* the wanted failure is among the findings */
    bool is_saturated;    /* that was what ended it */
    bool is_done;         /* ... that nothing was left to target */
    u64 peak_rss_kib;
    struct hd_finding *findings; u32 n_findings;
    u32 *times;           /* how often findings[i] was met */
    struct hd_symbols *symbols; /* of the target; NULL until the first finding */
    u32 symbols_modules;  /* how many modules it was opened with, */
    char symbols_of[512]; /* ... and of which program */
    struct hd_error save_error; /* why a finding could not be saved, "" = all were */
    u64 suppressed;       /* failed runs that a suppression hides */
    char **notes; u32 n_notes; /* sentences about what is no failure */
    struct hd_finding *remarks; u32 n_remarks; /* fail only if a thread is delayed for long */
    u64 slow_runs, slow_points; /* with delays of any length (delay.h), not among `runs` */
    u64 race_runs;        /* to bring about races that were seen, not among `runs` */
    char **races_seen; u32 n_races_seen; /* in words, where a failure ended the campaign; */
    u32 races_unseen;     /* ... and how many more there were */
    u32 races_folded;     /* pairs like those shown: the same variable, and no difference seen */
    char **races_possible; u32 n_races_possible; /* in words: races_unconfirmed */
    char **others_possible; u32 n_others_possible; /* in words: what else was not brought about */
    u32 races_before;     /* that earlier campaigns drove runs into, and this one did not */
    u32 races_unconfirmed, races_left; /* that could not be brought about; that were not tried */
    bool has_far;         /* some timeout is further away than cfg.max_delay_ns */
    char sleep_at[700];   /* a sentence, if nothing but a sleep orders the threads */
    s64 found_ns;         /* when the last new finding came, 0 = none yet */
    s64 started_ns;
};

/* 0 = went through (look at n_findings), negative errno with a sentence. */
int hd_campaign_run(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_error *err);
void hd_campaign_release(struct hd_campaign *c);

/* Adds what the last run left in `w` to the totals; it stands for `runs` runs. */
void hd_campaign_count(struct hd_campaign *c, struct hd_worker *w, u64 runs);

/* Findings that the store does not know yet, or saw less often, are told to it. */
void hd_campaign_remember(const struct hd_campaign *c, struct hd_cover *cover);
/* ... and, when it is over, what it was not in control of. */
void hd_campaign_remember_end(const struct hd_campaign *c, struct hd_cover *cover);

/* Was anything tested? NULL, or a sentence that says why not and what to do. */
const char *hd_campaign_untested(const struct hd_campaign *c);

#endif
