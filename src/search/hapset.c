/* hapset.c: search guided by history-aware predecessor sets (Wang, Said, Gupta,
 * ICSE 2011). HaPSet[st] holds the statements that some good run had immediately
 * before st, in another thread, on the same object. Of the steps that e' could be
 * moved before, the latest e is taken whose HaPSet does not hold e' yet. A
 * statement is (site, context, which of the two threads has the smaller number).
 *
 * With a number: on top of the preemption bound (the paper's PCB rule). When
 * guidance has nothing left, what it left out follows: first the same once more with
 * the very threads as part of a statement (ours: among many threads with the same
 * code only one may matter), then dpor from the start. Deviations: a condition wait
 * is two statements, begin and wake; unlocks count for recursive locks only, and there
 * the lock before the unlock counts as well, or its order would never be known.
 *
 * pset.c is the same with the older metric: memory accesses alone, a statement is its site.
 */
#include "search/node.h"

enum { BY_STATEMENT = HD_GUIDED_FIRST, BY_THREAD = HD_GUIDED_LAST };

static bool is_bounded(const struct hd_search *s) { return s->bound != HD_NO_BOUND; }

static bool is_pset(const struct hd_search *s) { return s->opts.method->ops->is_pset; }

void hd_hapset_start(struct hd_search *s)
{
    s->bound = (u32)HD_MIN(s->opts.param, (u64)HD_NO_BOUND);
    s->sleeps = false;
    s->guided = BY_STATEMENT;
    s->has_finer = false;
    hd_map_release(&s->learned); /* sites are the same, but what is a step has changed */
    u64 pair, by;
    for (size_t i = 0; hd_map_next(&s->given, &i, &pair, &by);)
        hd_map_put(&s->learned, pair, by);
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
static u64 pair_of(const struct hd_search *s, const struct statement *before,
                   const struct statement *after, u32 by)
{
    if (by == BY_STATEMENT && is_pset(s))
        return mix(mix(4, before->site), after->site);
    u64 who = by == BY_THREAD ? 2 + ((u64)before->tid << 16 | after->tid)
                              : before->tid < after->tid;
    u64 h = mix(who, before->site);
    return mix(mix(mix(h, before->ctx), after->site), after->ctx);
}

static struct statement statement_of(const struct hd_branch *s, u32 i)
{
    const struct hd_search_step *e = &s->step.at[i];
    return (struct statement){e->site, e->ctx, e->tid};
}

struct used {
    u32 step, act, before; /* before: index + 1 of the use of its key before, 0 = none */
};

struct book {
    struct hd_map last;      /* key -> index + 1 of its last use */
    struct hd_map recursive; /* locks of that type */
    HD_VEC(struct used) use;
};

static bool counts(const struct hd_search *s, const struct book *k, const struct hd_act *a)
{
    if (is_pset(s) && hd_act_space(a->kind) != HD_SPACE_MEMORY)
        return false;
    if (a->kind == HD_EV_UNLOCK)
        return hd_map_has(&k->recursive, a->obj);
    return a->kind != HD_EV_RW_UNLOCK && a->kind != HD_EV_ONCE_END &&
           hd_act_space(a->kind) != HD_SPACE_THREAD && !hd_act_is_wild(a);
}

/* The same object, whatever is done to it. */
static bool is_same(const struct hd_act *a, const struct hd_act *b)
{
    enum hd_space x = hd_act_space(a->kind);
    if (x != hd_act_space(b->kind) || x == HD_SPACE_NONE)
        return false;
    return x == HD_SPACE_MEMORY ? hd_act_overlaps(a, b) : a->obj == b->obj || x == HD_SPACE_IO;
}

/* Act m of step j: the last step of each other thread on its object since its own
 * last one, if they conflict. */
static void learn(struct hd_branch *s, const struct book *k, u64 key, u32 j, u32 m)
{
    const struct hd_act *b = &s->act.at[m];
    u16 own = s->step.at[j].tid;
    u64 seen = 0;
    for (u64 at = hd_map_get_or(&k->last, key, 0); at && !(seen & HD_BIT(own));
         at = k->use.at[at - 1].before) {
        HD_ASSERT(k->use.at && at <= k->use.n);
        const struct used *u = &k->use.at[at - 1];
        const struct hd_act *a = &s->act.at[u->act];
        u16 tid = s->step.at[u->step].tid;
        if (seen & HD_BIT(tid) || !is_same(a, b))
            continue;
        if (a->kind != HD_EV_UNLOCK)
            seen |= HD_BIT(tid);
        if (tid == own || !hd_act_depends(a, b))
            continue;
        struct statement before = statement_of(s, u->step), after = statement_of(s, j);
        for (u32 by = BY_STATEMENT; by <= BY_THREAD; by++)
            hd_map_put(&s->of->learned, pair_of(s->of, &before, &after, by), by);
    }
}

void hd_hapset_learn(struct hd_branch *s)
{
    struct book k = {0};
    u64 key[HD_MAX_KEYS];
    for (u32 j = 0; j < s->step.n; j++) {
        const struct hd_search_step *e = &s->step.at[j];
        for (u32 m = e->act; m < e->act + e->n_acts; m++) {
            if (s->act.at[m].flags & HD_ACT_RECURSIVE)
                hd_map_put(&k.recursive, s->act.at[m].obj, 1);
            u32 keys = counts(s->of, &k, &s->act.at[m]) ? hd_causal_keys(&s->act.at[m], key) : 0;
            for (u32 i = 0; i < keys; i++) {
                learn(s, &k, key[i], j, m);
                *hd_vec_add(&k.use) = (struct used){j, m, (u32)hd_map_get_or(&k.last, key[i], 0)};
                hd_map_put(&k.last, key[i], k.use.n);
            }
        }
    }
    hd_map_release(&k.last);
    hd_map_release(&k.recursive);
    hd_vec_release(&k.use);
}

/* ---- guidance --------------------------------------------------------------------------- */

/* Flanagan and Godefroid's rule: q, or some thread that leads to e'; else all. */
static u64 threads_before(struct hd_branch *s, u32 i, u32 j, u16 q)
{
    const struct hd_node *n = hd_branch_node(s, s->step.at[i].node);
    u64 can = hd_node_options(n);
    if (is_bounded(s->of) || !(can & ~HD_BIT(s->step.at[i].tid)))
        return can;
    if (can & HD_BIT(q))
        return HD_BIT(q);
    for (u32 k = i + 1; k < j; k++) {
        const struct hd_search_step *e = &s->step.at[k];
        if ((can & HD_BIT(e->tid)) && s->causal.clock_before[e->tid] >= e->nth)
            return HD_BIT(e->tid);
    }
    return can;
}

/* Once a pair of threads was led to an order, good or bad, it need not be again
 * when the very threads count. */
static void note_tried(struct hd_search *s, const struct statement *late,
                       const struct statement *early)
{
    hd_map_put(&s->learned, pair_of(s, late, early, BY_THREAD), BY_THREAD);
}

static void guide(struct hd_branch *s, u32 j, const struct statement *late)
{
    for (size_t k = 0; k < s->causal.race.n; k++) {
        u32 i = s->causal.race.at[k];
        struct statement early = statement_of(s, i);
        if (hd_map_has(&s->of->learned, pair_of(s->of, late, &early, s->of->guided))) {
            hd_search_limit(s->of, HD_LIMIT_GUIDED);
            s->of->has_finer |= s->n_threads > 2 &&
                                !hd_map_has(&s->of->learned, pair_of(s->of, late, &early, BY_THREAD));
            continue;
        }
        note_tried(s->of, late, &early);
        struct hd_node *n = hd_branch_node(s, s->step.at[i].node);
        n->todo |= threads_before(s, i, j, late->tid);
        if (n->o.could & ~n->o.candidates)
            hd_search_limit(s->of, HD_LIMIT_FAIR);
        if (k + 1 < s->causal.race.n)
            hd_search_limit(s->of, HD_LIMIT_GUIDED);
        return;
    }
}

void hd_hapset_ran(struct hd_branch *s, u32 from, const struct hd_trace *t)
{
    if (!s->of->guided) {
        hd_dpor_ran(s, from, t);
        return;
    }
    if (t->is_good)
        hd_hapset_learn(s);
    hd_causal_cut(s, from);
    while (s->causal.steps.n < s->step.n) {
        hd_causal_add(s, HD_DEPTH_ALL);
        struct statement late = statement_of(s, s->causal.steps.n - 1);
        if (s->causal.steps.n > from)
            guide(s, s->causal.steps.n - 1, &late);
    }
    HD_EACH_BIT(q, s->waiting) {
        struct hd_act act[HD_MAX_ACTS];
        u32 n = hd_trace_pending(s, (u16)q, act);
        struct statement late = {s->pending[q].site, s->pending[q].ctx, (u16)q};
        hd_causal_preview(s, (u16)q, act, n, HD_DEPTH_ALL);
        guide(s, (u32)s->step.n, &late);
    }
}

/* Guidance is done: the finer one, then everything, without it. */
bool hd_hapset_again(struct hd_search *s, struct hd_branch *b, bool is_last)
{
    if (!s->guided || !is_last)
        return false;
    if (s->guided == BY_STATEMENT && s->opts.guided_only) {
        s->result.guided = s->result.runs;
        return false;
    }
    s->result.limits = 0;
    s->result.explored = 0;
    if (s->guided == BY_STATEMENT && s->has_finer) {
        s->guided = BY_THREAD;
        return true;
    }
    s->result.guided = s->result.runs;
    s->guided = 0;
    s->sleeps = !is_bounded(s);
    s->result.is_reduced = true;
    return true;
}

static const struct hd_search_ops hapset_ops = {
    .start = hd_hapset_start,
    .fresh = hd_dpor_fresh,
    .cost = hd_search_preempts,
    .ran = hd_hapset_ran,
    .again = hd_hapset_again,
    .learns = true,
};

const struct hd_search_method hd_search_hapset = {
    .name = "hapset",
    .doc = "orders of statements never tested first, then as dpor",
    .param_name = "preemptions",
    .param_default = HD_NO_BOUND,
    .ops = &hapset_ops,
};
