/* drive.h: test what was not tested: profile, predict, drive, remember; the default
 * of `heddle test`. After Maple (OOPSLA 2012); see docs/driving.md.
 *
 *   drive.c        opening, closing; what a run brought
 *   drive_candidate.c  predicted, remembered, exposed, abandoned
 *   drive_begin.c  what the next run is for
 *   drive_rank.c   which candidate next, and why
 *   drive_goal.c   candidate -> goal of the target's strategy `active`
 *   drive_defer.c   compound candidates that are not due yet
 *   drive_changed.c what a new build has changed comes first
 *   drive_direct.c all of it as a director (director.h)
 *   drive_check.c  does the program do the same under the same schedule?
 *
 *   begin(w) -> run -> events (subscriber of cover.h) -> predictor -> candidates
 *                   -> covered elements        -> exposed
 *
 * A run is one of:
 *   profile   a randomized schedule, until some in a row predict nothing new
 *   active    targets a candidate, at times for several compatible ones
 *   random    a randomized schedule again: what needs luck, or more than two orders
 *   corpus    goes on from what few runs did (corpus/corpus.h)
 * among the random ones: driven into a memory-access pattern (map/map_arm.h)
 * What each kind brought decides how many there are of it (portfolio.h).
 * With one worker the seed decides all of it.
 */
#ifndef HD_DRIVE_H
#define HD_DRIVE_H

#include "base/rng.h"
#include "error/error.h"
#include "plan/corpus/corpus.h"
#include "plan/director.h"
#include "plan/map/map_arm.h"
#include "plan/portfolio.h"
#include "predict/predict.h"
#include "strategy/strategy.h"

#define HD_DRIVE_TRIES 2
#define HD_DRIVE_TRIES_ALL 6
#define HD_DRIVE_QUIET 3 /* profile runs in a row without a new candidate */
#define HD_DRIVE_IDLE 30 /* runs in a row that bring nothing new: enough, if no candidate is left */

enum hd_drive_kind {
    HD_DRIVE_PROFILE,
    HD_DRIVE_ACTIVE,
    HD_DRIVE_RANDOM,
    HD_DRIVE_CORPUS,
    HD_DRIVE_KINDS
};

/* By idiom; [0] is the sum. */
struct hd_drive_count {
    u32 predicted;       /* in this campaign, not exposed before it */
    u32 exposed;         /* of these, by whatever run */
    u32 tried, hit;      /* driven at least once, by a run for them; of these exposed when driven */
    u32 queued, queue_hit; /* their turn came in a run that was for another one; exposed then */
    u32 failed;          /* abandoned */
    u32 skipped;         /* tried out in earlier campaigns */
};

struct hd_drive_result {
    u64 runs[HD_DRIVE_KINDS];
    struct hd_drive_count count[7];
    u32 open;            /* candidates left */
    u32 waiting;         /* ... besides, that are not targeted as a part of them was not shown */
    u64 left_out;        /* runs that nothing was predicted from (drive.c) */
    double predict_seconds;
    struct hd_arm_state arm[HD_ARMS];
    char unsteady[512];  /* where it did something else under the same schedule; "" = nowhere */
};

struct hd_drive;
/* NULL: d is another director. */
const struct hd_drive *hd_drive_of(const struct hd_director *d);

/* 0; -ENOENT: there is no candidate `only` in the store (err says so). */
int hd_drive_open(struct hd_drive **out, const struct hd_director_opts *o, struct hd_error *err);
void hd_drive_close(struct hd_drive *d);

/* How many runs w should be given at once; at least 1. */
u32 hd_drive_want(const struct hd_drive *d, const struct hd_worker *w);
/* Sets strategies, goals and mode of w's next runs, at most `count`; returns how many
 * it is. What they bring is looked at as they end, also while later ones go on. */
u32 hd_drive_begin(struct hd_drive *d, struct hd_worker *w, u32 count);
/* They are over (after hd_cover_end). */
void hd_drive_end(struct hd_drive *d, struct hd_worker *w);
/* Tells the store what it does not know yet. */
void hd_drive_save(struct hd_drive *d);
/* Nothing is left to be driven, and the last runs brought no new pair of events. */
bool hd_drive_is_done(const struct hd_drive *d);
void hd_drive_result(const struct hd_drive *d, struct hd_drive_result *out);

/* "1a2b3c": stable over runs and builds' names; of at least 13 bytes. */
void hd_drive_id(const struct hd_element *e, char *out);

/* ---- between the files --------------------------------------------------------------- */

enum hd_drive_state {
    HD_DRIVE_OPEN,
    HD_DRIVE_EXPOSED,
    HD_DRIVE_FAILED,
    HD_DRIVE_SKIPPED,
    HD_DRIVE_WAITING, /* for its parts to be shown; not counted as predicted yet */
};

struct hd_drive_candidate {
    struct hd_candidate is; /* is.n 0: not predicted in this campaign */
    struct hd_element element;
    s64 row;                /* in the store, 0 = not there */
    u32 tries, all_tries;
    u32 log;                /* recorded run that showed its events, index + 1 */
    bool is_from_long;      /* that was a long one: chance hardly leads there */
    u8 state;               /* enum hd_drive_state */
    bool is_near;           /* some site is in a function of the failure that is looked for */
    bool is_changed;        /* ... in one that the build before had other code for */
    bool is_library;        /* some site is not in the program itself */
    bool is_external;        /* the store knows that it depends on the world outside */
    bool is_busy;           /* a worker is at it */
    bool was_first, was_queued; /* it was driven: a run was for it; ... for another one */
    bool is_unsaved;        /* the store has yet to take it: */
    u32 more_tries;         /* so many attempts more, and the state */
};

struct hd_drive_log {
    struct hd_choice *choice;
    u32 n;
};

/* What a run is for. */
struct hd_drive_round {
    u8 kind;                        /* enum hd_drive_kind */
    u8 arm;                         /* enum hd_arm; */
    u64 charged;                    /* ... for it */
    u32 chosen[HD_GOALS];           /* candidates it targets, */
    u32 n_chosen;
    u32 n_queued;                   /* ... of these, the last ones, if their turn comes */
    u32 from;                       /* feature of the corpus it goes on from, 0 = none */
    u32 pattern;                    /* of memory accesses that it targets (map_arm.h), 0 = none */
};

struct hd_drive_slot {
    struct hd_predict *predict;
    HD_VEC(struct hd_event) events; /* of the run, until it is too long */
    bool is_streaming;              /* it was: the predictor has them */
    bool is_left_out;               /* nothing is predicted from it: the last ones brought nothing new */
    bool has_gap;                   /* some were left out */
    u64 run;
    u64 size;                       /* of the last run, in events */
    struct hd_drive_round round[HD_PLAN]; /* the runs of its batch */
    u32 n_rounds, ran;              /* how many; ... came back */
    u32 n_sites;                    /* of the program, executed by then */
};

struct hd_drive {
    struct hd_director director;           /* first: one is the other (drive_direct.c) */
    struct hd_director_opts o;
    struct hd_rng rng;
    struct hd_set set;                     /* elements; record i is candidate.at[i], [0] unused */
    HD_VEC(struct hd_drive_candidate) candidate;
    HD_VEC(u32) waiting;                   /* candidates, see drive_defer.c */
    HD_VEC(struct hd_drive_log) log;
    size_t log_bytes;
    struct hd_drive_slot *slot;
    struct hd_corpus corpus;
    struct hd_map_arm *map;                /* NULL = patterns are not observed */
    struct hd_map seen_hash;               /* of runs whose events were predicted from */
    struct hd_map site_tries;              /* place -> attempts on candidates with it */
    u32 quiet;                             /* profile runs in a row without news */
    bool had_luck;                         /* earlier campaigns tested it, and no failure cut them short */
    bool was_driven;                       /* ... and they predicted: which memory is shared is known */
    u32 idle;                              /* runs in a row without a new pair, see is_done */
    u64 pairs;                             /* shown so far, now or earlier */
    bool is_from_long;                           /* the run that is predicted from is long */
    u32 dry;                               /* runs in a row that predicted nothing new */
    struct hd_portfolio portfolio;
    u32 hits[7], attempts[7];              /* of active runs, by idiom */
    bool is_tries_set;                     /* o.tries was asked for */
    bool is_checked;                       /* by hd_drive_check */
    u32 only;                              /* number of the one candidate, 0 = all */
    HD_VEC(u32) unsaved;                   /* candidates that is_unsaved */
    s64 saved_ns;
    struct hd_drive_result result;
    s64 predict_ns;
};

/* drive_rank.c: the best open candidate of that idiom nobody is at, its number; 0 = none. */
u32 hd_drive_choose(struct hd_drive *d, u32 idiom);
/* Bit i: there is one of idiom i; as long as there are deadlocks that were never tried, only theirs. */
u32 hd_drive_idioms(const struct hd_drive *d);
/* ... one that can be had in the same run as those of `r`. */
u32 hd_drive_choose_more(struct hd_drive *d, const struct hd_drive_round *r);
/* Up to `room` that wait in a queue behind a goal of that idiom, best first; returns how many. */
u32 hd_drive_choose_queue(struct hd_drive *d, u32 idiom, u32 *out, u32 room);
double hd_drive_score(const struct hd_drive *d, const struct hd_drive_candidate *c);

/* drive_candidate.c: from the predictor, at the end of a run; from the store. */
void hd_drive_predicted(void *self, const struct hd_candidate *is);
void hd_drive_remembered(void *self, const struct hd_element *e, const struct hd_store_candidate *s);
/* A run has exposed it; is_hit: a run that was to. */
void hd_drive_exposed(struct hd_drive *d, struct hd_drive_candidate *c, bool is_hit);
void hd_drive_to_be_saved(struct hd_drive *d, u32 at);
/* Counts c in the result, by idiom and in all. */
void hd_drive_count(struct hd_drive *d, const struct hd_drive_candidate *c, size_t member);
#define HD_DRIVE_COUNT(d, c, what) hd_drive_count(d, c, offsetof(struct hd_drive_count, what))
/* Sets d->only by o.only. 0, or negative errno with a sentence. */
int hd_drive_find_only(struct hd_drive *d, struct hd_error *err);
/* Has it been shown, by any run? */
bool hd_drive_is_exposed(const struct hd_drive *d, const struct hd_element *e);
/* A candidate that is not shown is open from now on, or skipped. */
void hd_drive_admit(struct hd_drive *d, u32 at);
/* Has it had all its attempts? */
bool hd_drive_is_tried_out(const struct hd_drive *d, const struct hd_drive_candidate *c);
/* ... but for one? */
bool hd_drive_is_last_try(const struct hd_drive *d, const struct hd_drive_candidate *c);
/* No further attempts. */
void hd_drive_abandon(struct hd_drive *d, u32 at);

/* drive_begin.c: are runs still to learn what could happen? */
bool hd_drive_is_profiling(const struct hd_drive *d);
/* What the run cost, and how many new pairs and features it brought. */
void hd_drive_paid(struct hd_drive *d, const struct hd_drive_round *r, const struct hd_run_end *ran,
                   u64 news);

/* drive_defer.c: some part of it has not been shown. */
bool hd_drive_must_wait(const struct hd_drive *d, const struct hd_drive_candidate *c);
/* After a run: admits what need not wait any more. */
void hd_drive_check_waiting(struct hd_drive *d);
/* Very long runs: idioms that are not observed there are not targeted. */
void hd_drive_drop_unseen(struct hd_drive *d);

/* drive_changed.c: is one of its events in a function that changed since the build before? */
bool hd_drive_is_changed(struct hd_drive *d, const struct hd_element *e);
/* Accesses in such functions are scheduling points of w's next runs. */
void hd_drive_mark_changed(struct hd_drive *d, struct hd_worker *w);

/* drive_check.c: after a run that is neither followed nor learned from; w is idle. */
void hd_drive_check(struct hd_drive *d, struct hd_worker *w);

/* drive_goal.c: attempt `nth` (from 0) at a candidate; false: some site is not in
 * this process. */
bool hd_drive_goal(const struct hd_drive_candidate *c, u32 nth, u32 window, struct hd_places *p,
                   struct hd_snapshot *m, struct hd_goal *out);
/* The nth attempt (from 0) as the paper has it: the thread created first goes first, then the one created last. */
void hd_drive_paper_manner(struct hd_goals *goals, u32 nth);

#endif
