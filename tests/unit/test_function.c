/* Where functions begin: what function.c reads from the symbol table is what the
 * debug library says, in this program, whether asked seldom or often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbol/symbol.h"

static int first(int x) { return x * 3 + 1; }
static int second(int x) { return x ^ 0x55; }
static int (*volatile const known[])(int) = {first, second};
extern char __executable_start[];

static void agree(void **state)
{
    (void)state;
    char path[256] = "";
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    struct hd_functions *f = hd_functions_open(path);
    u64 base = (u64)(uintptr_t)__executable_start, start;
    for (u32 round = 0; round < 100; round++) /* by looking through first, then sorted */
        for (u32 i = 0; i < HD_COUNT(known); i++) {
            u64 at = (u64)(uintptr_t)known[i] - base;
            assert_true(hd_functions_find(f, at, &start));
            assert_int_equal(start, at);
            assert_true(hd_functions_find(f, at + 1, &start));
            assert_int_equal(start, at);
        }
    assert_false(hd_functions_find(f, 1, &start)); /* the file's header */
    hd_functions_close(f);

    struct hd_module whole = {.end = (u64)1 << 40};
    snprintf(whole.path, sizeof whole.path, "%s", path);
    struct hd_symbols *s = hd_symbols_open(&whole, 1);
    f = hd_functions_open(path);
    u32 asked = 0;
    for (u64 at = (u64)(uintptr_t)first - base; asked < 300; at += 7, asked++) {
        u64 want = 0, got = 0;
        bool is_known = hd_symbols_function(s, at, &want);
        bool is_found = hd_functions_find(f, at, &got);
        if (is_known && is_found) /* symbols without a size are not taken */
            assert_int_equal(want, got);
    }
    hd_functions_close(f);
    hd_symbols_close(s);
}

static void nothing(void **state)
{
    (void)state;
    u64 start;
    const char *const files[] = {"", "/nonexistent", "/proc/self/status", "/etc/passwd", "/"};
    for (u32 i = 0; i < HD_COUNT(files); i++) {
        struct hd_functions *f = hd_functions_open(files[i]);
        assert_false(hd_functions_find(f, 0x1000, &start));
        hd_functions_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
