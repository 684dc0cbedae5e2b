/* orders.c: what all orders of a test's calls give.
 *
 * The exact way is a process for each order. Most objects leave nothing behind when they are
 * destroyed; then the orders of one test can be run one after the other in one process, which
 * saves most of the cost: fork and page faults. Whether that is so is looked at in three ways:
 *
 *   in every group     its first order is run again at its end, and must give the same
 *   in every 16th      (and the first ones) all orders are run the exact way, too, and must agree
 *   before a finding   the orders are run the exact way, and the outcome is judged by those alone
 *
 * So state that stays behind can never make a finding; where it shows, groups are not used again.
 */
#include "gen/gen.h"

#include <stdlib.h>

#define CHECKED_FIRST 4
#define CHECKED_EVERY 16
#define VAIN 8  /* groups that did not come to their end, more than others: not used again */
#define VARY 8  /* tests of an operation in which it is looked whether its results vary */

/* ---- each in a process of its own -------------------------------------------------------------
 */

static int run_alone(struct hd_gen *g, const struct hd_wire_test *order, u32 n,
                     struct hd_gen_outcome *out, struct hd_error *err)
{
    for (u32 at = 0; at < n;) {
        u32 k = HD_MIN(n - at, (u32)HD_WIRE_BATCH);
        int e = hd_gen_run_batch(&g->run, order + at, k, NULL, false, out + at, err);
        if (e)
            return e;
        at += k;
    }
    return 0;
}

/* The same order with other clocks and other chance: bit i, call i gave something else. */
static int run_again(struct hd_gen *g, const struct hd_wire_test *t,
                     const struct hd_gen_outcome *was, u32 *varies, struct hd_error *err)
{
    struct hd_gen_outcome again = {0};
    struct hd_gen_run *r = &g->run;
    struct hd_config cfg = r->cfg;
    r->cfg.data_seed ^= 0x9e3779b97f4a7c15ull;
    r->cfg.epoch_ns += 86400ll * 1000000000 * 41 + 12345678901ll;
    r->cfg.step_ns *= 3;
    int e = hd_gen_run_batch(r, t, 1, NULL, false, &again, err);
    r->cfg = cfg;
    if (e || again.verdict != HD_V_CLEAN || was->verdict != HD_V_CLEAN)
        return e;
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_value *x = &was->r.call[i], *y = &again.r.call[i];
        bool is_same = x->n == y->n && x->is_skipped == y->is_skipped;
        for (u32 k = 0; k < x->n && is_same; k++)
            is_same = x->kind[k] == y->kind[k] && (x->v[k] == y->v[k] || x->kind[k] == 'p');
        *varies |= is_same ? 0 : 1u << i;
    }
    return 0;
}

/* Operations whose results differ under the same calls. */
static void note_varying(struct hd_gen *g, const struct hd_wire_test *t, u32 varies)
{
    for (u32 i = 0; i < t->n; i++) {
        struct hd_gen_func *f = &g->api->func.at[t->call[i].op];
        if (!(varies >> i & 1) || f->no_result)
            continue;
        f->no_result = true;
        f->note = "gives other results for the same calls: they are not compared";
        hd_gen_message(g, "%s %s", f->name, f->note);
    }
}

static bool is_vary_due(struct hd_gen *g, const struct hd_wire_test *t)
{
    bool is_due = false;
    for (u32 i = 0; i < t->n; i++)
        is_due |= g->group.varied[t->call[i].op] < VARY;
    for (u32 i = 0; i < t->n && is_due; i++)
        g->group.varied[t->call[i].op] += g->group.varied[t->call[i].op] < VARY;
    return is_due;
}

/* ---- in groups ---------------------------------------------------------------------------------
 */

static bool can_group(const struct hd_gen *g, const struct hd_wire_test *t, u32 n)
{
    if (g->group.is_off || n < 2)
        return false;
    for (u32 i = 0; i < t->n; i++)
        if (g->api->func.at[t->call[i].op].is_blocking)
            return false; /* one order that waits for ever ends the process */
    return true;
}

/* *is_good: all orders came to their end, and the first gave the same again after the others. */
static int run_groups(struct hd_gen *g, const struct hd_wire_test *order, u32 n,
                      struct hd_gen_outcome *out, bool *is_good, struct hd_error *err)
{
    static struct hd_wire_test list[HD_WIRE_BATCH];
    static struct hd_gen_outcome got[HD_WIRE_BATCH];
    *is_good = true;
    for (u32 at = 0; at < n && *is_good;) {
        u32 k = HD_MIN(n - at, (u32)HD_WIRE_BATCH - 1);
        memcpy(list, order + at, k * sizeof *list);
        list[k] = list[0];
        int e = hd_gen_run_group(&g->run, list, k + 1, got, is_good, err);
        if (e)
            return e;
        g->group.vain += !*is_good;
        if (!*is_good)
            break;
        g->group.n++;
        if (!hd_gen_is_same(g->api, list, &g->orders, &got[0], &got[k]))
            *is_good = false, g->group.is_off = true;
        memcpy(out + at, got, k * sizeof *got);
        at += k;
    }
    g->group.is_off |= g->group.vain > g->group.n + VAIN;
    return 0;
}

/* The exact way agrees? Its outcomes are in `out` then. */
static int check_groups(struct hd_gen *g, const struct hd_wire_test *order, u32 n,
                        struct hd_gen_outcome *out, struct hd_error *err)
{
    struct hd_gen_outcome *exact = calloc(n, sizeof *exact);
    HD_ASSERT(exact);
    int e = run_alone(g, order, n, exact, err);
    for (u32 i = 0; i < n && !e; i++)
        g->group.is_off |= exact[i].verdict != HD_V_CLEAN ||
                           !hd_gen_is_same(g->api, order, &g->orders, &exact[i], &out[i]);
    if (!e)
        memcpy(out, exact, n * sizeof *out);
    free(exact);
    return e;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static int run(struct hd_gen *g, const struct hd_wire_test *t, bool is_exact, struct hd_error *err)
{
    static struct hd_wire_test order[HD_GEN_ORDERS];
    struct hd_gen_orders *all = &g->orders;
    bool is_grouped = false;
    u32 n = 0, varies = 0;
    int e = 0;
    all->is_failing = all->is_blocking = all->has_waiting = false;
    for (u32 i = 0; i < t->n; i++)
        all->has_waiting |= hd_gen_is_threaded(&t->call[i]) && hd_gen_bit(g->watch.waits, t->call[i].op);
    while (n < HD_GEN_ORDERS && hd_gen_order(t, n, &order[n]))
        n++;
    all->n = n;
    u64 due = g->group.n;
    if (!is_exact && can_group(g, t, n))
        e = run_groups(g, order, n, all->at, &is_grouped, err);
    if (!e && is_grouped && (due < CHECKED_FIRST || due % CHECKED_EVERY == 0))
        e = check_groups(g, order, n, all->at, err);
    else if (!e && !is_grouped)
        e = run_alone(g, order, n, all->at, err);
    all->is_exact = !is_grouped;
    for (u32 i = 0; i < n && !e; i++) {
        all->is_failing |= hd_gen_is_failure(all->at[i].verdict);
        all->is_blocking |= hd_gen_is_blocked(all->at[i].verdict);
    }
    if (!e && n && (is_exact || is_vary_due(g, t)))
        e = run_again(g, &order[0], &all->at[0], &varies, err);
    if (!e)
        note_varying(g, t, varies);
    return e;
}

int hd_gen_orders_run(struct hd_gen *g, const struct hd_wire_test *t, bool is_exact,
                      struct hd_error *err)
{
    g->run.is_learning = false; /* one call at a time: nothing is shared */
    int e = run(g, t, is_exact, err);
    g->run.is_learning = true;
    return e;
}
