/* gen_pick_rig.h: a library of six operations for tests of src/gen/pick.c and pick_map.c.
 *
 * Counts are accepted within five standard deviations of their mean, which a right one misses in
 * fewer than one of a million tests; the seeds are fixed. With this many draws 1/8 and 1/6 are told
 * apart. */
#ifndef GEN_PICK_RIG_H
#define GEN_PICK_RIG_H

#include "gen/pick.h"

#define DRAWS 12000
enum { OPS = 6 };
enum { READ = 1, WRITE = 2 };

static struct hd_gen *g;
static struct hd_gen_opts opts;
static struct hd_gen_func funcs[OPS];
static struct hd_api api;
static struct hd_cover cover;
static struct hd_coverage total;
static struct hd_gen_call_log *l;

static inline int setup(void **state)
{
    g = calloc(1, sizeof *g);
    l = calloc(1, sizeof *l);
    g->pair = calloc((size_t)HD_GEN_OPS * HD_GEN_OPS, sizeof *g->pair);
    memset(&opts, 0, sizeof opts);
    memset(funcs, 0, sizeof funcs);
    memset(&cover, 0, sizeof cover);
    api = (struct hd_api){.func = {.at = funcs, .n = OPS, .cap = OPS}};
    hd_coverage_init(&total, &(struct hd_observe_config){.metrics = 1u << HD_METRIC_map});
    cover.total = &total;
    g->api = &api;
    g->o = &opts;
    g->cover = &cover;
    g->rng = hd_rng_make(1, 0, 0);
    g->n_prefixes = 1;
    g->contract = HD_GEN_THREAD_SAFE;
    for (u32 i = 0; i < OPS; i++) {
        funcs[i] = (struct hd_gen_func){.role = HD_GEN_OPERATION, .after = -1};
        g->op[g->n_ops++] = i;
    }
    return 0;
}

static inline int teardown(void **state)
{
    hd_gen_gaps_release(&g->gaps);
    hd_vec_release(&g->watch.site);
    hd_vec_release(&g->map.pairs);
    hd_vec_release(&g->map.open);
    hd_vec_release(&g->map.attempts);
    hd_map_release(&g->map.here);
    hd_map_release(&g->tried);
    hd_places_release(&cover.places);
    hd_coverage_release(&total);
    free(g->pair);
    free(g);
    free(l);
    return 0;
}

static inline void assert_near(double got, double mean, double variance)
{
    if ((got - mean) * (got - mean) > 25 * variance)
        fail_msg("%g, not near %g", got, mean);
}

static inline void assert_share(u32 got, double share, u32 of)
{
    assert_near(got, of * share, of * share * (1 - share));
}

/* A site of a variable (the first site of it stands for it), and the operations that come there. */
static inline void site(u32 var, u8 does, u64 ops)
{
    u32 i = (u32)g->watch.site.n;
    *hd_vec_add(&g->watch.site) =
        (struct hd_gen_site){.id = 100 + i, .up = var, .does = does, .ops = {ops}};
    g->watch.changes++;
}

/* Operations 0, 1 and 5 read X, 2 writes it; 3 reads Y, 4 writes Z: who meets on X are 0-2, 1-2,
 * 2-2, 2-5; and 4-4 on Z. */
static inline void some_memory(void)
{
    site(0, READ, 1 << 0 | 1 << 1 | 1 << 5);
    site(0, WRITE, 1 << 2);
    site(2, READ, 1 << 3);
    site(3, WRITE, 1 << 4);
}

static inline u32 calls_of(const struct hd_wire_test *t, u32 thread)
{
    u32 n = 0;
    for (u32 i = 0; i < t->n; i++)
        n += t->call[i].thread == thread;
    return n;
}

static inline bool calls(const struct hd_wire_test *t, u32 thread, u32 op)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->call[i].thread == thread && t->call[i].op == op)
            return true;
    return false;
}

static inline u32 pair_bit(u32 a, u32 b) { return 1u << (HD_MIN(a, b) * OPS + HD_MAX(a, b)); }

#endif
