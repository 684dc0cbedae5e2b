/* search_run.h: a campaign directed by a search (src/search) instead of a strategy
 * in the target: one run at a time for each worker.
 *
 *   begin   the next schedule -> script in shared memory
 *   (run)
 *   end     what happened -> the search; before the run is judged, since
 *           confirming a finding overwrites it
 *
 *   search_run.c   plans and traces; which accesses are scheduling points
 *   search_memory.c  what is left of a search, and what hapset learned, in the store
 *   search_text.c   the result in words
 */
#ifndef HD_SEARCH_RUN_H
#define HD_SEARCH_RUN_H

#include "base/map.h"
#include "plan/director.h"

/* What a search came to. */
struct hd_search_outcome {
    const struct hd_search_method *method;
    u64 param;
    struct hd_search_result is;
    u32 warm, restarts;     /* runs before it; how often it began again */
    u32 rounds;             /* of a loop before it counts as waiting */
    u64 before;             /* runs of it done by earlier campaigns */
    bool is_saved;          /* what is left of it can go on another time; */
    const char *not_saved;  /* ... why not, NULL = it need not */
    const char *not_continued; /* why what was saved is not gone on with, NULL = all is well */
    struct hd_director_end campaign;
};

/* NULL: d is no search. Filled when the campaign is over. */
const struct hd_search_outcome *hd_search_outcome(const struct hd_director *d);

/* Makes time stand still in a run but for waits, and loops that wait short. */
void hd_search_run_config(struct hd_config *cfg);

/* Outcome as sentences, one per call with i = 0, 1, ...; false past the last. */
bool hd_search_outcome_text(const struct hd_search_outcome *c, u32 i, char *buf, size_t size);
/* Was everything explored, as far as Heddle can tell? */
bool hd_search_outcome_is_complete(const struct hd_search_outcome *c);

/* ---- search_memory.c ----------------------------------------------------------------------- */

#define HD_SPIN_FIRST 4 /* futile rounds before a loop counts as waiting: each is a branch */
#define HD_SPIN_LAST 64 /* ... where they were what limited the search, it begins again with more  \
                         */

/* What a search needs besides itself to be the same again. */
struct hd_search_memory {
    struct hd_map site;       /* address -> enum HD_SITE_* known */
    u64 seed, data_seed;      /* as in the first campaign, */
    s64 epoch_ns;             /* and so is the date */
    u32 spin_limit, warm, restarts;
    struct hd_search_result before; /* with a smaller spin_limit */
};

/* A number for where the modules of a target lie: saved addresses mean nothing elsewhere. */
u64 hd_search_memory_layout(struct hd_snapshot *m);

/* All in the store in o->dir, by build, input and method (learned: by build). Writing waits
 * so many seconds for another heddle there.
 * load: 0; -ENOENT: there is nothing (for this layout); else it cannot be used. `note`
 * says why nothing was continued, if that is worth a sentence. */
int hd_search_memory_load(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                          struct hd_search_memory *k, struct hd_error *note);
int hd_search_memory_save(const struct hd_director_opts *o, u64 layout, const struct hd_search *s,
                          const struct hd_search_memory *k, double wait, struct hd_error *err);
void hd_search_memory_remove(const struct hd_director_opts *o, double wait);
/* The text of a saved search. False: it is none; s and k are as they were. */
bool hd_search_memory_parse(const char *text, size_t n, struct hd_search *s,
                            struct hd_search_memory *k);

void hd_search_memory_learned(const struct hd_director_opts *o, u64 layout, struct hd_search *s);
/* The same from the store in o->learn_from. Negative: nothing was, note says why. */
int hd_search_memory_learn_from(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                                struct hd_error *note);
void hd_search_memory_learn(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                            double wait);

#endif
