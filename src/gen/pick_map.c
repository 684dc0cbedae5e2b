/* pick_map.c: instances of memory-access patterns that no run has shown, from the sites that
 * operations were seen to read and write with; and the calls that can form them. An instance
 * is drawn, not enumerated: there can be millions. See pick.c. */
#include "gen/pick.h"

#include "plan/map/map_pattern.h"

#define DRAWS 200 /* attempts to find one */
#define TRIES 2   /* runs that an instance gets */

struct instance {
    u32 pattern;
    u32 site[HD_GOAL_EVENTS]; /* index in the watch */
    struct hd_element element;
};

/* Sites by what they do, of one variable: drawn by reservoir. `of`: operations that may do it,
 * NULL = all. */
static s32 draw_site(struct hd_gen *g, u32 root, bool is_write, const u64 *of)
{
    struct hd_gen_watch *w = &g->watch;
    s32 found = -1;
    u32 n = 0;
    for (u32 i = 0; i < w->site.n; i++) {
        const struct hd_gen_site *s = &w->site.at[i];
        bool is_of = !of;
        for (u32 k = 0; k < 4 && of; k++)
            is_of |= (s->ops[k] & of[k]) != 0;
        if (is_of && s->does & (is_write ? 2 : 1) && hd_gen_watch_root(w, i) == root &&
            !hd_rng_below(&g->rng, ++n))
            found = (s32)i;
    }
    return found;
}

/* A variable that somebody writes. */
static s32 draw_variable(struct hd_gen *g)
{
    s32 found = -1;
    u32 n = 0;
    for (u32 i = 0; i < g->watch.site.n; i++)
        if (g->watch.site.at[i].does & 2 && !hd_rng_below(&g->rng, ++n))
            found = (s32)hd_gen_watch_root(&g->watch, i);
    return found;
}

/* By past yield, each with a floor. */
static u32 draw_pattern(struct hd_gen *g)
{
    u64 sum = 0;
    for (u32 p = 1; p <= HD_MAP_PATTERNS; p++)
        sum += 4 + HD_MIN(g->yield[p], 60u);
    u64 at = hd_rng_below(&g->rng, sum);
    for (u32 p = 1; p <= HD_MAP_PATTERNS; p++) {
        u64 weight = 4 + HD_MIN(g->yield[p], 60u);
        if (at < weight)
            return p;
        at -= weight;
    }
    return 3;
}

static u64 key_of(const struct instance *in)
{
    u64 h = in->pattern;
    for (u32 i = 0; i < in->element.n; i++)
        h = (h ^ in->element.site[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return h;
}

static bool draw(struct hd_gen *g, const u64 *ops_a, const u64 *ops_b, struct instance *in)
{
    in->pattern = draw_pattern(g);
    const struct hd_map_pattern *p = &hd_map_pattern[in->pattern];
    s32 var[2] = {draw_variable(g), p->n_vars > 1 ? draw_variable(g) : -1};
    if (var[0] < 0 || (p->n_vars > 1 && (var[1] < 0 || var[1] == var[0])))
        return false;
    in->element = (struct hd_element){.metric = HD_METRIC_map, .sub = (u8)in->pattern, .n = p->n};
    for (u32 i = 0; i < p->n; i++) {
        s32 s = draw_site(g, (u32)var[p->step[i].var], p->step[i].is_write,
                          p->step[i].role ? ops_b : ops_a);
        if (s < 0)
            return false;
        in->site[i] = (u32)s;
        in->element.site[i] = g->watch.site.at[s].id;
    }
    return !hd_coverage_has(g->cover->total, &in->element) &&
           hd_map_get_or(&g->tried, key_of(in), 0) < TRIES;
}

/* ---- calls for an instance
 * -------------------------------------------------------------------------- */

/* An operation with that site, by its rank beside `other`; ties by chance. */
static s32 op_with(struct hd_gen *g, u32 site, s32 other)
{
    const struct hd_gen_site *s = &g->watch.site.at[site];
    s32 best = -1;
    u64 least = UINT64_MAX;
    u32 n = 0;
    for (u32 i = 0; i < g->n_ops; i++) {
        if (!hd_gen_bit(s->ops, g->op[i]))
            continue;
        u64 score = other >= 0 ? hd_gen_pair_score(g, g->op[i], (u32)other) : 0;
        if (score < least) {
            least = score;
            n = 0;
        }
        if (score == least && !hd_rng_below(&g->rng, ++n))
            best = (s32)g->op[i];
    }
    return best;
}

bool hd_gen_pick_map(struct hd_gen *g, struct hd_wire_test *t)
{
    struct instance in;
    u32 k = 0;
    while (k < DRAWS && !draw(g, NULL, NULL, &in))
        k++;
    if (k == DRAWS)
        return false;
    const struct hd_map_pattern *p = &hd_map_pattern[in.pattern];
    s32 last[2] = {-1, -1};
    for (u32 role = 0; role < 2; role++)
        for (u32 i = 0; i < p->n; i++) {
            if (p->step[i].role != role)
                continue;
            /* One call can do several of a thread's steps. */
            if (last[role] >= 0 && hd_gen_bit(g->watch.site.at[in.site[i]].ops, (u32)last[role]) &&
                hd_rng_chance(&g->rng, 3, 4))
                continue;
            s32 op = op_with(g, in.site[i], last[!role]);
            if (op < 0 || !hd_gen_add_whole(g, t, (u32)op, role + 1))
                return false;
            last[role] = op;
        }
    return last[0] >= 0 && last[1] >= 0;
}

/* ---- goals for the runs of a test
 * ----------------------------------------------------------------------- */

static bool goal_of(struct hd_gen *g, const struct instance *in, struct hd_goals *out)
{
    u64 pc[HD_GOAL_EVENTS];
    memset(out, 0, sizeof *out);
    for (u32 i = 0; i < in->element.n; i++) {
        pc[i] = hd_places_pc(&g->cover->places, &g->run.w.run, in->element.site[i]);
        if (!pc[i])
            return false;
    }
    hd_map_goal(in->pattern, pc, &out->at[0]);
    out->n = 1;
    return true;
}

void hd_gen_map_goals(struct hd_gen *g, const struct hd_wire_test *t, struct hd_gen_how *how, u32 n)
{
    u64 ops[2][4] = {{0}};
    for (u32 i = 0; i < t->n; i++)
        if (t->call[i].thread == 1 || t->call[i].thread == 2)
            hd_gen_bit_set(ops[t->call[i].thread - 1], t->call[i].op);
    for (u32 i = 0, draws = 0; i + 2 < n && draws < DRAWS; draws++) {
        struct instance in;
        u32 a = (u32)hd_rng_below(&g->rng, 2);
        if (!draw(g, ops[a], ops[!a], &in) || !goal_of(g, &in, &how[i].goals))
            continue;
        ++*hd_map_ref(&g->tried, key_of(&in), 0);
        how[i++].strategy = "map";
    }
}
