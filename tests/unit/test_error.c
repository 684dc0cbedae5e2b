/* test_error.c: the sentence that travels beside a negative errno. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "error/error.h"

static struct hd_error err;
static char text[2 * sizeof err.text];

static void test_set(void **state)
{
    (void)state;
    assert_int_equal(hd_error_set(&err, -EIO, "cannot read %s: %d", "x", 7), -EIO);
    assert_string_equal(err.text, "cannot read x: 7");
    assert_int_equal(hd_error_set(NULL, -EIO, "nobody wants %s", "it"), -EIO);
    assert_int_equal(hd_error_set(&err, -ENOENT, "again, %s", err.text + 7), -ENOENT);
    assert_string_equal(err.text, "again, read x: 7");
}

static void test_prefix(void **state)
{
    (void)state;
    hd_error_set(&err, 0, "no such section");
    assert_int_equal(hd_error_prefix(&err, -EINVAL, "%s:%u", "a.toml", 12), -EINVAL);
    assert_string_equal(err.text, "a.toml:12: no such section");
    assert_int_equal(hd_error_prefix(NULL, -EINVAL, "x"), -EINVAL);
    err.text[0] = '\0';
    assert_int_equal(hd_error_prefix(&err, -EINVAL, "x"), -EINVAL);
    assert_string_equal(err.text, "");
}

/* Whatever the length of the last words, the text ends behind a whole one and says that
 * something is missing. */
static void test_too_long(void **state)
{
    (void)state;
    size_t room = sizeof err.text - 1;
    for (size_t last = 1; last < 12; last++) {
        memset(text, 'a', sizeof text);
        for (size_t i = last; i < sizeof text; i += last + 1)
            text[i] = ' ';
        text[room] = '\0';
        hd_error_set(&err, 0, "%s", text); /* just fits */
        assert_string_equal(err.text, text);
        text[room] = 'a';
        text[room + 1] = '\0';
        hd_error_set(&err, 0, "%s", text);
        size_t n = strlen(err.text);
        assert_true(n <= room && n + last + 4 > room);
        assert_string_equal(err.text + n - 3, "...");
        assert_memory_equal(err.text, text, n - 3);
        assert_int_equal(text[n - 3], ' ');
    }
    memset(text, 'a', sizeof text - 1); /* one word that fills everything */
    text[sizeof text - 1] = '\0';
    hd_error_set(&err, 0, "%s", text);
    assert_int_equal(strlen(err.text), room);
    assert_string_equal(err.text + room - 4, "a...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
