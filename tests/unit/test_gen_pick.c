/* Unit tests of src/gen/pick.c: which calls are put beside each other, and in how many threads.
 * Pairs that touch the same memory come from pick_map.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen_pick_rig.h"

/* ---- pairs ----------------------------------------------------------------------------------- */

/* MAPTest-Random: any pair that touches the same memory, one of them writing, and no other. */
static void map_random_takes_pairs_that_meet(void **state)
{
    u32 seen[OPS * OPS] = {0}, all = 0;
    opts.pick = HD_PICK_MAP_RANDOM;
    some_memory();
    hd_gen_pair_of(g, 0, 2)->tests = 1000000; /* whatever became of earlier tests */
    for (u32 i = 0; i < DRAWS; i++) {
        struct hd_wire_test t = {0};
        assert_true(hd_gen_pick_map(g, &t));
        u32 a = g->map.pair[0], b = g->map.pair[1];
        assert_true(calls(&t, 1, a) && calls(&t, 2, b));
        seen[a * OPS + b]++;
        all |= pair_bit(a, b);
    }
    assert_int_equal(all, pair_bit(0, 2) | pair_bit(1, 2) | pair_bit(2, 2) | pair_bit(2, 5) |
                              pair_bit(4, 4));
    assert_share(seen[0 * OPS + 2], 1. / 5, DRAWS);
    assert_share(seen[4 * OPS + 4], 1. / 5, DRAWS);
}

/* Nobody writes what another one touches: none is known. */
static void nothing_in_common(void **state)
{
    struct hd_wire_test t = {0};
    opts.pick = HD_PICK_MAP_RANDOM;
    site(0, READ, 1 << 0 | 1 << 1);
    assert_false(hd_gen_pick_map(g, &t));
    assert_int_equal(t.n, 0);
}

/* MAPTest: each pair once, then the one with the fewest patterns missed, times its tests. */
static void map_ranks_by_patterns_missed(void **state)
{
    u32 all = 0;
    some_memory();
    for (u32 i = 0; i < 5; i++) {
        struct hd_wire_test t = {0};
        assert_true(hd_gen_pick_map(g, &t));
        all |= pair_bit(g->map.pair[0], g->map.pair[1]);
    }
    assert_int_equal(__builtin_popcount(all), 5);
    for (u32 i = 0; i < OPS;
         i++) /* every pair has missed all of ten, but 1-2 and 2-2 few: the better half */
        for (u32 k = i; k < OPS; k++)
            hd_gen_pair_of(g, i, k)->targets = 10;
    hd_gen_pair_of(g, 1, 2)->reached = 9;
    hd_gen_pair_of(g, 2, 2)->reached = 10;
    for (u32 i = 0; i < 20; i++) {
        struct hd_wire_test t = {0};
        hd_gen_pair_of(g, 1, 2)->tests = hd_gen_pair_of(g, 2, 2)->tests = 1;
        assert_true(hd_gen_pick_map(g, &t));
        assert_int_equal(g->map.pair[1], 2);
        assert_int_not_equal(g->map.pair[0], 0);
    }
    hd_gen_pair_of(g, 2, 2)->tests = 1000; /* 1-2: one missed in few tests */
    for (u32 i = 0; i < 20; i++) {
        struct hd_wire_test t = {0};
        hd_gen_pair_of(g, 1, 2)->tests = 1;
        assert_true(hd_gen_pick_map(g, &t));
        assert_false(g->map.pair[0] == 2 && g->map.pair[1] == 2);
    }
}

/* CovCon: max(1, |tried - covered|) * max(1, tried), what was never tried before all others. */
static void covcon_score(void **state)
{
    const struct {
        u32 tried, covered, score;
    } row[] = {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {2, 2, 2}, {4, 1, 12}, {3, 8, 15}};
    for (u32 i = 0; i < HD_COUNT(row); i++) {
        *hd_gen_pair_of(g, 1, 2) =
            (struct hd_gen_pair){.tried = row[i].tried, .covered = row[i].covered};
        assert_int_equal(hd_gen_pair_score(g, 2, 1), row[i].score);
    }
}

/* Drawn from the better half, at most ten; one with score 0 first. */
static void drawn_from_the_best(void **state)
{
    static const u32 sizes[][2] = {{1, 1}, {2, 1}, {6, 3}, {20, 10}, {40, 10}};
    for (u32 s = 0; s < HD_COUNT(sizes); s++) {
        u64 seen = 0;
        for (u32 k = 0; k < 500; k++) {
            struct hd_gen_ranked list[40];
            for (u32 i = 0; i < sizes[s][0]; i++)
                list[i] = (struct hd_gen_ranked){sizes[s][0] - i, hd_rng_next(&g->rng), i, i};
            seen |= 1ull << hd_gen_draw_ranked(g, list, sizes[s][0])->score;
        }
        assert_int_equal(seen, ((1ull << sizes[s][1]) - 1) << 1);
    }
    struct hd_gen_ranked list[] = {{5, 0, 1, 1}, {0, 0, 2, 2}, {1, 0, 3, 3}};
    assert_int_equal(hd_gen_draw_ranked(g, list, 3)->a, 2);
}

/* All 21 pairs of six operations are tried before any is ranked. */
static void covcon_tries_each_pair(void **state)
{
    struct hd_wire_test t;
    u32 tests = 0, open = OPS * (OPS + 1) / 2;
    opts.pick = HD_PICK_COVCON;
    for (; open && tests <= OPS * (OPS + 1) / 2; tests++) {
        u32 was = open;
        open = 0;
        hd_gen_pick(g, &t);
        for (u32 i = 0; i < OPS; i++)
            for (u32 k = i; k < OPS; k++)
                open += !hd_gen_pair_of(g, i, k)->tried;
        assert_true(open < was);
    }
    assert_int_equal(open, 0);
}

/* A pair is covered if its calls overlapped in a run: one of three here did. */
static void overlap_counts(void **state)
{
    struct hd_wire_test t = {.n = 4,
                             .threads = 2,
                             .call = {{.op = 0, .thread = 1},
                                      {.op = 1, .thread = 2},
                                      {.op = 2, .thread = 2},
                                      {.op = 3, .thread = HD_WIRE_AFTER}}};
    static struct hd_gen_outcome got;
    const u32 when[][2] = {{2, 5}, {1, 3}, {6, 7}, {8, 9}};
    for (u32 i = 0; i < 4; i++) {
        got.r.call[i].begin = when[i][0];
        got.r.call[i].end = when[i][1];
    }
    hd_gen_picked(g, &t, &got);
    assert_int_equal(hd_gen_pair_of(g, 0, 1)->covered, 1);
    assert_int_equal(hd_gen_pair_of(g, 0, 2)->covered, 0);
    assert_int_equal(hd_gen_pair_of(g, 1, 2)->covered, 0); /* one thread */
    assert_int_equal(hd_gen_pair_of(g, 0, 3)->covered, 0); /* main, at the end */
    got.r.call[0].end = 0;                                 /* it never came back */
    hd_gen_picked(g, &t, &got);
    assert_int_equal(hd_gen_pair_of(g, 0, 2)->covered, 1);
}

/* ---- the shape of a test ----------------------------------------------------------------------
 */

/* By chance: two threads with one to three calls, one test in six has three threads with one or
 * two. */
static void by_chance(void **state)
{
    struct hd_wire_test t;
    u32 three = 0;
    opts.pick = HD_PICK_RANDOM;
    for (u32 i = 0; i < DRAWS; i++) {
        hd_gen_pick(g, &t);
        assert_in_range(t.threads, 2, 3);
        for (u32 k = 1; k <= t.threads; k++)
            assert_in_range(calls_of(&t, k), 1, t.threads == 3 ? 2 : 3);
        assert_int_equal(calls_of(&t, HD_WIRE_AFTER), 2);
        three += t.threads == 3;
    }
    assert_share(three, 1. / 6, DRAWS);
    g->contract = HD_GEN_SEPARATE; /* there are two objects */
    for (u32 i = 0; i < 200; i++) {
        hd_gen_pick(g, &t);
        assert_int_equal(t.threads, 2);
    }
}

/* Pairs have two threads; under `map` one test in eight is by chance: one in 48 has three. */
static void pairs_have_two_threads(void **state)
{
    struct hd_wire_test t;
    u32 three = 0;
    some_memory();
    for (u32 i = 0; i < DRAWS; i++) {
        hd_gen_pick(g, &t);
        three += t.threads == 3;
    }
    assert_share(three, 1. / 48, DRAWS);
    opts.pick = HD_PICK_COVCON;
    for (u32 i = 0; i < 200; i++) {
        hd_gen_pick(g, &t);
        assert_int_equal(t.threads, 2);
        assert_in_range(calls_of(&t, 1), 1, 3);
        assert_in_range(calls_of(&t, 2), 1, 3);
    }
}

/* Calls that wait: one test in four has two of them, each in a thread of its own, and a third
 * thread with one to three that do not; in any manner of picking. */
static void waiting_calls_need_others(void **state)
{
    struct hd_wire_test t;
    static const enum hd_gen_pick way[] = {HD_PICK_COVCON, HD_PICK_MAP_RANDOM, HD_PICK_MAP};
    funcs[1].is_blocking = funcs[4].is_blocking = true;
    for (u32 w = 0; w < HD_COUNT(way); w++) {
        u32 waiters = 0;
        opts.pick = way[w];
        for (u32 i = 0; i < DRAWS; i++) {
            hd_gen_pick(g, &t);
            bool is = t.threads == 3 && calls_of(&t, 1) == 1 && calls_of(&t, 2) == 1;
            for (u32 k = 0; k < t.n; k++)
                if (hd_gen_is_threaded(&t.call[k]))
                    is &= funcs[t.call[k].op].is_blocking == (t.call[k].thread < 3);
            waiters += is;
        }
        if (way[w] ==
            HD_PICK_COVCON) /* the others have tests by chance, a few of which look like this */
            assert_share(waiters, 1. / 4, DRAWS);
        else
            assert_in_range(waiters, DRAWS / 4 - 240, DRAWS / 4 + 240 + DRAWS / 60);
    }
}

/* No test has more orders of its calls than are run, and a call has its opening one in front. */
static void orders_are_bounded(void **state)
{
    struct hd_wire_test t;
    funcs[3].after = 2;
    opts.pick = HD_PICK_RANDOM;
    for (u32 i = 0; i < DRAWS; i++) {
        u32 open[4] = {0};
        hd_gen_pick(g, &t);
        assert_true(hd_gen_order_count(&t) <= HD_GEN_ORDERS);
        for (u32 k = 0; k < t.n; k++)
            if (hd_gen_is_threaded(&t.call[k])) {
                open[t.call[k].thread] += t.call[k].op == 2;
                assert_true(t.call[k].op != 3 || open[t.call[k].thread]--);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(map_random_takes_pairs_that_meet, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_in_common, setup, teardown),
        cmocka_unit_test_setup_teardown(map_ranks_by_patterns_missed, setup, teardown),
        cmocka_unit_test_setup_teardown(covcon_score, setup, teardown),
        cmocka_unit_test_setup_teardown(drawn_from_the_best, setup, teardown),
        cmocka_unit_test_setup_teardown(covcon_tries_each_pair, setup, teardown),
        cmocka_unit_test_setup_teardown(overlap_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(by_chance, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_have_two_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_calls_need_others, setup, teardown),
        cmocka_unit_test_setup_teardown(orders_are_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
