/* Unit tests of minimize/budget.c: how long minimizing goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "minimize/budget.h"

#define S 1000000000ll

static struct hd_budget b;

static void begin(u64 left)
{
    b = (struct hd_budget){.patience_ns = 2 * S, .end_ns = 40 * S, .patience_runs = 200};
    hd_budget_begin(&b, 0, 0, left);
}

/* Nothing improves: it ends after its patience, in time or in runs. */
static void it_ends_without_improvement(void **state)
{
    begin(100);
    assert_true(hd_budget_is_left(&b, 2 * S - 1, 100));
    assert_false(hd_budget_is_left(&b, 2 * S, 100));
    assert_false(hd_budget_is_left(&b, 1, 200));
}

/* Runs that take long get some tries. */
static void slow_runs_are_tried_for_longer(void **state)
{
    begin(100);
    assert_true(hd_budget_is_left(&b, 10 * S, 39));
    assert_false(hd_budget_is_left(&b, 10 * S, 40));
    assert_false(hd_budget_is_left(&b, 40 * S, 1));
}

static void it_goes_on_while_it_improves(void **state)
{
    u64 left = 10000;
    s64 now = 0;
    u32 runs = 0;
    begin(left);
    while (left > 1 && hd_budget_is_left(&b, now, runs)) {
        now += S;
        runs += 100;
        left -= left / 4 + 1;
        hd_budget_improve(&b, now, runs, left);
    }
    assert_int_equal(left, 1);
    assert_false(hd_budget_is_left(&b, now + 2 * S, runs + 50));
}

/* One by one from ten thousand is not worth it, the last ones are. */
static void small_steps_do_not_count_among_many(void **state)
{
    begin(10000);
    for (u32 i = 1; i <= 150; i++)
        hd_budget_improve(&b, i * S / 50, i, 10000 - i);
    assert_false(hd_budget_is_left(&b, 3 * S, 150));
    begin(3);
    hd_budget_improve(&b, S, 150, 2);
    assert_true(hd_budget_is_left(&b, 2 * S, 300));
    hd_budget_improve(&b, 2 * S, 310, 2); /* no fewer */
    assert_false(hd_budget_is_left(&b, 3 * S, 350));
}

static void many_small_steps_add_up(void **state)
{
    begin(100);
    for (u32 i = 1; i <= 10; i++)
        hd_budget_improve(&b, S, 100 + i, 100 - i);
    assert_true(hd_budget_is_left(&b, 3 * S - 1, 150));
}

/* Whatever it achieves, there is an end; and what cannot be counted counts. */
static void limits_hold(void **state)
{
    begin(10);
    b.end_run = 500;
    for (u32 i = 0; i < 50; i++)
        hd_budget_renew(&b, i * S / 2, i * 10);
    assert_true(hd_budget_is_left(&b, 25 * S, 499));
    assert_false(hd_budget_is_left(&b, 25 * S, 500));
    hd_budget_renew(&b, 40 * S - 1, 400);
    assert_false(hd_budget_is_left(&b, 40 * S, 401));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_without_improvement),
        cmocka_unit_test(slow_runs_are_tried_for_longer),
        cmocka_unit_test(it_goes_on_while_it_improves),
        cmocka_unit_test(small_steps_do_not_count_among_many),
        cmocka_unit_test(many_small_steps_add_up),
        cmocka_unit_test(limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
