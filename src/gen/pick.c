/* pick.c: which calls are put beside each other.
 *
 *   random   any
 *   covcon   pairs of operations by how rarely they ran at the same time (Choudhary, Lu, Pradel,
 *            ICSE 2017): each pair once, then by max(1, |tried - covered|) * max(1, tried)
 *   map      pairs that touch the same memory, by patterns of accesses that they showed and did
 *            not; runs are driven into those that no run has shown (pick_map.c)
 *   map-random  the same with pairs by chance (the paper's MAPTest-Random)
 */
#include "gen/pick.h"

#include <stdlib.h>

#define BATCH 10 /* pairs that are drawn from */

/* The call, and before it what has to come before it in its thread. */
bool hd_gen_add_whole(struct hd_gen *g, struct hd_wire_test *t, u32 op, u32 thread)
{
    s32 after = g->api->func.at[op].after;
    u32 open = 0;
    for (u32 i = 0; i < t->n && after >= 0; i++)
        if (t->call[i].thread == thread)
            open += t->call[i].op == after ? 1 : t->call[i].op == op && open ? (u32)-1 : 0;
    if (after >= 0 && !open && !hd_gen_add_call(g, t, (u32)after, thread))
        return false;
    return hd_gen_add_call(g, t, op, thread);
}

static u32 any_op(struct hd_gen *g) { return g->op[hd_rng_below(&g->rng, g->n_ops)]; }

static void pick_random(struct hd_gen *g, struct hd_wire_test *t)
{
    u32 threads = g->contract != HD_GEN_SEPARATE && hd_rng_chance(&g->rng, 1, 6) ? 3 : 2;
    for (u32 k = 1; k <= threads; k++) {
        u32 n = 1 + (u32)hd_rng_below(&g->rng, threads == 3 ? 2 : 3);
        for (u32 i = 0; i < n; i++)
            hd_gen_add_whole(g, t, any_op(g), k);
    }
}

/* Calls that wait for others need them: two of them, each in a thread of its own, and one thread
 * with calls that do not wait. False: there are none. */
static bool pick_waiters(struct hd_gen *g, struct hd_wire_test *t)
{
    u32 waits[HD_GEN_OPS], others[HD_GEN_OPS], n_waits = 0, n_others = 0;
    for (u32 i = 0; i < g->n_ops; i++)
        *(g->api->func.at[g->op[i]].is_blocking ? &waits[n_waits++] : &others[n_others++]) =
            g->op[i];
    if (!n_waits || !n_others || g->contract == HD_GEN_SEPARATE)
        return false;
    u32 n = 1 + (u32)hd_rng_below(&g->rng, 3);
    for (u32 k = 1; k <= 2; k++)
        hd_gen_add_whole(g, t, waits[hd_rng_below(&g->rng, n_waits)], k);
    for (u32 k = 0; k < n; k++)
        hd_gen_add_whole(g, t, others[hd_rng_below(&g->rng, n_others)], 3);
    return true;
}

/* ---- pairs
 * --------------------------------------------------------------------------------------- */

struct hd_gen_pair *hd_gen_pair_of(struct hd_gen *g, u32 a, u32 b)
{
    return &g->pair[HD_MIN(a, b) * HD_GEN_OPS + HD_MAX(a, b)];
}

u64 hd_gen_pair_score(struct hd_gen *g, u32 a, u32 b)
{
    const struct hd_gen_pair *p = hd_gen_pair_of(g, a, b);
    u32 apart = p->tried > p->covered ? p->tried - p->covered : p->covered - p->tried;
    return !p->tried ? 0 : (u64)HD_MAX(apart, 1u) * HD_MAX(p->tried, 1u);
}

static int by_score(const void *x, const void *y)
{
    const struct hd_gen_ranked *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    return a->chance < b->chance ? -1 : a->chance > b->chance;
}

const struct hd_gen_ranked *hd_gen_draw_ranked(struct hd_gen *g, struct hd_gen_ranked *list, u32 n)
{
    qsort(list, n, sizeof *list, by_score);
    u32 best = HD_MAX(1u, HD_MIN(n / 2, (u32)BATCH));
    return &list[list[0].score ? hd_rng_below(&g->rng, best) : 0];
}

bool hd_gen_add_pair(struct hd_gen *g, struct hd_wire_test *t, u32 a, u32 b)
{
    bool is_room = true;
    for (u32 k = 0; k < 2; k++) {
        u32 before = (u32)hd_rng_below(&g->rng, 2), behind = (u32)hd_rng_below(&g->rng, 2);
        while (before--)
            hd_gen_add_whole(g, t, any_op(g), k + 1);
        is_room &= hd_gen_add_whole(g, t, k ? b : a, k + 1);
        while (behind--)
            hd_gen_add_whole(g, t, any_op(g), k + 1);
    }
    return is_room;
}

static void pick_covcon(struct hd_gen *g, struct hd_wire_test *t)
{
    u32 n = 0, max = g->n_ops * (g->n_ops + 1) / 2;
    struct hd_gen_ranked *list = calloc(max + 1, sizeof *list);
    HD_ASSERT(list);
    for (u32 i = 0; i < g->n_ops; i++)
        for (u32 k = i; k < g->n_ops; k++)
            list[n++] = (struct hd_gen_ranked){hd_gen_pair_score(g, g->op[i], g->op[k]),
                                               hd_rng_next(&g->rng), g->op[i], g->op[k]};
    const struct hd_gen_ranked *r = hd_gen_draw_ranked(g, list, n);
    hd_gen_add_pair(g, t, r->a, r->b);
    free(list);
}

/* ---- the test
 * --------------------------------------------------------------------------------------- */

static void note_tried(struct hd_gen *g, const struct hd_wire_test *t)
{
    for (u32 i = 0; i < t->n; i++)
        for (u32 k = i + 1; k < t->n; k++)
            if (hd_gen_is_threaded(&t->call[i]) && hd_gen_is_threaded(&t->call[k]) &&
                t->call[i].thread != t->call[k].thread)
                hd_gen_pair_of(g, t->call[i].op, t->call[k].op)->tried++;
}

void hd_gen_pick(struct hd_gen *g, struct hd_wire_test *t)
{
    for (u32 tries = 0;; tries++) {
        const struct hd_gen_prefix *p = &g->prefix[hd_rng_below(&g->rng, g->n_prefixes)];
        hd_gen_begin_test(g, t, p);
        u32 size = t->n;
        g->map.is_aimed = false;
        if (hd_rng_chance(&g->rng, 1, 4) && pick_waiters(g, t))
            ;
        else if (g->o->pick == HD_PICK_COVCON)
            pick_covcon(g, t);
        else if (g->o->pick == HD_PICK_RANDOM || hd_rng_chance(&g->rng, 1, 8) ||
                 !hd_gen_pick_map(g, t)) {
            t->n = (u8)size; /* half of a pair */
            pick_random(g, t);
        }
        if (hd_gen_order_count(t) <= HD_GEN_ORDERS || tries == 20)
            break;
    }
    while (hd_gen_order_count(t) > HD_GEN_ORDERS) /* only if calls need others in front */
        t->n--;
    hd_gen_end_test(g, t);
    note_tried(g, t);
}

void hd_gen_picked(struct hd_gen *g, const struct hd_wire_test *t, const struct hd_gen_outcome *got)
{
    for (u32 i = 0; i < t->n; i++)
        for (u32 k = i + 1; k < t->n; k++) {
            const struct hd_wire_value *x = &got->r.call[i], *y = &got->r.call[k];
            bool is_pair = hd_gen_is_threaded(&t->call[i]) && hd_gen_is_threaded(&t->call[k]) &&
                           t->call[i].thread != t->call[k].thread && x->begin && y->begin;
            if (is_pair && (!x->end || y->begin < x->end) && (!y->end || x->begin < y->end))
                hd_gen_pair_of(g, t->call[i].op, t->call[k].op)->covered++;
        }
}
