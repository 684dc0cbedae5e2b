/* test_judge.c: when a failure is said to come of the order of two accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "campaign/race/judge/judge.h"

static bool decides(u32 first, u32 second, u32 n) { return hd_judge_decides((u32[]){first, second}, n); }

static void one_order_fails(void **state)
{
    assert_true(decides(10, 0, 10));
    assert_true(decides(0, 10, 10));
    assert_true(decides(5, 0, 10));
    assert_true(decides(3, 9, 10));
    assert_true(decides(1, 0, 1));
}

static void chance_does_not_decide(void **state)
{
    assert_false(decides(2, 0, 10)); /* a use after free besides, and a counter that races */
    assert_false(decides(0, 4, 10));
    assert_false(decides(7, 4, 10));
    assert_false(decides(10, 10, 10));
    assert_false(decides(0, 0, 10));
    assert_false(decides(0, 0, 0)); /* nothing was run to its end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_order_fails),
        cmocka_unit_test(chance_does_not_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
