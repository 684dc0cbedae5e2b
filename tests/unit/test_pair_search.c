/* test_pair_search.c: which two events the search for the deciding pair takes as competing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "minimize/pair_search.h"

static struct hd_event event(u8 kind, u64 obj, u8 size)
{
    return (struct hd_event){.kind = kind, .obj = obj, .size = size};
}

static bool is_same(struct hd_event a, struct hd_event b)
{
    bool is = hd_pair_search_same_object(&a, &b);
    assert_int_equal(hd_pair_search_same_object(&b, &a), is);
    return is;
}

/* Accesses that share a byte, wherever each begins. */
static void memory(void **state)
{
    struct hd_event wide = event(HD_EV_WRITE, 0x1000, 8);
    assert_true(is_same(wide, event(HD_EV_READ, 0x1000, 8)));
    assert_true(is_same(wide, event(HD_EV_READ, 0x1004, 4)));
    assert_true(is_same(wide, event(HD_EV_ASTORE, 0x1007, 1)));
    assert_false(is_same(wide, event(HD_EV_READ, 0x1008, 4)));
    assert_false(is_same(wide, event(HD_EV_READ, 0xffc, 4)));
    /* a futex is the word it lies in, of four bytes */
    assert_true(is_same(wide, event(HD_EV_FUTEX_WAIT, 0x1004, 0)));
    assert_false(is_same(wide, event(HD_EV_FUTEX_WAIT, 0x1008, 0)));
}

/* Locks are their address; other kinds of things at the same one are something else. */
static void objects(void **state)
{
    struct hd_event lock = event(HD_EV_LOCK, 0x2000, 0);
    assert_true(is_same(lock, event(HD_EV_UNLOCK, 0x2000, 0)));
    assert_false(is_same(lock, event(HD_EV_LOCK, 0x2001, 0)));
    assert_false(is_same(lock, event(HD_EV_WRITE, 0x2000, 8)));
    assert_false(is_same(lock, event(HD_EV_COND_SIGNAL, 0x2000, 0)));
    assert_false(is_same(event(HD_EV_JOIN, 1, 0), event(HD_EV_JOIN, 1, 0)));
}

/* One of them must change something, and a release does not compete with who comes next. */
static void conflicts(void **state)
{
    struct hd_event a = event(HD_EV_READ, 0x1000, 4), b = a, w = event(HD_EV_WRITE, 0x1000, 4);
    b.tid = w.tid = 1;
    assert_false(hd_pair_search_conflicts(&a, &b));
    assert_true(hd_pair_search_conflicts(&a, &w));
    assert_true(hd_pair_search_conflicts(&w, &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(objects),
        cmocka_unit_test(conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
