/* cover.h: what the runs of a campaign cover, and the memory of it.
 *
 *   cover.c        slots: one worker's events -> coverage; curve, saturation
 *   seen.c   runs that went as one before: nothing to observe
 *   sites.c  addresses <-> sites that mean the same in every run and build
 *   inherit.c  what an earlier build has tested and holds in this one
 *   memory.c  what was met before, what is remembered; names of sites
 *   race_memory.c  which races runs were driven into
 *
 * The campaign says when a batch of runs begins and ends:
 *
 *   open; attach(w) after each launch
 *   for each batch: begin(w, first run), hd_worker_send ... wait (drains) ..., end(w)
 *   finish; result; close
 *
 * The host is some runs behind the target: the ring holds the events of one run
 * after the other, shm->ran says where they end. What comes out depends on the
 * events alone, never on how far behind it is.
 */
#ifndef HD_COVER_H
#define HD_COVER_H

#include "base/map.h"
#include "error/error.h"
#include "process/worker.h"
#include "observe/coverage.h"
#include "store/store.h"
#include "cover/library.h"

struct hd_cover;

/* What a build that was never tested took over from an earlier one (inherit.c). */
struct hd_cover_changed {
    s64 build;           /* of program or library */
    u64 start, end;      /* offsets: of a function, or around the one where a call returns to; of a site start alone */
};
struct hd_cover_inherited {
    s64 from;            /* that build; 0 = nothing was */
    bool is_new;         /* the store did not know the build */
    bool has_no_symbols; /* ... and cannot compare it with the builds that it knows */
    bool has_no_lines;   /* no debug information: symbols and code alone were compared */
    bool was_tested;     /* under the present input, a campaign of that build went through */
    u32 functions, same; /* of the files that changed; with the code they had */
    s64 input;           /* 0, or `kept` and `left` are to count what was seen under this one */
    u64 kept, left;      /* elements that hold; that are to be tested again */
    struct hd_cover_libraries libraries; /* that are not what they were */
    HD_VEC(struct hd_cover_changed) changed; /* code that is other than before, or new, by place, */
    HD_VEC(struct hd_cover_changed) sites; /* ... and where they touch memory that may be shared */
};
void hd_cover_inherited_release(struct hd_cover_inherited *in);

/* Which metrics, and how much of a run. */
struct hd_cover_choice {
    u64 metrics;         /* bit each; 0 = nothing is observed */
    bool only_pairs;     /* iroot: idiom 1 alone */
    bool is_auto;        /* as much as costs little: see hd_cover_choose */
};

/* "all", "none", "auto", or names: "iroot,race"; "iroot1" is idiom 1 alone.
 * auto: every metric as long as a run has at most HD_COVER_SMALL events; of a longer one the
 * events after these count only if they are news (docs/design/long.md), and from then on iroot
 * and syncpair are observed; should one stream HD_COVER_LARGE even so, iroot1 and syncpair.
 * Counted in events, not in time, so that a seed decides it. */
#define HD_COVER_SMALL 20000
#define HD_COVER_TELLS 4096 /* ... of a first run, which streams accesses to memory of one thread as well */
#define HD_COVER_LARGE 400000
int hd_cover_choose(struct hd_cover_choice *c, const char *list, struct hd_error *err);

/* "iroot" or "iroot1": metric and sub (0 = all); false: there is none. */
bool hd_cover_metric(const char *text, u32 *metric, u32 *sub);

struct hd_cover_opts {
    struct hd_cover_choice what;
    const char *dir;     /* of the store; NULL = remember nothing */
    const struct hd_target *target;
    char *const *argv;
    int stdin_fd;
    const char *strategy;
    u64 seed;
    u32 jobs;
    u32 window;          /* of compound orders, 0 = HD_WINDOW_DEFAULT */
    s64 parent;          /* build to take over from, if this one is new: 0 = the one that was first
                            tested last, < 0 = none */
    bool use_learned;    /* start with the sites that earlier campaigns learned */
    bool no_memory;      /* begin as if the store were empty: what earlier campaigns met does not count */
};

/* Never fails: a store that cannot be used is said by hd_cover_error. */
struct hd_cover *hd_cover_open(const struct hd_cover_opts *o);
void hd_cover_close(struct hd_cover *c);
/* Why nothing is remembered (any more), one sentence; NULL = it is. */
const char *hd_cover_error(const struct hd_cover *c);

/* The worker has been started: its ring will be drained, the sites known from
 * earlier campaigns are in its table. */
void hd_cover_attach(struct hd_cover *c, struct hd_worker *w);
/* A batch that begins with run `run` will be sent next; sets what its mode needs. */
void hd_cover_begin(struct hd_cover *c, struct hd_worker *w, u64 run);
/* It is over, with a verdict of its last run unless the server died. Before anything
 * else is run on that worker. Nothing happens if none was begun. */
void hd_cover_end(struct hd_cover *c, struct hd_worker *w);
/* Finding i of the campaign, met by `run`, was seen so many times by now. */
void hd_cover_finding(struct hd_cover *c, u32 i, const struct hd_store_finding *f, u64 run,
                      u32 times);
/* Would that be news to the store? */
bool hd_cover_knows_finding(const struct hd_cover *c, u32 i, u32 times);
/* Its runs were not in control of this. */
void hd_cover_uncontrolled(struct hd_cover *c, const char *what);
/* The campaign is over after `runs` runs; its workers are still there. */
void hd_cover_finish(struct hd_cover *c, u64 runs, struct hd_worker *w, u32 n);

/* No selected metric has grown noticeably in the last runs (saturate.h). */
bool hd_cover_is_saturated(const struct hd_cover *c);

/* Somebody who wants the events as well (sites as identities), in the order of the
 * runs of each slot. */
struct hd_cover_subscriber {
    void *self;
    void (*begin)(void *self, u32 slot, u64 run);
    void (*event)(void *self, u32 slot, const struct hd_event *ev);
    void (*end)(void *self, u32 slot); /* all of the run's events have come */
    /* ... and it has been looked at; NULL: the server died in it. */
    void (*ran)(void *self, u32 slot, const struct hd_run_end *ran);
};
void hd_cover_subscriber(struct hd_cover *c, const struct hd_cover_subscriber *subscriber);

struct hd_races;
/* The races that runs show from now on, into *r (NULL: nowhere), as far as the metric race is
 * observed. Runs of any size are looked at for them. */
void hd_cover_races(struct hd_cover *c, struct hd_races *r);

/* An element as the store wants it; 0 or a negative error. Pre: c->store. */
s64 hd_cover_store_element(struct hd_cover *c, const struct hd_element *e,
                           struct hd_store_element *out);
/* Candidates that earlier campaigns of this build predicted, with their attempts. */
typedef void hd_cover_candidate(void *self, const struct hd_element *e,
                                const struct hd_store_candidate *c);
void hd_cover_store_candidates(struct hd_cover *c, hd_cover_candidate *fn, void *self);
/* Did earlier campaigns end with a failure of this build under this input? Races are none. */
bool hd_cover_has_failed(struct hd_cover *c);
/* What kinds of runs brought in earlier campaigns on the program; and in this one, at its end. */
void hd_cover_store_arms(struct hd_cover *c, void (*fn)(void *self, const struct hd_store_arm *a),
                         void *self);
void hd_cover_store_arm(struct hd_cover *c, const struct hd_store_arm *a);
/* A candidate was tried `times` times more; state: enum hd_store_state, 0 = as it was.
 * *row 0: it is new, and gets its row. */
void hd_cover_store_tried(struct hd_cover *c, const struct hd_element *e, s64 *row, u32 times,
                          u32 state);
/* ... with that row: it depends on the world outside (predict.h). */
void hd_cover_store_external(struct hd_cover *c, s64 row);

/* A race that runs were driven into; sites are identities, 0 = none (race_memory.c). */
struct hd_cover_race {
    u64 site[HD_STORE_SITES];
    struct hd_store_race is;
};
/* Those of earlier campaigns on this build; and one of this campaign. */
void hd_cover_store_races(struct hd_cover *c, void (*fn)(void *self, const struct hd_cover_race *r),
                          void *self);
void hd_cover_store_race_tried(struct hd_cover *c, const struct hd_cover_race *r);

/* What it came to. */
struct hd_covered {
    u64 metrics;                      /* observed to the end */
    bool only_pairs;
    u64 covered[HD_METRIC_COUNT];     /* in this build, also by earlier campaigns; */
    u64 is_new[HD_METRIC_COUNT];      /* ... by this one first */
    u64 possible[HD_METRIC_COUNT];    /* 0 = not known */
    struct hd_saturation saturation[HD_METRIC_COUNT];
    u64 runs, cut;                    /* observed; of these not to their end */
    u64 sampled, sampled_events;      /* long ones; events of them observed, */
    u64 left_out;                     /* and not, as they were like others before them */
    u64 events;
    double observe_seconds;           /* of CPU time */
    double store_seconds, name_seconds;
    u64 bytes;                        /* of the set of elements */
    u32 relaxed, weaker;              /* sites of atomics that are relaxed; acquire, release, ... */
    u64 singles, window;              /* iroot: elements that came up in the last `window` runs, in
                                         one run each; window 0: not counted (several workers) */
};
void hd_cover_result(const struct hd_cover *c, struct hd_covered *out);

/* ---- sites.c: sites -------------------------------------------------------------
 * A site's identity is a number made from the build-id of its module and its
 * offset there: key << HD_PLACE_BITS | offset. */

#define HD_PLACE_BITS 40

struct hd_place_module {
    u8 hash[32];                 /* build-id, or a hash of the file */
    u32 hash_len;
    u64 key;                     /* < 2^24, not 0 */
    char path[256];
    s64 build;                   /* in the store, 0 = not asked yet */
    struct hd_symbols *symbols;  /* opened when first asked for, */
    struct hd_functions *functions; /* and these */
};

struct hd_place {
    u64 id;
    u64 offset;
    u64 object;                  /* identity of what it touched first; 0 = nothing with a name */
    u32 module;                  /* HD_NO_MODULE: code outside of any file */
    bool is_function;            /* entry of a function, no return address */
    bool is_named;               /* the store knows its text */
    s64 row;                     /* in the store, 0 = not asked yet */
};
#define HD_NO_MODULE (~(u32)0)

struct hd_places {
    HD_VEC(struct hd_place_module) module;
    HD_VEC(struct hd_place) place;
    struct hd_map by_id;         /* identity -> index in place */
};

void hd_places_release(struct hd_places *p);
/* Index of the module, made if need be. */
u32 hd_places_module(struct hd_places *p, const void *hash, u32 len, const char *path);
/* ... of a loaded one; its file stands for a build-id it has not. */
u32 hd_places_loaded(struct hd_places *p, const struct hd_module *m);
/* Index of the place, made if need be. */
u32 hd_places_add(struct hd_places *p, u32 module, u64 offset);
/* Of an address of a running target; object 0 = none. Returns the identity. */
u64 hd_places_of(struct hd_places *p, struct hd_snapshot *m, u64 pc, u64 object);
/* Identity of the function around a place; the place itself if that is not known. */
u64 hd_places_function(struct hd_places *p, u64 id);
struct hd_place *hd_places_get(struct hd_places *p, u64 id);
/* Puts a known site into a target's table; false: its module is not loaded. */
bool hd_places_learn(struct hd_places *p, struct hd_snapshot *m, const void *hash, u32 len, u64 offset,
                     u8 flags);

/* Its address in a running target, 0 = its module is not loaded. */
u64 hd_places_pc(struct hd_places *p, struct hd_snapshot *m, u64 id);

/* Names of a place, from its module's file. Buffers of the caller. */
struct hd_place_names {
    char text[512], function[256], file[256], source[512], object[128];
    u32 line, ordinal;
};
void hd_places_name(struct hd_places *p, const struct hd_place *at, struct hd_place_names *out);

/* ---- seen.c ---------------------------------------------------------------------- */

struct hd_cover_hash {
    u64 a, b;
};

struct hd_cover_was {
    u64 check;
    u32 changes;                 /* io.changes of the slot's coverage, before and after it */
    u32 from, n;                 /* its records in `met` */
};

struct hd_cover_seen {
    struct hd_map by_hash;       /* -> index in run */
    HD_VEC(struct hd_cover_was) run;
    HD_VEC(u32) met;
};

/* Of the events at these positions of a ring. */
struct hd_cover_hash hd_cover_hash(const struct hd_event *ring, u64 from, u64 to);
/* NULL = such a run is not remembered, or does not hold any more. */
const struct hd_cover_was *hd_cover_seen_find(const struct hd_cover_seen *s,
                                              struct hd_cover_hash h, u32 changes);
void hd_cover_seen_add(struct hd_cover_seen *s, struct hd_cover_hash h, u32 changes,
                       const u32 *met, size_t n);
void hd_cover_seen_clear(struct hd_cover_seen *s);
void hd_cover_seen_release(struct hd_cover_seen *s);

/* ---- inherit.c -------------------------------------------------------------------- */

/* If the store does not know this build: notes its functions and commit, and takes over what
 * `parent` tested (hd_cover_opts). If it does, and libraries have changed, what holds with the new ones.
 * `path` is its file. 0 or negative errno. */
int hd_cover_inherit(struct hd_store *st, s64 program, s64 build, const char *path, s64 parent,
                     struct hd_cover_inherited *out);
/* The same between two builds whose functions are given; is_taken: and writes it. */
int hd_cover_inherit_from(struct hd_store *st, s64 old, s64 new, const struct hd_fingerprints *was,
                          const struct hd_fingerprints *is, bool is_taken,
                          struct hd_cover_inherited *out);

/* ---- memory.c --------------------------------------------------------------------- */

struct hd_cover_slot {
    struct hd_coverage own;
    struct hd_cover *cover;      /* whose slot it is, once races are looked for */
    bool is_open;                /* a batch is under way */
    bool tells_all;              /* ... whose runs stream every access (HD_MODE_ALL_EVENTS) */
    bool is_running, is_cut;     /* the observers are in the middle of a run */
    u64 first, base;             /* run number, and runs_done, when the batch began */
    u64 taken;                   /* runs of the batch that have been observed */
    u64 read;                    /* events taken from the ring */
    u64 in_run, left_out;        /* events of it; ... that did not come */
    u32 value;                   /* of the event that is streamed, see hd_shm_value */
    u32 left;                    /* ... and hd_shm_left */
    struct hd_cover_seen seen;
    HD_VEC(s64) row;             /* by record: element in the store */
    struct hd_map place;         /* address -> identity, in this worker */
    struct hd_cover_cache {
        u64 pc, id;
        u32 number;              /* of the site in `own` */
    } *cache;
};

/* What the store has yet to take, in order. A first finding should not wait for
 * the store, nor should short runs. */
struct hd_unsaved {
    u8 kind;                     /* in memory.c */
    u32 slot, record;            /* an element */
    u32 metric;                  /* a point of its curve */
    struct hd_curve_point point;
    struct hd_run_end ran;       /* a run, */
    double seconds;              /* and when it was over */
};

struct hd_cover {
    struct hd_cover_opts o;
    struct hd_cover_choice now;
    struct hd_cover_slot *slot;
    struct hd_worker **worker;             /* by slot, NULL = none attached */
    struct hd_coverage all;                /* of all slots, if there are several */
    struct hd_coverage *total;             /* that, or the one slot's own */
    struct hd_cover_subscriber subscriber; /* event NULL = nobody */
    struct hd_races *races;                /* NULL = they are not looked for */
    struct hd_places places;
    struct hd_curve curve[HD_METRIC_COUNT];
    u64 loaded[HD_METRIC_COUNT]; /* elements that earlier campaigns had met */
    u64 runs, cut, events;
    u64 sampled, sampled_events, left_out; /* as in hd_covered */
    s64 started_ns;
    s64 observe_ns, store_ns, name_ns;
    s64 subscriber_ns;           /* of the time observed in, what subscriber.ran took */
    struct hd_store *store;      /* NULL = nothing is remembered */
    HD_VEC(struct hd_unsaved) unsaved;
    s64 saved_ns;                /* when it was empty last */
    s64 campaign, build, input;
    struct hd_cover_inherited inherited;
    struct hd_map weak;          /* sites of atomics weaker than seq_cst -> enum hd_memory_order */
    u32 n_findings;
    HD_VEC(u32) times;           /* by finding: sightings in the store */
    struct hd_error error;
};

/* What a build has covered, of these metrics, under any input. 0 or negative errno. */
int hd_cover_load(struct hd_store *st, struct hd_places *p, s64 build, u64 metrics,
                  struct hd_coverage *into);

/* What a campaign is about, as the store knows it; made if need be (-ENOENT in a store
 * opened for reading). 0 or negative errno. */
struct hd_cover_key {
    s64 program, build, input;
};
int hd_cover_identify(struct hd_cover_key *out, struct hd_store *st, struct hd_places *p,
                      const struct hd_target *t, char *const *argv, int stdin_fd);

/* True if the call went through; errors end the memory. After any call of this c->store
 * may be NULL: every user looks before the next call. */
bool hd_cover_store_is_fine(struct hd_cover *c, s64 result);
/* Identity of a site of the store, 0 = there is none; and the row of an identity. */
u64 hd_cover_store_identity(struct hd_store *st, struct hd_places *p, s64 row);
s64 hd_cover_store_row(struct hd_cover *c, u64 id);

void hd_cover_store_open(struct hd_cover *c);
void hd_cover_store_learned(struct hd_cover *c, struct hd_snapshot *m);
/* The run that was observed last in slot a, with everything it met first. */
void hd_cover_store_run(struct hd_cover *c, struct hd_cover_slot *a, const struct hd_run_end *ran);
void hd_cover_store_curve(struct hd_cover *c, u32 metric, const struct hd_curve_point *p);
/* Writes what waits; is_due: it has waited long enough. */
void hd_cover_store_flush(struct hd_cover *c);
bool hd_cover_store_is_due(const struct hd_cover *c);
void hd_cover_store_close(struct hd_cover *c, u64 runs, struct hd_worker *w, u32 n);

#endif
