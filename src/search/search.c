/* search.c: the tree of choices, common to all methods: which node is next, the
 * prefix that leads there, who sleeps on the way, and whether a run did what the
 * same prefix did before.
 *
 * Depth first: the deepest node with something left to try. A thread tried at a
 * node sleeps while its siblings are tried (Godefroid's sleep sets), until a
 * step that depends on its operation; methods that leave schedules out (a bound,
 * guidance) do without.
 */
#include "search/node.h"

#include <string.h>

#define HD_SEARCH(name) extern const struct hd_search_method hd_search_##name;
#include "search/search.def"
#undef HD_SEARCH

static const struct hd_search_method *const method_rows[] = {
#define HD_SEARCH(name) &hd_search_##name,
#include "search/search.def"
#undef HD_SEARCH
};

const struct hd_search_method *hd_search_at(u32 index)
{
    return index < HD_COUNT(method_rows) ? method_rows[index] : NULL;
}

const struct hd_search_method *hd_search_find(const char *name)
{
    for (u32 i = 0; i < HD_COUNT(method_rows); i++)
        if (!strcmp(method_rows[i]->name, name))
            return method_rows[i];
    return NULL;
}

const char *hd_search_limit_text(enum hd_limit limit)
{
    static const char *const text[HD_LIMIT_COUNT] = {
        [HD_LIMIT_BOUND] = "schedules past the bound were left out",
        [HD_LIMIT_FAIR] = "further rounds of loops that wait were left out",
        [HD_LIMIT_STEPS] = "runs that did not come to an end were cut at the step limit",
        [HD_LIMIT_LATE] = "timeouts far away came only when nobody else could run",
        [HD_LIMIT_TIMER] = "timers of the program fired only when nobody else could run",
        [HD_LIMIT_PREFERS] = "a lock that prefers writers was not reordered exactly",
        [HD_LIMIT_THREADS] = "a run had more threads than the search can tell apart",
        [HD_LIMIT_LENGTH] = "a run was too long to be searched",
        [HD_LIMIT_MEMORY] = "there was no memory left to keep what was still to be done",
        [HD_LIMIT_CHANCE] = "the same choices led to different runs",
        [HD_LIMIT_GUIDED] = "orders of statements tested before were left out",
    };
    return limit < HD_LIMIT_COUNT ? text[limit] : "?";
}

/* ---- life ------------------------------------------------------------------------------- */

void hd_search_forget(struct hd_search *s)
{
    hd_vec_clear(&s->node);
    hd_vec_clear(&s->choice);
    hd_causal_release(&s->causal);
    s->n_fixed = 0;
}

static void begin(struct hd_search *s)
{
    hd_search_forget(s);
    hd_later_clear(s);
    s->is_started = false;
    s->bound = 0;
    s->max_bound = HD_NO_BOUND;
    memset(&s->result, 0, sizeof s->result);
    if (s->opts.method->ops->start)
        s->opts.method->ops->start(s);
}

struct hd_search *hd_search_open(const struct hd_search_opts *o)
{
    struct hd_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->opts = *o;
    begin(s);
    return s;
}

void hd_search_close(struct hd_search *s)
{
    if (!s)
        return;
    hd_search_forget(s);
    hd_later_clear(s);
    hd_vec_release(&s->node);
    hd_vec_release(&s->choice);
    hd_vec_release(&s->step);
    hd_vec_release(&s->act);
    hd_vec_release(&s->schedule);
    hd_vec_release(&s->pool);
    for (u32 q = 0; q < HD_SEARCH_THREADS; q++)
        hd_vec_release(&s->of_thread[q]);
    hd_map_release(&s->learned);
    free(s);
}

void hd_search_restart(struct hd_search *s) { begin(s); }

const struct hd_search_result *hd_search_result(const struct hd_search *s) { return &s->result; }

/* ---- cost ------------------------------------------------------------------------------- */

u32 hd_search_cost(const struct hd_search *s, const struct hd_node *n, u16 tid)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    return ops->cost && n->o.kind == HD_CHOICE_PICK ? ops->cost(s, n, tid) : 0;
}

u32 hd_search_preempts(const struct hd_search *s, const struct hd_node *n, u16 tid)
{
    return n->from != HD_NO_THREAD && tid != n->from && (n->o.offered & HD_BIT(n->from));
}

u64 hd_search_fresh_all(struct hd_search *s, const struct hd_node *n)
{
    if (n->o.kind == HD_CHOICE_PICK && (n->o.could & ~n->o.offered))
        hd_search_limit(s, HD_LIMIT_FAIR);
    return hd_node_options(n);
}

/* ---- the plan --------------------------------------------------------------------------- */

void hd_search_put(struct hd_search *s, u8 kind, u16 tid)
{
    if (s->choice.n) {
        struct hd_choice *last = hd_vec_last(&s->choice);
        if (last->kind == kind && last->tid == tid) {
            last->count++;
            return;
        }
    }
    *hd_vec_add(&s->choice) = (struct hd_choice){.count = 1, .tid = tid, .kind = kind};
}

void hd_search_put_node(struct hd_search *s, const struct hd_node *n, u16 tid)
{
    if (n->o.kind == HD_CHOICE_PICK && !(n->o.could & HD_BIT(tid)))
        hd_search_put(s, HD_CHOICE_TIMEOUT, tid);
    hd_search_put(s, n->o.kind, tid);
}

/* Of the threads asleep or tried at PICK node k, those that stay asleep when
 * acts a of thread t are carried out there. */
static u64 asleep_after(const struct hd_search *s, const struct hd_node *n, u16 t,
                        const struct hd_act *a, u32 count)
{
    u64 set = 0;
    struct hd_act b[HD_MAX_ACTS];
    HD_EACH_BIT(q, (n->sleep | n->done) & ~HD_BIT(t)) {
        u32 m = hd_trace_next(s, n->step, (u16)q, b);
        if (m && !hd_acts_depend(a, count, b, m))
            set |= HD_BIT(q);
    }
    return set;
}

/* Who sleeps where the plan ends: after the step that node k belongs to. */
static u64 asleep_at_end(const struct hd_search *s, u32 k)
{
    struct hd_act a[HD_MAX_ACTS];
    while (k && s->node.at[k].o.kind == HD_CHOICE_WAKE)
        k--;
    const struct hd_node *n = &s->node.at[k];
    if (n->o.kind != HD_CHOICE_PICK)
        return n->sleep; /* a signal: the step is still to come */
    u32 count = hd_trace_next(s, n->step, n->tid, a);
    return count ? asleep_after(s, n, n->tid, a, count) : 0;
}

/* An alternative of node n to be tried now, or HD_NO_THREAD. */
static u16 alternative(struct hd_search *s, struct hd_node *n)
{
    for (;;) {
        u64 left = n->todo & ~n->done & ~n->sleep;
        if (!left)
            return HD_NO_THREAD;
        u16 t = (u16)__builtin_ctzll(left);
        if (n->cost + hd_search_cost(s, n, t) <= s->bound)
            return t;
        n->done |= HD_BIT(t);
        hd_search_limit(s, HD_LIMIT_BOUND);
    }
}

static bool plan_next(struct hd_search *s)
{
    for (size_t k = s->node.n; k--;) {
        struct hd_node *n = &s->node.at[k];
        u16 t = alternative(s, n);
        if (t == HD_NO_THREAD)
            continue;
        n->tid = t;
        n->done |= HD_BIT(t);
        s->node.n = k + 1;
        hd_vec_clear(&s->choice);
        for (size_t i = 0; i <= k; i++)
            hd_search_put_node(s, &s->node.at[i], s->node.at[i].tid);
        return true;
    }
    return false;
}

bool hd_search_next(struct hd_search *s, struct hd_plan *plan)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    *plan = (struct hd_plan){0};
    if (s->result.is_over)
        return false;
    if (!s->is_started) {
        s->is_started = true;
    } else if (plan_next(s)) {
        plan->asleep = s->sleeps ? asleep_at_end(s, (u32)s->node.n - 1) : 0;
    } else if (!ops->again || !ops->again(s)) {
        s->result.is_over = true;
        s->result.is_complete = !s->result.limits;
        return false;
    }
    plan->choice = s->choice.at;
    plan->n = (u32)s->choice.n;
    return true;
}

/* ---- a run comes back ------------------------------------------------------------------- */

static bool differs(struct hd_search *s, u32 step, u16 tid, u64 expected, u64 met)
{
    if (!(s->result.limits & 1u << HD_LIMIT_CHANCE)) {
        s->result.chance.step = step;
        s->result.chance.tid = tid;
        s->result.chance.expected = expected;
        s->result.chance.met = met;
    }
    hd_search_limit(s, HD_LIMIT_CHANCE);
    return true;
}

/* Did the steps before the last choice of the plan do what they did before? */
static bool does_other_things(struct hd_search *s, const struct hd_trace *t)
{
    u32 last = s->node.n ? s->node.at[s->node.n - 1].step : 0, k = 0;
    for (u32 i = 0; i < t->n_events && k < last && k < s->step.n; i++) {
        const struct hd_event *ev = &t->event[i];
        if (ev->step != k + 1)
            continue;
        const struct hd_search_step *e = &s->step.at[k++];
        if (ev->tid != e->tid || ev->site != e->site || ev->kind != s->act.at[e->act].kind)
            return differs(s, ev->step, ev->tid, 0, 0);
    }
    return false;
}

/* Did the run follow the plan, and could the same threads go on the way? */
static bool has_strayed(struct hd_search *s, const struct hd_trace *t)
{
    u32 at = 0;
    for (size_t i = 0; i < s->choice.n; i++) {
        const struct hd_choice *c = &s->choice.at[i];
        if (c->kind == HD_CHOICE_TIMEOUT)
            continue;
        for (u32 m = 0; m < c->count; m++, at++) {
            struct hd_option none = {.step = at ? t->option[at - 1].step + 1 : 1, .tid = c->tid};
            const struct hd_option *o = at < t->n_options ? &t->option[at] : &none;
            if (o->kind != c->kind || o->tid != c->tid)
                return differs(s, o->step, c->tid, HD_BIT(c->tid % 64),
                               o == &none ? 0 : o->could);
        }
    }
    for (u32 i = 0; i < s->node.n && i < t->n_options; i++) {
        const struct hd_node *n = &s->node.at[i];
        const struct hd_option *o = &t->option[i];
        if (o->could != n->o.could)
            return differs(s, o->step, o->tid, n->o.could, o->could);
    }
    return does_other_things(s, t);
}

static void add_node(struct hd_search *s, const struct hd_option *o, u32 k)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    struct hd_node n = {.o = *o, .tid = o->tid, .from = 0, .done = HD_BIT(o->tid)};
    n.step = o->step - 1;
    if (k) {
        const struct hd_node *before = &s->node.at[k - 1];
        u32 p = k - 1;
        n.cost = before->cost + hd_search_cost(s, before, before->tid);
        while (p && s->node.at[p].o.kind != HD_CHOICE_PICK)
            p--;
        const struct hd_node *pick = &s->node.at[p];
        if (pick->o.kind == HD_CHOICE_PICK) {
            n.from = pick->tid;
            if (s->sleeps && o->kind != HD_CHOICE_WAKE && pick->step < s->step.n) {
                const struct hd_search_step *e = &s->step.at[pick->step];
                n.sleep = asleep_after(s, pick, pick->tid, &s->act.at[e->act], e->n_acts);
            }
        }
    }
    n.is_fixed = k < s->n_fixed;
    n.todo = HD_BIT(o->tid);
    if (!n.is_fixed)
        n.todo |= ops->fresh(s, &n);
    *hd_vec_add(&s->node) = n;
}

/* What the bound does not allow now is put off, if the method goes on to higher
 * bounds. */
static void put_off(struct hd_search *s, u32 from)
{
    s->run_schedule = ~0u;
    for (u32 k = from; k < s->node.n; k++) {
        struct hd_node *n = &s->node.at[k];
        u64 late = 0;
        HD_EACH_BIT(t, n->todo & ~n->done)
            if (n->cost + hd_search_cost(s, n, (u16)t) > s->bound)
                late |= HD_BIT(t);
        if (late)
            hd_later_add(s, k, late);
        s->node.at[k].todo &= ~late;
    }
}

void hd_search_ran(struct hd_search *s, const struct hd_trace *t)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    s->result.runs++;
    s->result.cut += t->is_cut;
    s->result.explored += !t->is_cut;
    bool is_usable = t->n_threads <= HD_SEARCH_THREADS && !t->is_lost;
    if (is_usable && has_strayed(s, t))
        return; /* the branch counts as tried; the path is still that of the run before */
    if (!hd_trace_take(s, t)) { /* nothing to go by; other branches may be shorter */
        s->result.is_over = !s->node.n;
        return;
    }
    u32 first = (u32)s->node.n;
    u32 from = first ? s->node.at[first - 1].step : 0;
    for (u32 i = first; i < t->n_options && t->option[i].tid != HD_NO_THREAD; i++)
        add_node(s, &t->option[i], i);
    s->n_fixed = 0;
    if (ops->again == hd_later_next)
        put_off(s, first);
    if (ops->ran)
        ops->ran(s, from, t);
}
