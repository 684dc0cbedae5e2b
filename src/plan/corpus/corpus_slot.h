/* corpus_slot.h: the run under way of one worker, as far as its features need it. For corpus_feature.c,
 * corpus_meet.c and corpus_knows.c alone. */
#ifndef HD_CORPUS_SLOT_H
#define HD_CORPUS_SLOT_H

#include "plan/corpus/corpus.h"

#define THREADS 64     /* of a run whose sites are counted */
#define SITES 48       /* of a thread */
#define RECENT 6       /* words that a new value of one is seen together with */
#define EXACT 16       /* counts up to this one, then powers of two, make features */
#define KNOWN 3        /* values read last that a thread knows */

/* A value that a thread read, and where. */
struct knows {
    u64 key;
    u32 value;
    s32 number; /* or HD_HABIT_NO_NUMBER */
};

/* How a thread found an object last. */
struct view {
    u32 changes; /* of the object by then, by whomever */
    u32 value;
};

struct thread {
    u64 prev;                /* key of its last event, 0 = none since the landmark */
    u32 n;                   /* sites */
    u64 key[SITES];
    u32 count[SITES];        /* executions since the landmark */
    u32 since[SITES][SITES]; /* [r][s]: executions of s since the last one of r; 0 also if r
                                has not been executed */
    bool has[SITES];         /* executed since the landmark */
    struct knows knows[KNOWN]; /* newest first */
};

/* What was written last, or which lock released. */
struct last {
    u64 key;
    u32 nth;
    u16 tid;
    u32 changes; /* so far */
};

/* Memory that events touched. */
struct word {
    u64 obj;
    u32 value; /* hash; 0 = not known */
    u32 row;   /* event that left it, number + 1 (corpus_past.h) */
    u32 feature; /* that it has this value, 0 = it had none before */
};

struct hd_corpus_slot {
    HD_VEC(struct word) word;
    struct hd_map by_word;
    u64 state;               /* of all words */
    struct hd_event last_step; /* the last event */
    struct hd_event access;  /* the last one; kind HD_EV_COUNT = none */
    u32 access_row;
    struct hd_past past;
    u32 recent[RECENT];      /* words that changed last, number + 1 */

    struct thread *thread; /* THREADS of them */
    u32 n_threads;         /* used */
    u32 n_events, stamp;
    bool is_under_way;
    u32 fresh;             /* bits of kinds that it has a feature of which no run had before */
    struct hd_map by_obj;  /* object -> index in last */
    HD_VEC(struct last) last;
    HD_VEC(struct hd_corpus_better) better;
    HD_VEC(u16) past_of;   /* ... their moments: for each how many threads, then the cut */
    u32 n_pasts;
    HD_VEC(struct hd_habit_seen) seen; /* for habits */
    struct hd_map by_view;   /* object and thread -> index in view */
    HD_VEC(struct view) view;
};

static inline u64 hd_corpus_mix(u64 a, u64 b)
{
    u64 h = (a ^ b * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebull;
    return h ^ h >> 32;
}

static inline bool hd_corpus_is_counted(u32 n) { return n <= EXACT || !(n & (n - 1)); }

/* corpus_knows.c: the thread read that value there, in its nth execution; 0 = not known which. */
void hd_corpus_knows(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key, u32 nth, u32 value);
/* ... it comes to an object that was changed so often, and finds that value, 0 = not known. */
void hd_corpus_returns(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key, u32 changes, u32 value);
/* ... and has changed it itself. */
void hd_corpus_leaves(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 changes);

#endif
