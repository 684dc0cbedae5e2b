/* corpus.h: what runs did that others did not, and how to get there again: as fuzzers keep
 * inputs that reach new code, for schedules. See docs/design/corpus.md.
 *
 *   begin -> event ... -> ran     of every run: its features; new ones, and known ones that
 *                                 it reached in fewer steps, keep its choices
 *   choose                        a feature to go on from: rare ones more often
 *
 * A feature is a property of a run that its events show:
 *   site    was reached, with its call context and outcome (got the lock, found a waiter)
 *   branch  a site was followed by another one in its thread; read what a site of another
 *           thread wrote; took what it released
 *   streak  a site was executed n times in its thread since another one last was
 *   pass    the n-th execution of a site read what the m-th of another thread's wrote
 *   value   a thread read this at a site
 *   word    memory got this value
 *   pair    ... while another word, that changed lately, had that one
 *   state   all words that the run touched had these values
 *   final   memory had this value at the end; two words had these
 *   knows   a thread has read this and that, or three values, one after the other
 *   apart   ... values that far apart
 *   nth     ... this value, or values that far apart, in that execution of a site
 *   gap     others changed an object so often since the thread last came to it
 * Pure: no I/O, no clock; the caller's generator is all its chance.
 */
#ifndef HD_CORPUS_H
#define HD_CORPUS_H

#include "base/map.h"
#include "base/rng.h"
#include "base/vec.h"
#include "event/event.h"
#include "event/record.h"
#include "plan/corpus/corpus_imagine.h"
#include "plan/corpus/corpus_keys.h"
#include "plan/corpus/corpus_past.h"

#define HD_CORPUS_STRATA 512 /* at most; further ones share theirs */
#define HD_CORPUS_MORE 256 /* entries that a script may have more than the run it goes on from */

enum hd_feature_kind {
    HD_FEATURE_SITE,
    HD_FEATURE_BRANCH,
    HD_FEATURE_STREAK,
    HD_FEATURE_PASS,
    HD_FEATURE_VALUE,
    HD_FEATURE_WORD,
    HD_FEATURE_PAIR,
    HD_FEATURE_STATE,
    HD_FEATURE_FINAL,
    HD_FEATURE_KNOWS,
    HD_FEATURE_KNOWS3,
    HD_FEATURE_APART,
    HD_FEATURE_NTH,
    HD_FEATURE_GAP,
    HD_FEATURE_KINDS
};

/* There are tens of thousands of them. */
struct hd_feature {
    u64 site;        /* of the event that showed it */
    u32 runs;        /* that had it */
    u32 chosen;      /* runs that were to have it again; */
    u32 reached;     /* ... of these and others that went on from it, how many had it */
    u32 since;       /* runs that went on from it since its choices were replaced by shorter ones */
    u32 steps;       /* that led to it, in the run that is kept; */
    u32 step;        /* ... it came at this one */
    u32 log;         /* that run's choices, number + 1; 0 = none is kept */
    u32 past;        /* ... what led to it: hd_corpus_log.past, number + 1; 0 = not known */
    u32 stamp;       /* of the last run that had it */
    u32 with;        /* state: the rarest value of a word in it, a feature */
    u16 stratum;     /* index */
    u8 kind;         /* enum hd_feature_kind */
    bool is_real;    /* of an imagined run: some run has it, too; */
    u32 real;        /* ... as this feature of theirs, 0 = it is not kept */
};
_Static_assert(HD_CORPUS_STRATA <= UINT16_MAX, "numbers of strata");

/* How a run goes on from one that is kept. */
enum hd_corpus_how {
    HD_CORPUS_GO_ON,   /* its choices up to the feature, then chance */
    HD_CORPUS_CUT,     /* leaves it before the feature */
    HD_CORPUS_REPEAT,  /* the last entries once more, or several times */
    HD_CORPUS_SPLICE,  /* then the last entries that led to another feature */
    HD_CORPUS_REVERSE, /* two accesses, near the feature, the other way round */
    HD_CORPUS_VARY,    /* one of the last entries longer, shorter, later, or one more */
};

/* What runs from a stratum brought: those that bring more are taken more often. */
struct hd_corpus_yield {
    double tried, gain; /* discounted */
};

/* Features of one kind that differ by a value or a count only. */
struct hd_corpus_stratum {
    struct hd_corpus_yield yield;
    double fresh;  /* share of the latest runs that had a new one; */
    u32 runs;      /* ... of so many, */
    u32 stamp;     /* ... this was the last of them */
    u8 kind;
};

/* Choices of a run, as long as a feature refers to them. */
struct hd_corpus_log {
    struct hd_choice *choice;
    u32 n, users;
    struct hd_past_access *access; /* its events, as far as pasts are known */
    u32 n_accesses;
    u32 *past;       /* up to which step each of n_threads is needed, for one feature after the other */
    u32 n_pasts, n_threads;
};

/* Features that one event of one run showed. */
struct hd_corpus_group {
    u32 feature;     /* the rarest of them */
    u32 since;
};

/* A feature that was met lately, and the last run that had it: most are met many times in a run, and by many runs. */
struct hd_corpus_met {
    u64 key;
    u32 feature, stamp;
};
#define HD_CORPUS_MET 4096

struct hd_corpus_slot; /* the run under way of one worker */

struct hd_corpus {
    HD_VEC(struct hd_feature) feature; /* [0] unused */
    HD_VEC(u32) free_feature;
    struct hd_corpus_keys by_key;
    struct hd_corpus_met met[HD_CORPUS_MET]; /* the latest, by a part of their key */
    HD_VEC(struct hd_corpus_log) log;
    HD_VEC(u32) free_log;
    size_t bytes;                      /* of logs */
    HD_VEC(struct hd_corpus_group) start; /* of the last choice */
    HD_VEC(u32) of_stratum;               /* starts by stratum: those of stratum i from from[i] to from[i + 1] */
    u32 from[HD_CORPUS_STRATA + 1];
    HD_VEC(double) weight;             /* of each start; */
    double by_weight[HD_CORPUS_STRATA]; /* ... and of all of a stratum */
    HD_VEC(struct hd_choice) scratch;
    struct hd_map by_event;
    struct hd_corpus_slot *slot;
    u32 n_slots, stamp;
    u64 count[HD_FEATURE_KINDS];       /* features */
    u64 looks;                         /* for features that were not met lately */
    u32 ran;                           /* runs; */
    double fresh[HD_FEATURE_KINDS];    /* ... which share of the latest had a new one */
    HD_VEC(struct hd_corpus_stratum) stratum;
    struct hd_map by_stratum;
    struct hd_habit habit;             /* of the program's threads */
    struct hd_corpus_ahead *ahead;     /* runs that were only imagined */
    u32 vain;                          /* ... the latest in a row that kept no promise */
    struct hd_corpus_promise *promise; /* to be filled: this is a corpus of imagined runs */
};

/* Where a run may go on. */
struct hd_corpus_start {
    u32 feature;                     /* 0 = none */
    const struct hd_choice *choice;  /* valid until the next run is taken in */
    u32 n;
    u8 how;                          /* enum hd_corpus_how, of the script */
};

void hd_corpus_init(struct hd_corpus *c, u32 slots);
void hd_corpus_release(struct hd_corpus *c);

void hd_corpus_begin(struct hd_corpus *c, u32 slot);
/* `value`: hash of what it found in memory, 0 = not known; `left`: of what the access before it,
 * by whatever thread, has left there. */
void hd_corpus_event(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 value,
                     u32 left);
/* The run is over, with these choices; n 0 = they cannot be followed. `from`: the feature it
 * went on from, 0 = none. Returns how many of the kinds `site` and `branch` are new: counts
 * and values are new too often to tell one run from another. */
u32 hd_corpus_ran(struct hd_corpus *c, u32 slot, const struct hd_choice *choice, u32 n, u32 from);

/* Does it matter which choices the run made? */
bool hd_corpus_wants(const struct hd_corpus *c, u32 slot);

/* False: there is none. */
bool hd_corpus_choose(struct hd_corpus *c, struct hd_rng *rng, struct hd_corpus_start *out);
/* The choices to be followed: these, or fewer of them; then the run goes on as it likes. `to` has
 * room for s->n + HD_CORPUS_MORE. Returns how many. */
u32 hd_corpus_script(struct hd_corpus *c, struct hd_corpus_start *s, struct hd_rng *rng,
                     struct hd_choice *to);
/* Is a step of tid needed for f, of which l is kept? */
bool hd_corpus_needs(const struct hd_feature *f, const struct hd_corpus_log *l, u32 tid, u32 step);
/* Of a run's choices those that led to f, or with `is_whole` all up to it. `to` has room for l->n.
 * Returns how many. */
u32 hd_corpus_slice(const struct hd_feature *f, const struct hd_corpus_log *l, bool is_whole,
                    struct hd_choice *to);

/* The choices of the most promising of many imagined runs, as far as it is promising. `to` has room
 * for `room`. Returns how many, 0 = none promises anything. */
u32 hd_corpus_ahead(struct hd_corpus *c, struct hd_rng *rng, struct hd_choice *to, u32 room);
/* Where threads do not do what they are imagined to do (they compute with what they read), one run in 2^n is
 * imagined, and one in 2^n is learned from. 0 as long as promises come true. */
u32 hd_corpus_doubt(const struct hd_corpus *c);

/* ---- between the files ------------------------------------------------------------------ */

/* corpus_reverse.c: a script in `to`, which has one of n entries, with room for HD_CORPUS_MORE more;
 * returns how many it has, n = it is left as it is. */
u32 hd_corpus_reverse(const struct hd_feature *f, const struct hd_corpus_log *l, struct hd_choice *to,
                      u32 n, struct hd_rng *rng);

/* corpus_choose.c: before several choices of a feature; and one of them, 0 = there is none. */
void hd_corpus_weigh(struct hd_corpus *c);
u32 hd_corpus_pick(struct hd_corpus *c, struct hd_rng *rng);

/* What an imagined run showed that no run has. */
struct hd_corpus_promise {
    const struct hd_corpus *real;
    struct hd_map broken;       /* feature -> runs that were to have it */
    double n[HD_FEATURE_KINDS]; /* each as far as it is sure */
    double bits[HD_FEATURE_KINDS]; /* what the most surprising of them tells */
    double depth;               /* the rarest feature of runs so far, in bits; */
    double deep;                /* ... when something was promised */
    u32 step;                   /* of the last of it */
    HD_VEC(u64) key;
};
void hd_corpus_ahead_free(struct hd_corpus_ahead *a);
/* corpus.c: nobody needs these choices any more, for one feature. */
void hd_corpus_drop(struct hd_corpus *c, u32 log);
/* corpus.c: what features of these kinds (bits) tell, in bits. */
double hd_corpus_surprise(const struct hd_corpus *c, u32 kinds);
double hd_corpus_bits(double q);
/* corpus.c: of features of that kind, and of this site or object. */
u32 hd_corpus_stratum(struct hd_corpus *c, u8 kind, u64 of);
/* ... NULL: there is none yet. */
const struct hd_corpus_stratum *hd_corpus_stratum_of(const struct hd_corpus *c, u8 kind, u64 of);
/* corpus_feature.c */

/* The slot's run is over, with no thread in the middle of something: what it leaves. */
void hd_corpus_final(struct hd_corpus *c, u32 slot);
/* The slot's run is over: habits are learned from it. */
void hd_corpus_learn(struct hd_corpus *c, u32 slot);
struct hd_corpus_slot *hd_corpus_slots_new(u32 n);
void hd_corpus_slots_free(struct hd_corpus_slot *s, u32 n);
/* What shows a feature: an event of the slot's run, and what led there. */
struct hd_moment {
    const struct hd_event *ev;
    struct hd_cut cut; /* numbers of events (corpus_past.h) */
    u32 steps;         /* so many */
    bool has_past;     /* cut is known */
    u32 past;          /* ... and kept for features, number + 1; 0 = not yet */
};
struct hd_corpus_better {
    u32 feature, step, steps;
    u32 past; /* of the moment, number + 1; 0 = not known */
    u64 site;
};
/* Features that the slot's run reached first, or in fewer steps than any before. */
const struct hd_corpus_better *hd_corpus_betters(const struct hd_corpus *c, u32 slot, size_t *n);
/* Bits of kinds of which it has a feature that none had before. */
u32 hd_corpus_fresh(const struct hd_corpus *c, u32 slot);
u32 hd_corpus_stamp(const struct hd_corpus *c, u32 slot);
bool hd_corpus_had(const struct hd_corpus *c, u32 slot, u32 feature);
/* corpus_meet.c: there may be too many features: of some kinds fewer are kept. */
void hd_corpus_thin(struct hd_corpus *c);
/* The slot's run has it, at this event. Returns its number, 0 = it is not kept. */
u32 hd_corpus_met(struct hd_corpus *c, u32 slot, u8 kind, u64 key, struct hd_moment *m);
/* What the slot's run did: n events. */
const struct hd_past *hd_corpus_past(const struct hd_corpus *c, u32 slot);
/* The run is over: what is needed for its features, in steps: as hd_corpus_log.past, for free(). */
u32 *hd_corpus_pasts(const struct hd_corpus *c, u32 slot, u32 *n, u32 *n_threads);
/* The slot's run was taken in: what only it needed is given back if it is large. */
void hd_corpus_rest(struct hd_corpus *c, u32 slot);

#endif
