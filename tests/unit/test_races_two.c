/* test_races_two.c: two variables that belong together, on scripted lists of events. */
#include "race_script.h"

enum { N = 0x4000 };
#define L(t) EV(t, LOCK, M, 30)
#define U(t) EV(t, UNLOCK, M, 31)
#define SEC(t, ...) L(t), __VA_ARGS__, U(t)

static void expect_twos(u32 shown, u32 possible)
{
    u32 n[2] = {0};
    for (size_t i = 0; i < races.twos.all.n; i++)
        n[!races.twos.all.at[i].exposed]++;
    assert_int_equal(n[0], shown);
    assert_int_equal(n[1], possible);
}

static void tells_twos(void **state)
{
    /* x new, y old */
    observe(LIST(SEC(0, W(0, X, 1)), SEC(1, R(1, X, 3), R(1, Y, 4)), SEC(0, W(0, Y, 2))));
    expect_twos(1, 0);
    const struct hd_two *is = &races.twos.all.at[0];
    const u64 site[] = {1, 3, 4, 2};
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(is->is.site[i], site[i]);
    assert_false(is->is.is_turned || is->is.in_block);
    assert_true(is->var[0] == X && is->var[1] == Y);
    /* before, or after: it could have come in between */
    observe(LIST(SEC(1, R(1, X, 3), R(1, Y, 4)), SEC(0, W(0, X, 1)), SEC(0, W(0, Y, 2))));
    expect_twos(0, 1);
    observe(LIST(SEC(0, W(0, X, 1)), SEC(0, W(0, Y, 2)), SEC(1, R(1, Y, 4), R(1, X, 3))));
    expect_twos(0, 1);
    assert_true(races.twos.all.at[0].is.is_turned);
    /* not if the thread was created after it */
    observe(LIST(SEC(0, W(0, X, 1)), SEC(0, W(0, Y, 2)), EV(0, CREATE, 1, 9),
                 SEC(1, R(1, X, 3), R(1, Y, 4))));
    expect_twos(0, 0);
    /* one section each; reads alone; two sections each; no locks: races */
    observe(LIST(SEC(0, W(0, X, 1), W(0, Y, 2)), SEC(1, R(1, X, 3), R(1, Y, 4))));
    expect_twos(0, 0);
    observe(LIST(SEC(0, R(0, X, 1)), SEC(0, R(0, Y, 2)), SEC(1, R(1, X, 3), R(1, Y, 4))));
    expect_twos(0, 0);
    observe(LIST(SEC(0, W(0, X, 1)), SEC(1, R(1, X, 3)), SEC(1, R(1, Y, 4)), SEC(0, W(0, Y, 2))));
    expect_twos(0, 0);
    observe(LIST(W(0, X, 1), W(0, Y, 2), SEC(1, R(1, X, 3), R(1, Y, 4))));
    expect_twos(0, 0);
    /* an outer lock that both hold */
    observe(LIST(EV(0, LOCK, N, 7), SEC(0, W(0, X, 1)), SEC(0, W(0, Y, 2)), EV(0, UNLOCK, N, 8),
                 EV(1, LOCK, N, 7), SEC(1, R(1, X, 3), R(1, Y, 4)), EV(1, UNLOCK, N, 8)));
    expect_twos(0, 0);
    /* the other one looks at x alone, too: they need not belong together */
    observe(LIST(SEC(1, R(1, X, 5)), SEC(1, R(1, X, 3), R(1, Y, 4)), SEC(0, W(0, X, 1)), SEC(0, W(0, Y, 2))));
    expect_twos(0, 0);
}

#define BEGIN(t) EV(t, ATOMIC_BEGIN, 0, 40)
#define END(t) EV(t, ATOMIC_END, 0, 41)
#define AR(t, o, s) EV(t, ALOAD, o, s)
#define AW(t, o, s) EV(t, ASTORE, o, s)

static void tells_twos_of_blocks(void **state)
{
    observe(LIST(BEGIN(0), AR(0, X, 1), AW(1, X, 3), AW(1, Y, 4), AR(0, Y, 2), END(0)));
    expect_twos(1, 0);
    assert_true(races.twos.all.at[0].is.in_block);
    observe(LIST(BEGIN(0), AR(0, X, 1), AR(0, Y, 2), END(0), AW(1, X, 3), AW(1, Y, 4)));
    expect_twos(0, 1);
    /* y may have been written before the block, x after it */
    observe(LIST(BEGIN(0), AR(0, X, 1), AW(1, Y, 4), AW(1, X, 3), AR(0, Y, 2), END(0)));
    expect_twos(0, 0);
    /* ... unless these two are one piece as well */
    observe(LIST(BEGIN(0), AR(0, X, 1), BEGIN(1), AW(1, Y, 4), AW(1, X, 3), END(1), AR(0, Y, 2), END(0)));
    expect_twos(1, 1); /* the other way round it could be */
    /* one lock around the block, which the other one takes */
    observe(LIST(BEGIN(0), L(0), AR(0, X, 1), AR(0, Y, 2), U(0), END(0), L(1), AW(1, X, 3), AW(1, Y, 4), U(1)));
    expect_twos(0, 0);
    /* two blocks */
    observe(LIST(BEGIN(0), AR(0, X, 1), END(0), BEGIN(0), AR(0, Y, 2), END(0), AW(1, X, 3), AW(1, Y, 4)));
    expect_twos(0, 0);
}

static bool finds_two(struct hd_event *ev, size_t n, bool is_turned, bool in_block)
{
    u32 found[4];
    number(ev, n);
    bool is = hd_two_find(ev, (u32)n, (u64[]){1, 3, 4, 2}, is_turned, in_block, found);
    for (u32 i = 0; is && i < 4; i++)
        assert_int_equal(ev[found[i]].site, ((u64[]){1, 3, 4, 2})[i]);
    return is;
}

static void finds_twos(void **state)
{
    assert_true(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, Y, 2)), false, false));
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, Y, 2)), true, false));
    assert_true(finds_two(LIST(W(0, X, 1), R(1, Y, 3), R(1, X, 4), W(0, Y, 2)), true, false));
    /* another order, another variable, another thread, a touch in between, no block */
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), W(0, Y, 2), R(1, Y, 4)), false, false));
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, N, 2)), false, false));
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(2, Y, 4), W(0, Y, 2)), false, false));
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, X, 9), W(0, Y, 2)), false, false));
    assert_false(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, Y, 2)), false, true));
    assert_true(finds_two(LIST(BEGIN(0), W(0, X, 1), R(1, X, 3), R(1, Y, 4), W(0, Y, 2), END(0)), false, true));
    /* the other thread comes by twice: the last time counts */
    assert_true(finds_two(LIST(W(0, X, 1), R(1, X, 3), R(1, X, 3), R(1, Y, 4), W(0, Y, 2)), false, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_twos), cmocka_unit_test(tells_twos_of_blocks),
        cmocka_unit_test(finds_twos),
    };
    int e = cmocka_run_group_tests(tests, NULL, NULL);
    hd_races_release(&races);
    return e;
}
