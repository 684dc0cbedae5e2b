/* node.h: what the files of src/search share and nobody else sees.
 *
 *   branch      one worker's way through the tree
 *   node[0] -> node[1] -> ...   its path: one node per choice (who goes next, who is
 *     |                         woken, who gets a signal), each with the alternatives
 *     todo, done, sleep         to be tried and tried already
 *   step[0], step[1], ...       transitions of its last run; a PICK node begins one
 *   act[]                       what each step acted on (event/depend.h)
 *
 * A bit set over threads is a u64: at most HD_SEARCH_THREADS of them.
 */
#ifndef HD_SEARCH_NODE_H
#define HD_SEARCH_NODE_H

#include "base/map.h"
#include "base/vec.h"
#include "event/depend.h"
#include "order/steps.h"
#include "search/search.h"

#define HD_BIT(t) ((u64)1 << (t))
#define HD_EACH_BIT(t, set)                                                                        \
    for (u64 t##_x = (set), t = 0; t##_x && (t = (u64)__builtin_ctzll(t##_x), 1);                  \
         t##_x &= t##_x - 1)

#define HD_NODE_ASKED 3

struct hd_node {
    struct hd_option o; /* as first met */
    u16 tid;            /* chosen now */
    u16 from;           /* thread of the step before */
    u32 step;           /* index of the step it belongs to */
    u32 cost;           /* of all choices before this one */
    bool is_fixed;      /* alternatives are somebody else's business */
    u64 todo, done;     /* to be tried (chosen one included), tried */
    u64 before;         /* tried before the one chosen now. Not `done`: one that another
                           branch has begun since must not sleep here as well */
    u64 sleep;          /* what follows if one of these goes first is known */
    u64 asked[HD_NODE_ASKED]; /* hapset.c: orders that todo is for; 0 = none, ~0 = more than fit */
};

struct hd_search_step {
    u16 tid;
    u32 node;           /* of its PICK */
    u32 nth;            /* step of its thread, from 1 */
    u32 stretch;        /* first of the steps its thread did in a row */
    u32 act, n_acts;
    u64 site;
    u32 ctx;
    u32 holds_since;    /* first step that took a lock its thread holds here; HD_HOLDS_NONE */
};
#define HD_HOLDS_NONE UINT32_MAX

/* One use of a key (object, granule) by a step; chains go back in time. */
struct hd_use {
    u64 key;
    u32 step, act;
    u32 before;         /* index + 1 of the use before, 0 = none */
};

/* causal.c: happens-before of the last run. */
struct hd_causal {
    struct hd_order_steps steps; /* in it, with their clocks */
    struct hd_map head;         /* key -> index + 1 of its last use */
    HD_VEC(struct hd_use) use;
    HD_VEC(u32) first_use;      /* of each step */
    HD_VEC(u32) first_act;      /* of each step */
    HD_VEC(u32) race;           /* steps found by hd_causal_add, latest first */
    u32 clock_before[HD_SEARCH_THREADS]; /* clock of the thread before the step added */
};

/* later.c: schedules deferred until a higher bound. */
struct hd_later {
    u32 schedule, at;           /* which schedule, how many of its choices */
    u16 tid;                    /* the choice that follows */
    u8 kind;
    bool is_early;              /* by letting its timeout come */
};
struct hd_schedule {
    u32 first, n;               /* in `choice` */
};
typedef HD_VEC(struct hd_later) hd_later_list;

struct hd_branch;

struct hd_search_ops {
    /* Before the first run, and after a restart. May be NULL. */
    void (*start)(struct hd_search *s);
    /* Alternatives to be tried at a new node, without the one chosen. */
    u64 (*fresh)(struct hd_search *s, const struct hd_node *n);
    /* What choosing tid adds to the cost. NULL: nothing has a cost. */
    u32 (*cost)(const struct hd_search *s, const struct hd_node *n, u16 tid);
    /* A run was added to the path; steps from `from` on are new. May be NULL. */
    void (*ran)(struct hd_branch *b, u32 from, const struct hd_trace *t);
    /* Is what is to be tried at this node still of use? NULL: it is. */
    bool (*is_wanted)(struct hd_search *s, const struct hd_node *n);
    bool learns;    /* hapset: from good runs */
    bool is_pset;   /* ... memory accesses alone, a statement is its site */
    /* No path has anything left: sets up another one in the empty branch b, or
     * false. is_last: no other branch is there (any more). May be NULL. */
    bool (*again)(struct hd_search *s, struct hd_branch *b, bool is_last);
};

/* One path and the last run along it. A branch that another one was split off from
 * owns the nodes they share: what is to be tried there is added at the owner, who
 * keeps them as long as the other one lives (branch.c). */
struct hd_branch {
    struct hd_search *of;
    struct hd_branch *owner;    /* NULL = none */
    u32 n_root;                 /* nodes that are the owner's */
    bool is_under_way;          /* its plan was given, the run has not come back */
    bool is_new;                /* its first run is still to be done; `asleep` belongs to it */
    bool is_stale;              /* loaded: the path has to be run again to know its steps */
    bool is_deferred;           /* its plan is `late` (later.c), no path yet */
    struct hd_later late;
    u64 asleep;
    HD_VEC(struct hd_node) node;
    HD_VEC(struct hd_choice) choice; /* the plan */
    u32 n_before;               /* nodes that were there before the last run */
    u32 n_fixed;                /* choices of a plan that does not come from the path */
    /* the last run */
    u32 n_threads;
    HD_VEC(struct hd_search_step) step;
    HD_VEC(struct hd_act) act;
    HD_VEC(u32) of_thread[HD_SEARCH_THREADS]; /* its steps */
    struct hd_pending pending[HD_SEARCH_THREADS];
    u64 waiting;                /* threads with a pending operation at its end */
    struct hd_causal causal;
    u32 run_schedule;           /* of the run just added, ~0 = not stored yet */
};

struct hd_search {
    struct hd_search_opts opts;
    struct hd_search_result result;
    bool is_started;
    bool sleeps;                /* sleep sets are used */
    u32 bound, max_bound;       /* cost allowed now, ever */
    HD_VEC(struct hd_branch *) branch;
    HD_VEC(struct hd_branch *) cached;       /* empty ones, kept for their memory */
    struct hd_branch *slot[HD_SEARCH_SLOTS]; /* whose plan is under way there */
    /* later.c */
    hd_later_list *later;       /* by cost, max_bound + 1 of them */
    HD_VEC(struct hd_schedule) schedule;
    HD_VEC(struct hd_choice) pool;
    size_t n_later;
    /* chess.c */
    struct hd_map met;          /* states -> fewest preemptions after which they were met */
    /* hapset.c */
    struct hd_map learned;      /* hashes of <earlier statement, later statement> */
    struct hd_map given;        /* ... known before the search began */
    bool has_finer;             /* pairs were passed over that other threads had shown */
    bool has_many;              /* a run had more than two threads */
    u32 guided;                 /* 0 = not (any more), else by what statements are told apart */
};

/* ---- search.c ------------------------------------------------------------------------- */

HD_INLINE void hd_search_limit(struct hd_search *s, enum hd_limit l)
{
    s->result.limits |= 1u << l;
}
/* Who may be tried at a node: loops that wait are left to wait. */
HD_INLINE u64 hd_node_options(const struct hd_node *n)
{
    return n->o.kind == HD_CHOICE_PICK ? n->o.candidates | n->o.early : n->o.could;
}
u32 hd_search_cost(const struct hd_search *s, const struct hd_node *n, u16 tid);
/* fresh() of methods that try everything. */
u64 hd_search_fresh_all(struct hd_search *s, const struct hd_node *n);
/* A switch away from a thread that could go on. */
u32 hd_search_preempts(const struct hd_search *s, const struct hd_node *n, u16 tid);
/* Adds to b->choice. */
void hd_search_put(struct hd_branch *b, u8 kind, u16 tid);
void hd_search_put_node(struct hd_branch *b, const struct hd_node *n, u16 tid);
/* Is one of node n's alternatives to be tried now? HD_NO_THREAD = none. */
u16 hd_search_alternative(struct hd_search *s, struct hd_node *n);
/* Who sleeps where the plan ends: after the step that node k belongs to. */
u64 hd_search_asleep(const struct hd_branch *b, u32 k);

/* ---- branch.c ------------------------------------------------------------------------- */

/* An empty one, on the list. */
struct hd_branch *hd_branch_add(struct hd_search *s);
/* Takes it off the list. Nobody may be split off from it. */
void hd_branch_drop(struct hd_search *s, struct hd_branch *b);
void hd_branch_drop_all(struct hd_search *s);
void hd_branch_release_all(struct hd_search *s);
/* Forgets the path. */
void hd_branch_forget(struct hd_branch *b);
/* The node where step i of b's last run was chosen, at its owner's. */
struct hd_node *hd_branch_node(struct hd_branch *b, u32 i);
/* First node that b may go back to: others were split off above it. */
u32 hd_branch_floor(const struct hd_search *s, const struct hd_branch *b);
bool hd_branch_has_children(const struct hd_search *s, const struct hd_branch *b);
/* A branch for one of the alternatives nearest to the root; NULL: there is none. */
struct hd_branch *hd_branch_split(struct hd_search *s);

/* ---- trace.c --------------------------------------------------------------------------- */

/* Takes a run in; false if it cannot be used (limits are set). */
bool hd_trace_take(struct hd_branch *s, const struct hd_trace *t);
/* What thread q does next at step `from`, as far as the last run shows: its acts
 * without results. Room for HD_MAX_ACTS. */
#define HD_MAX_ACTS 8
u32 hd_trace_next(const struct hd_branch *s, u32 from, u16 q, struct hd_act *to);
/* What thread q waits for at the end of the run. Pre: in s->waiting. */
u32 hd_trace_pending(const struct hd_branch *s, u16 q, struct hd_act *to);

/* ---- causal.c ---------------------------------------------------------------------------- */

void hd_causal_release(struct hd_causal *o);
/* What an act is found by: acts that depend on each other have a key in common, but
 * for broad ones (one key of their own). Room for HD_MAX_KEYS. */
#define HD_MAX_KEYS 66
u32 hd_causal_keys(const struct hd_act *a, u64 *key);
/* Keeps the first n steps. */
void hd_causal_cut(struct hd_branch *s, u32 n);
/* Which earlier steps are looked for. */
enum hd_depth {
    HD_DEPTH_NEXT, /* that it may be swapped with, none comes before another one */
    HD_DEPTH_ALL,  /* that it may be swapped with */
    HD_DEPTH_WAYS, /* ... or that made way for it, when its thread was not there yet */
};
/* Adds step s->causal.steps.n: its clock, and those steps in causal.race, latest first. */
void hd_causal_add(struct hd_branch *s, enum hd_depth depth);
/* The same for a step that thread q did not come to do; nothing is added. */
void hd_causal_preview(struct hd_branch *s, u16 q, const struct hd_act *act, u32 n,
                    enum hd_depth depth);
/* Does step i happen before step k? */
bool hd_causal_is_before(const struct hd_branch *s, u32 i, u32 k);
/* Let e be step i, e' the acts of thread q at place j (after hd_causal_add or _preview of
 * it), v the steps between that do not depend on e, and e'. Threads whose first
 * step in v depends on nothing in v. Stops as soon as one of `enough` is met. */
u64 hd_causal_initials(const struct hd_branch *s, u32 i, u32 j, u16 q, const struct hd_act *act,
                      u32 n, u64 enough);

/* ---- later.c ------------------------------------------------------------------------------ */

/* Puts the alternatives `set` of path node k off. After a run was added. */
void hd_later_add(struct hd_branch *b, u32 k, u64 set);
/* The next one within the bound becomes b's plan; is_last: raises the bound as
 * needed. */
bool hd_later_next(struct hd_search *s, struct hd_branch *b, bool is_last);
void hd_later_clear(struct hd_search *s);
size_t hd_later_bytes(const struct hd_search *s);

/* ---- dpor.c ------------------------------------------------------------------------------- */

u64 hd_dpor_fresh(struct hd_search *s, const struct hd_node *n);
void hd_dpor_ran(struct hd_branch *b, u32 from, const struct hd_trace *t);

#define HD_GUIDED_FIRST 1 /* by what statements are told apart (hapset.c) */
#define HD_GUIDED_LAST 2
#define HD_GUIDED_LED 3   /* in `learned`: not shown, but a good run was led to it */

/* ---- hapset.c ----------------------------------------------------------------------------- */

/* The statements of b's last run, into s->learned. */
void hd_hapset_learn(struct hd_branch *b);
/* Its operations, for pset.c. */
void hd_hapset_start(struct hd_search *s);
void hd_hapset_ran(struct hd_branch *b, u32 from, const struct hd_trace *t);
bool hd_hapset_again(struct hd_search *s, struct hd_branch *b, bool is_last);
bool hd_hapset_is_wanted(struct hd_search *s, const struct hd_node *n);

#endif
