/* search.h: stateless search: which schedule next, given what earlier runs did,
 * until none is left. Pure: proposes a prefix of choices; somebody else (the
 * target, or an interpreter in the tests) follows it, goes on without preemption
 * where it ends, and brings back what happened:
 *
 *   while (hd_search_next_at(s, slot, &plan) == HD_NEXT_RUN) {
 *       run(plan) -> trace;
 *       hd_search_ran_at(s, slot, &trace);
 *   }
 *   hd_search_result(s)
 *
 * Nothing but the choices of the present paths is kept, plus schedules deferred to a
 * higher bound (pcb, delaybound). Files: search.c (the tree, common to all), branch.c
 * (several workers in it), save.c (going on another day), trace.c (a run as steps with
 * what they act on), causal.c (happens before), one per method, search.def lists them.
 */
#ifndef HD_SEARCH_H
#define HD_SEARCH_H

#include <stdio.h>

#include "event/record.h"

/* ---- a run, as it comes back ----------------------------------------------------- */

struct hd_trace {
    const struct hd_option *option;   /* every choice, in order */
    u32 n_options;
    const struct hd_event *event;     /* every event, in order */
    u32 n_events;
    const struct hd_pending *pending; /* by thread number, HD_SEARCH_THREADS of them */
    u32 n_threads;
    bool is_cut;     /* ended because only sleeping threads were left */
    bool is_partial; /* ended by a limit, not by itself */
    bool is_lost;    /* too long: choices or events are missing */
    bool is_good;    /* nothing wrong with it: may be learned from */
};

/* What to run next: follow `choice`, then no preemption; `asleep` as in sched.h. */
struct hd_plan {
    const struct hd_choice *choice;
    u32 n;
    u64 asleep;
};

/* ---- what came out ------------------------------------------------------------------ */

/* Why not everything was explored; bit numbers of result.limits. */
enum hd_limit {
    HD_LIMIT_BOUND,   /* schedules past the bound were left out */
    HD_LIMIT_FAIR,    /* rounds of a waiting loop were left out */
    HD_LIMIT_STEPS,   /* a run did not come to its end */
    HD_LIMIT_LATE,    /* a far timeout came only when nobody else could run */
    HD_LIMIT_TIMER,   /* so did a timer of the program */
    HD_LIMIT_PREFERS, /* a lock that prefers writers is not told exactly */
    HD_LIMIT_THREADS, /* more than HD_SEARCH_THREADS threads */
    HD_LIMIT_LENGTH,  /* a run was too long to be kept */
    HD_LIMIT_MEMORY,  /* no room to keep what is still to be done */
    HD_LIMIT_CHANCE,  /* the same choices led elsewhere */
    HD_LIMIT_GUIDED,  /* guidance left branches out */
    HD_LIMIT_DEATH,   /* runs were lost */
    HD_LIMIT_COUNT
};
const char *hd_search_limit_text(enum hd_limit limit);

struct hd_search_result {
    u64 runs;         /* all since it began or was restarted */
    u64 cut;          /* of these, ended early because the rest was known */
    u64 explored;     /* of these, whole, without those guidance chose first */
    bool is_over;     /* nothing is left to do (within `bound`, if it has one) */
    bool is_complete; /* ... and no limit left anything out */
    bool is_reduced;  /* runs that differ in the order of unrelated steps count as one */
    u32 bound;        /* rounds 0 .. bound-1 are complete (methods with rounds) */
    u64 guided;       /* hapset: runs after which guidance had nothing left, 0 = not yet */
    u32 limits;       /* bit set over enum hd_limit */
    struct {          /* HD_LIMIT_CHANCE: the first place */
        u32 step;
        u16 tid;      /* who was to go, or went */
        u64 expected, met; /* who could go; both 0: tid did another thing */
    } chance;
};

/* ---- the search ----------------------------------------------------------------------- */

struct hd_search;

struct hd_search_method {
    const char *name, *doc;
    const char *param_name; /* NULL: takes none */
    u64 param_default;
    const struct hd_search_ops *ops; /* node.h */
};
const struct hd_search_method *hd_search_find(const char *name);
const struct hd_search_method *hd_search_at(u32 index);

#define HD_NO_BOUND UINT32_MAX
#define HD_SEARCH_MEMORY ((size_t)512 << 20)

struct hd_search_opts {
    const struct hd_search_method *method;
    u64 param;         /* the method's number */
    size_t memory;     /* bytes for what is deferred; 0 = HD_SEARCH_MEMORY */
    bool guided_only;  /* hapset: stop when guidance has nothing left */
};

struct hd_search *hd_search_open(const struct hd_search_opts *o);
void hd_search_close(struct hd_search *s);

/* What worker `slot` should run next. WAIT: there may be something when another one's run has
 * come back; OVER: nothing is left. The plan is valid until the next call for that slot. */
#define HD_SEARCH_SLOTS 256
enum hd_next { HD_NEXT_RUN, HD_NEXT_WAIT, HD_NEXT_OVER };
enum hd_next hd_search_next_at(struct hd_search *s, u32 slot, struct hd_plan *plan);
/* What it led to. NULL: the run was lost. A run that was given before a restart is ignored. */
void hd_search_ran_at(struct hd_search *s, u32 slot, const struct hd_trace *t);

/* The program is not the same any more (more scheduling points are known):
 * everything anew. */
void hd_search_restart(struct hd_search *s);

/* hapset: is guidance all that was asked for so far (guided_only)? go_on: what it left out is wanted, too;
 * before the next plan is asked for. */
bool hd_search_is_guided_only(const struct hd_search *s);
void hd_search_go_on(struct hd_search *s);

/* hapset: the orders in a good run that was not the search's; and all that is known,
 * to be kept and given to another search of the same program. */
void hd_search_learn(struct hd_search *s, const struct hd_event *event, u32 n, u32 n_threads);
u32 hd_search_learned(const struct hd_search *s, u64 *to, u32 max); /* returns how many */
void hd_search_give(struct hd_search *s, const u64 *pair, u32 n);

/* save.c: what was done and what is left, as text; runs under way count as not done.
 * Errors are the stream's. load: the lines that follow, into a search just opened with the
 * same method and number; false: they are no such search, whatever they are, and it is as it
 * was. The paths have to be run again once, which does not count. */
struct hd_words;
void hd_search_save(const struct hd_search *s, FILE *to);
size_t hd_search_bytes(const struct hd_search *s); /* about what save writes */
bool hd_search_load(struct hd_search *s, struct hd_words *w);
/* A result in one line. */
void hd_search_put_result(const struct hd_search_result *r, FILE *to);
bool hd_search_get_result(struct hd_search_result *r, struct hd_words *w);

const struct hd_search_result *hd_search_result(const struct hd_search *s);

#endif
