/* test_sync_preserving.c: races that a run certainly could have shown, against brute force: every way to
 * cut and reorder a small random run that keeps each thread's order, what reads see, and the order in
 * which each lock is taken. */
#include "race_brute.h"

#include "detect/sync_preserving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define EV(t, k, o, s) {.tid = t, .kind = HD_EV_##k, .obj = o, .site = s, .size = 4}
#define R(t, o, s) EV(t, READ, o, s)
#define W(t, o, s) EV(t, WRITE, o, s)
#define L(t) EV(t, LOCK, M, 30)
#define U(t) EV(t, UNLOCK, M, 31)
#define LIST(...) (struct hd_event[]){__VA_ARGS__}, sizeof((struct hd_event[]){__VA_ARGS__}) / sizeof(struct hd_event)

static bool has_race(struct hd_event *ev, size_t n)
{
    struct hd_sp s;
    hd_sp_init(&s, ev, (u32)n);
    bool is = hd_sp_has_race(&s, (u64[]){1, 2}, 1000000);
    hd_sp_release(&s);
    return is;
}

static void known_cases(void **state)
{
    assert_true(has_race(LIST(W(0, X, 1), R(1, X, 2))));
    /* the sections may be left out, or need not have been */
    assert_true(has_race(LIST(W(0, X, 1), L(0), U(0), L(1), U(1), R(1, X, 2))));
    assert_true(has_race(LIST(L(0), W(0, X, 1), U(0), L(1), U(1), R(1, X, 2))) == false);
    assert_true(has_race(LIST(L(0), U(0), W(0, X, 1), L(1), W(1, X, 2), U(1))));
    /* the lock protects both */
    assert_false(has_race(LIST(L(0), W(0, X, 1), U(0), L(1), R(1, X, 2), U(1))));
    /* what was read in between depends on what was written after the first */
    assert_false(has_race(LIST(W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2))));
    assert_false(has_race(LIST(W(0, X, 1), L(0), W(0, Y, 3), U(0), L(1), R(1, Y, 4), U(1), R(1, X, 2))));
    /* threads */
    assert_false(has_race(LIST(W(0, X, 1), EV(0, CREATE, 1, 9), R(1, X, 2))));
    assert_false(has_race(LIST(EV(0, CREATE, 1, 9), W(1, X, 1), EV(1, EXIT, 0, 9), EV(0, JOIN, 1, 9), R(0, X, 2))));
    assert_true(has_race(LIST(EV(0, CREATE, 1, 9), W(1, X, 1), R(0, X, 2), EV(1, EXIT, 0, 9))));
    /* the order of a semaphore stays */
    assert_false(has_race(LIST(W(0, X, 1), EV(0, SEM_POST, N, 9), EV(1, SEM_WAIT, N, 9), R(1, X, 2))));
    /* both atomic: no race */
    assert_false(has_race(LIST(EV(0, ASTORE, X, 1), EV(1, ALOAD, X, 2))));
    /* other bytes */
    assert_false(has_race(LIST(W(0, X, 1), R(1, X + 4, 2))));
}

static void as_brute_force(void **state)
{
    struct hd_rng rng = hd_rng_make(7, 1, 1);
    u32 races = 0, others = 0;
    for (u32 run = 0; run < 400; run++) {
        struct hd_event ev[MOST];
        struct brute b;
        struct hd_sp s;
        u32 n = brute_run(&rng, ev);
        brute_init(&b, ev, n);
        hd_sp_init(&s, ev, n);
        for (u32 i = 0; i < n; i++)
            for (u32 k = i + 1; k < n; k++) {
                if (!brute_is_pair(&ev[i], &ev[k]))
                    continue;
                bool is = hd_sp_is_race(&s, i, k);
                if (is != brute_is_race(&b, i, k))
                    fail_msg("run %u, events %u and %u: predicted %d", run, i, k, is);
                ++*(is ? &races : &others);
            }
        hd_sp_release(&s);
    }
    assert_true(races > 200 && others > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_cases), cmocka_unit_test(as_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
