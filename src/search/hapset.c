/* hapset.c: search guided by history-aware predecessor sets (Wang, Said, Gupta,
 * ICSE 2011). HaPSet[st] holds the statements that some good run had immediately
 * before st, in another thread, on the same object. Of the steps that e' could be
 * moved before, the latest e is taken whose HaPSet does not hold e' yet. A
 * statement is (site, context, which of the two threads has the smaller number).
 *
 * With a number: on top of the preemption bound (the paper's PCB rule). When
 * guidance has nothing left, what it left out follows: dpor from the start.
 * Deviations: a condition wait is two statements, begin and wake; unlocks of
 * recursive locks are not looked at.
 */
#include "search/node.h"

static bool is_bounded(const struct hd_search *s) { return s->bound != HD_NO_BOUND; }

static void hapset_start(struct hd_search *s)
{
    s->bound = (u32)HD_MIN(s->opts.param, (u64)HD_NO_BOUND);
    s->sleeps = false;
    s->is_guided = true;
    hd_map_release(&s->learned); /* sites are the same, but what is a step has changed */
}

/* ---- learning --------------------------------------------------------------------------- */

struct statement {
    u64 site;
    u32 ctx;
    u16 tid;
};

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* The pair: `before` immediately before `after`. */
static u64 pair_of(const struct statement *before, const struct statement *after)
{
    u64 h = mix(before->tid < after->tid, before->site);
    return mix(mix(mix(h, before->ctx), after->site), after->ctx);
}

static struct statement statement_of(const struct hd_search *s, u32 i)
{
    const struct hd_search_step *e = &s->step.at[i];
    return (struct statement){e->site, e->ctx, e->tid};
}

static bool counts(const struct hd_act *a)
{
    return a->kind != HD_EV_UNLOCK && a->kind != HD_EV_RW_UNLOCK &&
           a->kind != HD_EV_ONCE_END && hd_act_space(a->kind) != HD_SPACE_THREAD &&
           !hd_act_is_wild(a);
}

/* The same object, whatever is done to it. */
static bool is_same(const struct hd_act *a, const struct hd_act *b)
{
    enum hd_space x = hd_act_space(a->kind);
    if (x != hd_act_space(b->kind) || x == HD_SPACE_NONE)
        return false;
    return x == HD_SPACE_MEMORY ? hd_act_overlaps(a, b) : a->obj == b->obj || x == HD_SPACE_IO;
}

/* Step j: the last step of each other thread on its object since its own last
 * one, if they conflict. */
static void learn(struct hd_search *s, u32 j)
{
    const struct hd_search_step *e = &s->step.at[j];
    for (u32 m = 0; m < e->n_acts; m++) {
        const struct hd_act *b = &s->act.at[e->act + m];
        u64 seen = 0;
        if (!counts(b))
            continue;
        for (u32 i = j; i--;) {
            const struct hd_search_step *d = &s->step.at[i];
            bool is_own = false;
            if (seen & HD_BIT(d->tid))
                continue;
            for (u32 k = 0; k < d->n_acts; k++) {
                const struct hd_act *a = &s->act.at[d->act + k];
                if (!counts(a) || !is_same(a, b))
                    continue;
                seen |= HD_BIT(d->tid);
                is_own |= d->tid == e->tid;
                if (d->tid == e->tid || !hd_act_depends(a, b))
                    continue;
                struct statement before = statement_of(s, i), after = statement_of(s, j);
                hd_map_put(&s->learned, pair_of(&before, &after), 1);
            }
            if (is_own)
                break;
        }
    }
}

/* ---- guidance --------------------------------------------------------------------------- */

/* Flanagan and Godefroid's rule: q, or some thread that leads to e'; else all. */
static u64 threads_before(struct hd_search *s, u32 i, u32 j, u16 q)
{
    const struct hd_node *n = &s->node.at[s->step.at[i].node];
    u64 can = hd_node_options(n);
    if (is_bounded(s) || !(can & ~HD_BIT(s->step.at[i].tid)))
        return can;
    if (can & HD_BIT(q))
        return HD_BIT(q);
    for (u32 k = i + 1; k < j; k++) {
        const struct hd_search_step *e = &s->step.at[k];
        if ((can & HD_BIT(e->tid)) && s->causal.past[e->tid] >= e->nth)
            return HD_BIT(e->tid);
    }
    return can;
}

static void guide(struct hd_search *s, u32 j, const struct statement *late)
{
    for (size_t k = 0; k < s->causal.race.n; k++) {
        u32 i = s->causal.race.at[k];
        struct statement early = statement_of(s, i);
        if (hd_map_has(&s->learned, pair_of(late, &early))) {
            hd_search_limit(s, HD_LIMIT_GUIDED);
            continue;
        }
        struct hd_node *n = &s->node.at[s->step.at[i].node];
        n->todo |= threads_before(s, i, j, late->tid);
        if (n->o.could & ~n->o.offered)
            hd_search_limit(s, HD_LIMIT_FAIR);
        if (k + 1 < s->causal.race.n)
            hd_search_limit(s, HD_LIMIT_GUIDED);
        return;
    }
}

static void hapset_ran(struct hd_search *s, u32 from, const struct hd_trace *t)
{
    if (!s->is_guided) {
        hd_dpor_ran(s, from, t);
        return;
    }
    for (u32 j = t->is_good ? 0 : (u32)s->step.n; j < s->step.n; j++)
        learn(s, j);
    hd_causal_cut(s, from);
    while (s->causal.n < s->step.n) {
        hd_causal_add(s, HD_DEPTH_ALL);
        struct statement late = statement_of(s, s->causal.n - 1);
        if (s->causal.n > from)
            guide(s, s->causal.n - 1, &late);
    }
    HD_EACH_BIT(q, s->waiting) {
        struct hd_act act[HD_MAX_ACTS];
        u32 n = hd_trace_pending(s, (u16)q, act);
        struct statement late = {s->pending[q].site, s->pending[q].ctx, (u16)q};
        hd_causal_look(s, (u16)q, act, n, HD_DEPTH_ALL);
        guide(s, (u32)s->step.n, &late);
    }
}

/* Guidance is done: everything, without it. */
static bool hapset_again(struct hd_search *s)
{
    if (!s->is_guided)
        return false;
    s->result.guided = s->result.runs;
    if (s->opts.guided_only)
        return false;
    s->result.limits = 0;
    s->result.explored = 0;
    s->is_guided = false;
    s->sleeps = !is_bounded(s);
    s->result.is_reduced = true;
    hd_search_forget(s);
    return true;
}

static const struct hd_search_ops hapset_ops = {
    .start = hapset_start,
    .fresh = hd_dpor_fresh,
    .cost = hd_search_preempts,
    .ran = hapset_ran,
    .again = hapset_again,
};

const struct hd_search_method hd_search_hapset = {
    .name = "hapset",
    .doc = "orders of statements never tested first, then as dpor",
    .param_name = "preemptions",
    .param_default = HD_NO_BOUND,
    .ops = &hapset_ops,
};
