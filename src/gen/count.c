/* count.c: what campaigns are compared by (bench/papers/map_*.sh). */
#include "gen/gen.h"

static bool has_all(const u64 *of, const u64 *in)
{
    for (u32 i = 0; i < 4; i++)
        if (of[i] & ~in[i])
            return false;
    return true;
}

/* Nobody makes these tests small, so a failure counts as a known one if its calls have all
 * those of the known one, and takes its place if it is the other way round. */
void hd_gen_count_failure(struct hd_gen *g, const struct hd_wire_test *t, u32 kind)
{
    struct hd_gen_cause new = {.kind = kind};
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_threaded(&t->call[i]))
            hd_gen_bit_set(new.ops, t->call[i].op);
    for (size_t i = g->causes.n; i-- > 0;) {
        const struct hd_gen_cause *known = &g->causes.at[i];
        if (known->kind == kind && has_all(known->ops, new.ops))
            return;
        if (known->kind == kind && has_all(new.ops, known->ops))
            hd_vec_del_fast(&g->causes, i);
    }
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
