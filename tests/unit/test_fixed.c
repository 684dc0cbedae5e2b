/* test_fixed.c: which pairs of accesses one run says to come in the same order in every run
 * (detect/fixed.h), on scripted lists of events. */
#include "race_script.h"

#include "detect/fixed.h"

enum { QUEUE = 0x4000 };

static enum hd_fixed_is ask(struct hd_event *ev, size_t n, u64 a, u64 b)
{
    struct hd_fixed f;
    number(ev, n);
    hd_fixed_init(&f, ev);
    hd_fixed_want(&f, a);
    hd_fixed_want(&f, b);
    hd_fixed_read(&f, (u32)n);
    enum hd_fixed_is is = hd_fixed_ask(&f, (u64[]){a, b}, 1000);
    assert_int_equal(hd_fixed_ask(&f, (u64[]){b, a}, 1000), is);
    hd_fixed_release(&f);
    return is;
}

/* What was put into a queue under a lock, and taken out under it. */
static void handed_over(void **state)
{
    assert_int_equal(ask(LIST(W(0, X, 1), EV(0, LOCK, M, 3), W(0, QUEUE, 4), EV(0, UNLOCK, M, 5),
                              EV(1, LOCK, M, 6), R(1, QUEUE, 7), EV(1, UNLOCK, M, 8), R(1, X, 2)), 1, 2),
                     HD_FIXED_ORDERED);
}

/* The lock alone says nothing: the other thread may take it first. */
static void by_luck(void **state)
{
    assert_int_equal(ask(LIST(W(0, X, 1), EV(0, LOCK, M, 3), EV(0, UNLOCK, M, 5), EV(1, LOCK, M, 6),
                              EV(1, UNLOCK, M, 8), R(1, X, 2)), 1, 2),
                     HD_FIXED_OPEN);
}

/* One pass of a loop that nothing orders is enough. */
static void one_is_open(void **state)
{
    assert_int_equal(ask(LIST(W(0, X, 1), EV(0, LOCK, M, 3), W(0, QUEUE, 4), EV(0, UNLOCK, M, 5),
                              EV(1, LOCK, M, 6), R(1, QUEUE, 7), EV(1, UNLOCK, M, 8), R(1, X, 2),
                              W(0, X, 1)), 1, 2),
                     HD_FIXED_OPEN);
}

static void unseen(void **state)
{
    assert_int_equal(ask(LIST(W(0, X, 1), R(1, Y, 2)), 1, 2), HD_FIXED_UNSEEN);
    assert_int_equal(ask(LIST(R(0, X, 1), R(1, X, 2)), 1, 2), HD_FIXED_UNSEEN);
    assert_int_equal(ask(LIST(W(0, X, 1), R(0, X, 2)), 1, 2), HD_FIXED_UNSEEN);
    assert_int_equal(ask(LIST(W(0, X, 1)), 1, 2), HD_FIXED_UNSEEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handed_over),
        cmocka_unit_test(by_luck),
        cmocka_unit_test(one_is_open),
        cmocka_unit_test(unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
