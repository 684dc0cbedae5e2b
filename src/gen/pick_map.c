/* pick_map.c: tests by memory-access patterns (MAPTest, ASE 2019).
 *
 * Calls: most tests are made for one pattern of three or four steps (gap.c). The others, and all if
 * nothing is known of gaps: pairs of operations that were seen to touch the same memory, one of them
 * writing: each pair once in random order, then by how many of the patterns that were targeted in it
 * were reached (ranking of the paper), drawn from the best; with others around them for the state.
 *
 * Schedules: the first run of a test is driven into the pattern it was made for; without one, the
 * first runs go by chance. What they accessed says which instances of patterns some schedule could show
 * (plan/map/map_instance.c); those that no run has shown are the targets of a few more, two attempts
 * each. How many runs are driven, and how many go to tests that differ, follows from what both brought.
 */
#include "gen/pick.h"

#include <stdlib.h>

#define TRIES 2    /* runs that an instance gets */
#define KEPT 4096  /* instances of one test */
#define DRAWS 64
#define NESTED 8   /* one of so many tests is of calls with several locks, if there are any */
#define UPDATES 8  /* ... is of calls that restore what another one updates atomically, likewise */
#define RESTORING 2 /* ... so many before the last one: out with it, out with its neighbour, in again */
#define AIMED 4    /* of so many tests all but one are made for a pattern of gap.c */
#define FADE 0.9  /* of what earlier batches brought */
#define LEAST 0.1 /* part of the tests that are driven whatever that brings */

/* ---- which calls -------------------------------------------------------------------------- */

/* Operations that touch a variable, and those that write it: bit sets. */
struct users {
    u64 touch[4], write[4];
};

/* For each operation those that touch what it writes or write what it touches. */
static void find_rivals(struct hd_gen *g, u64 (*rivals)[4])
{
    struct hd_gen_watch *w = &g->watch;
    struct users *var = calloc(w->site.n + 1, sizeof *var); /* by the variable's root */
    HD_ASSERT(var);
    for (u32 i = 0; i < w->site.n; i++) {
        struct users *u = &var[hd_gen_watch_root(w, i)];
        for (u32 k = 0; k < 4; k++) {
            u->touch[k] |= w->site.at[i].ops[k];
            u->write[k] |= w->site.at[i].does & 2 ? w->site.at[i].ops[k] : 0;
        }
    }
    for (u32 i = 0; i < w->site.n; i++)
        for (u32 k = 0; k < g->n_ops && w->site.at[i].up == i; k++)
            for (u32 m = 0; m < 4; m++) {
                if (hd_gen_bit(var[i].touch, g->op[k]))
                    rivals[g->op[k]][m] |= var[i].write[m];
                if (hd_gen_bit(var[i].write, g->op[k]))
                    rivals[g->op[k]][m] |= var[i].touch[m];
            }
    free(var);
}

/* Which pairs touch the same memory, one of them writing; looked at again when something new was
 * seen. */
static void find_conflicts(struct hd_gen *g)
{
    struct hd_gen_map *m = &g->map;
    u64 rivals[HD_GEN_OPS][4] = {{0}};
    if (m->changes == g->watch.changes && m->n_ops == g->n_ops)
        return;
    m->changes = g->watch.changes;
    m->n_ops = g->n_ops;
    m->pairs.n = 0;
    find_rivals(g, rivals);
    for (u32 i = 0; i < g->n_ops; i++)
        for (u32 k = i; k < g->n_ops; k++)
            if (hd_gen_bit(rivals[g->op[i]], g->op[k]))
                *hd_vec_add(&m->pairs) = (struct hd_gen_map_pair){g->op[i], g->op[k]};
}

static u64 score(struct hd_gen *g, const struct hd_gen_map_pair *p)
{
    const struct hd_gen_pair *s = hd_gen_pair_of(g, p->a, p->b);
    u32 missed = s->targets > s->reached ? s->targets - s->reached : 0;
    return !s->tests ? 0 : (u64)HD_MAX(missed, 1u) * s->tests;
}

/* A call as it was seen, but for objects that only some thread has; with the arguments of `args`. */
static bool add_seen(struct hd_gen *g, struct hd_wire_test *t, const struct hd_wire_call *c,
                     const struct hd_wire_call *args, u32 thread)
{
    if (!hd_gen_add_whole(g, t, c->op, thread))
        return false;
    struct hd_wire_call *to = &t->call[t->n - 1];
    memcpy(to->arg, args->arg, sizeof to->arg);
    if (!((c->obj | to->obj) & 0xaa))
        to->obj = c->obj;
    return true;
}

/* Two calls that take locks while they hold others. */
static bool pick_nested(struct hd_gen *g, struct hd_wire_test *t)
{
    u32 list[HD_GEN_OPS], n = 0;
    for (u32 i = 0; i < g->n_ops; i++)
        if (hd_gen_bit(g->watch.nests, g->op[i]))
            list[n++] = g->op[i];
    if (!n || !hd_rng_chance(&g->rng, 1, NESTED))
        return false;
    g->map.pair[0] = list[hd_rng_below(&g->rng, n)];
    g->map.pair[1] = list[hd_rng_below(&g->rng, n)];
    hd_gen_add_pair(g, t, g->map.pair[0], g->map.pair[1]);
    return true;
}

/* The state in which a call was seen to have its part in the pattern. */
static void begin_as_seen(struct hd_wire_test *t, const struct hd_gen_gap *seen)
{
    t->n = 0;
    for (u32 i = 0; i < seen->n_before; i++) {
        t->call[t->n] = seen->before[i];
        t->call[t->n++].thread = HD_WIRE_BEFORE;
    }
}

static void maybe_add(struct hd_gen *g, struct hd_wire_test *t, u32 thread, u32 one_in)
{
    if (hd_rng_chance(&g->rng, 1, one_in))
        hd_gen_add_whole(g, t, g->op[hd_rng_below(&g->rng, g->n_ops)], thread);
}

/* Calls for one pattern (gap.c), with others around them. What no run has shown is looked for in the
 * state and with the arguments in which a call was seen to have its part in it, what some run has
 * shown mostly in another one. */
static bool pick_target(struct hd_gen *g, struct hd_wire_test *t)
{
    struct hd_gen_map *m = &g->map;
    const struct hd_gen_gap *gap = &m->target.gap, *in = &m->target.in;
    if (g->contract == HD_GEN_SEPARATE || !hd_rng_below(&g->rng, AIMED) ||
        !hd_gen_gap_draw(g, NULL, &m->target))
        return false;
    struct hd_wire_test was = *t;
    bool is_seen = m->target.is_again ? hd_rng_chance(&g->rng, 1, 3) : hd_rng_chance(&g->rng, 7, 8);
    if (is_seen)
        begin_as_seen(t, hd_rng_chance(&g->rng, 2, 3) ? gap : in);
    const struct hd_wire_call *args = hd_rng_chance(&g->rng, 1, 2) ? &gap->call : &in->call;
    bool is_room = true;
    for (u32 k = 0; k < 2; k++) {
        const struct hd_wire_call *call = k ? &in->call : &gap->call;
        maybe_add(g, t, k + 1, 4);
        if (is_seen || hd_rng_chance(&g->rng, 1, 2))
            is_room &= add_seen(g, t, call, k ? args : call, k + 1);
        else
            is_room &= hd_gen_add_whole(g, t, call->op, k + 1);
        maybe_add(g, t, k + 1, 2);
    }
    m->pair[0] = gap->call.op;
    m->pair[1] = in->call.op;
    m->is_aimed = is_room;
    hd_gen_pair_of(g, m->pair[0], m->pair[1])->tests++;
    if (!is_room)
        *t = was;
    return is_room;
}

/* A call that reads a variable and then updates it in one step notices if it has changed meanwhile, unless
 * the value has come back (a node that was taken out, freed and put in again): in the gap of such a call
 * several others that write the variable, in a state made of calls that do. */
static bool pick_restoring(struct hd_gen *g, struct hd_wire_test *t)
{
    struct hd_gen_map *m = &g->map;
    u32 writers[HD_GEN_OPS], n, op = 0;
    if (g->contract == HD_GEN_SEPARATE || !hd_rng_chance(&g->rng, 1, UPDATES) || !hd_gen_gap_draw_update(g, &m->target))
        return false;
    struct hd_wire_test was = *t;
    const struct hd_gen_gap *gap = &m->target.gap, *in = &m->target.in;
    bool is_same = hd_rng_chance(&g->rng, 1, 2);
    if (hd_rng_chance(&g->rng, 1, 2))
        hd_gen_begin_test(g, t, NULL);
    n = hd_gen_watch_writers(g, gap->site[1], writers);
    for (u32 k = RESTORING + (u32)hd_rng_below(&g->rng, RESTORING + 1); k > 0 && n; k--) {
        op = op && is_same ? op : 1 + writers[hd_rng_below(&g->rng, n)];
        const struct hd_gen_func *f = &g->api->func.at[op - 1];
        if (!f->is_blocking && f->after < 0)
            hd_gen_add_call(g, t, op - 1, HD_WIRE_BEFORE);
    }
    bool is_room = add_seen(g, t, &gap->call, &gap->call, 1);
    for (u32 k = 0; k < RESTORING && n; k++)
        is_room &= hd_gen_add_whole(g, t, writers[hd_rng_below(&g->rng, n)], 2);
    is_room &= hd_gen_add_whole(g, t, in->call.op, 2);
    m->pair[0] = gap->call.op;
    m->pair[1] = in->call.op;
    m->is_aimed = is_room;
    if (!is_room)
        *t = was;
    return is_room;
}

bool hd_gen_pick_map(struct hd_gen *g, struct hd_wire_test *t)
{
    struct hd_gen_map *m = &g->map;
    if (g->o->pick == HD_PICK_MAP && (pick_nested(g, t) || pick_restoring(g, t) || pick_target(g, t)))
        return true;
    find_conflicts(g);
    u32 n = (u32)m->pairs.n;
    if (!n)
        return false;
    struct hd_gen_ranked *list = calloc(n, sizeof *list);
    HD_ASSERT(list);
    for (u32 i = 0; i < n; i++)
        list[i] = (struct hd_gen_ranked){score(g, &m->pairs.at[i]), hd_rng_next(&g->rng),
                                         m->pairs.at[i].a, m->pairs.at[i].b};
    const struct hd_gen_ranked *r = g->o->pick == HD_PICK_MAP_RANDOM
                                        ? &list[hd_rng_below(&g->rng, n)]
                                        : hd_gen_draw_ranked(g, list, n);
    m->pair[0] = r->a;
    m->pair[1] = r->b;
    free(list);
    hd_gen_pair_of(g, m->pair[0], m->pair[1])->tests++;
    return hd_gen_add_pair(g, t, m->pair[0], m->pair[1]);
}

/* ---- which patterns ----------------------------------------------------------------------- */

u64 hd_gen_map_key(const struct hd_element *e)
{
    u64 h = e->sub;
    for (u32 i = 0; i < e->n; i++)
        h = (h ^ e->site[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return h;
}

static void found(void *self, u32 pattern, const u64 *site, bool is_feasible)
{
    struct hd_gen *g = self;
    struct hd_gen_map *m = &g->map;
    struct hd_element e = {
        .metric = HD_METRIC_map, .sub = (u8)pattern, .n = hd_map_pattern[pattern].n};
    if (!is_feasible || m->open.n >= KEPT)
        return;
    memcpy(e.site, site, e.n * sizeof *site);
    u64 key = hd_gen_map_key(&e);
    if (!hd_map_put(&m->here, key, 1))
        return;
    if (!hd_coverage_has(g->cover->total, &e)) {
        if (hd_map_get_or(&g->tried, key, 0) < TRIES)
            *hd_vec_add(&m->open) = e;
        return;
    }
    u64 at = e.n == 3 ? hd_rng_below(&g->rng, ++m->n_again) : HD_GEN_AGAIN;
    if (m->n_again <= HD_GEN_AGAIN && e.n == 3)
        at = m->n_again - 1;
    if (at < HD_GEN_AGAIN)
        m->again[at] = e;
}

void hd_gen_map_run_ended(struct hd_gen *g)
{
    if (g->map.is_estimating)
        hd_map_run_each(&g->map.run, &g->rng, found, g);
}

void hd_gen_map_begin(struct hd_gen *g)
{
    hd_map_clear(&g->map.here);
    g->map.open.n = g->map.n_goals = g->map.n_again = 0;
    g->map.is_driving = false;
    g->map.covered = hd_coverage_count(g->cover->total, HD_METRIC_map)->covered;
    g->map.runs = g->run.runs;
    g->map.is_estimating = hd_gen_is_driven(g);
}

/* What the last batch targeted: reached? */
static void count_reached(struct hd_gen *g)
{
    struct hd_gen_map *m = &g->map;
    struct hd_gen_pair *p = hd_gen_pair_of(g, m->pair[0], m->pair[1]);
    for (u32 i = 0; i < m->n_goals; i++) {
        bool is = hd_coverage_has(g->cover->total, &m->goal[i]);
        m->targets[m->goal[i].sub]++;
        m->yield[m->goal[i].sub] += is;
        p->targets++;
        p->reached += is;
    }
    m->n_goals = 0;
}

static bool goal_of(struct hd_gen *g, const struct hd_element *e, struct hd_goals *out)
{
    u64 pc[HD_GOAL_EVENTS];
    memset(out, 0, sizeof *out);
    for (u32 i = 0; i < e->n; i++) {
        pc[i] = hd_places_pc(&g->cover->places, &g->run.w.run, e->site[i]);
        if (!pc[i])
            return false;
    }
    hd_map_goal(e->sub, pc, &out->at[0]);
    out->n = 1;
    return true;
}

/* One that is open, patterns by past yield. */
static bool draw(struct hd_gen *g, struct hd_element *out)
{
    struct hd_gen_map *m = &g->map;
    for (u32 k = 0; k < DRAWS && m->open.n; k++) {
        size_t at = hd_rng_below(&g->rng, m->open.n);
        *out = m->open.at[at];
        if (hd_coverage_has(g->cover->total, out) ||
            hd_map_get_or(&g->tried, hd_gen_map_key(out), 0) >= TRIES) {
            hd_vec_del_fast(&m->open, at);
            continue;
        }
        u32 p = out->sub;
        if (k + 1 == DRAWS || hd_rng_chance(&g->rng, 2 + m->yield[p], 2 + m->targets[p]))
            return true;
    }
    return false;
}

/* What the last batch brought, driven or not. */
static void count_gain(struct hd_gen *g)
{
    struct hd_gen_map *m = &g->map;
    u64 covered = hd_coverage_count(g->cover->total, HD_METRIC_map)->covered;
    struct hd_gen_gain *gain = &m->gain[m->is_driving];
    gain->news = gain->news * FADE + (double)(covered - m->covered);
    gain->runs = gain->runs * FADE + (double)(g->run.runs - m->runs);
    m->covered = covered;
    m->runs = g->run.runs;
}

/* By chance, as the two ways compare; each gets some part. */
static bool is_worth_driving(struct hd_gen *g)
{
    double rate[2];
    for (u32 i = 0; i < 2; i++)
        rate[i] = (g->map.gain[i].news + 1) / (g->map.gain[i].runs + 1);
    double part = rate[1] / (rate[0] + rate[1]);
    return hd_rng_chance(&g->rng, (u32)(HD_MAX(part, LEAST) * 1024), 1024);
}

/* One more goal of the batch. False: its code is not loaded. */
static bool add_goal(struct hd_gen *g, struct hd_gen_how *how, const struct hd_element *e)
{
    struct hd_gen_map *m = &g->map;
    ++*hd_map_ref(&g->tried, hd_gen_map_key(e), 0);
    *hd_vec_add(&m->attempts) = *e;
    if (!goal_of(g, e, &how->goals))
        return false;
    how->pattern = e->sub;
    how->strategy = "map";
    m->goal[m->n_goals++] = *e;
    return true;
}

/* The gap is in the first thread (pick_target): both may make the same calls. */
static void bind_threads(const struct hd_gen *g, struct hd_goal *goal)
{
    for (u32 i = 0; i < goal->n && g->watch.first_tid; i++)
        goal->event[i].tid = (u16)(g->watch.first_tid + goal->event[i].role);
}

u32 hd_gen_map_first_goals(struct hd_gen *g, struct hd_gen_how *how, u32 n)
{
    struct hd_gen_map *m = &g->map;
    struct hd_gen_target more = m->target;
    u32 at = 0;
    while (m->is_aimed && at < n) {
        bool is_first = !at;
        at += add_goal(g, &how[at], &more.is);
        if (is_first && at)
            bind_threads(g, &how[0].goals.at[0]);
        if (!hd_gen_gap_draw(g, m->pair, &more))
            break;
    }
    return at;
}

u32 hd_gen_map_goals(struct hd_gen *g, struct hd_gen_how *how, u32 n)
{
    struct hd_gen_map *m = &g->map;
    count_reached(g);
    count_gain(g);
    if (!is_worth_driving(g))
        return 0;
    m->is_driving = true;
    for (struct hd_element e; m->n_goals < n && draw(g, &e);)
        add_goal(g, &how[m->n_goals], &e);
    u32 all = m->n_goals, again = HD_MIN(m->n_again, (u32)HD_GEN_AGAIN);
    for (u32 i = 0; i < again && all < HD_MIN(n, (u32)HD_GEN_AGAIN); i++)
        if (goal_of(g, &m->again[i], &how[all].goals)) {
            how[all].pattern = m->again[i].sub;
            how[all++].strategy = "map";
        }
    m->n_again = 0; /* once */
    return all;
}
