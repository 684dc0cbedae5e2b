/* corpus_habit.h: what threads do next after what they have read, learned from runs; so that
 * schedules can be tried in imagination first (corpus_imagine.h). See docs/design/corpus.md.
 *
 *   event ... -> ran     of every run
 *   next, fails, left    of a thread that has done and read certain things: what does it do next;
 *                        does its update fail; which value does it leave?
 *
 * A thread is a function of what it reads, but of most of it only a part matters: here the last
 * value, there the last two, how often it came here, or how far two values are apart. Each of these
 * is a *view* of what the thread knows. At each site the views that were right there so far
 * are believed: as in decision trees, and as the contexts of prediction by partial matching.
 * Pure: no I/O, no clock, no chance.
 */
#ifndef HD_CORPUS_HABIT_H
#define HD_CORPUS_HABIT_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

#define HD_HABIT_THREADS 16 /* of runs that are learned from; */
#define HD_HABIT_EVENTS 2000 /* ... events */
#define HD_HABIT_READS 8    /* of a thread that matter in order, the last ones; */
#define HD_HABIT_NEAR 4     /* ... that are compared with each other */
#define HD_HABIT_SITES 96   /* whose executions are counted; further ones share a count */
#define HD_HABIT_OTHERS 48  /* sites whose last value, and number of passes, a thread remembers */
#define HD_HABIT_VIEWS (47 + 3 * HD_HABIT_OTHERS)
#define HD_HABIT_PATH 4     /* actions before the last one that matter */
#define HD_HABIT_PLACES 512 /* sites that trust is known of; further ones share the last */
#define HD_HABIT_NO_NUMBER INT32_MIN

/* What a thread does, apart from values. */
struct hd_habit_action {
    u64 site, obj;
    u32 ctx, arg;
    u8 kind, size;
    bool is_same_step; /* as the one before it: nobody comes between them; */
    s32 in_favour;     /* ... so it was that often more than not, lately */
    u32 place;         /* number of its site */
};

/* What a thread has done and knows. */
struct hd_habit_thread {
    u32 action; /* the last one, 0 = none; */
    u32 before[HD_HABIT_PATH]; /* ... those before it, newest first */
    u32 nth;    /* how many-th of its site, of updates: with this outcome */
    bool has_failed; /* the last one did */
    u16 tid;
    u64 read[HD_HABIT_READS];  /* values with their sites, newest first */
    u32 value[HD_HABIT_NEAR];  /* ... without, 0 = not known; */
    s32 number[HD_HABIT_NEAR]; /* ... as small numbers, or HD_HABIT_NO_NUMBER */
    u32 last[HD_HABIT_OTHERS]; /* value read at that place last, 0 = none */
    s32 last_number[HD_HABIT_OTHERS]; /* ... as a small number, or HD_HABIT_NO_NUMBER */
    u64 history;               /* all of it */
    u32 step;                  /* of the last one, in a run that is learned from */
    u16 count[HD_HABIT_SITES], failed[HD_HABIT_SITES];
};

struct hd_habit_seen {
    struct hd_event ev;
    u32 value, left; /* hashes of what it found and what it left, 0 = not known */
};

enum hd_habit_question { HD_HABIT_NEXT, HD_HABIT_FAILS, HD_HABIT_LEFT, HD_HABIT_QUESTIONS };

/* Of a view at a site: how often it was right. */
struct hd_habit_trust {
    u32 right, wrong;
};

struct hd_habit {
    HD_VEC(struct hd_habit_action) action; /* [0] unused */
    struct hd_map by_action, by_place, by_number;
    struct hd_map answer;  /* question, view and what is seen in it -> what came of it */
    struct hd_map initial; /* value of memory before the first access */
    struct hd_map parties; /* of a barrier */
    struct hd_habit_trust (*trust)[HD_HABIT_QUESTIONS][HD_HABIT_VIEWS]; /* by place */
    u8 (*order)[HD_HABIT_QUESTIONS][HD_HABIT_VIEWS]; /* views by trust, by place; */
    u32 (*ordered)[HD_HABIT_QUESTIONS];              /* ... when there were so many runs */
    u32 n_places;
    u32 wrong[HD_HABIT_QUESTIONS][HD_HABIT_PLACES], asked[HD_HABIT_QUESTIONS][HD_HABIT_PLACES]; /* lately */
    u32 runs;              /* learned from */
    bool is_simple;        /* relations of values are not asked: see corpus_ahead.c */
    double sure;           /* how probable it is that all answers since it was set to 1 are right */
    u64 looks;             /* at views, for answers */
    u32 length;            /* steps of the longest of them */
    struct hd_habit_thread thread[HD_HABIT_THREADS];
    struct hd_map met;     /* objects of the run that is learned from */
};

void hd_habit_init(struct hd_habit *m);
void hd_habit_release(struct hd_habit *m);
/* A run. Left out if it is too long, has too many threads or gaps. */
void hd_habit_learn(struct hd_habit *m, const struct hd_habit_seen *seen, size_t n);

/* As a small number, or HD_HABIT_NO_NUMBER. */
s32 hd_habit_number(const struct hd_habit *m, u32 value);
void hd_habit_thread_init(struct hd_habit_thread *t, u16 tid);
/* 0 = not known. */
u32 hd_habit_next(struct hd_habit *m, const struct hd_habit_thread *t);
/* The thread does that; what it found in memory, or how it went: `value`. */
void hd_habit_do(const struct hd_habit *m, struct hd_habit_thread *t, u32 action, u32 value);
/* Of its update just done: does it fail? */
bool hd_habit_fails(struct hd_habit *m, const struct hd_habit_thread *t);
void hd_habit_failed(const struct hd_habit *m, struct hd_habit_thread *t);
/* Of that, if it did not fail, or of a write: which value does it leave? 0 = not known. */
u32 hd_habit_left(struct hd_habit *m, const struct hd_habit_thread *t);

#endif
