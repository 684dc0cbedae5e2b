/* strategy.h: who goes next. One file per strategy, one row in strategy.def.
 *
 * A strategy sees only this header: no threads, no clock, no globals; all its
 * memory is the state it is given (zeroed), all its chance the generator in
 * the argument of `start`. It must pick an enabled thread. The core records the pick, so a
 * strategy never has to care about replay.
 */
#ifndef HD_STRATEGY_H
#define HD_STRATEGY_H

#include "base/base.h"
#include "base/bits.h"
#include "base/rng.h"
#include "event/event.h"
#include "event/record.h"

struct hd_goals; /* event/goal.h */
struct hd_pairs; /* event/pairs.h */

#define HD_STRATEGY_WORDS 16384 /* 128 KiB of state */
#define HD_AWAIT_NS 5000000     /* of real time */

struct hd_strategy_arg {
    u64 param;                        /* the number behind NAME=number, or the row's default */
    struct hd_rng rng;                /* own stream, seeded by campaign seed and run */
    const struct hd_learned *learned; /* never NULL */
    const struct hd_goals *goals;     /* what the run is to be driven into; NULL = nothing */
    const struct hd_pairs *pairs;     /* of lock calls, not seen yet; NULL = none */
};

/* What a strategy may know at a scheduling point. */
struct hd_view {
    u64 step;               /* choices made so far */
    u16 current;            /* thread that ran last; HD_NO_THREAD if it cannot go on */
    u32 n_threads;          /* numbers given so far */
    u32 n_enabled;          /* >= 2: with one candidate nobody is asked */
    u32 words;              /* of `enabled` that can be non-zero */
    const u64 *enabled;     /* bit set over all HD_MAX_THREADS thread numbers */
    const void *threads;    /* pending operations: use hd_view_op */
    u32 stride;
    const u8 *states;       /* enum hd_tstate, `stride` bytes apart; NULL = not told */
};

/* The pending operation of a thread that is enabled, or blocked. */
HD_INLINE const struct hd_op *hd_view_op(const struct hd_view *v, u32 tid)
{
    return (const struct hd_op *)((const char *)v->threads + (size_t)v->stride * tid);
}

/* It has stated its operation, and cannot carry it out yet. */
HD_INLINE bool hd_view_is_blocked(const struct hd_view *v, u32 tid)
{
    return v->states && v->states[(size_t)v->stride * tid] == HD_T_PENDING &&
           !hd_bit_is_set(v->enabled, tid);
}

struct hd_strategy {
    const char *name, *doc;
    const char *param_name; /* NULL: takes none */
    u64 param_default;
    size_t state_size;      /* <= 8 * HD_STRATEGY_WORDS */
    /* Declared properties; the conformance suite holds the row to them. */
    bool is_fair;           /* with its default parameter, a thread that stays enabled is
                               picked again and again, however long the others run */
    bool is_seeded;         /* draws chance: another seed gives other picks */
    void (*start)(void *state, const struct hd_strategy_arg *arg);
    u32 (*pick)(void *state, const struct hd_view *v);
    /* Thread tid's operation took effect (also when it was the only candidate,
     * so pick was not asked, and when a script chose). May be NULL. */
    void (*stepped)(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op);
    /* Somebody sleeps whose time could be made to come now: true = let it, before
     * anybody is picked. Also asked with one candidate. May be NULL. */
    bool (*wait)(void *state, const struct hd_view *v);
    /* Somebody waits for what only the world outside can bring: true = give it a
     * moment (HD_AWAIT_NS) to come, before anybody is picked. May be NULL. */
    bool (*await)(void *state, const struct hd_view *v);
    /* A loose script is being followed: true = leave it for good here. May be NULL. */
    bool (*leave)(void *state, const struct hd_view *v);
    /* How many picks each of its rules has made in this run. May be NULL. */
    void (*count)(const void *state, u32 by_rule[HD_STRATEGY_RULES]);
    /* Bit i: the turn of goal i has come in this run. May be NULL. */
    u32 (*tried)(const void *state);
    /* All that the run was for has happened. May be NULL. */
    bool (*is_done)(const void *state);
    /* Thread tid could go on, and is kept waiting on purpose: for so many steps at most, 0 = it
     * is not. That others go round in circles meanwhile is no reason to let it go, until they have
     * made so many rounds in all holds of the run. Asked about threads that are enabled. May be NULL. */
    u64 (*holds)(void *state, const struct hd_view *v, u32 tid);
    /* Thread tid goes on with accesses, and `enabled` stays as it is: how often in a row `pick` is
     * sure to say tid and to change nothing but what `skip` does for as many. Then neither it nor
     * `stepped`, which must have nothing to do for accesses, is called. May be NULL: never. */
    u64 (*quiet)(const void *state, const struct hd_view *v, u32 tid);
    void (*skip)(void *state, u64 picks);
};

/* By name, or NULL; by index in strategy.def, or NULL past the end. */
const struct hd_strategy *hd_strategy_find(const char *name);
const struct hd_strategy *hd_strategy_at(u32 index);
u32 hd_strategy_index(const struct hd_strategy *s);

#endif
