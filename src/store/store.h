/* store.h: what Heddle remembers across runs, inputs and versions: one SQLite
 * file, DIR/store.db, one writer at a time. schema.sql draws the tables.
 *
 * Ground rules
 * - Calls return 0, an id > 0 (s64), or a negative errno with hd_store_error.
 * - Writes gather in a batch, committed at the end of a run once 200 ms have
 *   passed: a run is stored with all it showed or not at all. SIGKILL loses the
 *   batch at most; a power cut also the last commits, never the file.
 * - A write that fails (disk full, damage) undoes the batch, and later writes
 *   return the same error: ids given out in it mean nothing.
 * - A callback's texts live until it returns; non-zero ends the listing, which
 *   returns it. It may look things up, not list again what is being listed.
 * - One thread, one process: a child must not use the store of its parent.
 */
#ifndef HD_STORE_H
#define HD_STORE_H

#include "base/base.h"
#include "error/error.h"

struct hd_store;

enum hd_store_mode {
    HD_STORE_READ,  /* what is committed; works next to a writer */
    HD_STORE_WRITE, /* makes DIR and the store if need be, brings an old one up to date */
};

/* If another heddle writes in DIR, waits up to `wait` seconds, then -EBUSY with
 * its process number. -ENOENT: nothing to read yet. -EBADMSG: not a store, or a
 * damaged one. -EPROTO: made by a newer Heddle. *out is NULL unless 0. */
int hd_store_open(struct hd_store **out, const char *dir, enum hd_store_mode mode, double wait,
                  struct hd_error *err);
/* Commits and closes, in any case. NULL is fine. */
int hd_store_close(struct hd_store *st, struct hd_error *err);

/* The sentence of the last failure, "" if there was none. */
const char *hd_store_error(const struct hd_store *st);

int hd_store_commit(struct hd_store *st);
/* Commits if it is time to: for loops that wait. Never inside of a run's writes. */
int hd_store_tick(struct hd_store *st);
/* Adds all that the store in directory (or file) `from` knows; all or nothing.
 * Merging twice or in another order gives the same. `from` is not changed. */
int hd_store_merge(struct hd_store *st, const char *from);

/* ---- what was run (identity.c) -------------------------------------------------
 * Each gives the id, made if need be. In a store opened for reading: -ENOENT. */

s64 hd_store_program(struct hd_store *st, const char *path);
/* Programs that were tested, the one tested last at the end; `at`: when (unix ms). */
int hd_store_programs(struct hd_store *st, int (*fn)(void *self, s64 id, const char *path, s64 at),
                      void *self);
/* An ELF object by its build-id (a hash of the file where it has none). `program`:
 * it is a build of that program; 0: a library. */
s64 hd_store_build(struct hd_store *st, s64 program, const void *hash, u32 len, const char *path);
/* Arguments argv[1...] and the whole of stdin (regular file or memfd; -1 = none). */
s64 hd_store_input(struct hd_store *st, char *const *argv, int stdin_fd);

struct hd_store_site {
    s64 id, build;
    u64 offset;           /* ELF address: pc - bias */
    const char *text;     /* function@file:line#ordinal; "" and NULL: not known */
    const char *function, *file;
    u32 line, ordinal;
    const char *source;   /* normalized text of the line and its neighbours */
    const char *object;   /* name of what it was first seen to touch */
    const u8 *hash;       /* of the build; not read by hd_store_site */
    u32 hash_len;
};
/* By build and offset. What is known about it replaces what was, if text is
 * known; the rest of `s` need not be. */
s64 hd_store_site(struct hd_store *st, const struct hd_store_site *s);
/* -ENOENT; texts live until the next call of this function. */
int hd_store_site_get(struct hd_store *st, s64 id, struct hd_store_site *out);

struct hd_store_build {
    s64 id;
    const u8 *hash;
    u32 hash_len;
    const char *path;
    s64 first_at;         /* unix ms: when it was first tested as this program */
    const char *revision; /* commit it was made from; "" = not known */
};
/* Builds of a program, oldest first. */
int hd_store_builds(struct hd_store *st, s64 program,
                    int (*fn)(void *self, const struct hd_store_build *b), void *self);

/* ---- campaigns (journal.c) -------------------------------------------------------- */

s64 hd_store_campaign_begin(struct hd_store *st, s64 program, s64 build, s64 input,
                            const char *strategy, u64 seed);
/* A campaign without an end was killed. */
int hd_store_campaign_end(struct hd_store *st, s64 campaign, u64 runs, double seconds);

struct hd_store_run {
    u64 number, seed;
    const char *strategy, *verdict;
    u64 steps, points;
    double seconds;       /* since the campaign began */
};
/* The run is over and all it showed was added. A number already there stays as
 * it was. May commit. */
int hd_store_run(struct hd_store *st, s64 campaign, const struct hd_store_run *r);

/* One point of the coverage curve. */
int hd_store_curve_add(struct hd_store *st, s64 campaign, const char *metric, u64 run,
                       double seconds, u64 covered);
int hd_store_curve(struct hd_store *st, s64 campaign, const char *metric,
                   int (*fn)(void *self, u64 run, double seconds, u64 covered), void *self);

/* What a kind of run brought in a campaign; `list`: in all of that campaign's program. */
struct hd_store_arm {
    const char *name;
    u64 runs, cost, news;
};
int hd_store_arm_add(struct hd_store *st, s64 campaign, const struct hd_store_arm *a);
int hd_store_arms(struct hd_store *st, s64 campaign,
                  void (*fn)(void *self, const struct hd_store_arm *a), void *self);

/* What its runs were not in control of, in words; said again it is the same row. */
int hd_store_uncontrolled_add(struct hd_store *st, s64 campaign, const char *what);
int hd_store_uncontrolled(struct hd_store *st, s64 campaign,
                          void (*fn)(void *self, const char *what), void *self);

struct hd_store_campaign {
    s64 id, build, input;
    const char *args;     /* of the input, for people */
    const char *strategy;
    u64 seed, runs;
    s64 started_at;       /* unix ms */
    double seconds;
    bool is_ended;
};
/* Campaigns of a program, oldest first. */
int hd_store_campaigns(struct hd_store *st, s64 program,
                       int (*fn)(void *self, const struct hd_store_campaign *c), void *self);

struct hd_store_finding {
    const char *key;      /* "deadlock-3f9a2c" */
    const char *kind, *title, *dir;
    /* filled by listings */
    s64 build, first_at;  /* start of the first campaign that met it, unix ms */
    u64 times;            /* met, in all campaigns */
};
/* Run `run` met it, `times` times more. A new one is committed at once. Returns
 * 1 if this build never showed it before, 0 if it did. */
int hd_store_finding_add(struct hd_store *st, s64 campaign, const struct hd_store_finding *f,
                         u64 run, u64 times);
/* Of one build, or of all (0), oldest first. */
int hd_store_findings(struct hd_store *st, s64 build,
                      int (*fn)(void *self, const struct hd_store_finding *f), void *self);

/* Of one build under one input; only its texts are filled in. */
int hd_store_findings_of(struct hd_store *st, s64 build, s64 input,
                         int (*fn)(void *self, const struct hd_store_finding *f), void *self);

/* Those that a campaign met, by their keys. */
int hd_store_sightings(struct hd_store *st, s64 campaign, void (*fn)(void *self, const char *key),
                       void *self);

/* ---- orderings: covered, possible, tried (memory.c) --------------------------------- */

#define HD_STORE_SITES 4

/* An element of any metric. The store knows its sites; the rest is the metric's. */
struct hd_store_element {
    const char *metric;
    u32 sub, n;                 /* n sites, the others are 0 */
    s64 site[HD_STORE_SITES];   /* ids of hd_store_site */
    const void *extra;
    u32 extra_len;
};

/* `hits` runs more showed it, `run` was the first of them. Belongs to build and
 * input of the campaign. A candidate becomes exposed. Returns its id. */
s64 hd_store_element_add(struct hd_store *st, s64 campaign, const struct hd_store_element *e,
                         u64 run, u64 hits);

/* `hits` runs more showed an element that hd_store_element_add was called for. */
int hd_store_element_more(struct hd_store *st, s64 campaign, s64 element, u64 hits);

struct hd_store_seen {
    s64 id;
    struct hd_store_element what;
    u64 runs;                   /* that showed it; */
    u32 inputs;                 /* and under how many inputs */
    s64 campaign;               /* the first one, */
    u64 run;                    /* its run, */
    s64 at;                     /* its start, unix ms */
};
/* What is covered in a build: of one metric or all (NULL), under one input or
 * any (0). */
int hd_store_elements(struct hd_store *st, s64 build, const char *metric, s64 input,
                      int (*fn)(void *self, const struct hd_store_seen *s), void *self);

struct hd_store_count {
    const char *metric;
    u32 sub;
    u64 covered;
    u64 predicted, failed;      /* candidates in that state, not covered */
};
int hd_store_counts(struct hd_store *st, s64 build,
                    int (*fn)(void *self, const struct hd_store_count *c), void *self);

enum hd_store_state { HD_STORE_PREDICTED = 1, HD_STORE_FAILED = 2, HD_STORE_EXPOSED = 3 };

/* The element could be covered under this input. Exposed from the start if it is
 * covered already; a state it has stays. Returns its id. */
s64 hd_store_candidate_add(struct hd_store *st, s64 build, s64 input,
                           const struct hd_store_element *e);
/* It was tried `times` times more under this input. */
int hd_store_attempt(struct hd_store *st, s64 candidate, s64 input, u32 times);
/* Exposed is for ever; failed can be re-admitted as predicted. */
int hd_store_candidate_set(struct hd_store *st, s64 candidate, enum hd_store_state state);
/* It depends on what other processes do, or on signals. */
int hd_store_candidate_external(struct hd_store *st, s64 candidate);

struct hd_store_candidate {
    s64 id;
    struct hd_store_element what;
    enum hd_store_state state;
    bool is_predicted;          /* under the input asked for */
    u32 attempts;               /* under that input; */
    u64 total;                  /* under all inputs */
    bool is_external;            /* hd_store_candidate_external was called */
};
int hd_store_candidates(struct hd_store *st, s64 build, s64 input,
                        int (*fn)(void *self, const struct hd_store_candidate *c), void *self);

/* Which sites of a program of that build make scheduling points. */
struct hd_store_learned {
    s64 site;
    u32 flags;                  /* added to what is known */
};
int hd_store_sites_save(struct hd_store *st, s64 build, const struct hd_store_learned *l, u32 n);
int hd_store_sites_load(struct hd_store *st, s64 build,
                        int (*fn)(void *self, const struct hd_store_site *s, u32 flags),
                        void *self);

/* ---- searches that are not over (search.c) ------------------------------------------- */

struct hd_store_search {
    s64 build, input; /* the key: these, */
    const char *method;
    u64 param;
    u32 mode;          /* ... up to here */
    u64 layout;        /* where the modules lay in memory */
    u64 runs;          /* done so far */
    const char *state; /* what is left of it: text of its own */
};
/* Takes the place of what was saved under its key. */
int hd_store_search_save(struct hd_store *st, const struct hd_store_search *s);
/* Fills in the rest for the key in `s`; the text lives until `fn` returns, whose result is
 * returned. -ENOENT: there is none. -EBADMSG: it was changed since it was saved. */
int hd_store_search_load(struct hd_store *st, struct hd_store_search *s,
                         int (*fn)(void *self, const struct hd_store_search *s), void *self);
int hd_store_search_remove(struct hd_store *st, const struct hd_store_search *s);

/* Pairs of statements that good runs of a build showed, for modules that lie there. */
int hd_store_predecessors_save(struct hd_store *st, s64 build, u64 layout, const u64 *pair, u32 n);
int hd_store_predecessors_load(struct hd_store *st, s64 build, u64 layout,
                               void (*fn)(void *self, u64 pair), void *self);

/* ---- races that were driven (race.c) ------------------------------------------------- */

struct hd_store_race {
    u32 kind;             /* of the caller's; with sites and variable it is the key */
    s64 site[HD_STORE_SITES];
    const char *variable;
    u32 doubt;            /* the least of all attempts: see schema.sql */
    u64 runs[2];          /* that asked for the sites in this order, and in the other */
    u32 class;            /* 0 = not brought about */
    const char *result, *finding;
    /* filled by the listing */
    bool is_here;         /* it was tried under the input asked for: class, result and finding are
                             of that; doubt and runs of all inputs */
    u32 in_vain;          /* inputs under which it was not brought about */
};
/* It was tried under this input: runs are added. Class, result and finding take the place of what
 * was known, unless it was not brought about. */
int hd_store_race_tried(struct hd_store *st, s64 build, s64 input, const struct hd_store_race *r);
int hd_store_races(struct hd_store *st, s64 build, s64 input,
                   int (*fn)(void *self, const struct hd_store_race *r), void *self);

/* ---- builds of one program (version.c) ------------------------------------------------ */

/* A function of a build: version/fingerprint.h says what its hash means. */
struct hd_store_function {
    const char *name;
    u64 start, size, hash;
};
int hd_store_functions_save(struct hd_store *st, s64 build, const struct hd_store_function *f,
                            u32 n);
/* By address. */
int hd_store_functions(struct hd_store *st, s64 build,
                       int (*fn)(void *self, const struct hd_store_function *f), void *self);
/* A piece of one (version/piece.c): number 0 is the rest, without what was inlined. */
struct hd_store_piece {
    u64 start;          /* of the function */
    u64 hash, text;     /* of its code, and of its source lines */
    u32 number, n;
    const u32 *backs;   /* where its calls return to, from `start`; n of them */
};
int hd_store_pieces_save(struct hd_store *st, s64 build, const struct hd_store_piece *p, u32 n);
/* By function and number. */
int hd_store_pieces(struct hd_store *st, s64 build, int (*fn)(void *self, const struct hd_store_piece *p),
                    void *self);
/* 1: it knows the functions of this build; 0: not. */
s64 hd_store_has_functions(struct hd_store *st, s64 build);
/* The build of the program that was first tested last, not `build` itself, whose functions
 * are known; 0: there is none. */
s64 hd_store_parent(struct hd_store *st, s64 program, s64 build);

/* The commit that the build was made from; what is known already stays. */
int hd_store_revision(struct hd_store *st, s64 program, s64 build, const char *revision);
/* 1: a campaign of this build and input went through; 0: not. */
s64 hd_store_was_tested(struct hd_store *st, s64 build, s64 input);
/* Takes out what was tested, tried and learned in a build (forget.c). Findings and campaigns
 * stay. */
int hd_store_forget(struct hd_store *st, s64 build);
/* Commits, and gives back the room that is free. */
int hd_store_shrink(struct hd_store *st);

/* Libraries whose functions are known, newest first; only id, hash and path. */
int hd_store_libraries(struct hd_store *st, int (*fn)(void *self, const struct hd_store_build *b),
                       void *self);
/* 1: what was tested in a build of a program has places in this library; 0: not. */
s64 hd_store_touches(struct hd_store *st, s64 build, s64 library);

/* A function with the same code in two builds. */
struct hd_store_moved {
    u64 from, size, to; /* address and size in the old build, address in the new one */
    s64 build, to_build; /* of a library; 0 = of the program */
};
struct hd_store_inherited {
    u64 kept;           /* elements and candidates that hold in the new build */
    u64 left;           /* ... that touch what changed */
};
/* What was tested, tried and learned in build `old` and touches only functions of `m` holds in
 * build `new` as well (inherit.sql), which may be the same one with other libraries. `library`: those that
 * changed. is_taken: it is written; else only counted. */
struct hd_store_change {
    s64 old, new;
    const s64 *library;
    u32 n_libraries;
    const struct hd_store_moved *moved;
    u32 n_moved;
    s64 input; /* count what was seen under this one only; 0 = any */
};
int hd_store_inherit(struct hd_store *st, const struct hd_store_change *c, bool is_taken,
                     struct hd_store_inherited *out);

/* ---- cheap runs of a suite (profile.c) --------------------------------------------- */

struct hd_store_profile {
    u32 state;            /* as the suite has it */
    bool differs;
    u32 threads;
    u64 events;
    double seconds;
    const void *pairs, *sites; /* numbers of 64 bits */
    u32 pairs_len, sites_len;  /* bytes */
};
/* `setting`: a hash of all that the run depends on. What was there is replaced. */
int hd_store_profile_put(struct hd_store *st, s64 build, const void *setting, u32 len,
                         const struct hd_store_profile *p);
/* That of a setting; len 0: all of the build. */
int hd_store_profiles(struct hd_store *st, s64 build, const void *setting, u32 len,
                      int (*fn)(void *self, const struct hd_store_profile *p), void *self);

#endif
