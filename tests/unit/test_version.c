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

static void add_piece(struct hd_fingerprints *f, u64 hash, u64 text, u32 back)
{
    struct hd_fingerprint *last = &f->v.at[f->v.n - 1];
    if (!last->pieces++)
        last->piece = (u32)f->pieces.n;
    *hd_vec_add(&f->pieces) = (struct hd_piece){
        .around = last->piece, .name = strdup(""), .file = strdup(""), .hash = hash, .text = text,
        .back = (u32)f->backs.n, .backs = 1};
    *hd_vec_add(&f->backs) = back;
}

/* A function that is the same but for what was inlined into it. */
static void test_pieces(void **state)
{
    (void)state;
    struct hd_fingerprints a = {0}, b = {0};
    struct hd_comparison c;
    add(&a, "main", 1);
    add_piece(&a, 10, 7, 0x10);
    add_piece(&a, 11, 7, 0x20);
    add_piece(&a, 12, 7, 0x30);
    add(&a, "rest", 2);
    add_piece(&a, 20, 7, 0x10);
    add(&a, "line", 3);
    add_piece(&a, 30, 7, 0x10);
    add(&a, "unknown", 4);
    add_piece(&a, 40, 0, 0x10);
    add(&b, "main", 101);
    add_piece(&b, 10, 7, 0x11);
    add_piece(&b, 91, 7, 0x21);
    add_piece(&b, 12, 7, 0x31);
    add(&b, "rest", 102);
    add_piece(&b, 92, 7, 0x10);
    add(&b, "line", 103);
    add_piece(&b, 30, 8, 0x10);
    add(&b, "unknown", 104);
    add_piece(&b, 40, 0, 0x10);
    hd_compare(&c, &a, &b);
    assert_int_equal(c.count[HD_CHANGED], 4);
    assert_true(c.v.at[0].is_inside);
    assert_int_equal(hd_compare_piece(&c.v.at[0], &a, &b, 0), 0);
    assert_int_equal(hd_compare_piece(&c.v.at[0], &a, &b, 1), HD_NO_FUNCTION);
    assert_int_equal(hd_compare_piece(&c.v.at[0], &a, &b, 2), 2);
    for (u32 i = 1; i < 4; i++) /* its own code, its lines, lines that nobody knows */
        assert_false(c.v.at[i].is_inside);
    hd_comparison_release(&c);
    hd_fingerprints_release(&a);
    hd_fingerprints_release(&b);
}

/* What a sanitizer adds are calls, too; and that build has tables of lines alone, not where functions begin. */
#define PLAIN __attribute__((no_sanitize("address"), no_sanitize("undefined")))
#if defined(__has_feature)
#define HAS_LINE !__has_feature(address_sanitizer)
#else
#define HAS_LINE 1
#endif
static volatile int sink;
static int piece_line;
/* clang-format off */
PLAIN __attribute__((always_inline)) static inline void piece_of_test(void) { piece_line = __LINE__; sink += getenv("x") != NULL; }
/* clang-format on */
PLAIN __attribute__((noinline)) static void around_piece(int n)
{
    sink += n;
    if (n > 1)
        piece_of_test();
    puts("around");
}

static void test_own_pieces(void **state)
{
    (void)state;
    struct hd_fingerprints f;
    u32 found = 0;
    around_piece(2);
    assert_int_equal(hd_fingerprints_make(&f, "/proc/self/exe"), 0);
    for (size_t i = 0; i < f.v.n; i++) {
        const struct hd_fingerprint *at = &f.v.at[i];
        const struct hd_piece *rest = &f.pieces.at[at->piece], *in = rest + 1;
        if (strcmp(at->name, "around_piece"))
            continue;
        found++;
        assert_int_equal(at->pieces, 2);
        assert_true(!rest->name[0] && rest->backs == 2 && f.backs.at[rest->back] == 0); /* the beginning, and puts() */
        assert_string_equal(in->name, "piece_of_test");
        assert_int_equal(in->backs, 1);
        assert_true(rest->hash != in->hash);
        if (!HAS_LINE)
            continue;
        assert_int_equal(in->line, (u32)piece_line);
        assert_non_null(strstr(in->file, "test_version.c"));
        assert_true(rest->text && in->text && rest->text != in->text);
    }
    assert_int_equal(found, 1);
    hd_fingerprints_release(&f);
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
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_own_pieces),
        cmocka_unit_test(test_own_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
