/* Unit tests of report/outcome.c: what a campaign without a finding says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "event/result.h"
#include "report/outcome.h"

static char text[4096];

static const char *words(const struct hd_outcome *o)
{
    char line[512];
    size_t n = 0;
    text[0] = '\0';
    for (u32 i = 0; hd_outcome_line(o, i, line, sizeof line); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", line);
    return text;
}

static struct hd_outcome full(void)
{
    return (struct hd_outcome){
        .runs = 1000, .seconds = 2.1, .threads = 3, .has_checked_races = true,
        .has_orders = true, .is_predicted = true, .tested = 54, .is_new = 54, .unreached = 6,
        .singles = 0, .window = 500, .is_instrumented = true, .relaxed = 4,
        .uncontrolled = 1u << HD_UNC_IO, .call = "input from another process"};
}

static void test_all(void **state)
{
    struct hd_outcome o = full();
    assert_string_equal(
        words(&o),
        "No failure and no race in 1,000 runs of 3 threads (2.1 s).\n"
        "Tested: 54 of 60 orders of events that seem possible; 6 could not be reached.\n"
        "More runs like the last 500 would hardly show anything new (estimate: fewer than 1 in 500).\n"
        "Not explored: weak memory (4 relaxed atomics), input from another process.\n");
}

/* What was not looked for is not claimed. */
static void test_races(void **state)
{
    struct hd_outcome o = full();
    o.has_checked_races = false;
    assert_ptr_equal(strstr(words(&o), "No failure in 1,000 runs"), text);
    o.has_checked_races = true;
    o.races = 1; /* suppressed */
    assert_ptr_equal(strstr(words(&o), "No failure in 1,000 runs"), text);
    o.races = o.races_unconfirmed = 2;
    assert_non_null(strstr(words(&o), "\n2 pairs of accesses that no lock keeps apart were driven together and "
                                        "never met (--predicted lists them).\n"));
    o.races_unconfirmed = 0;
    o.races_left = 1;
    assert_non_null(strstr(words(&o), "\n1 pair of accesses that may race was not looked into: "));
    o = full();
    o.is_instrumented = false;
    assert_ptr_equal(strstr(words(&o), "No failure in 1,000 runs"), text);
    assert_non_null(strstr(text, "Not explored: memory accesses (the program is not built with "
                                 "-fsanitize=thread), weak memory"));
}

static void test_orders(void **state)
{
    struct hd_outcome o = full();
    o.unreached = 0;
    assert_non_null(strstr(words(&o), "Tested: all 54 orders of events that seem possible.\n"));
    o.is_new = 3;
    assert_non_null(strstr(words(&o), "possible, 3 of them now for the first time.\n"));
    o.is_new = 0;
    assert_non_null(strstr(words(&o), "possible, none of them new.\n"));
    o = full();
    o.waiting = 2;
    o.left = 1;
    assert_non_null(strstr(words(&o), "Tested: 54 of 63 orders of events that seem possible; 6 could "
                                      "not be reached; 2 need an order that no run showed; 1 is "
                                      "left to be tried.\n"));
    o.is_predicted = false; /* nobody worked out what is possible */
    assert_non_null(strstr(words(&o), "Tested: 54 orders of events.\n"));
    o.has_orders = false;
    assert_null(strstr(words(&o), "Tested"));
    assert_null(strstr(text, "estimate"));
}

static void test_estimate(void **state)
{
    struct hd_outcome o = full();
    o.singles = 12;
    assert_non_null(strstr(words(&o), "Of more runs like the last 500 about 1 in 42 would show a new order (estimate).\n"));
    o.singles = 900;
    assert_non_null(strstr(words(&o), "each further run would show 1.8 new orders.\n"));
    o.singles = 1;
    o.window = 19;
    assert_non_null(strstr(words(&o), "too few runs to estimate"));
    o.window = 0;
    assert_null(strstr(words(&o), "estimate"));
}

static void test_unexplored(void **state)
{
    struct hd_outcome o = full();
    o.relaxed = o.uncontrolled = 0;
    assert_null(strstr(words(&o), "Not explored"));
    o.relaxed = 1;
    o.weaker = 2;
    o.cut = 1;
    o.limited = 1200;
    o.uncontrolled = 1u << HD_UNC_CHILD;
    o.call = "fork";
    assert_non_null(strstr(words(&o), "Not explored: weak memory (1 relaxed atomic, 2 acquire or release), "
                                      "what processes do that the program starts (fork), the later part of 1 long run, "
                                      "the rest of 1,200 runs that a limit ended.\n"));
    o.is_interrupted = true;
    o.suppressed = 2;
    o.runs = 1;
    assert_ptr_equal(strstr(words(&o), "Interrupted. So far no failure and no race in 1 run of 3 "
                                       "threads (2.1 s), but for 2 findings that are suppressed.\n"), text);
}

static void test_count(void **state)
{
    char buf[28];
    assert_string_equal(hd_outcome_count(buf, 0), "0");
    assert_string_equal(hd_outcome_count(buf, 999), "999");
    assert_string_equal(hd_outcome_count(buf, 1000), "1,000");
    assert_string_equal(hd_outcome_count(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),      cmocka_unit_test(test_races),
        cmocka_unit_test(test_orders),   cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_unexplored), cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
