/* hapset.c: search guided by history-aware predecessor sets (Wang, Said, Gupta,
 * ICSE 2011). HaPSet[st] holds the statements that some good run had immediately
 * before st, in another thread, on the same object. Of the steps that e' could be
 * moved before, the latest e is taken whose HaPSet does not hold e' yet. A
 * statement is (site, context, which of the two threads has the smaller number).
 *
 * With a number: on top of the preemption bound (the paper's PCB rule). When
 * guidance has nothing left, what it left out follows: first the same once more with
 * the very threads as part of a statement (ours: among many threads with the same
 * code only one may matter), then dpor from the start. Deviations: a condition wait is
 * two statements, begin and wake, and whom a signal wakes is an order; unlocks count for
 * recursive locks only, with the lock before them, or its order would never be known; an
 * order that was shown or led to since it was asked for is dropped; a lock taken while who
 * takes it next holds another one is an order by itself, or good runs that take two locks
 * crosswise, one after the other, would hide their deadlock. pset.c: the older metric.
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
    s->has_finer = s->has_many = false;
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
    bool takes; /* a lock */
    bool holds; /* of `after`: ... and held another one when `before` took it */
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
    h = mix(mix(mix(h, before->ctx), after->site), after->ctx);
    return before->takes && after->takes && after->holds ? mix(h, 1) : h;
}

static struct statement statement_of(const struct hd_branch *s, u32 i)
{
    const struct hd_search_step *e = &s->step.at[i];
    return (struct statement){e->site, e->ctx, e->tid, hd_may(s->act.at[e->act].kind, HD_TAKES), false};
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
        for (u32 by = BY_STATEMENT; by <= BY_THREAD; by++) {
            after.holds = false;
            hd_map_put(&s->of->learned, pair_of(s->of, &before, &after, by), by);
            after.holds = s->step.at[j].holds_since < u->step;
            hd_map_put(&s->of->learned, pair_of(s->of, &before, &after, by), by);
        }
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

void hd_search_learn(struct hd_search *s, const struct hd_event *event, u32 n, u32 n_threads)
{
    if (!s->opts.method->ops->learns)
        return;
    HD_VEC(struct hd_option) option = {0};
    struct hd_pending none[HD_SEARCH_THREADS] = {0};
    for (u32 i = 0; i < n; i++)
        if (event[i].tid < HD_SEARCH_THREADS &&
            (!option.n || option.at[option.n - 1].step != event[i].step))
            *hd_vec_add(&option) = (struct hd_option){
                .step = event[i].step, .tid = event[i].tid, .kind = HD_CHOICE_PICK};
    struct hd_trace t = {.option = option.at, .n_options = (u32)option.n, .event = event,
                         .n_events = n, .pending = none, .n_threads = n_threads};
    struct hd_branch *b = hd_branch_add(s);
    struct hd_map known = s->learned; /* what its own runs taught is not given */
    u32 limits = s->result.limits;
    s->learned = (struct hd_map){0};
    if (n_threads <= HD_SEARCH_THREADS && hd_trace_take(b, &t))
        hd_hapset_learn(b);
    s->result.limits = limits;
    hd_branch_drop(s, b);
    hd_vec_release(&option);
    u64 pair, by;
    for (size_t i = 0; hd_map_next(&s->learned, &i, &pair, &by);) {
        hd_map_put(&s->given, pair, by);
        hd_map_put(&known, pair, by);
    }
    hd_map_release(&s->learned);
    s->learned = known;
}

u32 hd_search_learned(const struct hd_search *s, u64 *to, u32 max)
{
    u32 n = 0;
    u64 pair, by;
    for (size_t i = 0; hd_map_next(&s->learned, &i, &pair, &by);)
        if (by == HD_GUIDED_FIRST) { /* threads are those of one input */
            if (to && n < max)
                to[n] = pair;
            n++;
        }
    return n;
}

void hd_search_give(struct hd_search *s, const u64 *pair, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        hd_map_put(&s->given, pair[i], HD_GUIDED_FIRST);
        hd_map_put(&s->learned, pair[i], HD_GUIDED_FIRST);
    }
}

/* ---- guidance --------------------------------------------------------------------------- */

enum { NO_STEP = UINT32_MAX };
#define ANY_ORDER (~(u64)0) /* hd_node.asked: whatever is known, it is to be tried */

/* The last step of thread q before step i. */
static u32 last_before(const struct hd_branch *s, u32 i, u16 q)
{
    for (size_t k = s->of_thread[q].n; k--;)
        if (s->of_thread[q].at[k] < i)
            return s->of_thread[q].at[k];
    return NO_STEP;
}

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

/* A good run was led to the orders that the last choice of its plan was for: where one thread
 * alone was asked for, it has been tried. If it has not shown them, something else came in between. */
static void note_led(struct hd_branch *s)
{
    if (!s->n_before)
        return;
    const struct hd_node *n = hd_branch_node(s, s->n_before - 1);
    u64 others = n->todo & ~HD_BIT(n->o.tid);
    if (others & (others - 1))
        return;
    for (u32 i = 0; i < HD_NODE_ASKED && n->asked[i]; i++)
        if (n->asked[i] != ANY_ORDER && !hd_map_has(&s->of->learned, n->asked[i]))
            hd_map_put(&s->of->learned, n->asked[i], HD_GUIDED_LED);
}

/* Has a good run had `late` immediately before `early`, or been led to it? */
static bool is_tested(struct hd_branch *s, const struct statement *late,
                      const struct statement *early)
{
    struct hd_search *of = s->of;
    if (!hd_map_has(&of->learned, pair_of(of, late, early, of->guided)))
        return false;
    hd_search_limit(of, HD_LIMIT_GUIDED);
    of->has_finer |= of->has_many && !hd_map_has(&of->learned, pair_of(of, late, early, BY_THREAD));
    return true;
}

/* Has `threads` tried at node n, so that `late` comes before `early`. */
static void ask(struct hd_branch *s, struct hd_node *n, const struct statement *late,
                const struct statement *early, u64 threads)
{
    struct hd_search *of = s->of;
    bool is_plain = of->guided == BY_STATEMENT && !is_pset(of);
    u64 pair = is_plain ? pair_of(of, late, early, BY_STATEMENT) : ANY_ORDER;
    u32 i = 0;
    n->todo |= threads;
    if (!is_plain) /* good or bad, it need not be tried again */
        hd_map_put(&of->learned, pair_of(of, late, early, BY_THREAD), BY_THREAD);
    while (i < HD_NODE_ASKED && n->asked[i] && n->asked[i] != pair)
        i++;
    if (i < HD_NODE_ASKED)
        n->asked[i] = pair;
    else
        n->asked[0] = ANY_ORDER;
}

/* Not if good runs have had all orders that it is for since they were asked for. */
bool hd_hapset_is_wanted(struct hd_search *s, const struct hd_node *n)
{
    if (s->guided != BY_STATEMENT || !n->asked[0])
        return true;
    for (u32 i = 0; i < HD_NODE_ASKED && n->asked[i]; i++)
        if (n->asked[i] == ANY_ORDER || !hd_map_has(&s->learned, n->asked[i]))
            return true;
    hd_search_limit(s, HD_LIMIT_GUIDED);
    s->has_finer |= s->has_many;
    return false;
}

static void guide(struct hd_branch *s, u32 j, const struct statement *late)
{
    for (size_t k = 0; k < s->causal.race.n; k++) {
        u32 i = s->causal.race.at[k];
        struct statement early = statement_of(s, i);
        early.holds = s->step.at[i].holds_since != HD_HOLDS_NONE; /* as it will when `late` comes first */
        if (is_tested(s, late, &early))
            continue;
        struct hd_node *n = hd_branch_node(s, s->step.at[i].node);
        ask(s, n, late, &early, threads_before(s, i, j, late->tid));
        if (n->o.could & ~n->o.candidates)
            hd_search_limit(s->of, HD_LIMIT_FAIR);
        if (k + 1 < s->causal.race.n)
            hd_search_limit(s->of, HD_LIMIT_GUIDED);
        return;
    }
}

/* Whom a signal wakes is an order as well, of the signal and the wake: of the waiters at a
 * node those whose order no good run had, and of several that wait in the same code one. */
static void guide_wakes(struct hd_branch *s)
{
    for (u32 k = s->n_before; k < s->node.n; k++) {
        struct hd_node *n = &s->node.at[k];
        if (n->o.kind != HD_CHOICE_WAKE || n->is_fixed || n->step >= s->step.n)
            continue;
        struct statement signal = statement_of(s, n->step);
        HD_EACH_BIT(q, n->todo & ~n->done) {
            u32 wait = last_before(s, n->step, (u16)q);
            if (wait == NO_STEP)
                continue;
            struct statement wake = statement_of(s, wait);
            if (is_tested(s, &signal, &wake))
                n->todo &= ~HD_BIT(q);
            else
                ask(s, n, &signal, &wake, HD_BIT(q));
        }
    }
}

void hd_hapset_ran(struct hd_branch *s, u32 from, const struct hd_trace *t)
{
    if (!s->of->guided) {
        hd_dpor_ran(s, from, t);
        return;
    }
    s->of->has_many |= s->n_threads > 2;
    if (t->is_good) {
        hd_hapset_learn(s);
        note_led(s);
    }
    hd_causal_cut(s, from);
    while (s->causal.steps.n < s->step.n) {
        hd_causal_add(s, HD_DEPTH_ALL);
        struct statement late = statement_of(s, s->causal.steps.n - 1);
        if (s->causal.steps.n > from)
            guide(s, s->causal.steps.n - 1, &late);
    }
    if (!is_pset(s->of))
        guide_wakes(s);
    HD_EACH_BIT(q, s->waiting) {
        struct hd_act act[HD_MAX_ACTS];
        u32 n = hd_trace_pending(s, (u16)q, act);
        struct statement late = {s->pending[q].site, s->pending[q].ctx, (u16)q,
                                 hd_may(s->pending[q].kind, HD_TAKES), false};
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
    .is_wanted = hd_hapset_is_wanted,
    .learns = true,
};

const struct hd_search_method hd_search_hapset = {
    .name = "hapset",
    .doc = "orders of statements never tested first, then as dpor",
    .param_name = "preemptions",
    .param_default = HD_NO_BOUND,
    .ops = &hapset_ops,
};
