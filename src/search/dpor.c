/* dpor.c: one run per class of equivalent interleavings (almost): source sets
 * (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014) and sleep sets. For each race
 * e .. e' some thread that can begin "e' before e" is tried where e was chosen,
 * unless one already is. What threads still wait for when a run ends is looked at
 * like steps; a last step that took others' turn away is related to everything.
 *
 * With a number: within so many preemptions. Source and sleep sets rely on runs
 * the bound cuts; instead Flanagan and Godefroid's rule, for every race, with a
 * second point where the stretch of e begins (bounded partial-order reduction;
 * Coons, Musuvathi, McKinley, OOPSLA 2013). Deviation: what made way for e' counts
 * too, since a thread that runs into a lock is left without a preemption.
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
static u64 allowed(struct hd_branch *s, const struct hd_node *n, u64 set)
{
    if (set & n->o.could & ~n->o.candidates)
        hd_search_limit(s->of, HD_LIMIT_FAIR);
    return set & hd_node_options(n);
}

static void try_initial(struct hd_branch *s, u32 i, u32 j, u16 q, const struct hd_act *act,
                        u32 count)
{
    struct hd_node *n = hd_branch_node(s, s->step.at[i].node);
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

static void try_there(struct hd_branch *s, u32 i, u16 q)
{
    struct hd_node *n = hd_branch_node(s, s->step.at[i].node);
    u64 can = allowed(s, n, HD_BIT(q));
    n->todo |= can ? can : hd_node_options(n);
}

static void try_conservative(struct hd_branch *s, u32 i, u16 q)
{
    try_there(s, i, q);
    try_there(s, s->step.at[i].stretch, q);
}

static void reverse(struct hd_branch *s, u32 j, u16 q, const struct hd_act *act, u32 n)
{
    for (size_t k = 0; k < s->causal.race.n; k++) {
        if (is_bounded(s->of)) /* all: the runs that would show the others may be cut */
            try_conservative(s, s->causal.race.at[k], q);
        else
            try_initial(s, s->causal.race.at[k], j, q, act, n);
    }
}

void hd_dpor_ran(struct hd_branch *s, u32 from, const struct hd_trace *t)
{
    enum hd_depth depth = is_bounded(s->of) ? HD_DEPTH_WAYS : HD_DEPTH_NEXT;
    hd_causal_cut(s, from);
    while (s->causal.steps.n < s->step.n) {
        const struct hd_search_step *e = &s->step.at[s->causal.steps.n];
        hd_causal_add(s, depth);
        if (s->causal.steps.n > from)
            reverse(s, s->causal.steps.n - 1, e->tid, &s->act.at[e->act], e->n_acts);
    }
    HD_EACH_BIT(q, s->waiting) {
        struct hd_act act[HD_MAX_ACTS];
        u32 n = hd_trace_pending(s, (u16)q, act);
        hd_causal_preview(s, (u16)q, act, n, depth);
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
