/* Unit tests of src/gen/pick_map.c: tests that are made for a memory-access pattern, and the
 * patterns that runs are driven into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen_pick_rig.h"
#include "shm_rig.h"

/* ---- tests for a pattern ----------------------------------------------------------------------
 */

/* Operation 0, after operation 5: reads and writes X; operation 1 writes it. */
static void a_gap(void)
{
    struct hd_wire_test t = {.n = 2, .threads = 1, .call = {{.op = 5}, {.op = 0, .arg = {3}}}};
    site(0, READ, 1 << 0);
    site(0, WRITE, 1 << 0);
    site(0, WRITE, 1 << 1);
    hd_gen_gap_event(l, 0, 0x1000, READ);
    hd_gen_gap_event(l, 1, 0x1000, WRITE);
    hd_gen_gap_call_ended(g, &t, 1, l);
    l->n = 0;
    hd_gen_gap_event(l, 2, 0x1000, WRITE);
    t.call[1].op = 1;
    hd_gen_gap_call_ended(g, &t, 1, l);
    l->n = 0;
}

/* Three tests of four are made for a pattern: outer steps in thread 1, what comes between in thread
 * 2; calls before (one in four) and behind (one in two) besides; mostly in the state in which the
 * call was seen. */
static void made_for_a_pattern(void **state)
{
    u32 aimed = 0, threaded = 0, in_state = 0, of = 0;
    a_gap();
    for (u32 i = 0; i < DRAWS; i++) {
        struct hd_wire_test t = {0};
        g->map.is_aimed = false;
        assert_true(hd_gen_pick_map(g, &t));
        if (!g->map.is_aimed)
            continue;
        aimed++;
        u32 a = g->map.target.gap.call.op, b = g->map.target.in.call.op;
        assert_int_equal(g->map.pair[0], a);
        assert_int_equal(g->map.pair[1], b);
        assert_true(calls(&t, 1, a) && calls(&t, 2, b));
        assert_int_equal(calls_of(&t, 3), 0);
        assert_true(g->map.target.is.n >= 3);
        assert_in_range(calls_of(&t, 1), 1, 3);
        assert_in_range(calls_of(&t, 2), 1, 3);
        threaded += calls_of(&t, 1) + calls_of(&t, 2);
        if (!g->map.target.is_again) { /* seven of eight in its state: operation 5 came before */
            of++;
            in_state += calls(&t, HD_WIRE_BEFORE, 5);
        }
    }
    assert_share(aimed, 3. / 4, DRAWS);
    /* Two calls and four more with chances of 1/4, 1/2, 1/4, 1/2: 3.5 in the mean, variance 7/8. */
    assert_near(threaded, aimed * 3.5, aimed * 7 / 8.);
    assert_true(of > 5000);
    assert_share(in_state, 7. / 8, of);
}

/* What was attempted twice is known; then most tests have another state. */
static void another_state_for_known_ones(void **state)
{
    u32 in_state = 0, aimed = 0;
    a_gap();
    for (u32 i = 0; i < DRAWS; i++) {
        struct hd_wire_test t = {0};
        g->map.is_aimed = false;
        assert_true(hd_gen_pick_map(g, &t));
        if (!g->map.is_aimed)
            continue;
        *hd_map_ref(&g->tried, hd_gen_map_key(&g->map.target.is), 0) = 2;
        aimed += g->map.target.is_again;
        in_state += g->map.target.is_again && calls(&t, HD_WIRE_BEFORE, 5);
    }
    assert_true(aimed > 5000);
    assert_share(in_state, 1. / 3, aimed);
}

/* Each thread has an object of its own: nobody comes between. Neither does MAPTest-Random aim. */
static void not_made_for_a_pattern(void **state)
{
    a_gap();
    for (u32 i = 0; i < 200; i++) {
        struct hd_wire_test t = {0};
        g->contract = i % 2 ? HD_GEN_SEPARATE : HD_GEN_THREAD_SAFE;
        opts.pick = i % 2 ? HD_PICK_MAP : HD_PICK_MAP_RANDOM;
        assert_true(hd_gen_pick_map(g, &t));
        assert_false(g->map.is_aimed);
    }
}

/* Operations that take a lock inside another one: one test in eight is of two of them. */
static void nested_locks(void **state)
{
    u32 nested = 0;
    some_memory();
    hd_gen_bit_set(g->watch.nests, 3);
    hd_gen_bit_set(g->watch.nests, 5);
    for (u32 i = 0; i < DRAWS; i++) {
        struct hd_wire_test t = {0};
        assert_true(hd_gen_pick_map(g, &t));
        u32 a = g->map.pair[0], b = g->map.pair[1]; /* these do not meet in memory */
        nested += (a == 3 || a == 5) && (b == 3 || b == 5) && calls(&t, 1, a) && calls(&t, 2, b);
    }
    assert_share(nested, 1. / 8, DRAWS);
}

/* Operation 0 reads X and updates it in one step; 1 and 2 write it. One test in eight has three
 * calls that write X, all in the thread beside. */
static void writers_within_an_update(void **state)
{
    struct hd_wire_test seen = {.n = 1, .threads = 1};
    u32 several = 0;
    site(0, READ, 1 << 0);
    site(0, READ | WRITE, 1 << 0);
    site(0, WRITE, 1 << 1 | 1 << 2);
    for (u32 op = 0; op < 2; op++) {
        hd_gen_gap_event(l, op ? 2 : 0, 0x1000, op ? WRITE : READ);
        if (!op)
            hd_gen_gap_event(l, 1, 0x1000, READ | WRITE);
        seen.call[0].op = (u8)op;
        hd_gen_gap_call_ended(g, &seen, 0, l);
        l->n = 0;
    }
    hd_vec_release(&g->gaps.of[1].free); /* only operation 0 has a gap */
    for (u32 i = 0; i < DRAWS; i++) {
        struct hd_wire_test t = {0};
        g->map.is_aimed = false;
        memset(&g->map.target, 0, sizeof g->map.target);
        assert_true(hd_gen_pick_map(g, &t));
        if (!g->map.is_aimed || calls_of(&t, 1) != 1 || calls_of(&t, 2) != 3)
            continue;
        bool all_write = true;
        for (u32 k = 0; k < t.n; k++)
            all_write &= t.call[k].thread != 2 || t.call[k].op <= 2;
        /* A test for a pattern looks the same if it happens to have no call but one on each side of
         * the second: then thread 1 has one call (3/8) and thread 2 three (1/8), of operations 0 to
         * 2 both (1/4): 1.2 %. */
        several += all_write && g->map.target.is_again && g->map.target.gap.does[1] == 3;
    }
    assert_in_range(several, DRAWS / 8 - 181, DRAWS / 8 + 181 + DRAWS / 85 + 60);
}

/* ---- what runs are driven into -----------------------------------------------------------------
 */

static struct rig rig;

static struct hd_element element(u32 pattern, u32 from)
{
    struct hd_element e = {
        .metric = HD_METRIC_map, .sub = (u8)pattern, .n = hd_map_pattern[pattern].n};
    for (u32 i = 0; i < e.n; i++) {
        u32 place = hd_places_add(&cover.places, HD_NO_MODULE, from + i);
        e.site[i] = cover.places.place.at[place].id;
    }
    return e;
}

static void open_target(void)
{
    rig = rig_make();
    g->run.w = (struct hd_worker){.host = rig.host};
    rig_snapshot(&g->run.w.run, &rig);
}

static void close_target(void)
{
    hd_snapshot_release(&g->run.w.run);
    rig_drop(&rig);
}

/* No interleaving is sure to show its pattern: each is the goal of two runs, then it is left alone.
 */
static void two_attempts(void **state)
{
    u32 driven = 0;
    open_target();
    for (u32 i = 0; i < 5; i++)
        *hd_vec_add(&g->map.open) = element(4 + i, 0x100 * (i + 1));
    for (u32 i = 0; i < 400; i++) {
        struct hd_gen_how how[2] = {{0}};
        u32 n = hd_gen_map_goals(g, how, 2);
        for (u32 k = 0; k < n; k++) {
            assert_string_equal(how[k].strategy, "map");
            assert_int_equal(how[k].goals.n, 1);
            assert_int_equal(how[k].goals.at[0].event[0].site, 0x100 * (how[k].pattern - 3u));
        }
        driven += n;
    }
    assert_int_equal(driven, 2 * 5);
    close_target();
}

/* Patterns by how often they were reached: of two open ones the one that always was comes first,
 * mostly. */
static void reached_patterns_come_first(void **state)
{
    u32 first = 0, of = 0;
    open_target();
    g->map.targets[4] = g->map.yield[4] = 98; /* 1 of 1, and 1 of 50 */
    g->map.targets[7] = 98;
    for (u32 i = 0; i < 400; i++) {
        struct hd_gen_how how[2] = {{0}};
        hd_map_clear(&g->tried);
        g->map.open.n = g->map.n_goals = 0;
        *hd_vec_add(&g->map.open) = element(4, 0x100);
        *hd_vec_add(&g->map.open) = element(7, 0x200);
        g->map.gain[0] = (struct hd_gen_gain){.runs = 1e9}; /* driving pays */
        if (!hd_gen_map_goals(g, how, 1))
            continue;
        of++;
        first += how[0].pattern == 4;
        g->map.n_goals = 0;
    }
    assert_true(of > 350 && first > of * 9 / 10); /* 1 to 50: 98 % */
    close_target();
}

/* Driving that brought nothing is left to one test in ten. */
static void driven_as_far_as_it_pays(void **state)
{
    u32 driven[2] = {0};
    open_target();
    for (u32 way = 0; way < 2; way++)
        for (u32 i = 0; i < DRAWS; i++) {
            struct hd_gen_how how[1] = {{0}};
            hd_map_clear(&g->tried);
            g->map.open.n = g->map.n_goals = 0;
            g->map.is_driving = false;
            *hd_vec_add(&g->map.open) = element(4, 0x100);
            g->map.gain[!way] = (struct hd_gen_gain){.runs = 1e9};
            g->map.gain[way] = (struct hd_gen_gain){.news = 1e9, .runs = 1e9};
            driven[way] += hd_gen_map_goals(g, how, 1);
            g->map.n_goals = 0;
        }
    assert_share(driven[0], 1. / 10, DRAWS);
    assert_share(driven[1], 1023. / 1024, DRAWS);
    close_target();
}

/* The first run of a test that was made for a pattern is driven there, its outer steps in the first
 * thread. */
static void first_run_has_its_pattern(void **state)
{
    struct hd_gen_how how[1] = {{0}};
    struct hd_wire_test t = {0};
    open_target();
    a_gap();
    assert_int_equal(hd_gen_map_first_goals(g, how, 1), 0); /* not made for one */
    for (u32 i = 0; i < 3; i++)
        g->watch.site.at[i].id = element(4, 0x100 + i).site[0];
    g->watch.first_tid = 2;
    do
        assert_true(hd_gen_pick_map(g, &t));
    while (!g->map.is_aimed);
    assert_int_equal(hd_gen_map_first_goals(g, how, 1), 1);
    const struct hd_goal *goal = &how[0].goals.at[0];
    assert_int_equal(how[0].pattern, g->map.target.is.sub);
    assert_int_equal(goal->event[0].tid, 2);
    assert_int_equal(goal->event[1].tid, 3);
    assert_int_equal(goal->event[2].tid, 2);
    assert_int_equal(hd_map_get_or(&g->tried, hd_gen_map_key(&g->map.target.is), 0), 1);
    close_target();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(made_for_a_pattern, setup, teardown),
        cmocka_unit_test_setup_teardown(another_state_for_known_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(not_made_for_a_pattern, setup, teardown),
        cmocka_unit_test_setup_teardown(nested_locks, setup, teardown),
        cmocka_unit_test_setup_teardown(writers_within_an_update, setup, teardown),
        cmocka_unit_test_setup_teardown(two_attempts, setup, teardown),
        cmocka_unit_test_setup_teardown(reached_patterns_come_first, setup, teardown),
        cmocka_unit_test_setup_teardown(driven_as_far_as_it_pays, setup, teardown),
        cmocka_unit_test_setup_teardown(first_run_has_its_pattern, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
