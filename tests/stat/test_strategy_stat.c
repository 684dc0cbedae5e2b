/* test_strategy_stat.c: do the strategies have the probabilities they promise?
 *
 * Seeds are fixed, so a result never flickers; each test says how unlikely it
 * is that a correct implementation fails for a seed drawn at random. Used:
 *   Hoeffding   P(|f - p| >= e)        <= 2 exp(-2 N e^2)       f: share of N runs
 *   Chernoff    P(X <= (1 - c) N p)    <= exp(-N p c^2 / 2)     X: hits in N runs
 *   Laurent-Massart: chi-square with df degrees of freedom exceeds
 *   df + 2 sqrt(df x) + 2 x with probability <= exp(-x)
 */
#include "conform/sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MEM = 0x1000, X = 0x8000, MAX_ORDERS = 2000 };

/* Hoeffding for N = 20000: 2 exp(-2 N 0.0232^2) < 1e-9. */
#define N_SHARE 20000
#define E_SHARE 0.0232

static struct sim sim;

/* ---- tools ------------------------------------------------------------------ */

static void run(struct sim_driver *d, const struct sim_program *p, u64 n, u64 param,
                const struct hd_learned *l)
{
    sim_init(&sim, p);
    sim_driver_start(d, 20240607, n, param, l);
    while (sim_advance(&sim, d) != HD_NO_THREAD)
        ;
}

/* As run, but `order[t][i]` becomes the position (from 1) of step i of thread t. */
static void run_ordered(struct sim_driver *d, const struct sim_program *p, u64 n, u64 param,
                        const struct hd_learned *l, u32 order[4][64])
{
    sim_init(&sim, p);
    sim_driver_start(d, 20240607, n, param, l);
    for (u32 t; (t = sim_advance(&sim, d)) != HD_NO_THREAD;)
        order[t][sim.thread[t].steps - 1] = (u32)sim.steps;
}

static struct hd_learned measure(struct sim_driver *d, const struct sim_program *p, u64 param)
{
    struct hd_learned l = {0}, none = {0};
    for (u64 i = 0; i < 200; i++) {
        run(d, p, 1000000 + i, param, &none);
        sim_learn(&sim, &l);
    }
    return l;
}

static void add_many(struct sim_program *p, u32 t, u32 n, u64 obj)
{
    for (u32 i = 0; i < n; i++)
        sim_add(p, t, HD_EV_WRITE, obj);
}

static double chi_limit(double df, double x)
{
    double root = df; /* of df * x, by Newton: no math library for one number */
    for (u32 i = 0; i < 60; i++)
        root = (root + df * x / root) / 2;
    return df + 2 * root + 2 * x;
}

static bool is_near(double share, double p)
{
    return share > p - E_SHARE && share < p + E_SHARE;
}

static double chi_square(const u32 *count, u32 n, double expected)
{
    double sum = 0;
    for (u32 i = 0; i < n; i++)
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    return sum;
}

/* Chi-square of the interleavings of p against uniform over `orders` of them. */
static double chi_orders(const char *strategy, const struct sim_program *p,
                         const struct hd_learned *l, u32 orders, u32 runs)
{
    static u64 seen[MAX_ORDERS];
    static u32 count[MAX_ORDERS];
    struct sim_driver d = sim_driver_new(hd_strategy_find(strategy));
    u32 n = 0;
    memset(count, 0, sizeof(count));
    for (u32 i = 0; i < runs; i++) {
        u32 k = 0;
        run(&d, p, i, 0, l);
        while (k < n && seen[k] != sim.hash)
            k++;
        if (k == n) {
            assert_true(n < orders); /* else `orders` is wrong */
            seen[n++] = sim.hash;
        }
        count[k]++;
    }
    sim_driver_free(&d);
    return chi_square(count, orders, (double)runs / orders);
}

/* ---- random ------------------------------------------------------------------- */

/* Five candidates far apart, 100000 picks; then the same for pairs of picks.
 * Limits with x = 18: fails with probability < 2 * e^-18 < 4e-8. */
static void random_is_uniform(void **state)
{
    static const u32 who[5] = {0, 63, 64, 200, 4095};
    const struct hd_strategy *s = hd_strategy_find("random");
    struct sim_driver d = sim_driver_new(s);
    struct hd_learned l = {0};
    u64 enabled[HD_BITS_WORDS(HD_MAX_THREADS)] = {0};
    u32 single[5] = {0}, pair[25] = {0}, last = 0;
    for (u32 i = 0; i < 5; i++)
        hd_bit_set(enabled, who[i]);
    struct hd_view v = {.current = HD_NO_THREAD, .n_threads = 4096, .n_enabled = 5, .words = 64,
                        .enabled = enabled};
    sim_driver_start(&d, 1, 1, 0, &l);
    for (v.step = 0; v.step < 100000; v.step++) {
        u32 t = s->pick(d.state, &v), i = 0;
        while (who[i] != t)
            i++;
        single[i]++;
        if (v.step & 1)
            pair[last * 5 + i]++;
        last = i;
    }
    assert_true(chi_square(single, 5, 20000) < chi_limit(4, 18));
    assert_true(chi_square(pair, 25, 2000) < chi_limit(24, 18));
    sim_driver_free(&d);
}

/* ---- pct ------------------------------------------------------------------------ */

/* Depth 2: thread 0's one write must fall between steps w and w+1 of thread 1.
 * Promise: 1/(n K) for each w, K = points + 1. N p = 20000/(2*23) > 434, c = 0.3:
 * each of 19 windows fails with probability < e^-19.5, all: < 7e-8. A random
 * walk hits the last window with 2^-20. */
static void pct_hits_depth_2(void **state)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find("pct"));
    struct sim_program *p = sim_program_new("window", 2);
    u32 hits[22] = {0}, order[4][64];
    add_many(p, 0, 1, X);
    add_many(p, 1, 20, X);
    sim_program_end(p);
    struct hd_learned l = measure(&d, p, 2);
    double promise = 1.0 / (2.0 * (double)(l.max_points + 1));
    assert_true(l.max_points >= 20 && l.max_points <= 22);
    for (u32 i = 0; i < N_SHARE; i++) {
        run_ordered(&d, p, i, 2, &l, order);
        u32 w = 0; /* steps of thread 1 before the write */
        while (w < 20 && order[1][w] < order[0][0])
            w++;
        hits[w]++;
    }
    for (u32 w = 1; w <= 19; w++)
        assert_true(hits[w] >= 0.7 * N_SHARE * promise);
    sim_program_free(p);
    sim_driver_free(&d);
}

/* Depth 3, two threads: 0 up to its step 1, then 1 up to its step 3, then 0 up
 * to its step 4, all before thread 1's step 4. p = 1/(2 K^2), K = points + 2
 * <= 15: N p >= 222, c = 0.4: fails with probability < e^-17. */
static void pct_hits_depth_3(void **state)
{
    enum { N = 100000 };
    struct sim_driver d = sim_driver_new(hd_strategy_find("pct"));
    struct sim_program *p = sim_program_new("there and back", 2);
    u32 hits = 0, o[4][64];
    add_many(p, 0, 6, X);
    add_many(p, 1, 6, X);
    sim_program_end(p);
    struct hd_learned l = measure(&d, p, 3);
    double k = (double)l.max_points + 2;
    assert_true(k <= 15);
    for (u32 i = 0; i < N; i++) {
        run_ordered(&d, p, i, 3, &l, o);
        hits += o[0][1] < o[1][1] && o[1][3] < o[0][2] && o[0][4] < o[1][4];
    }
    assert_true(hits >= 0.6 * N / (2 * k * k));
    sim_program_free(p);
    sim_driver_free(&d);
}

/* Three threads where the one lowered first must end up lowest: 0 opens the
 * gate and does step 1, then 1 passes it and does step 1, then 2, then 1's
 * step 2, then 0's step 2. Only priorities 0 > 1 > 2 (1/6) and one change for
 * each of 0 and 1 lead there: p = 1/(6 K^2), K = points + 2 <= 11: N p >= 275,
 * c = 0.4: fails with probability < e^-21. */
static void pct_ranks_by_draw(void **state)
{
    enum { N = 200000 };
    struct sim_driver d = sim_driver_new(hd_strategy_find("pct"));
    struct sim_program *p = sim_program_new("first is last", 3);
    u32 hits = 0, o[4][64];
    sim_add(p, 0, HD_EV_FUTEX_WAKE, 0);
    add_many(p, 0, 2, X);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 0, 1);
    add_many(p, 1, 2, X);
    add_many(p, 2, 1, X);
    sim_program_end(p);
    struct hd_learned l = measure(&d, p, 3);
    double k = (double)l.max_points + 2;
    assert_true(k <= 11);
    for (u32 i = 0; i < N; i++) {
        run_ordered(&d, p, i, 3, &l, o);
        hits += o[0][1] < o[1][0] && o[1][1] < o[2][0] && o[2][0] < o[1][2] && o[1][2] < o[0][2];
    }
    assert_true(hits >= 0.6 * N / (6 * k * k));
    sim_program_free(p);
    sim_driver_free(&d);
}

/* A thread that blocked is lowered when it comes back: 1 reaches the closed
 * gate, 0 opens it, 2 writes, only then 1 passes. Priorities 1 > 0 > 2 (1/6),
 * one change when 1 is about to pass: p = 1/(6 K), K = points + 1 <= 9:
 * N p >= 370, c = 0.35: fails with probability < e^-22. */
static void pct_lowers_the_blocked(void **state)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find("pct"));
    struct sim_program *p = sim_program_new("behind the gate", 3);
    u32 hits = 0, o[4][64];
    sim_add(p, 0, HD_EV_FUTEX_WAKE, 0);
    sim_add(p, 1, HD_EV_READ, MEM);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 0, 1);
    add_many(p, 2, 1, X);
    sim_program_end(p);
    struct hd_learned l = measure(&d, p, 2);
    double k = (double)l.max_points + 1;
    assert_true(k <= 9);
    for (u32 i = 0; i < N_SHARE; i++) {
        run_ordered(&d, p, i, 2, &l, o);
        hits += o[1][0] < o[0][0] && o[0][0] < o[2][0] && o[2][0] < o[1][1];
    }
    assert_true(hits >= 0.65 * N_SHARE / (6 * k));
    sim_program_free(p);
    sim_driver_free(&d);
}

/* ---- pctlarge ------------------------------------------------------------------- */

/* Two threads of 100 steps, no change points: pct switches once, pctlarge more
 * often by far. With equal weights (chance 1/6) a choice switches with 1/2 over
 * some 180 choices, with ratio 2 (chance 10/36) with 4/9 over some 150: mean
 * >= 15 + 18. Hoeffding over 2000 runs with at most 202 switches each:
 * P(mean < 10) <= exp(-2 * 2000 * 23^2 / 202^2) < e^-51. */
static void pctlarge_switches_more(void **state)
{
    struct sim_driver strict = sim_driver_new(hd_strategy_find("pct"));
    struct sim_driver large = sim_driver_new(hd_strategy_find("pctlarge"));
    struct sim_program *p = sim_program_new("two", 2);
    struct hd_learned l = {0};
    u64 sum = 0;
    add_many(p, 0, 100, X);
    add_many(p, 1, 100, X);
    sim_program_end(p);
    for (u32 i = 0; i < 2000; i++) {
        run(&strict, p, i, 1, &l);
        assert_int_equal(sim.switches, 1);
        run(&large, p, i, 1, &l);
        sum += sim.switches;
    }
    assert_true(sum > 10 * 2000);
    sim_program_free(p);
    sim_driver_free(&strict);
    sim_driver_free(&large);
}

/* ---- pos ------------------------------------------------------------------------ */

static double share_last(const char *strategy, const struct sim_program *p, u32 step)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find(strategy));
    struct hd_learned l = {0};
    u32 hits = 0, o[4][64];
    for (u32 i = 0; i < N_SHARE; i++) {
        run_ordered(&d, p, i, 0, &l, o);
        hits += o[1][step] < o[0][0];
    }
    sim_driver_free(&d);
    return (double)hits / N_SHARE;
}

/* The bug: thread 0's write comes after thread 1's read, which is behind 12
 * steps of no interest. pos: the write's priority is the smallest of 14, 1/14.
 * A random walk: 2^-13, 2.4 of 20000 runs; more than 40 has < (2.45e/40)^40. */
static void pos_ignores_unrelated_steps(void **state)
{
    struct sim_program *p = sim_program_new("skewed", 2);
    add_many(p, 0, 1, X);
    for (u32 i = 0; i < 12; i++)
        sim_add(p, 1, HD_EV_WRITE, MEM + 8 * i);
    sim_add(p, 1, HD_EV_READ, X);
    sim_program_end(p);
    double pos = share_last("pos", p, 12), walk = share_last("random", p, 12);
    assert_true(is_near(pos, 1.0 / 14));
    assert_true(walk <= 40.0 / N_SHARE);
    assert_true(pos > 10 * walk);
    sim_program_free(p);
}

/* After a race the loser's priority is drawn anew: one write against three on
 * the same word comes last with (1/2)^3, not with 1/4 as old priorities would
 * give. Reads do not race with reads: there it is 1/4. */
static void pos_draws_anew_after_a_race(void **state)
{
    struct sim_program *p = sim_program_new("race", 2);
    add_many(p, 0, 1, X);
    add_many(p, 1, 3, X + 2); /* 4-byte writes overlap */
    sim_program_end(p);
    assert_true(is_near(share_last("pos", p, 2), 1.0 / 8));
    sim_program_free(p);

    p = sim_program_new("readers", 2);
    sim_add(p, 0, HD_EV_READ, X);
    for (u32 i = 0; i < 3; i++)
        sim_add(p, 1, HD_EV_READ, X);
    sim_program_end(p);
    assert_true(is_near(share_last("pos", p, 2), 1.0 / 4));
    sim_program_free(p);
}

/* ---- surw ----------------------------------------------------------------------- */

/* Threads of 3 and 9 steps: 12!/(3! 9!) = 220 orders, all equally likely. The
 * random walk fails the same test. x = 20: fails with probability < 3e-9. */
static void surw_is_uniform(void **state)
{
    struct sim_program *p = sim_program_new("unequal", 2);
    struct hd_learned l = {.runs = 1, .max_threads = 2, .thread_points = {3, 9}};
    add_many(p, 0, 2, X);
    add_many(p, 1, 8, X);
    sim_program_end(p);
    assert_true(chi_orders("surw", p, &l, 220, 220 * 200) < chi_limit(219, 20));
    assert_true(chi_orders("random", p, &l, 220, 220 * 200) > 10 * chi_limit(219, 20));
    sim_program_free(p);
}

/* Thread 0 (4 steps) creates thread 2 (3 steps) with its second, thread 1 has
 * 3. Orders of a forest: 10! over the product of all subtree sizes,
 * 3*2*1 (thread 1) * 7*6 * 2*1 (thread 0) * 3*2*1 (thread 2) = 3024: 1200. */
static void surw_counts_threads_to_come(void **state)
{
    struct sim_program *p = sim_program_new("creation", 2);
    struct hd_learned l = {.runs = 1, .max_threads = 3, .thread_points = {4, 3, 3}};
    add_many(p, 0, 1, X);
    sim_add(p, 0, HD_EV_CREATE, 2);
    add_many(p, 0, 1, X);
    add_many(p, 1, 2, X);
    add_many(p, 2, 1, X);
    sim_program_end(p);
    assert_true(chi_orders("surw", p, &l, 1200, 1200 * 50) < chi_limit(1199, 20));
    assert_true(chi_orders("random", p, &l, 1200, 1200 * 50) > 10 * chi_limit(1199, 20));
    sim_program_free(p);
}

/* ---- selective ------------------------------------------------------------------- */

/* Threads of 3 and 9 events on X, each of thread 0 with 3 steps of its own before it: 220 orders
 * of the events on X, equally likely whatever else there is. surw, which goes by all steps, fails
 * the same test. x = 20: fails with probability < 3e-9. */
static double chi_selected(const char *strategy, const struct sim_program *p,
                           const struct hd_learned *l)
{
    static u32 count[220];
    struct sim_driver d = sim_driver_new(hd_strategy_find(strategy));
    u32 o[4][64], rank[1 << 12], n = 0;
    memset(count, 0, sizeof(count));
    for (u32 mask = 0; mask < 1 << 12; mask++)
        rank[mask] = __builtin_popcount(mask) == 3 ? n++ : 0;
    for (u32 i = 0; i < 220 * 200; i++) {
        u32 mask = 0; /* which of the 12 are thread 0's */
        run_ordered(&d, p, i, 0, l, o);
        for (u32 a = 0; a < 3; a++) {
            u32 before = a;
            for (u32 b = 0; b < 9; b++)
                before += o[1][b] < o[0][4 * a + 3];
            mask |= 1u << before;
        }
        count[rank[mask]]++;
    }
    sim_driver_free(&d);
    return chi_square(count, 220, 200);
}

static void selective_is_uniform(void **state)
{
    struct sim_program *p = sim_program_new("selected", 2);
    struct hd_learned l = {.runs = 1, .max_threads = 2, .thread_points = {13, 10}};
    for (u32 i = 0; i < 3; i++) {
        add_many(p, 0, 3, X + 0x100);
        add_many(p, 0, 1, X);
    }
    add_many(p, 1, 9, X);
    sim_program_end(p);
    assert_true(hd_group_of(X) != hd_group_of(X + 0x100));
    l.sixteenths.of[HD_BY_OBJECT][hd_group_of(X)][0] = 3 * 16;
    l.sixteenths.of[HD_BY_OBJECT][hd_group_of(X)][1] = 9 * 16;
    l.sixteenths.of[HD_BY_OBJECT][hd_group_of(X + 0x100)][0] = 9 * 16;
    assert_true(chi_selected("selective", p, &l) < chi_limit(219, 20));
    assert_true(chi_selected("surw", p, &l) > 10 * chi_limit(219, 20));
    sim_program_free(p);
}

/* Thread 0 creates thread 2 between its two events on X, thread 2 has 3, thread 1 has 3: where the
 * first of thread 1's falls among the 8 is as with uniform orders: before all others with 3/8. */
static void selective_counts_threads_to_come(void **state)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find("selective"));
    struct sim_program *p = sim_program_new("creation", 2);
    struct hd_learned l = {.runs = 1, .max_threads = 3};
    u32 o[4][64], first = 0;
    add_many(p, 0, 1, X);
    sim_add(p, 0, HD_EV_CREATE, 2);
    add_many(p, 0, 1, X);
    add_many(p, 1, 3, X);
    add_many(p, 2, 3, X);
    sim_program_end(p);
    for (u32 t = 0; t < 3; t++)
        l.sixteenths.of[HD_BY_OBJECT][hd_group_of(X)][t] = (t ? 3 : 2) * 16;
    for (u32 i = 0; i < N_SHARE; i++) {
        run_ordered(&d, p, i, 0, &l, o);
        first += o[1][0] < o[0][0];
    }
    assert_true(is_near((double)first / N_SHARE, 3.0 / 8));
    sim_program_free(p);
    sim_driver_free(&d);
}

/* ---- rare ------------------------------------------------------------------------ */

/* Behind 25 steps of each of two threads, A and B: both A come before either B in what share of the
 * runs? rare draws one of four sites with 1/2, two or three with 1/4 each: B is among them with
 * 0.379, and where it is alone that is certain. So 1/2 * 1/4 at least; Chernoff with N = 20000,
 * p = 0.125, c = 0.2: fails with probability < 1e-20. pct, with a change point in 54 steps, has
 * about 1/25 of it. */
static double share_of_meetings(const char *strategy, const struct hd_learned *l)
{
    enum { BEFORE = 25, A = BEFORE, B };
    struct sim_driver d = sim_driver_new(hd_strategy_find(strategy));
    struct sim_program *p = sim_program_new("meeting", 2);
    u32 o[4][64], n = 0;
    for (u32 t = 0; t < 2; t++) {
        add_many(p, t, BEFORE, MEM + 64 * t);
        add_many(p, t, 2, X);
    }
    sim_program_end(p);
    for (u32 i = 0; i < N_SHARE; i++) {
        run_ordered(&d, p, i, hd_strategy_find(strategy)->param_default, l, o);
        n += o[0][A] < o[1][B] && o[1][A] < o[0][B];
    }
    sim_program_free(p);
    sim_driver_free(&d);
    return (double)n / N_SHARE;
}

static void rare_threads_meet(void **state)
{
    struct hd_learned l = {.runs = 1, .max_threads = 2, .max_points = 54,
                           .thread_points = {27, 27}};
    for (u32 pc = 3; pc < 27; pc += 7) /* 3, 10, 17, 24 */
        hd_site_points_count(&l.sites, 0, 0x400000 + 16 * pc);
    assert_true(share_of_meetings("rare", &l) < .1); /* B is not among these */
    memset(&l.sites, 0, sizeof l.sites);
    for (u32 pc = 5; pc < 27; pc += 7) /* 5, 12, 19, 26 */
        hd_site_points_count(&l.sites, 0, 0x400000 + 16 * pc);
    assert_true(share_of_meetings("rare", &l) > .1);
    assert_true(share_of_meetings("pct", &l) < .1);
}

/* ---- delay ---------------------------------------------------------------------- */

/* The first thread is put to sleep within 20 choices with 1 - 0.95^20 = 0.6415. */
static void delay_has_its_rate(void **state)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find("delay"));
    struct sim_program *p = sim_program_new("two", 2);
    struct hd_learned l = {0};
    u32 hits = 0;
    add_many(p, 0, 30, X);
    add_many(p, 1, 30, X);
    sim_program_end(p);
    for (u32 i = 0; i < N_SHARE; i++) {
        sim_init(&sim, p);
        sim_driver_start(&d, 3, i, 5, &l);
        for (u32 k = 0; k < 21; k++)
            sim_advance(&sim, &d);
        hits += sim.switches > 0;
    }
    assert_true(is_near((double)hits / N_SHARE, 0.6415));
    sim_program_free(p);
    sim_driver_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_is_uniform),
        cmocka_unit_test(pct_hits_depth_2),
        cmocka_unit_test(pct_hits_depth_3),
        cmocka_unit_test(pct_ranks_by_draw),
        cmocka_unit_test(pct_lowers_the_blocked),
        cmocka_unit_test(pctlarge_switches_more),
        cmocka_unit_test(pos_ignores_unrelated_steps),
        cmocka_unit_test(pos_draws_anew_after_a_race),
        cmocka_unit_test(surw_is_uniform),
        cmocka_unit_test(surw_counts_threads_to_come),
        cmocka_unit_test(selective_is_uniform),
        cmocka_unit_test(selective_counts_threads_to_come),
        cmocka_unit_test(rare_threads_meet),
        cmocka_unit_test(delay_has_its_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
