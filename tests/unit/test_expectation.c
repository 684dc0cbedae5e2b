/* What test frameworks print when an expectation fails, and what looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "report/expectation.h"

static bool find(const char *out, const char *err, struct hd_expectation *e)
{
    struct hd_finding f;
    memset(&f, 0, sizeof f);
    f.out = (char *)out;
    f.err = (char *)err;
    return hd_expectation_find(&f, e);
}

static void expect(const char *out, const char *err, const char *test, const char *text,
                   const char *file, u32 line)
{
    struct hd_expectation e;
    assert_true(find(out, err, &e));
    assert_string_equal(e.test, test);
    assert_string_equal(e.text, text);
    assert_string_equal(e.file, file);
    assert_int_equal(e.line, line);
}

static void test_google(void **state)
{
    expect("[==========] Running 1 test\n[ RUN      ] Account.Withdraw\naccount_test.cc:31: Failure\n"
           "Expected equality of these values:\n  balance\n    Which is: 70\n  60\n"
           "[  FAILED  ] Account.Withdraw (0 ms)\n", "", "Account.Withdraw",
           "Expected equality of these values: balance 70, 60", "account_test.cc", 31);
}

static void test_catch2(void **state)
{
    expect("---------\nwithdraw, twice\n---------\na/b.cc:5\n.....\n\na/b.cc:20: FAILED:\n"
           "  REQUIRE( balance == 60 )\nwith expansion:\n  70 == 60\n\n=====\n", "",
           "withdraw, twice", "REQUIRE( balance == 60 ), with 70 == 60", "a/b.cc", 20);
}

static void test_doctest(void **state)
{
    expect("====\nb.cc:5:\nTEST CASE:  withdraw\n\nb.cc:20: ERROR: CHECK( n == 60 ) is NOT correct!\n"
           "  values: CHECK( 70 == 60 )\n", "", "withdraw",
           "CHECK( n == 60 ) is NOT correct! values: CHECK( 70 == 60 )", "b.cc", 20);
}

static void test_boost(void **state)
{
    expect("", "b.cc(20): error: in \"Account/Withdraw\": check n == 60 has failed [70 != 60]\033[0;39m\n",
           "Account/Withdraw", "check n == 60 has failed [70 != 60]", "b.cc", 20);
}

static void test_c(void **state)
{
    expect("[ RUN      ] test_add\n", "[  ERROR   ] --- 0x1 != 0x2\n[   LINE   ] --- cm.c:10: error: "
           "Failure!\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] test_add\n",
           "test_add", "0x1 != 0x2", "cm.c", 10);
    expect("account.c:20:F:core:test_withdraw:0: Assertion 'n == 60' failed: n == 70, 60 == 60\n", "",
           "test_withdraw", "Assertion 'n == 60' failed: n == 70, 60 == 60", "account.c", 20);
}

static void test_others(void **state)
{
    struct hd_expectation e;
    static char longest[4000];
    assert_false(find("", "", &e));
    assert_false(find(NULL, NULL, &e));
    assert_false(find("main.c:3: error: nothing of a framework\n12:30: Failure\x01\n", ":::1:\n", &e));
    assert_false(find("[  FAILED  ] x\n[   LINE   ] --- \n[  ERROR   ] --- \n", "a.c:1:F:\n", &e));
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest + 900, ":1: Failure\n", 12);
    assert_true(find(longest, "", &e)); /* cut off, not more */
    assert_int_equal(e.line, 1);
    assert_true(strlen(e.file) < sizeof e.file && strlen(e.text) < sizeof e.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_google), cmocka_unit_test(test_catch2), cmocka_unit_test(test_doctest),
        cmocka_unit_test(test_boost),  cmocka_unit_test(test_c),      cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
