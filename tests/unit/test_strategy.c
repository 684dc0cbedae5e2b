/* test_strategy.c: the table of strategies, and exact behaviour of the rows
 * (or parameters) that leave nothing to chance. The rest of what strategies
 * promise is in conform/ and stat/. */
#include "conform/sim.h"
#include "strategy/change_points.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sim sim;
static const struct hd_learned nothing;

static struct sim_program *writers(u32 n, u32 steps)
{
    struct sim_program *p = sim_program_new("writers", n);
    for (u32 t = 0; t < n; t++)
        for (u32 i = 0; i < steps; i++)
            sim_add(p, t, HD_EV_WRITE, 0x1000);
    sim_program_end(p);
    return p;
}

/* The threads in the order in which they step, as digits. */
static void trace(const char *strategy, u64 param, const struct sim_program *p, char *text)
{
    struct sim_driver d = sim_driver_new(hd_strategy_find(strategy));
    sim_init(&sim, p);
    sim_driver_start(&d, 1, 1, param, &nothing);
    for (u32 t; (t = sim_advance(&sim, &d)) != HD_NO_THREAD;)
        *text++ = (char)('0' + t);
    *text = 0;
    sim_driver_free(&d);
}

static void table(void **state)
{
    u32 n = 0;
    assert_null(hd_strategy_find("nosuch"));
    assert_null(hd_strategy_find(""));
    while (hd_strategy_at(n)) {
        assert_int_equal(hd_strategy_index(hd_strategy_at(n)), n);
        for (u32 i = 0; i < n; i++)
            assert_string_not_equal(hd_strategy_at(i)->name, hd_strategy_at(n)->name);
        n++;
    }
    assert_null(hd_strategy_at(n + 1));
    assert_string_equal(hd_strategy_at(0)->name, "random"); /* what `heddle run` uses */
}

static void rr_takes_turns(void **state)
{
    char text[64];
    struct sim_program *p = writers(3, 2); /* and an EXIT each */
    trace("rr", 1, p, text);
    assert_string_equal(text, "012012012");
    trace("rr", 2, p, text);
    assert_string_equal(text, "001122012");
    trace("rr", 100, p, text);
    assert_string_equal(text, "000111222");
    sim_program_free(p);
}

/* A thread that cannot go on loses its turn; the next one gets a whole quantum. */
static void rr_skips_the_blocked(void **state)
{
    char text[64];
    struct sim_program *p = sim_program_new("blocked", 3);
    sim_add(p, 0, HD_EV_WRITE, 0x1000);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 0, 1);
    sim_add(p, 2, HD_EV_WRITE, 0x1000);
    sim_add(p, 2, HD_EV_FUTEX_WAKE, 0);
    sim_program_end(p);
    trace("rr", 1, p, text);
    assert_string_equal(text, "0202121");
    sim_program_free(p);
}

static void stay_goes_on_while_it_can(void **state)
{
    char text[64];
    struct sim_program *p = writers(3, 2);
    trace("stay", 0, p, text);
    assert_string_equal(text, "000111222");
    trace("stay", 1, p, text);
    assert_string_equal(text, "222111000");
    trace("stay", 2, p, text);
    assert_int_equal(sim.switches, 2);
    sim_program_free(p);
}

static void delay_0_never_preempts(void **state)
{
    char text[64];
    struct sim_program *p = writers(3, 4);
    trace("delay", 0, p, text);
    assert_int_equal(sim.switches, 2);
    sim_program_free(p);
}

/* Always delayed: a thread that went does not go again while another is awake. */
static void delay_100_preempts(void **state)
{
    char text[64];
    struct sim_program *p = writers(2, 4);
    trace("delay", 100, p, text);
    assert_true(text[0] != text[1]);
    assert_true(sim.switches > 2);
    sim_program_free(p);
}

/* Depth 1: no change points, so threads run one after the other. */
static void pct_1_is_a_plain_order(void **state)
{
    char text[64];
    struct sim_program *p = writers(4, 5);
    trace("pct", 1, p, text);
    assert_int_equal(sim.switches, 3);
    sim_program_free(p);
}

/* Moments are drawn from 1 to the length expected and some more: each is met, the latest
 * drawn of equal ones counts, and its priority is the lower the later it was drawn. */
static void change_points_are_met(void **state)
{
    enum { LENGTH = 5, POINTS = 3, MOMENTS = LENGTH + POINTS };
    static const struct hd_learned learned = {.runs = 1, .max_points = LENGTH};
    const struct hd_strategy_arg arg = {.param = POINTS + 1, .learned = &learned};
    u32 met[MOMENTS + 1] = {0};
    for (u64 seed = 0; seed < 300; seed++) {
        struct hd_rng rng = hd_rng_make(seed, 1, 1), same = rng;
        struct hd_change_points c = {0};
        u64 rank[MOMENTS + 1] = {0};
        hd_change_points_init(&c, &rng, &arg);
        for (u32 i = 0; i < POINTS; i++)
            rank[1 + hd_rng_below(&same, MOMENTS)] = POINTS - i;
        for (u32 m = 1; m <= MOMENTS; m++) {
            assert_int_equal(hd_change_points_next(&c), rank[m]);
            met[m] += rank[m] != 0;
        }
    }
    for (u32 m = 1; m <= MOMENTS; m++) /* none is drawn with probability (7/8)^900 */
        assert_true(met[m] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(rr_takes_turns),
        cmocka_unit_test(rr_skips_the_blocked),
        cmocka_unit_test(stay_goes_on_while_it_can),
        cmocka_unit_test(delay_0_never_preempts),
        cmocka_unit_test(delay_100_preempts),
        cmocka_unit_test(pct_1_is_a_plain_order),
        cmocka_unit_test(change_points_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
