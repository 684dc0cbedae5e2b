/* gen.h: generated concurrent tests of an API, from the driver to findings.
 *
 *   gen.c       the campaign: learn, choose a test, its orders, its runs, judge
 *   build_driver.c  the program that runs tests
 *   watch.c     which memory each operation reads and writes, observed
 *   gap.c       ... and between which two accesses of a call others may come
 *   prefix.c    sequences of calls that bring objects into different states
 *   orders.c    what all orders of a test's calls give
 *   pick.c      which calls to put beside each other (--pick)
 *   memory.c    what earlier calls did, in the store
 *   race.c      data races, if the API is said to be thread-safe
 *   count.c     for measurements: different failures, pairs of operations that overlapped
 *   shrink.c    fewer calls, smaller arguments
 *   prove.c     a program of its own for a finding, confirmed by a campaign over it
 */
#ifndef HD_GEN_H
#define HD_GEN_H

#include "base/map.h"
#include "base/rng.h"
#include "campaign/campaign.h"
#include "detect/races.h"
#include "gen/run.h"
#include "plan/map/map_instance.h"

enum hd_gen_pick { HD_PICK_MAP, HD_PICK_COVCON, HD_PICK_RANDOM, HD_PICK_MAP_RANDOM };

struct hd_gen_opts {
    const char *dir;    /* ".heddle" */
    char *const *flags; /* files and flags for the compiler, NULL-terminated */
    struct hd_config cfg;
    enum hd_gen_pick pick;
    double seconds; /* 0 = HD_GEN_SECONDS, unless `runs` */
    u64 runs;       /* with threads; 0 = any number */
    bool keep_going, quiet, no_race;
    bool no_confirm; /* a test that fails in the driver counts, no program is made of it */
    double minimize_seconds;
    const char *command;
    /* One line about what is going on or was learned. */
    void (*print_line)(void *self, const char *line);
    void (*progress)(void *self, const char *line);
    void (*on_finding)(void *self, const struct hd_finding *f, struct hd_symbols *s);
    void *self;
};
#define HD_GEN_SECONDS 60

/* What there was after so many runs. */
#define HD_GEN_CURVE 20
struct hd_gen_point {
    u64 runs, tests, patterns;
    u32 pairs, causes;
};

struct hd_gen_result {
    u32 n_findings, n_unconfirmed;
    u64 tests, runs, order_runs;
    double seconds, found_seconds;
    u64 found_runs;        /* runs with threads when the first was found */
    u64 covered, possible; /* memory-access patterns */
    u32 n_causes;          /* no_confirm: different failures (count.c) */
    u32 pairs_covered;     /* pairs of operations that overlapped */
    u32 by_pattern[HD_MAP_PATTERNS + 1]; /* no_confirm: tests that failed, by what the run was
                                            driven into; 0 = by chance */
    struct hd_gen_point curve[HD_GEN_CURVE]; /* each 20th part of opts.runs, if they are given */
    u32 n_curve;
    bool is_interrupted;
};

/* 0 or negative errno with a sentence. */
int hd_gen_campaign(struct hd_api *a, const struct hd_gen_opts *o, struct hd_gen_result *out,
                    struct hd_error *err);

/* ---- state that the parts share ------------------------------------------------------------ */

#define HD_GEN_PREFIX 8 /* calls besides constructors */
#define HD_GEN_PREFIXES 24

struct hd_gen_prefix {
    struct hd_wire_call call[HD_GEN_PREFIX];
    u32 n;
};

/* gap.c: the accesses of a call under way, each kind once */
#define HD_GEN_HELD 4
#define HD_GEN_CALL_LOG 64
struct hd_gen_access {
    u32 site; /* index in the watch */
    u64 addr;
    u8 does, n_held;
    u32 held[HD_GEN_HELD]; /* locks, by the number of their acquisition */
};
struct hd_gen_call_log {
    u32 n, acquired;
    struct hd_gen_access at[HD_GEN_CALL_LOG];
    u64 lock[HD_GEN_HELD]; /* held now: */
    u32 held[HD_GEN_HELD];
    u8 n_held;
};

/* Two accesses of a call, and how it came to them. */
#define HD_GEN_BEFORE 14
struct hd_gen_gap {
    u32 site[2];
    u8 does[2];
    bool is_bare[2]; /* no lock is held */
    bool is_one;     /* of one variable */
    bool is_single;  /* one access, twice the same */
    bool is_held;    /* a lock is held all the time */
    u8 n_before;
    struct hd_wire_call before[HD_GEN_BEFORE], call;
};
struct hd_gen_op_gaps {
    HD_VEC(u32) all, free; /* free: two accesses, no lock is held all the time */
};
struct hd_gen_gaps {
    HD_VEC(struct hd_gen_gap) all;
    struct hd_gen_op_gaps of[HD_GEN_OPS];
    struct hd_map known;
};
/* A pattern: `in` comes into the gap. */
struct hd_gen_target {
    struct hd_element is;
    bool is_again; /* some run has shown it */
    struct hd_gen_gap gap, in;
};

/* watch.c */
struct hd_gen_site {
    u64 id;
    u32 up;     /* union-find: sites that touched one address in one run */
    u8 does;    /* 1 reads, 2 writes */
    u64 ops[4]; /* operations it was seen in */
};
struct hd_gen_watch {
    HD_VEC(struct hd_gen_site) site;
    struct hd_map by_id, by_addr;            /* by_addr: of this run, to site */
    struct hd_map stack;                     /* of this run */
    u64 mark;                                /* address of the driver's marks */
    const struct hd_wire_test *const *tests; /* of the batch */
    u32 n_tests, at;                         /* run of the batch */
    struct hd_gen *gen;
    u16 first_tid;                           /* number of the first thread that makes calls; 0 = not seen */
    u8 op_of[16];                            /* by thread: operation + 1, 0 = none */
    struct hd_gen_call_log log[16];          /* ... what its call has done */
    u8 locks[16];                            /* by thread: held */
    u32 changes;                             /* counts up with new sites, uses, unions */
    u64 syncs[4], trylocks[4];               /* operations that use synchronization, try locks */
    u64 writes[4];                           /* ... that write memory */
    u64 globals[4];                          /* ... that write globals without a lock */
    u64 nests[4];                            /* ... that take a lock while they hold one */
    u64 waits[4];                            /* ... that wait for something, maybe with a time-out */
    const struct hd_worker *w;
};

/* race.c */
#define HD_GEN_RACES 8
struct hd_gen_race {
    struct hd_wire_test test; /* that showed it */
    u64 key;                  /* of its sites */
};
struct hd_gen_races {
    bool is_on;
    struct hd_races now; /* of the batch under way */
    struct hd_map known; /* keys */
    struct hd_gen_race at[HD_GEN_RACES];
    u32 n;
    u64 wanted; /* the one that a test is to show again, 0 = none */
};

/* count.c: a kind of failure, and the operations it shows at: a bit set. */
struct hd_gen_cause {
    u64 ops[4];
    u32 kind;
};

struct hd_gen_pair {
    u32 tried, covered;          /* tests with it; calls of it that overlapped */
    u32 tests, targets, reached; /* pick_map.c: tests for it; patterns targeted in them, reached */
};

/* orders.c: orders of one test in one process */
struct hd_gen_group {
    bool is_off;            /* something stays behind, or it does not pay */
    u32 n, vain;            /* groups that came to their end; that did not */
    u8 varied[HD_GEN_OPS];  /* tests in which it was looked whether an operation's results vary */
};

/* pick_map.c */
#define HD_GEN_AGAIN 4
struct hd_gen_map_pair {
    u32 a, b;
};
struct hd_gen_gain {
    double news, runs; /* patterns that no run had shown; fading */
};
struct hd_gen_map {
    struct hd_map_run run;               /* the accesses of the run under way */
    HD_VEC(struct hd_gen_map_pair) pairs; /* that touch the same memory */
    u32 changes, n_ops;                  /* of what is seen, when these were found */
    u32 pair[2];                         /* of the test under way: */
    u8 pattern; /* that the run with the outcome at hand was driven into; 0 = by chance */
    bool is_estimating;
    struct hd_gen_target target;         /* that its calls were chosen for, if is_aimed */
    bool is_aimed;
    struct hd_map here;                  /* instances that its runs could show */
    HD_VEC(struct hd_element) open;      /* ... that no run has shown */
    struct hd_element again[HD_GEN_AGAIN]; /* ... that other tests have shown: drawn from all */
    u32 n_again;
    struct hd_element goal[HD_PLAN];     /* of the batch under way */
    u32 n_goals;
    bool is_driving;                     /* the batch under way is driven; the first of a test is not */
    u64 covered, runs;                   /* before it */
    struct hd_gen_gain gain[2];          /* of batches by chance, of driven ones */
    HD_VEC(struct hd_element) attempts;  /* all that were goals */
    u32 yield[HD_MAP_PATTERNS + 1], targets[HD_MAP_PATTERNS + 1]; /* by pattern */
};

struct hd_gen {
    struct hd_api *api;
    const struct hd_gen_opts *o;
    struct hd_gen_result *result;
    struct hd_gen_run run;
    struct hd_cover *cover;
    struct hd_rng rng;
    struct hd_gen_watch watch;
    struct hd_gen_gaps gaps;
    struct hd_gen_races races;
    struct hd_gen_prefix prefix[HD_GEN_PREFIXES];
    u32 n_prefixes;
    u32 op[HD_GEN_OPS], n_ops; /* operations and observers that are called by threads */
    struct hd_gen_pair *pair;  /* HD_GEN_OPS * HD_GEN_OPS */
    struct hd_map tried;       /* instance of a pattern -> attempts */
    struct hd_gen_map map;
    struct hd_gen_orders orders;
    struct hd_gen_group group;
    s64 started_ns, until_ns, all_ns;
    s64 races_ns; /* of the end, if there are any */
    s64 small_until_ns; /* no more attempts to make the test of a finding smaller */
    char folder[PATH_MAX];         /* with the driver, removed at the end */
    struct hd_map reported;        /* kinds of findings that were made */
    HD_VEC(struct hd_gen_cause) causes; /* of failures that were only counted */
    enum hd_gen_contract contract; /* in force */
    u64 earlier;                   /* tests of earlier calls */
    bool is_stopped;               /* by Ctrl-C, while a finding was confirmed */
    s64 printed_ns;
};

static inline bool hd_gen_bit(const u64 *set, u32 i) { return set[i / 64] >> (i % 64) & 1; }
static inline void hd_gen_bit_set(u64 *set, u32 i) { set[i / 64] |= (u64)1 << (i % 64); }

/* build_driver.c: 0 or negative errno with a sentence. */
int hd_gen_build_driver(struct hd_gen *g, char *program, size_t size, struct hd_error *err);

void hd_gen_watch_open(struct hd_gen *g);
void hd_gen_watch_release(struct hd_gen_watch *w);
u32 hd_gen_watch_root(struct hd_gen_watch *w, u32 i);
/* Operations that are called by threads and write the variable of this site: how many, into `op`. */
u32 hd_gen_watch_writers(struct hd_gen *g, u32 site, u32 *op);
/* Which operations write globals without a lock, in a message. */
void hd_gen_watch_tell(struct hd_gen *g);
/* The next batch: its runs are those of these tests, in order. */
void hd_gen_watch_batch(struct hd_gen_watch *w, const struct hd_worker *on,
                        const struct hd_wire_test *const *t, u32 n, u64 mark);

/* gap.c: thread's accesses and locks; the call is over, number `call` of t. */
void hd_gen_gap_event(struct hd_gen_call_log *l, u32 site, u64 addr, u8 does);
void hd_gen_gap_lock(struct hd_gen_call_log *l, u64 lock, bool is_taken);
void hd_gen_gap_call_ended(struct hd_gen *g, const struct hd_wire_test *t, u32 call,
                           const struct hd_gen_call_log *l);
/* One of these two operations (NULL = any), that no run has shown if there are any; false: none. */
bool hd_gen_gap_draw(struct hd_gen *g, const u32 *pair, struct hd_gen_target *out);
/* A gap that begins with a read of a variable and ends with an atomic update of it, and a call that writes it. */
bool hd_gen_gap_draw_update(struct hd_gen *g, struct hd_gen_target *out);
void hd_gen_gaps_release(struct hd_gen_gaps *s);

/* A test with constructors and this prefix, no threads yet. */
void hd_gen_begin_test(struct hd_gen *g, struct hd_wire_test *t, const struct hd_gen_prefix *p);
/* A call with chosen arguments; false: no room. */
bool hd_gen_add_call(struct hd_gen *g, struct hd_wire_test *t, u32 op, u32 thread);
/* Observers at the end. */
void hd_gen_end_test(struct hd_gen *g, struct hd_wire_test *t);
/* Grows the set of prefixes by one attempt. */
int hd_gen_prefix_grow(struct hd_gen *g, struct hd_error *err);

/* All orders of a test, into g->orders; is_exact: each in a process of its own. Operations whose
 * results vary by themselves are noted. */
int hd_gen_orders_run(struct hd_gen *g, const struct hd_wire_test *t, bool is_exact,
                      struct hd_error *err);

/* The next test. */
void hd_gen_pick(struct hd_gen *g, struct hd_wire_test *t);
/* A test begins; the events of one of its runs have come; goals for up to n runs of the next
 * batch, from what they showed: how many. */
void hd_gen_map_begin(struct hd_gen *g);
void hd_gen_map_run_ended(struct hd_gen *g);
u32 hd_gen_map_goals(struct hd_gen *g, struct hd_gen_how *how, u32 n);
/* ... of its first batch: how many of n runs have one. */
u32 hd_gen_map_first_goals(struct hd_gen *g, struct hd_gen_how *how, u32 n);
u64 hd_gen_map_key(const struct hd_element *e);
/* What a run with threads showed. */
void hd_gen_picked(struct hd_gen *g, const struct hd_wire_test *t,
                   const struct hd_gen_outcome *got);

/* Are runs driven into patterns? */
static inline bool hd_gen_is_driven(const struct hd_gen *g)
{
    return g->o->pick == HD_PICK_MAP || g->o->pick == HD_PICK_MAP_RANDOM;
}
/* count.c: a test that failed in this way; pairs of operations that overlapped so far. */
void hd_gen_count_failure(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong wrong,
                          const struct hd_gen_outcome *got);
u32 hd_gen_count_pairs(const struct hd_gen *g);
/* A point of the curve, if one is due. */
void hd_gen_count_point(struct hd_gen *g);

/* Only if the API is said to be thread-safe. */
bool hd_gen_races_wanted(const struct hd_gen *g);
/* memory.c: after the operations were learned; at the end, before the cover is finished. */
int hd_gen_memory_load(struct hd_gen *g, struct hd_error *err);
void hd_gen_memory_save(struct hd_gen *g);

void hd_gen_races_open(struct hd_gen *g);
void hd_gen_races_release(struct hd_gen *g);
/* After a batch of runs of t: was the race shown that is wanted? */
bool hd_gen_races_took(struct hd_gen *g, const struct hd_wire_test *t);
/* The races that were seen, as findings. */
int hd_gen_races_report(struct hd_gen *g, struct hd_error *err);

#define HD_GEN_RETRY 12 /* batches to see a failure again */
/* Does the test go wrong in the same way within some runs? got: the outcome that does. */
enum hd_gen_wrong hd_gen_try(struct hd_gen *g, const struct hd_wire_test *t, u32 batches,
                             struct hd_gen_outcome *got, struct hd_error *err);
/* Smaller, if it still goes wrong in this way. */
int hd_gen_shrink(struct hd_gen *g, struct hd_wire_test *t, enum hd_gen_wrong how,
                  struct hd_gen_outcome *got, struct hd_error *err);
/* Writes, builds and tests the program of a finding. *is_proven: it fails, too. */
int hd_gen_prove(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong how,
                 const struct hd_gen_outcome *got, bool *is_proven, struct hd_error *err);
/* The program's text (standalone.c): `note` are the lines of its first comment, `wrong` what it
 * says when it fails. */
void hd_gen_standalone(FILE *to, const struct hd_api *a, const struct hd_wire_test *t,
                       const struct hd_gen_orders *all, enum hd_gen_wrong how, const char *wrong,
                       const char *const *note);
HD_PRINTF(2, 3) void hd_gen_message(struct hd_gen *g, const char *format, ...);

#endif
