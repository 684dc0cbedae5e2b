/* pick_map.c: tests by memory-access patterns (MAPTest, ASE 2019).
 *
 * Calls: pairs of operations that were seen to touch the same memory, one of them writing: each
 * pair once in random order, then by how many of the patterns that were targeted in it were
 * reached (ranking of the paper), drawn from the best; with others around them for the state.
 *
 * Schedules: the first runs of a test go by chance. What they accessed says which instances of
 * patterns some schedule could show, happens-before and locks considered
 * (plan/map/map_instance.c); those that no run has shown are the targets of further runs, two
 * attempts each. Calls that cannot form anything new get a few runs only, driven into patterns of
 * three steps that other calls have shown: with other values and in another state they may do
 * harm. So most runs go to tests that differ.
 */
#include "gen/pick.h"

#include <stdlib.h>

#define TRIES 2    /* runs that an instance gets */
#define KEPT 4096  /* instances of one test */
#define DRAWS 64

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

bool hd_gen_pick_map(struct hd_gen *g, struct hd_wire_test *t)
{
    struct hd_gen_map *m = &g->map;
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

u32 hd_gen_map_goals(struct hd_gen *g, struct hd_gen_how *how, u32 n)
{
    struct hd_gen_map *m = &g->map;
    count_reached(g);
    while (m->n_goals < n) {
        struct hd_element *e = &m->goal[m->n_goals];
        if (!draw(g, e))
            break;
        ++*hd_map_ref(&g->tried, hd_gen_map_key(e), 0);
        *hd_vec_add(&m->attempts) = *e;
        if (!goal_of(g, e, &how[m->n_goals].goals))
            continue;
        how[m->n_goals].pattern = e->sub;
        how[m->n_goals++].strategy = "map";
    }
    u32 all = m->n_goals, again = HD_MIN(m->n_again, (u32)HD_GEN_AGAIN);
    for (u32 i = 0; i < again && all < HD_MIN(n, (u32)HD_GEN_AGAIN); i++)
        if (goal_of(g, &m->again[i], &how[all].goals)) {
            how[all].pattern = m->again[i].sub;
            how[all++].strategy = "map";
        }
    m->n_again = 0; /* once */
    return all;
}
