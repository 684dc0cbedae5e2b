/* test_observe_saturate.c: slopes of coverage curves worked out by hand. */
#include "observe/saturate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool is_near(double a, double b) { return fabs(a - b) < 1e-9; }

static void slopes(void **state)
{
    struct hd_saturation s;
    const struct hd_saturate two = {2, 0.1};
    /* one step, in the middle of the window: 12/8 * 1 * (1 - 0)/2 = 3/4 */
    const struct hd_curve_point step[] = {{0, 0, 0}, {1, 10, 1}};
    s = hd_saturate(step, 2, HD_BY_RUNS, 2, &two);
    assert_true(is_near(s.slope, 0.75) && s.is_full && !s.is_saturated);
    assert_true(is_near(s.r2, 0.75)); /* (3/4)^2 * 4/12 of a variance of 1/4 */
    /* the step has left the window */
    s = hd_saturate(step, 2, HD_BY_RUNS, 3, &two);
    assert_true(is_near(s.slope, 0) && s.is_saturated && is_near(s.r2, 0));
    /* by time it is at 10 */
    s = hd_saturate(step, 2, HD_BY_TIME, 11, &two);
    assert_true(is_near(s.slope, 0.75));
    s = hd_saturate(step, 2, HD_BY_TIME, 9, &two);
    assert_true(is_near(s.slope, 0) && s.is_saturated);
    /* a staircase of n steps of 1: 1 - 1/n^2 */
    struct hd_curve_point stairs[50];
    for (u32 i = 0; i < 50; i++)
        stairs[i] = (struct hd_curve_point){i, i, i};
    for (u32 n = 1; n <= 50; n++) {
        s = hd_saturate(stairs, n, HD_BY_RUNS, n, &(struct hd_saturate){n, 0.1});
        assert_true(is_near(s.slope, 1 - 1.0 / (n * n)));
    }
    /* however high it starts */
    for (u32 i = 0; i < 50; i++)
        stairs[i].covered += 1000000;
    s = hd_saturate(stairs, 50, HD_BY_TIME, 50, &(struct hd_saturate){10, 0.1});
    assert_true(fabs(s.slope - 0.99) < 1e-6 && s.r2 > 0.98 && s.r2 <= 1);
}

static void defaults(void **state)
{
    /* 120 and 0.1: one new element at the very start */
    const struct hd_curve_point one[] = {{0, 0, 0}, {1, 1, 1}};
    struct hd_saturation s = hd_saturate(one, 2, HD_BY_TIME, 119, NULL);
    assert_false(s.is_full || s.is_saturated);
    s = hd_saturate(one, 2, HD_BY_TIME, 120, NULL);
    assert_true(s.is_full && s.is_saturated);
    assert_true(is_near(s.slope, 12.0 / (120.0 * 120 * 120) * (60 * 60 - 59 * 59) / 2));
    /* a steady 1 in 5 seconds is too much, 1 in 20 is not */
    struct hd_curve_point every[200];
    for (u32 gap = 5; gap <= 20; gap += 15) {
        for (u32 i = 0; i < 200; i++)
            every[i] = (struct hd_curve_point){i, i * gap, i};
        s = hd_saturate(every, 200, HD_BY_TIME, 200 * gap, NULL);
        assert_true(s.is_full);
        assert_int_equal(s.is_saturated, gap == 20);
    }
}

static void nothing(void **state)
{
    const struct hd_curve_point start = {0, 0, 0};
    assert_false(hd_saturate(NULL, 0, HD_BY_RUNS, 1000, NULL).is_saturated);
    assert_false(hd_saturate(&start, 1, HD_BY_RUNS, 0, NULL).is_saturated);
    /* nothing was ever covered: flat */
    assert_true(hd_saturate(&start, 1, HD_BY_RUNS, 120, NULL).is_saturated);
}

static void when(void **state)
{
    /* 1 per second up to 100, then nothing. With a window of 10 at 100 + d the
     * rise has left it but for 10 - d; saturated when the slope is below 0.5. */
    struct hd_curve_point p[101];
    for (u32 i = 0; i <= 100; i++)
        p[i] = (struct hd_curve_point){i, i, i};
    const struct hd_saturate how = {10, 0.5};
    double at = 100;
    assert_false(hd_saturate(p, 101, HD_BY_TIME, at, &how).is_saturated);
    while (!hd_saturate(p, 101, HD_BY_TIME, at, &how).is_saturated && at < 200)
        at++;
    assert_in_range((u64)at, 104, 106);
    assert_true(hd_saturate(p, 101, HD_BY_TIME, at - 1, &how).slope >= 0.5);
    assert_true(hd_saturate(p, 101, HD_BY_TIME, at, &how).slope < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes),
        cmocka_unit_test(defaults),
        cmocka_unit_test(nothing),
        cmocka_unit_test(when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
