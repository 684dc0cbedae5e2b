/* count.c: what campaigns are compared by (bench/papers/map_*.sh). */
#include "gen/gen.h"

#include <string.h>

/* The operations at which a failure shows: the first whose result no order gives, or those that
 * were under way. */
static void where(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong wrong,
                  const struct hd_gen_outcome *got, u64 *ops)
{
    const struct hd_gen_outcome *near = hd_gen_nearest(g->api, t, &g->orders, got);
    u32 first = near ? hd_gen_difference(g->api, t, &g->orders, near, got) : t->n;
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_value *v = &got->r.call[i];
        if (wrong == HD_GEN_WRONG_RESULT ? i == first : v->begin && !v->end)
            hd_gen_bit_set(ops, t->call[i].op);
    }
}

/* Two failures are one if their kind is, and they show at the same operations. The paper counts by
 * kind of exception and instruction. */
void hd_gen_count_failure(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong wrong,
                          const struct hd_gen_outcome *got)
{
    struct hd_gen_cause new = {.kind = (u32)wrong << 8 | got->verdict};
    where(g, t, wrong, got, new.ops);
    g->result->by_pattern[g->map.pattern]++;
    for (size_t i = 0; i < g->causes.n; i++)
        if (g->causes.at[i].kind == new.kind &&
            !memcmp(g->causes.at[i].ops, new.ops, sizeof new.ops))
            return;
    *hd_vec_add(&g->causes) = new;
}

u32 hd_gen_count_pairs(const struct hd_gen *g)
{
    u32 n = 0;
    for (u32 i = 0; i < HD_GEN_OPS * HD_GEN_OPS; i++)
        n += g->pair[i].covered > 0;
    return n;
}

void hd_gen_count_point(struct hd_gen *g)
{
    struct hd_gen_result *r = g->result;
    u64 due = g->o->runs ? HD_MIN(g->run.runs * HD_GEN_CURVE / g->o->runs, (u64)HD_GEN_CURVE) : 0;
    while (r->n_curve < due)
        r->curve[r->n_curve++] = (struct hd_gen_point){
            .runs = g->run.runs,
            .tests = r->tests,
            .patterns = hd_coverage_count(g->cover->total, HD_METRIC_map)->covered,
            .pairs = hd_gen_count_pairs(g),
            .causes = (u32)g->causes.n};
}
