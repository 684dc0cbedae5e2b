/* dpor.c: one run per class of equivalent interleavings (almost): dynamic
 * partial-order reduction with source sets (Abdulla, Aronis, Jonsson, Sagonas,
 * POPL 2014) and sleep sets. For each race e .. e' of a run, some thread that can
 * begin "e' before e" is tried where e was chosen, unless one already is.
 *
 * Blocking (a lock taken, a signal not given): at the end of a run the operations
 * threads still wait for are looked at like steps. A race whose second half
 * cannot go where the first was chosen has no other order and is passed over.
 * A run that ended while others could go on (exit, crash) counts its last step
 * as related to everything.
 *
 * With a number: only schedules with so many preemptions. Source sets and sleep
 * sets rely on runs the bound cuts, so these are replaced by Flanagan and
 * Godefroid's rule with a second, conservative point at the beginning of the
 * stretch that e is in (bounded partial-order reduction; Coons, Musuvathi,
 * McKinley, OOPSLA 2013). What made way for e' counts as well: a thread that runs
 * into a lock is left without a preemption.
 */
#include "search/node.h"

static bool is_bounded(const struct hd_search *s) { return s->bound != HD_NO_BOUND; }

static void dpor_start(struct hd_search *s)
{
    s->bound = (u32)HD_MIN(s->opts.param, (u64)HD_NO_BOUND);
    s->sleeps = !is_bounded(s);
    s->result.is_reduced = true;
}

/* Who is woken is tried in full; who goes next as races show. */
u64 hd_dpor_fresh(struct hd_search *s, const struct hd_node *n)
{
    return n->o.kind == HD_CHOICE_PICK ? 0 : n->o.could;
}

/* Those of `set` that may be tried at node n; notes what fairness forbids. */
static u64 allowed(struct hd_search *s, const struct hd_node *n, u64 set)
{
    if (set & n->o.could & ~n->o.offered)
        hd_search_limit(s, HD_LIMIT_FAIR);
    return set & hd_node_options(n);
}

static void try_initial(struct hd_search *s, u32 i, u32 j, u16 q, const struct hd_act *act, u32 count)
{
    struct hd_node *n = &s->node.at[s->step.at[i].node];
    if (n->is_fixed)
        return;
    u64 known = n->todo | n->sleep;
    u64 set = hd_causal_initials(s, i, j, q, act, count, known);
    if (set & known)
        return;
    u64 can = allowed(s, n, set);
    if (can)
        n->todo |= can & HD_BIT(q) ? HD_BIT(q) : can & -can;
}

static void try_conservative(struct hd_search *s, u32 i, u16 q)
{
    for (bool is_again = false;; is_again = true) {
        struct hd_node *n = &s->node.at[s->step.at[i].node];
        u64 can = allowed(s, n, HD_BIT(q));
        n->todo |= can ? can : hd_node_options(n);
        if (is_again)
            return;
        u16 p = s->step.at[i].tid;
        while (i && s->step.at[i - 1].tid == p)
            i--;
    }
}

static void reverse(struct hd_search *s, u32 j, u16 q, const struct hd_act *act, u32 n)
{
    u64 seen = 0; /* bounded: the latest of each thread, hidden by others or not */
    for (size_t k = 0; k < s->causal.race.n; k++) {
        u32 i = s->causal.race.at[k];
        if (!is_bounded(s))
            try_initial(s, i, j, q, act, n);
        else if (!(seen & HD_BIT(s->step.at[i].tid)))
            try_conservative(s, i, q);
        seen |= HD_BIT(s->step.at[i].tid);
    }
}

void hd_dpor_ran(struct hd_search *s, u32 from, const struct hd_trace *t)
{
    enum hd_depth depth = is_bounded(s) ? HD_DEPTH_WAYS : HD_DEPTH_NEXT;
    hd_causal_cut(s, from);
    while (s->causal.n < s->step.n) {
        const struct hd_search_step *e = &s->step.at[s->causal.n];
        hd_causal_add(s, depth);
        if (s->causal.n > from)
            reverse(s, s->causal.n - 1, e->tid, &s->act.at[e->act], e->n_acts);
    }
    HD_EACH_BIT(q, s->waiting) {
        struct hd_act act[HD_MAX_ACTS];
        u32 n = hd_trace_pending(s, (u16)q, act);
        hd_causal_look(s, (u16)q, act, n, depth);
        reverse(s, (u32)s->step.n, (u16)q, act, n);
    }
}

static const struct hd_search_ops dpor_ops = {
    .start = dpor_start,
    .fresh = hd_dpor_fresh,
    .cost = hd_search_preempts,
    .ran = hd_dpor_ran,
};

const struct hd_search_method hd_search_dpor = {
    .name = "dpor",
    .doc = "one interleaving of each class that differs in related steps",
    .param_name = "preemptions",
    .param_default = HD_NO_BOUND,
    .ops = &dpor_ops,
};
