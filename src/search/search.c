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
        [HD_LIMIT_DEATH] = "the process that makes the runs died in some of them",
        [HD_LIMIT_GUIDED] = "orders of statements tested before were left out",
    };
    return limit < HD_LIMIT_COUNT ? text[limit] : "?";
}

/* ---- lifecycle -------------------------------------------------------------------------- */

static void begin(struct hd_search *s)
{
    hd_branch_drop_all(s);
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
    hd_branch_release_all(s);
    hd_later_clear(s);
    hd_vec_release(&s->schedule);
    hd_vec_release(&s->pool);
    hd_map_release(&s->met);
    hd_map_release(&s->learned);
    hd_map_release(&s->given);
    free(s);
}

void hd_search_restart(struct hd_search *s) { begin(s); }

bool hd_search_is_guided_only(const struct hd_search *s)
{
    return s->opts.guided_only && s->opts.method->ops->learns;
}

void hd_search_go_on(struct hd_search *s)
{
    s->opts.guided_only = false;
    s->result.is_over = s->result.is_complete = false;
}

const struct hd_search_result *hd_search_result(const struct hd_search *s) { return &s->result; }

/* ---- cost ------------------------------------------------------------------------------- */

u32 hd_search_cost(const struct hd_search *s, const struct hd_node *n, u16 tid)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    return ops->cost && n->o.kind == HD_CHOICE_PICK ? ops->cost(s, n, tid) : 0;
}

u32 hd_search_preempts(const struct hd_search *s, const struct hd_node *n, u16 tid)
{
    return n->from != HD_NO_THREAD && tid != n->from && (n->o.candidates & HD_BIT(n->from));
}

u64 hd_search_fresh_all(struct hd_search *s, const struct hd_node *n)
{
    if (n->o.kind == HD_CHOICE_PICK && (n->o.could & ~n->o.candidates))
        hd_search_limit(s, HD_LIMIT_FAIR);
    return hd_node_options(n);
}

/* ---- the plan --------------------------------------------------------------------------- */

void hd_search_put(struct hd_branch *s, u8 kind, u16 tid)
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

void hd_search_put_node(struct hd_branch *s, const struct hd_node *n, u16 tid)
{
    if (n->o.kind == HD_CHOICE_PICK && !(n->o.could & HD_BIT(tid)))
        hd_search_put(s, HD_CHOICE_TIMEOUT, tid);
    hd_search_put(s, n->o.kind, tid);
}

/* Of the threads asleep or tried before at PICK node k, those that stay asleep when
 * acts a of thread t are carried out there. */
static u64 asleep_after(const struct hd_branch *s, const struct hd_node *n, u16 t,
                        const struct hd_act *a, u32 count)
{
    u64 set = 0;
    struct hd_act b[HD_MAX_ACTS];
    HD_EACH_BIT(q, (n->sleep | n->before) & ~HD_BIT(t)) {
        u32 m = hd_trace_next(s, n->step, (u16)q, b);
        if (m && !hd_acts_depend(a, count, b, m))
            set |= HD_BIT(q);
    }
    return set;
}

u64 hd_search_asleep(const struct hd_branch *s, u32 k)
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

u16 hd_search_alternative(struct hd_search *s, struct hd_node *n)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    for (;;) {
        u64 left = n->todo & ~n->done & ~n->sleep;
        if (!left || (ops->is_wanted && !ops->is_wanted(s, n)))
            return HD_NO_THREAD;
        u16 t = (u16)__builtin_ctzll(left);
        if (n->cost + hd_search_cost(s, n, t) <= s->bound)
            return t;
        n->done |= HD_BIT(t);
        hd_search_limit(s, HD_LIMIT_BOUND);
    }
}

/* The path as a plan. */
static void put_path(struct hd_branch *b)
{
    hd_vec_clear(&b->choice);
    for (size_t i = 0; i < b->node.n; i++)
        hd_search_put_node(b, &b->node.at[i], b->node.at[i].tid);
}

static bool plan_next(struct hd_search *s, struct hd_branch *b)
{
    u32 floor = hd_branch_floor(s, b);
    for (size_t k = b->node.n; k-- > floor;) {
        struct hd_node *n = &b->node.at[k];
        u16 t = hd_search_alternative(s, n);
        if (t == HD_NO_THREAD)
            continue;
        n->tid = t;
        n->before = n->done;
        n->done |= HD_BIT(t);
        b->node.n = k + 1;
        put_path(b);
        b->asleep = s->sleeps ? hd_search_asleep(b, (u32)k) : 0;
        return true;
    }
    return false;
}

/* Its path is what was saved: once more, for its steps. The last node is left as it
 * was first met. */
static void plan_again(struct hd_branch *b)
{
    struct hd_node *last = hd_vec_last(&b->node);
    last->tid = last->o.tid;
    put_path(b);
    b->asleep = 0;
}

/* A branch that has something to run, NULL = none. Those that are done are dropped,
 * which may let others go on. */
static struct hd_branch *find_work(struct hd_search *s)
{
    for (bool is_again = true; is_again;) {
        is_again = false;
        for (size_t i = s->branch.n; i--;) {
            struct hd_branch *b = s->branch.at[i];
            if (b->is_under_way)
                continue;
            if (b->is_stale)
                plan_again(b);
            if (b->is_stale || b->is_new || plan_next(s, b))
                return b;
            if (hd_branch_has_children(s, b))
                continue;
            hd_branch_drop(s, b);
            is_again = true;
        }
    }
    return NULL;
}

static struct hd_branch *start_again(struct hd_search *s)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    bool is_last = !s->branch.n;
    if (!ops->again)
        return NULL;
    struct hd_branch *b = hd_branch_add(s);
    if (ops->again(s, b, is_last))
        return b;
    hd_branch_drop(s, b);
    return NULL;
}

enum hd_next hd_search_next_at(struct hd_search *s, u32 slot, struct hd_plan *plan)
{
    struct hd_branch *b = NULL;
    HD_ASSERT(slot < HD_SEARCH_SLOTS && !s->slot[slot]);
    *plan = (struct hd_plan){0};
    if (s->result.is_over)
        return HD_NEXT_OVER;
    if (!s->is_started) {
        s->is_started = true;
        b = hd_branch_add(s);
    } else {
        b = find_work(s);
        if (!b)
            b = start_again(s);
        if (!b)
            b = hd_branch_split(s);
    }
    if (!b && s->branch.n)
        return HD_NEXT_WAIT;
    if (!b) {
        s->result.is_over = true;
        s->result.is_complete = !s->result.limits;
        return HD_NEXT_OVER;
    }
    b->is_under_way = true;
    b->is_new = false;
    s->slot[slot] = b;
    plan->choice = b->choice.at;
    plan->n = (u32)b->choice.n;
    plan->asleep = b->asleep;
    return HD_NEXT_RUN;
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
static bool does_other_things(struct hd_branch *s, const struct hd_trace *t)
{
    u32 last = s->node.n ? s->node.at[s->node.n - 1].step : 0, k = 0;
    for (u32 i = 0; i < t->n_events && k < last && k < s->step.n; i++) {
        const struct hd_event *ev = &t->event[i];
        if (ev->step != k + 1)
            continue;
        const struct hd_search_step *e = &s->step.at[k++];
        if (ev->tid != e->tid || ev->site != e->site || ev->kind != s->act.at[e->act].kind)
            return differs(s->of, ev->step, ev->tid, 0, 0);
    }
    return false;
}

/* Did the run follow the plan, and could the same threads go on the way? */
static bool has_strayed(struct hd_branch *s, const struct hd_trace *t)
{
    u32 at = 0;
    for (size_t i = 0; i < s->choice.n; i++) {
        const struct hd_choice *c = &s->choice.at[i];
        if (c->kind == HD_CHOICE_TIMEOUT)
            continue;
        for (u32 m = 0; m < c->count; m++, at++) {
            struct hd_option none = {.step = at ? t->option[at - 1].step + 1 : 1, .tid = c->tid};
            const struct hd_option *o = at < t->n_options ? &t->option[at] : &none;
            if (o == &none && t->is_partial) { /* it did not get there in time */
                hd_search_limit(s->of, HD_LIMIT_STEPS);
                return true;
            }
            if (o->kind != c->kind || o->tid != c->tid)
                return differs(s->of, o->step, c->tid, HD_BIT(c->tid % 64),
                               o == &none ? 0 : o->could);
        }
    }
    for (u32 i = 0; i < s->node.n && i < t->n_options; i++) {
        const struct hd_node *n = &s->node.at[i];
        const struct hd_option *o = &t->option[i];
        if (o->could != n->o.could)
            return differs(s->of, o->step, o->tid, n->o.could, o->could);
    }
    return does_other_things(s, t);
}

static void add_node(struct hd_branch *b, const struct hd_option *o, u32 k)
{
    struct hd_search *s = b->of;
    struct hd_node n = {.o = *o, .tid = o->tid, .from = 0, .done = HD_BIT(o->tid)};
    n.step = o->step - 1;
    if (k) {
        const struct hd_node *before = &b->node.at[k - 1];
        u32 p = k - 1;
        n.cost = before->cost + hd_search_cost(s, before, before->tid);
        while (p && b->node.at[p].o.kind != HD_CHOICE_PICK)
            p--;
        const struct hd_node *pick = &b->node.at[p];
        if (pick->o.kind == HD_CHOICE_PICK) {
            n.from = pick->tid;
            if (s->sleeps && o->kind != HD_CHOICE_WAKE && pick->step < b->step.n) {
                const struct hd_search_step *e = &b->step.at[pick->step];
                n.sleep = asleep_after(b, pick, pick->tid, &b->act.at[e->act], e->n_acts);
            }
        }
    }
    n.is_fixed = k < b->n_fixed;
    n.todo = HD_BIT(o->tid);
    if (!n.is_fixed)
        n.todo |= s->opts.method->ops->fresh(s, &n);
    *hd_vec_add(&b->node) = n;
}

/* What the bound does not allow now is deferred, if the method goes on to higher
 * bounds. */
static void defer(struct hd_branch *b, u32 from)
{
    struct hd_search *s = b->of;
    b->run_schedule = ~0u;
    for (u32 k = from; k < b->node.n; k++) {
        struct hd_node *n = &b->node.at[k];
        u64 late = 0;
        HD_EACH_BIT(t, n->todo & ~n->done)
            if (n->cost + hd_search_cost(s, n, (u16)t) > s->bound)
                late |= HD_BIT(t);
        if (late)
            hd_later_add(b, k, late);
        b->node.at[k].todo &= ~late;
    }
}

/* The run joins the path. */
static void add_run(struct hd_search *s, struct hd_branch *b, const struct hd_trace *t)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    bool is_usable = t->n_threads <= HD_SEARCH_THREADS && !t->is_lost;
    if (is_usable && has_strayed(b, t))
        return; /* the branch counts as tried; the path is still that of the run before */
    if (!hd_trace_take(b, t)) { /* nothing to go by; other branches may be shorter */
        s->result.is_over = !b->node.n && s->branch.n == 1;
        return;
    }
    u32 first = (u32)b->node.n;
    u32 from = first ? b->node.at[first - 1].step : 0;
    for (u32 i = first; i < t->n_options && t->option[i].tid != HD_NO_THREAD; i++)
        add_node(b, &t->option[i], i);
    b->n_fixed = 0;
    b->n_before = first;
    if (ops->ran)
        ops->ran(b, from, t);
    if (ops->again == hd_later_next)
        defer(b, first);
}

void hd_search_ran_at(struct hd_search *s, u32 slot, const struct hd_trace *t)
{
    struct hd_branch *b = s->slot[slot];
    if (!b)
        return; /* the search has begun again meanwhile */
    s->slot[slot] = NULL;
    b->is_under_way = b->is_deferred = false;
    if (b->is_stale) {
        b->is_stale = false;
        if (t && !has_strayed(b, t))
            hd_trace_take(b, t);
        return;
    }
    s->result.runs++;
    if (!t) {
        hd_search_limit(s, HD_LIMIT_DEATH);
        return;
    }
    s->result.cut += t->is_cut;
    s->result.explored += !t->is_cut;
    add_run(s, b, t);
}

size_t hd_search_bytes(const struct hd_search *s)
{
    size_t n = hd_later_bytes(s) + s->learned.n * sizeof(u64);
    for (size_t i = 0; i < s->branch.n; i++)
        n += s->branch.at[i]->node.n * sizeof(struct hd_node);
    return n;
}
