/* symbol/line.h: lines of source without comments and white space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/line.h"

static void expect(const char *text, const char *plain)
{
    char out[256];
    assert_int_equal(hd_line_plain(text, out, sizeof out), strlen(plain));
    assert_string_equal(out, plain);
}

static void test_plain(void **state)
{
    expect("", "");
    expect("  n++;", "n++;");
    expect("n++; /* alone */", "n++;");
    expect("n++; // alone", "n++;");
    expect("n += /* two */ 2;", "n+=2;");
    expect("return\t x;", "return x;");
    expect("int/**/x;", "int x;");
    expect("a = b + c ;", "a=b+c;");
    expect("puts(\"a  // b /* c\"); // d", "puts(\"a  // b /* c\");");
    expect("c = '\"'; /* quote */ n++;", "c='\"';n++;");
    expect("s = \"\\\"/*\"; n++;", "s=\"\\\"/*\";n++;");
    expect("of before */ n++;", "n++;");
    expect("n++; /* goes on", "n++;");
    expect("all of it is a comment */", "");
    expect("a * b / c; /* x */", "a*b/c;");
}

static void test_same(void **state)
{
    assert_true(hd_line_is_same("n++; /* one */", "n ++;  // two", 256));
    assert_false(hd_line_is_same("n++;", "n--;", 256));
    assert_false(hd_line_is_same("n++;", "n++; m++;", 256));
    assert_true(hd_line_is_same("n++;", "n++; m++;", 4)); /* cut off before it */
    assert_false(hd_line_is_same("puts(\"a b\");", "puts(\"ab\");", 256));
}

static void test_small(void **state)
{
    char out[4];
    assert_int_equal(hd_line_plain("abcdef", out, sizeof out), 3);
    assert_string_equal(out, "abc");
    assert_int_equal(hd_line_plain("\"abc\" d", out, sizeof out), 3);
    assert_string_equal(out, "\"ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
