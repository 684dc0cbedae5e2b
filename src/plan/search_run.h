/* search_run.h: a campaign directed by a search (src/search) instead of a strategy
 * in the target: one run at a time for each worker.
 *
 *   begin   the next schedule -> script in shared memory
 *   (run)
 *   end     what happened -> the search; before the run is judged, since
 *           confirming a finding overwrites it
 *
 *   search_run.c   plans and traces; which accesses are scheduling points
 *   search_memory.c  what is left of a search, and what hapset learned, on disk
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
    bool is_kept;           /* what is left of it can go on another time; */
    const char *not_kept;   /* ... why not, NULL = it need not */
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

/* What a search needs besides itself to be the same again. */
struct hd_search_memory {
    struct hd_map site;       /* address -> enum HD_SITE_* known */
    struct hd_config cfg;     /* seeds and the date are as in the first campaign */
    u32 spin_limit, warm, restarts;
    struct hd_search_result before; /* with a smaller spin_limit */
};

/* In o->dir; keyed by program, input and method (learned: by program). Modules are
 * those of w: where they lie must be the same. 0, -ENOENT: nothing (that fits). */
int hd_search_memory_load(const struct hd_director_opts *o, struct hd_shm *m, struct hd_search *s,
                          struct hd_search_memory *k);
/* NULL, or why not. `where` is that of hd_search_memory_where. */
const char *hd_search_memory_save(const struct hd_director_opts *o, u64 where,
                                  const struct hd_search *s, const struct hd_search_memory *k);
void hd_search_memory_remove(const struct hd_director_opts *o);
/* A number for where the modules of a target lie. */
u64 hd_search_memory_where(struct hd_shm *m);

void hd_search_memory_learned(const struct hd_director_opts *o, u64 where, struct hd_search *s);
void hd_search_memory_learn(const struct hd_director_opts *o, u64 where, struct hd_search *s);

#endif
