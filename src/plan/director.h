/* director.h: what the next run is for.
 *
 *   campaign   want -> begin -> (run) -> ran -> judge ... is_done? -> save -> close
 *
 * A director sets strategy, goals, schedule and mode in a worker's shared memory before
 * its runs (begin), and learns from what they left there (ran), before the campaign judges
 * them: confirming a finding overwrites it. Functions may be NULL: see each.
 * Adding one: docs/howto-add-director.md.
 */
#ifndef HD_DIRECTOR_H
#define HD_DIRECTOR_H

#include "cover/cover.h"
#include "error/error.h"
#include "process/worker.h"
#include "search/search.h"

/* All that any director is opened with; what it points to must live longer. */
struct hd_wanted;
struct hd_look;

struct hd_director_opts {
    const struct hd_target *target;
    char *const *argv;
    int stdin_fd;
    const char *dir;                       /* ".heddle", NULL = nothing is kept there */
    const int *exit_ok; u32 n_exit_ok;
    u32 jobs;
    u32 timeout_ms;                        /* of a run */
    const struct hd_config *cfg;           /* seeds, mode, strategy */
    struct hd_cover *cover;                /* NULL = coverage is not observed */
    const struct hd_search_method *search; /* NULL = cfg->strategy chooses */
    u64 search_param;
    u32 search_learn;                      /* runs by chance before it, at least; HD_LEARN_NONE */
    const char *learn_from;                /* folder of a store that hapset learns from, or NULL */
    bool search_fresh;                     /* what earlier campaigns left does not count */
    bool is_driven;                        /* predict and drive, with: */
    bool as_paper;                         /* ... as the paper on Maple does (strategy/directed/maple.c) */
    u32 idioms;                            /* bit i = idiom i; 0 = all */
    u32 window;                            /* steps between two events of a thread; 0 = as usual */
    size_t predict_bytes;                  /* for what is known of one run; 0 = as usual */
    u32 tries;                             /* of a candidate under one input; 0 = as usual */
    u32 tries_all;                         /* ... under all inputs; 0 = as usual */
    bool no_memory;                        /* what earlier campaigns exposed or tried does not count */
    bool no_corpus;                        /* runs do not go on from what few others did */
    bool is_profile;                       /* never anything but profile runs */
    const struct hd_wanted *wanted;        /* a failure whose functions come first (report/wanted.h);
                                              NULL = none */
    struct hd_look *look;                  /* it is an input of a suite that is looked at for races: what
                                              others have shown (look.c); NULL = it is not */
    const char *only;                      /* id of the one candidate to target, NULL = all */
};
#define HD_LEARN_NONE UINT32_MAX

/* What a campaign came to, for save. */
struct hd_director_end {
    u32 n_findings, max_threads, uncontrolled;
    bool is_instrumented;
};

/* What it is at, for the status screen. */
struct hd_director_state {
    const char *phase;   /* static text, NULL = nothing to tell */
    bool has_left;
    u32 left;            /* candidates */
    char trying[200];    /* the order a run is aimed at; "" = none */
};

struct hd_director {
    const char *name;
    bool is_single;      /* one run at a time: what it brings decides on the next */
    bool is_brief;       /* its runs answer one question (a look, a profile): none with delays of any length come after them */
    bool owns_schedule;  /* every choice of a run is its own: no delays beside it */
    /* How many runs w should be given at once, at least 1. NULL: as many as fit the time. */
    u32 (*want)(struct hd_director *d, const struct hd_worker *w);
    /* Prepares w's next runs, at most *count, and says how many it is. WAIT: nothing to do
     * for w now; OVER: nor for anybody. NULL: nothing to prepare. */
    enum hd_next (*begin)(struct hd_director *d, struct hd_worker *w, u32 *count);
    /* So many are over; coverage has seen them. */
    void (*ran)(struct hd_director *d, struct hd_worker *w, u64 done);
    /* Nothing is left to target, after so many runs and so long. NULL: never. */
    bool (*is_done)(const struct hd_director *d, u64 runs, s64 ns);
    /* It does not grow any more. NULL: as coverage says. */
    bool (*is_saturated)(const struct hd_director *d);
    /* Where it stands. NULL: nothing to tell. */
    void (*progress)(struct hd_director *d, struct hd_director_state *out);
    /* The campaign is over, the store still open. */
    void (*save)(struct hd_director *d, const struct hd_director_end *end);
    void (*close)(struct hd_director *d);
};

/* The director for these options. 0 or negative errno with a sentence in err. */
int hd_director_open(struct hd_director **out, const struct hd_director_opts *o,
                     struct hd_error *err);
/* NULL is fine. */
void hd_director_close(struct hd_director *d);

#define HD_DIRECTOR(name)                                                                          \
    bool hd_##name##_is_wanted(const struct hd_director_opts *o);                                  \
    int hd_##name##_direct(struct hd_director **out, const struct hd_director_opts *o,             \
                           struct hd_error *err);
#include "plan/director.def"
#undef HD_DIRECTOR

#endif
