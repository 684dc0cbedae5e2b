/* Unit tests of gen/test.c: orders of calls, and which outcomes they explain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/test.h"

static struct hd_gen_func funcs[2];
static struct hd_api api = {.func = {.at = funcs, .n = 2, .cap = 2}};

/* Calls by thread: "112" are two of thread 1 and one of thread 2. */
static struct hd_wire_test test_of(const char *threads)
{
    struct hd_wire_test t = {.threads = 2};
    for (; *threads; threads++)
        t.call[t.n++].thread = *threads == 'a' ? HD_WIRE_AFTER : (uint8_t)(*threads - '0');
    return t;
}

static void counts_orders(void **state)
{
    const struct {
        const char *threads;
        u32 n;
    } row[] = {{"12", 2},
               {"1122", 6},
               {"0111222a", 20},
               {"11112222", 70},
               {"123", 6},
               {"112233", 90},
               {"1111122222", HD_GEN_ORDERS + 1}};
    for (u32 i = 0; i < HD_COUNT(row); i++) {
        struct hd_wire_test t = test_of(row[i].threads);
        assert_int_equal(hd_gen_order_count(&t), row[i].n);
    }
}

static void orders_keep_threads_and_differ(void **state)
{
    struct hd_wire_test t = test_of("0112233"), o[HD_GEN_ORDERS];
    u32 n = 0;
    while (n < HD_GEN_ORDERS && hd_gen_order(&t, n, &o[n]))
        n++;
    assert_int_equal(n, 90);
    for (u32 i = 0; i < n; i++) {
        u32 at[HD_WIRE_CALLS];
        assert_int_equal(o[i].n_order, 6);
        for (u32 k = 0; k < 6; k++)
            at[o[i].order[k]] = k;
        assert_true(at[1] < at[2] && at[3] < at[4] && at[5] < at[6]);
        for (u32 k = 0; k < i; k++)
            assert_memory_not_equal(o[i].order, o[k].order, 6);
    }
}

/* Two calls, each gives one number; thread 1 first, then thread 2, or the other way. */
static struct hd_gen_outcome outcome(u8 first, u64 a, u64 b)
{
    struct hd_gen_outcome o = {
        .verdict = HD_V_CLEAN, .n_order = 2, .order = {first, !first}, .r = {.is_over = 1}};
    u64 v[] = {a, b};
    for (u32 i = 0; i < 2; i++) {
        o.r.call[i] = (struct hd_wire_value){.n = 1, .kind = {'i'}, .v = {v[i]}};
        o.r.call[i].begin = i == first ? 1 : 3;
        o.r.call[i].end = i == first ? 2 : 4;
    }
    return o;
}

/* Two calls that take a number: 1, 2 in the order they come. */
static struct hd_gen_outcome tickets[2];
static struct hd_gen_orders orders = {.at = tickets, .n = 2};

static int setup(void **state)
{
    tickets[0] = outcome(0, 1, 2);
    tickets[1] = outcome(1, 2, 1);
    orders.is_failing = orders.is_blocking = orders.has_waiting = false;
    memset(funcs, 0, sizeof funcs);
    return 0;
}

static void overlapping_calls_may_come_either_way(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = outcome(0, 2, 1);
    got.r.call[0].end = 5; /* overlaps the other */
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
    got = outcome(0, 1, 1);
    got.r.call[0].end = 5;
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_RESULT);
    funcs[0].no_result = true;
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
}

static void observers_may_count_who_waits(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = outcome(0, 1, 7);
    t.call[1].op = 1;
    funcs[1].role = HD_GEN_OBSERVES;
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_RESULT);
    orders.is_blocking = true; /* a call of the test can wait */
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
    orders.is_blocking = false;
    orders.has_waiting = true; /* ... with a time-out */
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
}

static void real_time_counts(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = outcome(0, 2, 1); /* thread 1 had ended, and got the later number */
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_RESULT);
}

static void a_text_that_was_freed_says_nothing(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = outcome(0, 1, 0);
    for (u32 i = 0; i < 2; i++)
        tickets[i].r.call[1].kind[0] = 's';
    got.r.call[1].kind[0] = 's';
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_RESULT);
    got.r.call[1].kind[0] = 'g';
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
    got.r.call[0].v[0] = 9; /* the other result counts as ever */
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_RESULT);
}

static void pointers_are_handles(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome a = outcome(0, 0x1000, 0x2000), b = outcome(0, 0x5000, 0x7000),
                          c = outcome(0, 0x5000, 0x5000);
    struct hd_gen_outcome *all[] = {&a, &b, &c};
    for (u32 i = 0; i < 3; i++)
        all[i]->r.call[0].kind[0] = all[i]->r.call[1].kind[0] = 'p';
    assert_true(hd_gen_is_same(&api, &t, &orders, &a, &b));
    assert_false(hd_gen_is_same(&api, &t, &orders, &a, &c));
    assert_int_equal(hd_gen_distance(&api, &t, &orders, &a, &c), 1);
}

static void failures_of_an_order_are_no_news(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = {.verdict = HD_V_SIGNAL};
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_END);
    orders.is_failing = true;
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
    got.verdict = HD_V_LIMIT;
    orders.is_failing = false;
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
}

/* Thread 1 takes, thread 2 gives: to take first waits, but then thread 2 can still give. */
static void a_wait_that_another_call_ends_explains_no_deadlock(void **state)
{
    struct hd_wire_test t = test_of("12");
    struct hd_gen_outcome got = {.verdict = HD_V_DEADLOCK};
    tickets[1].verdict = HD_V_CLEAN;
    tickets[0].verdict = HD_V_DEADLOCK;
    tickets[0].r.call[0] = (struct hd_wire_value){.begin = 1};
    tickets[0].r.call[1] = (struct hd_wire_value){.begin = 0};
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_WRONG_BLOCK);
    /* Both wait at once: a state in which all wait. */
    tickets[1] = tickets[0];
    tickets[1].r.call[0] = (struct hd_wire_value){.begin = 0};
    tickets[1].r.call[1] = (struct hd_wire_value){.begin = 1};
    assert_int_equal(hd_gen_judge(&api, &t, &orders, &got), HD_GEN_RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_orders),
        cmocka_unit_test(orders_keep_threads_and_differ),
        cmocka_unit_test_setup(overlapping_calls_may_come_either_way, setup),
        cmocka_unit_test_setup(observers_may_count_who_waits, setup),
        cmocka_unit_test_setup(real_time_counts, setup),
        cmocka_unit_test_setup(a_text_that_was_freed_says_nothing, setup),
        cmocka_unit_test_setup(pointers_are_handles, setup),
        cmocka_unit_test_setup(failures_of_an_order_are_no_news, setup),
        cmocka_unit_test_setup(a_wait_that_another_call_ends_explains_no_deadlock, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
