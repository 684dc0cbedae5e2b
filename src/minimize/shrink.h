/* shrink.h: a failing schedule made small, and the two events whose order decides.
 *
 *   shrink_list.c    schedules as lists of choices: pure edits
 *   shrink.c         fewest preemptions, then the shortest delay, then switches, then steps
 *   pair_candidates.c, pair_search.c    which two events, verified both ways
 *   minimize.c       the real runs: a worker, a budget, a finding
 *
 * All but the last know runs only through struct hd_runner, so that tests drive
 * them without threads or processes.
 */
#ifndef HD_SHRINK_H
#define HD_SHRINK_H

#include "base/vec.h"
#include "event/record.h"
#include "report/finding.h"

/* ---- runs ------------------------------------------------------------------------ */

enum hd_end {
    HD_END_STOP,  /* no run: budget used up, interrupted, worker gone */
    HD_END_CLEAN,
    HD_END_SAME,  /* the failure in question */
    HD_END_OTHER, /* another one */
};

/* What a run left behind; valid until the next one. */
struct hd_ran {
    enum hd_end end;
    const struct hd_choice *log;
    u32 n;
    u64 preemptions, switches, steps;
    s64 delay_ns; /* by which a thread was held back, at most: early timeouts and timers */
    const struct hd_event *events; /* in order; the last ones if there were very many */
    u32 n_events;
    const struct hd_event *pending; /* what threads were about to do at the end; step 0 */
    u32 n_pending;
    u16 failed; /* number + 1 of the thread that failed, 0 = none in particular */
};

struct hd_runner {
    void *self;
    /* One run that follows `script` loosely (choices that cannot be followed are
     * skipped) and then goes on without preemption. Who is next where a thread
     * cannot go on: variant 0 the lowest number, 1 the highest, others by chance. */
    void (*run)(void *self, const struct hd_choice *script, u32 n, u64 variant,
                struct hd_ran *out);
    /* Would `run` refuse? Asked where much is done between two runs; NULL: never. */
    bool (*is_over)(void *self);
};

/* ---- schedules (shrink_list.c) ------------------------------------------------------ */

struct hd_list {
    HD_VEC(struct hd_choice) v;
};

/* Appends; consecutive choices of the same kind and thread become one entry. */
void hd_list_add(struct hd_list *l, struct hd_choice c);
void hd_list_set(struct hd_list *l, const struct hd_choice *c, u32 n);
void hd_list_release(struct hd_list *l);
/* How many entries preempt. */
u32 hd_list_preemptions(const struct hd_list *l);
/* The first `steps` steps of l. */
void hd_list_prefix(struct hd_list *out, const struct hd_list *l, u64 steps);
/* The first `to` steps of l, behind the first `from` without those of thread t. */
void hd_list_hold(struct hd_list *out, const struct hd_list *l, u64 from, u64 to, u16 t);

/* The schedule l without those preemptions for which `drop` says so (one flag per
 * preempting entry, in order): the thread goes on with what it did later. Then
 * comes the thread that came there in l or, OLDEST, the one passed over first.
 * CUT: nothing is said about what follows the first step after the last
 * preemption that is left, or after `more` further switches. */
enum { HD_LIST_OLDEST = 1, HD_LIST_CUT = 2 };
void hd_list_without(struct hd_list *out, const struct hd_list *l, const bool *drop, u32 how,
                     u32 more);
/* The part of the preempted thread before preemption k is deferred until its next
 * part; it was not needed for what came in between. */
void hd_list_postpone(struct hd_list *out, const struct hd_list *l, u32 k);
/* The k-th switch between threads, and the stretches on its two sides, the other
 * way round. False if there are not so many. */
bool hd_list_swap(struct hd_list *out, const struct hd_list *l, u32 k);
/* Without the early timeouts and moves of the clock, all of them or the k-th alone. False if there is none. */
enum { HD_LIST_ALL_EARLY = ~0u };
bool hd_list_without_early(struct hd_list *out, const struct hd_list *l, u32 k);
/* Without all steps of thread t, or without the entries from <= i < to. */
void hd_list_without_thread(struct hd_list *out, const struct hd_list *l, u16 t);
void hd_list_without_range(struct hd_list *out, const struct hd_list *l, size_t from, size_t to);

/* The schedule l in which thread t waits right before step `from` until step
 * `to` (of another thread) is done; 0: until `next` has made `more` steps after all
 * of l. What follows is as in l; `cut` gets the part up to that point. */
void hd_list_delay(struct hd_list *out, struct hd_list *cut, const struct hd_list *l, u16 t,
                   u64 from, u64 to, u16 next, u32 more);

/* ---- fewest preemptions (shrink.c) ---------------------------------------------------- */

struct hd_shrunk {
    struct hd_list list;   /* the best so far: the exact log of a run that failed */
    u64 preemptions, switches, steps;
    s64 delay_ns;
    bool is_complete;      /* nothing left to try */
};

/* Pre: s->list and its numbers are those of a failing run. Leaves the smallest
 * schedule found, whatever ends the search. */
void hd_shrink(struct hd_shrunk *s, const struct hd_runner *r);

/* ---- the order that decides (pair_search.c) ------------------------------------------- */

/* Looks for two events of s->list's run such that the other order, the rest of
 * the schedule kept, passes `times` times out of as many different ways to go
 * on. Fills event[], passes and passes_of of d. False if there is none or the
 * budget ended. Of several pairs one is taken that passes also if the event held
 * back comes at once after the other. */
bool hd_shrink_pair(struct hd_decided *d, const struct hd_shrunk *s, const struct hd_runner *r,
                    u32 times);

#endif
