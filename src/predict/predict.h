/* predict.h: which interleavings some schedule of this input could show, from
 * the event streams of profile runs. Place in the flow: events ->
 * predict -> campaign, which lets the active scheduler target what is new.
 *
 *   hd_predict_init(&p, &(struct hd_predict_config){.sink = take, .self = me});
 *   for each profile run:
 *       hd_predict_begin_run(&p, run);
 *       for each event in order: hd_predict_event(&p, &ev);
 *       hd_predict_end_run(&p);         calls sink for every new candidate
 *   ... until p.count.new_in_run was 0 three times
 *   hd_predict_release(&p);
 */
#ifndef HD_PREDICT_H
#define HD_PREDICT_H

#include "base/bits.h"
#include "predict/history.h"

/* Candidates are elements of the observers' metrics: iroot (idioms 1-6) and, if
 * asked for, syncpair. Pure: no I/O, no threads, no clock. Files: predict.c (run,
 * candidates), history*.c (idiom 1), compound*.c (2-6), order*.c and lockset.c
 * (what is fixed).
 */

/* One event of a candidate, and how to find it again in another run. */
struct hd_candidate_event {
    u64 site;
    u64 addr;          /* of the object, in this run */
    u64 create_site;   /* where its thread was created; 0 = main or not seen */
    u32 create_nth;    /* the how many-th thread its parent created there */
    u16 tid;
    u8 kind;           /* enum hd_access */
    u32 times;         /* instances in the same position and could play the part */
    u32 executed;      /* times its thread executed (site, ctx of `last`) in the run */
    struct hd_instance first, last; /* of `times`: n-th execution of (site, ctx) */
};

struct hd_candidate {
    struct hd_element element;
    u64 run;           /* that predicted it first */
    u32 n;             /* events; those of the element's sites in order. A syncpair has
                          the first one only as a site if one thread does both */
    bool is_deadlock;  /* idiom 5 between locks: exposed by reaching both */
    bool is_external;   /* one of its threads waited for the world outside in that run, or was
                          created by one that had: input, output, a signal */
    struct hd_candidate_event event[HD_ELEMENT_SITES];
};

struct hd_predict_config {
    u32 idioms;       /* bit i: idiom i; 0 = all six */
    bool syncpairs;   /* pairs of lock calls as well (TSA) */
    u32 window;       /* vulnerability window: steps of a thread; 0 = 1000 */
    u32 reach;        /* other locations between the two events of a thread; 0 = 32 */
    u64 budget;       /* combinations tried for the compound idioms of one run, nearest
                         local pairs first; 0 = 1 million (count.capped). The n-th stretch of
                         a long run has an n-th of it */
    u32 spin;         /* equal reads that make a spin loop; 0 = HD_SPIN_DEFAULT */
    bool no_passes;   /* locks never order, as in the paper; so with syncpairs */
    u64 max_events;   /* of one run; later ones are not looked at (count.unseen); 0 = all */
    size_t max_bytes; /* for one run's histories; 0 = 256 MiB. Beyond it what is known so
                         far is combined, and forgotten (count.cuts). Not counted: the
                         feed's tables, about 200 bytes a live granule and thread */
    /* A candidate never predicted before, at the end of the run that did (or when
     * memory is full). May be NULL. Must not call back into the predictor. */
    void (*sink)(void *self, const struct hd_candidate *c);
    void *self;
};

struct hd_predict_count {
    u64 runs, events;        /* in all */
    u64 in_run_events;       /* of the last run */
    u64 unseen;              /* events left out, in all */
    u64 candidates[7];       /* by idiom; [0] syncpairs */
    u64 new_in_run;          /* candidates of the last run never predicted before */
    u64 new_by_idiom[7];
    u64 in_run;              /* distinct ones of the last run */
    struct hd_history_count history; /* of the last run */
    u64 pairs;               /* local pairs of the last run */
    u32 reach;               /* of these, in locations (cfg.reach or less) */
    u64 combinations;        /* looked at for compound idioms */
    u64 capped;              /* local pairs not tried, or not with everything */
    u64 cuts;                /* times memory was full, in all */
    u64 gaps, in_run_gaps;   /* in the streams of long runs, in all; in the last run,
                                after which objects are others */
    u64 peak_bytes;
};

/* A candidate found in this run and not yet handed out. */
struct hd_found {
    struct hd_key key;
    u32 node[HD_ELEMENT_SITES]; /* 0 = site only */
    bool is_deadlock;
};

/* One location in the walk back along a trail (compound.c). */
struct hd_recent {
    u32 next, prev;  /* pasts, most recent first; 0 = head of the ring */
    u32 generation, node, time;
    u32 stamp;       /* the walk it belongs to */
};

struct hd_compound {
    struct hd_map pair;      /* node a << 32 | node b -> distance, locks of b kept since a */
    struct hd_map nest;      /* the same for locks: b taken while a's lock was held */
    struct hd_met *met;      /* local pairs met of two access_class */
    u32 met_stamp;
    u32 level;               /* how closely to look, from 0 */
    u32 taken;               /* stamp of hd_access_class.stamp */
    struct hd_recent *recent; /* by chain; [0] is the ring's head */
    u32 cap_recent, stamp;
};

struct hd_predict {
    struct hd_predict_config cfg; /* defaults filled in */
    struct hd_set set;            /* every candidate; first_run UINT32_MAX: known from
                                     elsewhere */
    struct hd_feed feed;
    struct hd_must order;
    struct hd_history history;
    struct hd_compound compound;
    HD_VEC(struct hd_found) found;
    struct hd_predict_count count;
    u64 external[HD_BITS_WORDS(HD_MAX_THREADS)]; /* threads that the world outside has kept waiting */
    u64 run;
    bool is_running;
};

/* The predictor must stay where it is (its parts point at each other). */
void hd_predict_init(struct hd_predict *p, const struct hd_predict_config *cfg);
void hd_predict_release(struct hd_predict *p);

/* `run` is the caller's number, never the same twice. */
void hd_predict_begin_run(struct hd_predict *p, u64 run);
void hd_predict_event(struct hd_predict *p, const struct hd_event *ev);
void hd_predict_end_run(struct hd_predict *p);

/* Of this run's histories: what max_bytes bounds. */
size_t hd_predict_bytes(const struct hd_predict *p);

/* ---- between the files ---------------------------------------------------------- */

#define HD_PREDICT_HAS(p, idiom) ((p)->cfg.idioms >> (idiom) & 1)

/* True if it is new in this run (cheap if not): then say it with _add. */
bool hd_predict_is_open(struct hd_predict *p, const struct hd_key *k);
void hd_predict_add(struct hd_predict *p, const struct hd_key *k, const u32 *node,
                    bool is_deadlock);

/* compound_pair.c: reads the trails into local pairs. is_last: no edge comes after. */
void hd_compound_read(struct hd_predict *p, bool is_last);
/* compound.c: the same, then combines all pairs. */
void hd_compound_combine(struct hd_predict *p);
void hd_compound_clear(struct hd_predict *p);
/* The run is over: what was large is given back. */
void hd_compound_rest(struct hd_predict *p);
void hd_compound_release(struct hd_predict *p);

#endif
