/* test_words.c: lines of words and numbers; whatever else is there is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "text/shell.h"
#include "text/words.h"

static struct hd_words on(const char *line)
{
    struct hd_words w = hd_words_of(line, strlen(line));
    assert_true(hd_words_line(&w));
    return w;
}

static void test_lines(void **state)
{
    (void)state;
    char buf[4];
    struct hd_words w = hd_words_of("ab 12\n\nlast", 11);
    assert_true(hd_words_line(&w));
    assert_false(hd_words_is(&w, "a"));
    assert_false(hd_words_is(&w, "abc"));
    assert_true(hd_words_is(&w, "ab"));
    assert_true(hd_words_word(&w, buf, sizeof buf));
    assert_string_equal(buf, "12");
    assert_true(hd_words_is_end(&w));
    assert_false(hd_words_word(&w, buf, sizeof buf));
    assert_true(hd_words_line(&w));
    assert_true(hd_words_is_end(&w));
    assert_int_equal(w.line, 2);
    assert_false(hd_words_line(&w)); /* without a newline it was cut */
    w = on("abcd\n");
    assert_false(hd_words_word(&w, buf, sizeof buf));
    w = hd_words_of("", 0);
    assert_false(hd_words_line(&w));
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        bool is_hex, is_dec, is_signed;
        u64 value;
    } c[] = {
        {"0\n", true, true, true, 0},
        {"10\n", true, true, true, 0},
        {"ff\n", true, false, false, 255},
        {"FF\n", false, false, false, 0},
        {"0x1\n", false, false, false, 0},
        {"-1\n", false, false, true, 0},
        {"-\n", false, false, false, 0},
        {"+1\n", false, false, false, 0},
        {"\n", false, false, false, 0},
        {" 1\n", false, false, false, 0},
        {"1 \n", true, true, true, 1},
        {"ffffffffffffffff\n", true, false, false, UINT64_MAX},
        {"10000000000000000\n", false, true, true, 0},
        {"18446744073709551615\n", false, true, false, 0},
        {"18446744073709551616\n", false, false, false, 0},
        {"9223372036854775808\n", false, true, false, 0},
        {"-9223372036854775808\n", false, false, true, 0},
        {"-9223372036854775809\n", false, false, false, 0},
    };
    (void)state;
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        u64 v;
        s64 s;
        struct hd_words w = on(c[i].text);
        if (hd_words_hex(&w, UINT64_MAX, &v) != c[i].is_hex)
            fail_msg("hexadecimal: '%s'", c[i].text);
        assert_true(!c[i].is_hex || !c[i].value || v == c[i].value);
        w = on(c[i].text);
        if (hd_words_dec(&w, UINT64_MAX, &v) != c[i].is_dec)
            fail_msg("decimal: '%s'", c[i].text);
        w = on(c[i].text);
        if (hd_words_signed(&w, &s) != c[i].is_signed)
            fail_msg("signed: '%s'", c[i].text);
    }
    u64 v;
    struct hd_words w = on("7 8\n");
    assert_true(hd_words_dec(&w, 7, &v));
    assert_false(hd_words_dec(&w, 7, &v));
}

static void test_shell(void **state)
{
    (void)state;
    static const char *const is[][2] = {{"./a-b_c.1", "./a-b_c.1"}, {"", "''"}, {"a b", "'a b'"},
                                        {"it's", "'it'\\''s'"}, {"$x", "'$x'"}, {"~", "'~'"}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        char got[64] = "";
        FILE *to = fmemopen(got, sizeof got, "w");
        assert_non_null(to);
        hd_shell_word(to, is[i][0]);
        fclose(to);
        assert_string_equal(got, is[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
