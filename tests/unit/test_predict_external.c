/* test_predict_external.c: which candidates depend on what only the world outside can bring. */
#include "unit/predict_script.h"

static void take_external(void *self, const struct hd_candidate *c)
{
    u32 *count = self;
    count[c->is_external]++;
}

/* How many candidates of a run depend on it, of all. */
static void expect_external(const struct hd_event *ev, size_t n, u32 external, u32 others)
{
    u32 count[2] = {0};
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE, .sink = take_external, .self = count});
    profile(&p, ev, n);
    hd_predict_release(&p);
    assert_int_equal(count[1], external);
    assert_int_equal(count[0], others);
}

/* Figure 8: a thread waits for a signal, or for input, before its access; or was created by one
 * that did. What the others do among themselves does not depend on it. */
static void external(void **state)
{
    expect_external(EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), R(1, X, 2)), 0, 2);
    expect_external(EVENTS(CREATE(0, 1, 0x90), EV(1, SIGWAIT, 0, 0x80, .arg = 2), W(0, X, 1), R(1, X, 2)),
                   2, 0);
    expect_external(EVENTS(EV(0, IO, 3, 0x80), CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), W(1, X, 1),
                          R(2, X, 2)),
                   2, 0);
    expect_external(EVENTS(CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), CREATE(0, 3, 0x92),
                          EV(3, IO, 3, 0x80), W(1, X, 1), R(2, X, 2), R(3, X, 3)),
                   2, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(external)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
