/* version/: functions of two builds and what changed between them, by scripted lists and by
 * this program itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "version/compare.h"

static void add(struct hd_fingerprints *f, const char *name, u64 hash)
{
    *hd_vec_add(&f->v) = (struct hd_fingerprint){
        .name = strdup(name), .file = strdup(""), .start = 0x1000 + f->v.n * 0x100, .size = 0x80,
        .hash = hash};
}

static enum hd_change change_of(const struct hd_comparison *c, const struct hd_fingerprints *after,
                                const char *name)
{
    for (size_t i = 0; i < c->v.n; i++)
        if (c->v.at[i].after != HD_NO_FUNCTION && !strcmp(after->v.at[c->v.at[i].after].name, name))
            return c->v.at[i].change;
    return HD_REMOVED;
}

static void test_changes(void **state)
{
    (void)state;
    struct hd_fingerprints a = {0}, b = {0};
    struct hd_comparison c;
    add(&a, "same", 1);
    add(&a, "edited", 2);
    add(&a, "old_name", 3);
    add(&a, "gone", 4);
    add(&b, "added", 9);
    add(&b, "new_name", 3);
    add(&b, "edited", 7);
    add(&b, "same", 1);
    hd_compare(&c, &a, &b);
    assert_int_equal(change_of(&c, &b, "same"), HD_SAME);
    assert_int_equal(change_of(&c, &b, "edited"), HD_CHANGED);
    assert_int_equal(change_of(&c, &b, "new_name"), HD_RENAMED);
    assert_int_equal(change_of(&c, &b, "added"), HD_ADDED);
    assert_int_equal(c.count[HD_REMOVED], 1);
    assert_int_equal(c.v.at[c.v.n - 1].before, 3);
    for (u32 i = 0; i < b.v.n; i++)
        assert_int_equal(c.v.at[i].after, i); /* in the order of the new build */
    hd_comparison_release(&c);
    hd_fingerprints_release(&a);
    hd_fingerprints_release(&b);
}

/* Static functions of several files share a name: none takes another's partner. */
static void test_shared_names(void **state)
{
    (void)state;
    struct hd_fingerprints a = {0}, b = {0};
    struct hd_comparison c;
    add(&a, "init", 1);
    add(&a, "init", 2);
    add(&a, "init", 3);
    add(&b, "init", 3);
    add(&b, "init", 8); /* one was edited: it is not taken for one that is still there */
    add(&b, "init", 1);
    hd_compare(&c, &a, &b);
    assert_int_equal(c.v.at[0].before, 2);
    assert_int_equal(c.v.at[1].change, HD_CHANGED);
    assert_int_equal(c.v.at[1].before, 1);
    assert_int_equal(c.v.at[2].before, 0);
    assert_int_equal(c.count[HD_SAME], 2);
    hd_comparison_release(&c);
    hd_fingerprints_release(&a);
    hd_fingerprints_release(&b);
}

/* Two functions with the same code: which was renamed cannot be told. */
static void test_twins_are_not_renamed(void **state)
{
    (void)state;
    struct hd_fingerprints a = {0}, b = {0};
    struct hd_comparison c;
    add(&a, "x", 5);
    add(&a, "y", 5);
    add(&b, "z", 5);
    hd_compare(&c, &a, &b);
    assert_int_equal(c.v.at[0].change, HD_ADDED);
    assert_int_equal(c.count[HD_REMOVED], 2);
    hd_comparison_release(&c);
    hd_fingerprints_release(&a);
    hd_fingerprints_release(&b);
}

static void test_own_program(void **state)
{
    (void)state;
    struct hd_fingerprints f;
    bool has_main = false;
    assert_int_equal(hd_fingerprints_make(&f, "/proc/self/exe"), 0);
    for (size_t i = 0; i < f.v.n; i++) {
        has_main |= !strcmp(f.v.at[i].name, "main") && strstr(f.v.at[i].file, "test_version.c");
        assert_true(!i || f.v.at[i].start > f.v.at[i - 1].start);
    }
    assert_true(has_main);
    hd_fingerprints_release(&f);
    assert_true(hd_fingerprints_make(&f, __FILE__) < 0);
    assert_true(hd_fingerprints_make(&f, "/nonexistent") < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_shared_names),
        cmocka_unit_test(test_twins_are_not_renamed),
        cmocka_unit_test(test_own_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
