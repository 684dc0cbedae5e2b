/* Unit tests of src/gen/gap.c: between which accesses of a call others may come, and the patterns that
 * are targeted there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/gen.h"

enum { X = 0x1000, Y = 0x2000, LOCK = 0x9000 };
enum { READ = 1, WRITE = 2 };

static struct hd_gen *g;
static struct hd_cover cover;
static struct hd_coverage total;
static struct hd_gen_call_log *l;

static int setup(void **state)
{
    g = calloc(1, sizeof *g);
    l = calloc(1, sizeof *l);
    hd_coverage_init(&total, &(struct hd_observe_config){.metrics = 1u << HD_METRIC_map});
    cover.total = &total;
    g->cover = &cover;
    g->rng = hd_rng_make(1, 0, 0);
    for (u32 i = 0; i < 2; i++)
        g->op[g->n_ops++] = i;
    for (u32 i = 0; i < 8; i++) /* sites 0 to 3 touch X, 4 to 7 Y */
        *hd_vec_add(&g->watch.site) = (struct hd_gen_site){.id = 100 + i, .up = i & 4};
    return 0;
}

static int teardown(void **state)
{
    hd_gen_gaps_release(&g->gaps);
    hd_vec_release(&g->watch.site);
    hd_map_release(&g->tried);
    hd_coverage_release(&total);
    free(g);
    free(l);
    return 0;
}

static void call_of(u32 op)
{
    struct hd_wire_test t = {.n = 1, .threads = 1, .call = {{.op = (u8)op, .arg = {(u8)(op + 1)}}}};
    hd_gen_gap_call_ended(g, &t, 0, l);
    l->n = 0;
}

/* Operation 0 reads and writes X in two critical sections, operation 1 writes it in one. */
static void gap_between_two_critical_sections(void **state)
{
    struct hd_gen_target t;
    hd_gen_gap_lock(l, LOCK, true);
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_lock(l, LOCK, false);
    hd_gen_gap_lock(l, LOCK, true);
    hd_gen_gap_event(l, 1, X, WRITE);
    hd_gen_gap_lock(l, LOCK, false);
    call_of(0);
    hd_gen_gap_lock(l, LOCK, true);
    hd_gen_gap_event(l, 2, X, WRITE);
    hd_gen_gap_lock(l, LOCK, false);
    call_of(1);
    for (u32 i = 0; i < 20; i++) {
        assert_true(hd_gen_gap_draw(g, (u32[]){0, 1}, &t));
        assert_false(t.is_again);
        assert_int_equal(t.is.sub, 7); /* R W W */
        assert_int_equal(t.is.site[0], 100);
        assert_int_equal(t.is.site[1], 102);
        assert_int_equal(t.is.site[2], 101);
        assert_int_equal(t.gap.call.op, 0);
        assert_int_equal(t.in.call.op, 1);
        assert_int_equal(t.gap.call.arg[0], 1);
    }
}

/* One critical section: nobody who has the lock comes in between; who has none does. */
static void held_all_the_time(void **state)
{
    struct hd_gen_target t;
    hd_gen_gap_lock(l, LOCK, true);
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_event(l, 1, X, WRITE);
    hd_gen_gap_lock(l, LOCK, false);
    call_of(0);
    assert_int_equal(g->gaps.of[0].free.n, 0);
    assert_false(hd_gen_gap_draw(g, NULL, &t));
    hd_gen_gap_event(l, 3, X, WRITE);
    call_of(1);
    assert_true(hd_gen_gap_draw(g, NULL, &t));
    assert_int_equal(t.is.sub, 7);
    assert_int_equal(t.is.site[1], 103);
}

/* Two variables: what operation 1 does to both comes between what operation 0 does to each. */
static void two_variables(void **state)
{
    struct hd_gen_target t;
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_event(l, 4, Y, READ);
    call_of(0);
    hd_gen_gap_event(l, 1, X, WRITE);
    hd_gen_gap_event(l, 5, Y, WRITE);
    call_of(1);
    u32 seen = 0;
    for (u32 i = 0; i < 50; i++) {
        assert_true(hd_gen_gap_draw(g, (u32[]){0, 1}, &t));
        assert_int_equal(t.is.n, 4);
        assert_int_equal(t.gap.call.op, t.is.sub == 12);
        seen |= 1u << t.is.sub;
    }
    assert_int_equal(seen, 1u << 14 | 1u << 12); /* aRx bWx bWy aRy, aWx bRx bRy aWy */
}

/* Two attempts, then it is targeted only as one that is known. */
static void known_ones_come_last(void **state)
{
    struct hd_gen_target t;
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_event(l, 1, X, READ);
    call_of(0);
    hd_gen_gap_event(l, 2, X, WRITE);
    call_of(1);
    assert_true(hd_gen_gap_draw(g, NULL, &t) && !t.is_again);
    assert_int_equal(t.is.sub, 4);
    *hd_map_ref(&g->tried, hd_gen_map_key(&t.is), 0) = 2;
    assert_true(hd_gen_gap_draw(g, NULL, &t) && t.is_again);
}

/* Operation 0 reads X and updates it in one step, operation 1 only reads it first: what comes between is a write. */
static void gap_that_ends_with_an_update(void **state)
{
    struct hd_gen_target t;
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_event(l, 1, X, WRITE);
    call_of(0);
    assert_false(hd_gen_gap_draw_update(g, &t));
    hd_gen_gap_event(l, 2, X, READ);
    hd_gen_gap_event(l, 3, X, READ | WRITE);
    call_of(1);
    for (u32 i = 0; i < 20; i++) {
        assert_true(hd_gen_gap_draw_update(g, &t));
        assert_int_equal(t.gap.call.op, 1);
        assert_int_equal(t.is.site[0], 102);
        assert_true(t.is.site[1] == 101 || t.is.site[1] == 103);
        assert_int_equal(t.is.site[2], 103);
    }
}

/* Those who write a variable, through whatever site. */
static void writers_of_a_variable(void **state)
{
    u32 op[HD_GEN_OPS];
    g->watch.site.at[1] = (struct hd_gen_site){.id = 101, .up = 0, .does = WRITE, .ops = {2}};
    g->watch.site.at[2] = (struct hd_gen_site){.id = 102, .up = 0, .does = READ, .ops = {1}};
    assert_int_equal(hd_gen_watch_writers(g, 3, op), 1);
    assert_int_equal(op[0], 1);
    assert_int_equal(hd_gen_watch_writers(g, 4, op), 0);
}

/* Threads side by side say nothing about states: only calls by themselves count. */
static void not_beside_others(void **state)
{
    struct hd_wire_test t = {.n = 1, .threads = 2};
    hd_gen_gap_event(l, 0, X, READ);
    hd_gen_gap_event(l, 1, X, WRITE);
    hd_gen_gap_call_ended(g, &t, 0, l);
    assert_int_equal(g->gaps.all.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gap_between_two_critical_sections, setup, teardown),
        cmocka_unit_test_setup_teardown(held_all_the_time, setup, teardown),
        cmocka_unit_test_setup_teardown(two_variables, setup, teardown),
        cmocka_unit_test_setup_teardown(known_ones_come_last, setup, teardown),
        cmocka_unit_test_setup_teardown(gap_that_ends_with_an_update, setup, teardown),
        cmocka_unit_test_setup_teardown(writers_of_a_variable, setup, teardown),
        cmocka_unit_test_setup_teardown(not_beside_others, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
