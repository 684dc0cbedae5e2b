/* gap.c: gaps of operations: two accesses of one call between which another thread may come, since no
 * lock is held all the time. A call in which there is none is atomic as far as its locks go; so it is
 * between these two that calls of other threads do harm, and patterns of three and four steps
 * (MAPTest, ASE 2019) are what can happen there. All that is known before any run with threads: what
 * each call does is observed when nothing else runs.
 *
 *   event, call_ended   from watch.c: the accesses of a call, with locks
 *   draw                a pattern that no run has shown, the two operations that can form it, and the
 *                       state and the arguments in which the first was seen to have the gap. If there
 *                       is none, one that was shown: in another state it may do harm
 *   draw_update         a gap that ends with an atomic update of what was read at its beginning
 */
#include "gen/pick.h"

#include <stdlib.h>

#define MOST 16384  /* pairs of accesses that are kept, */
#define MOST_OP 1024 /* ... of one operation */
#define NEAR 32     /* accesses that a pair is apart at most */
#define DRAWS 256
#define TRIES 2 /* runs that an instance gets */

/* ---- what calls do ------------------------------------------------------------------------- */

void hd_gen_gap_event(struct hd_gen_call_log *l, u32 site, u64 addr, u8 does)
{
    struct hd_gen_access a = {.site = site, .addr = addr & ~7ull, .does = does, .n_held = l->n_held};
    memcpy(a.held, l->held, sizeof a.held);
    for (u32 i = 0; i < l->n; i++)
        if (l->at[i].site == site && l->at[i].addr == a.addr && l->at[i].does == does &&
            l->at[i].n_held == a.n_held && !memcmp(l->at[i].held, a.held, a.n_held * sizeof *a.held))
            return; /* a loop */
    if (l->n < HD_GEN_CALL_LOG)
        l->at[l->n++] = a;
}

void hd_gen_gap_lock(struct hd_gen_call_log *l, u64 lock, bool is_taken)
{
    if (is_taken && l->n_held < HD_GEN_HELD) {
        l->lock[l->n_held] = lock;
        l->held[l->n_held++] = ++l->acquired;
        return;
    }
    for (u32 i = l->n_held; i-- > 0 && !is_taken;)
        if (l->lock[i] == lock) {
            l->n_held--;
            memmove(&l->lock[i], &l->lock[i + 1], (l->n_held - i) * sizeof *l->lock);
            memmove(&l->held[i], &l->held[i + 1], (l->n_held - i) * sizeof *l->held);
            return;
        }
}

/* Is one lock held from p to q? */
static bool is_held(const struct hd_gen_access *p, const struct hd_gen_access *q)
{
    for (u32 i = 0; i < p->n_held; i++)
        for (u32 k = 0; k < q->n_held; k++)
            if (p->held[i] == q->held[k])
                return true;
    return false;
}

static void add(struct hd_gen *g, const struct hd_wire_test *t, u32 call, const struct hd_gen_access *p,
                const struct hd_gen_access *q)
{
    u32 op = t->call[call].op;
    bool is_one = p->addr == q->addr;
    struct hd_gen_op_gaps *own = &g->gaps.of[op];
    u64 key = ((u64)op << 56 | (u64)is_one << 55 | (u64)is_held(p, q) << 54 | (u64)(p == q) << 53) ^
              ((u64)p->site << 26 | q->site);
    if (g->gaps.all.n >= MOST || own->all.n >= MOST_OP || !hd_map_put(&g->gaps.known, key, 1))
        return;
    struct hd_gen_gap *gap = hd_vec_add(&g->gaps.all);
    *gap = (struct hd_gen_gap){.site = {p->site, q->site}, .does = {p->does, q->does}, .is_one = is_one,
                               .is_single = p == q, .is_held = is_held(p, q),
                               .is_bare = {!p->n_held, !q->n_held}, .call = t->call[call]};
    for (u32 i = 0; i < call; i++)
        gap->before[gap->n_before++] = t->call[i];
    *hd_vec_add(&own->all) = (u32)(g->gaps.all.n - 1);
    if (p != q && !gap->is_held)
        *hd_vec_add(&own->free) = (u32)(g->gaps.all.n - 1);
}

void hd_gen_gap_call_ended(struct hd_gen *g, const struct hd_wire_test *t, u32 call,
                           const struct hd_gen_call_log *l)
{
    if (t->threads > 1 || call >= HD_GEN_BEFORE)
        return;
    for (u32 i = 0; i < l->n; i++)
        for (u32 k = i; k < l->n && k <= i + NEAR; k++)
            add(g, t, call, &l->at[i], &l->at[k]);
}

/* ---- a pattern to target -------------------------------------------------------------------- */

static u32 root(struct hd_gen *g, u32 site) { return hd_gen_watch_root(&g->watch, site); }

static bool fits(const struct hd_map_pattern *p, u32 step, u8 does)
{
    return does & (p->step[step].is_write ? 2 : 1);
}

static void set(struct hd_gen *g, struct hd_element *e, u32 pattern, const u32 *site)
{
    *e = (struct hd_element){.metric = HD_METRIC_map, .sub = (u8)pattern, .n = hd_map_pattern[pattern].n};
    for (u32 i = 0; i < e->n; i++)
        e->site[i] = g->watch.site.at[site[i]].id;
}

static bool is_wanted(struct hd_gen *g, const struct hd_element *e, bool is_again)
{
    return is_again || (!hd_coverage_has(g->cover->total, e) &&
                        hd_map_get_or(&g->tried, hd_gen_map_key(e), 0) < TRIES);
}

/* a, b, a on one variable: the first or second access of `in` comes into the gap. */
static bool form_one(struct hd_gen *g, const struct hd_gen_gap *gap, const struct hd_gen_gap *in,
                     bool is_again, struct hd_element *e)
{
    for (u32 k = 0; k < 2; k++) {
        if (root(g, in->site[k]) != root(g, gap->site[0]) || (gap->is_held && !in->is_bare[k]))
            continue;
        for (u32 i = 4; i <= 8; i++) {
            const struct hd_map_pattern *p = &hd_map_pattern[i];
            set(g, e, i, (u32[]){gap->site[0], in->site[k], gap->site[1]});
            if (fits(p, 0, gap->does[0]) && fits(p, 1, in->does[k]) && fits(p, 2, gap->does[1]) &&
                is_wanted(g, e, is_again))
                return true;
        }
    }
    return false;
}

/* a on x, b on both, a on y. */
static bool form_two(struct hd_gen *g, const struct hd_gen_gap *gap, const struct hd_gen_gap *in,
                     bool is_again, struct hd_element *e)
{
    static const u8 nested[] = {9, 10, 12, 13, 14, 15};
    if (gap->is_held && !(in->is_bare[0] && in->is_bare[1]))
        return false;
    for (u32 k = 0; k < HD_COUNT(nested); k++) {
        const struct hd_map_pattern *p = &hd_map_pattern[nested[k]];
        u32 first = p->step[1].var; /* of what b does: on x or on y */
        set(g, e, nested[k], (u32[]){gap->site[0], in->site[0], in->site[1], gap->site[1]});
        if (root(g, in->site[0]) == root(g, gap->site[first]) &&
            root(g, in->site[1]) == root(g, gap->site[!first]) && fits(p, 0, gap->does[0]) &&
            fits(p, 1, in->does[0]) && fits(p, 2, in->does[1]) && fits(p, 3, gap->does[1]) && is_wanted(g, e, is_again))
            return true;
    }
    return false;
}

static const struct hd_gen_gap *any_of(struct hd_gen *g, const u32 *list, size_t n)
{
    return n ? &g->gaps.all.at[list[hd_rng_below(&g->rng, n)]] : NULL;
}

/* Mostly where no lock is held; else what comes in must have none. */
static const struct hd_gen_gap *any_gap(struct hd_gen *g, u32 op)
{
    const struct hd_gen_op_gaps *own = &g->gaps.of[op];
    bool is_free = hd_rng_below(&g->rng, 4);
    const struct hd_gen_gap *gap = is_free ? any_of(g, own->free.at, own->free.n)
                                           : any_of(g, own->all.at, own->all.n);
    return gap && !gap->is_single ? gap : NULL;
}

/* One of these two operations has the gap, or any if there is no pair. */
static bool draw(struct hd_gen *g, const u32 *pair, bool is_again, struct hd_gen_target *out)
{
    for (u32 k = 0; k < DRAWS; k++) {
        u32 a = g->op[hd_rng_below(&g->rng, g->n_ops)], b = g->op[hd_rng_below(&g->rng, g->n_ops)];
        if (pair) {
            a = pair[k % 2];
            b = pair[!(k % 2)];
        }
        const struct hd_gen_op_gaps *own = &g->gaps.of[b];
        const struct hd_gen_gap *gap = any_gap(g, a), *in = any_of(g, own->all.at, own->all.n);
        if (!gap || !in)
            continue;
        if (gap->is_one ? form_one(g, gap, in, is_again, &out->is)
                        : !in->is_one && form_two(g, gap, in, is_again, &out->is)) {
            out->gap = *gap;
            out->in = *in;
            out->is_again = is_again;
            return true;
        }
    }
    return false;
}

/* Does `in` write the variable that the gap ends with an update of? */
static bool form_update(struct hd_gen *g, const struct hd_gen_gap *gap, const struct hd_gen_gap *in, struct hd_element *e)
{
    for (u32 k = 0; k < 2; k++)
        for (u32 i = 4; i <= 8; i++) {
            const struct hd_map_pattern *p = &hd_map_pattern[i];
            set(g, e, i, (u32[]){gap->site[0], in->site[k], gap->site[1]});
            if (p->step[1].is_write && fits(p, 0, gap->does[0]) && fits(p, 1, in->does[k]) &&
                fits(p, 2, gap->does[1]) && root(g, in->site[k]) == root(g, gap->site[0]))
                return true;
        }
    return false;
}

bool hd_gen_gap_draw_update(struct hd_gen *g, struct hd_gen_target *out)
{
    for (u32 k = 0; k < DRAWS; k++) {
        const struct hd_gen_op_gaps *a = &g->gaps.of[g->op[hd_rng_below(&g->rng, g->n_ops)]],
                                    *b = &g->gaps.of[g->op[hd_rng_below(&g->rng, g->n_ops)]];
        const struct hd_gen_gap *gap = any_of(g, a->free.at, a->free.n), *in = any_of(g, b->all.at, b->all.n);
        if (gap && in && gap->is_one && gap->does[0] == 1 && gap->does[1] == 3 && form_update(g, gap, in, &out->is)) {
            out->gap = *gap;
            out->in = *in;
            out->is_again = true;
            return true;
        }
    }
    return false;
}

bool hd_gen_gap_draw(struct hd_gen *g, const u32 *pair, struct hd_gen_target *out)
{
    return draw(g, pair, false, out) || draw(g, pair, true, out);
}

void hd_gen_gaps_release(struct hd_gen_gaps *s)
{
    hd_map_release(&s->known);
    hd_vec_release(&s->all);
    for (u32 i = 0; i < HD_GEN_OPS; i++) {
        hd_vec_release(&s->of[i].all);
        hd_vec_release(&s->of[i].free);
    }
}
