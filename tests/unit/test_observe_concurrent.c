/* test_observe_concurrent.c: what nothing orders: racing pairs, concurrent
 * function pairs; and def-use pairs. */
#include "unit/observe_script.h"

#define CREATE(t, child, s) EV(t, CREATE, child, s)
#define START(t, parent) EV(t, START, parent, 0xf0)
#define EXIT(t) EV(t, EXIT, 0, 0xf1)
#define JOIN(t, child, s) EV(t, JOIN, child, s)
#define ARRIVE(t, s) EV(t, BARRIER_WAIT, C, s)
#define LEAVE(t, s) EV(t, BARRIER_LEAVE, C, s)

/* ---- races ------------------------------------------------------------------------- */

static void races(void **state)
{
    check(HD_METRIC_race, EVENTS(W(0, X, 1), R(1, X, 2)), "race/1:1,2");
    check(HD_METRIC_race, EVENTS(R(0, X, 1), W(1, X, 2)), "race/1:1,2");
    check(HD_METRIC_race, EVENTS(W(0, X, 2), W(1, X, 1)), "race/2:1,2"); /* no order */
    check(HD_METRIC_race, EVENTS(R(0, X, 1), R(1, X, 2)), "");
    check(HD_METRIC_race, EVENTS(W(0, X, 1), W(0, X, 2)), "");
    /* atomics race with plain accesses only */
    check(HD_METRIC_race, EVENTS(U(0, X, 1), U(1, X, 2)), "");
    check(HD_METRIC_race, EVENTS(EV(0, ASTORE, X, 1, .size = 8), R(1, X, 2)), "race/1:1,2");
    /* a pair nothing orders, whoever was there in between */
    check(HD_METRIC_race, EVENTS(W(0, X, 1), R(1, X, 2), R(1, X, 3)), "race/1:1,2 race/1:1,3");
}

static void order(void **state)
{
    check(HD_METRIC_race,
          EVENTS(LOCK(0, M, 8), W(0, X, 1), UNLOCK(0, M, 9), LOCK(1, M, 8), R(1, X, 2)), "");
    check(HD_METRIC_race,
          EVENTS(LOCK(0, M, 8), W(0, X, 1), UNLOCK(0, M, 9), LOCK(1, N, 8), R(1, X, 2)),
          "race/1:1,2");
    /* after the unlock is not before it */
    check(HD_METRIC_race,
          EVENTS(LOCK(0, M, 8), UNLOCK(0, M, 9), W(0, X, 1), LOCK(1, M, 8), R(1, X, 2)),
          "race/1:1,2");
    check(HD_METRIC_race, EVENTS(W(0, X, 1), CREATE(0, 1, 3), START(1, 0), W(1, X, 2)), "");
    check(HD_METRIC_race, EVENTS(CREATE(0, 1, 3), START(1, 0), W(0, X, 1), W(1, X, 2)),
          "race/2:1,2");
    check(HD_METRIC_race,
          EVENTS(CREATE(0, 1, 3), START(1, 0), W(1, X, 2), EXIT(1), JOIN(0, 1, 4), W(0, X, 1)), "");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), EV(0, SEM_POST, C, 3), EV(1, SEM_WAIT, C, 4), W(1, X, 2)), "");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), EV(0, SEM_POST, C, 3), EV(1, SEM_TRYWAIT, C, 4, .arg = 11),
                 W(1, X, 2)),
          "race/2:1,2");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), EV(0, ASTORE, Y, 3, .size = 8), EV(1, ALOAD, Y, 4, .size = 8),
                 R(1, X, 2)),
          "");
    /* through a third thread */
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), UNLOCK(0, M, 9), LOCK(1, M, 8), UNLOCK(1, N, 9), LOCK(2, N, 8),
                 W(2, X, 2)),
          "");
    /* a condition wait gives its mutex up, said or not */
    check(HD_METRIC_race,
          EVENTS(LOCK(0, M, 8), W(0, X, 1), EV(0, COND_WAIT, C, 3), LOCK(1, M, 8), W(1, X, 2)), "");
}

#define A8(t, kind, obj, site, order) EV(t, kind, obj, site, .size = 8, .arg = HD_MO_##order)

/* A flag orders what stands before the store and after the load by its memory order. */
static void memory_orders(void **state)
{
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, ASTORE, Y, 3, RELEASE), A8(1, ALOAD, Y, 4, ACQUIRE), R(1, X, 2)), "");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, ASTORE, Y, 3, RELAXED), A8(1, ALOAD, Y, 4, ACQUIRE), R(1, X, 2)),
          "race/1:1,2");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, ASTORE, Y, 3, RELEASE), A8(1, ALOAD, Y, 4, RELAXED), R(1, X, 2)),
          "race/1:1,2");
    /* fences */
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, FENCE, 0, 5, RELEASE), A8(0, ASTORE, Y, 3, RELAXED),
                 A8(1, ALOAD, Y, 4, RELAXED), A8(1, FENCE, 0, 6, ACQUIRE), R(1, X, 2)), "");
    /* the update of another thread continues the release sequence, its store does not */
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, ASTORE, Y, 3, RELEASE), A8(2, ARMW, Y, 7, RELAXED),
                 A8(1, ALOAD, Y, 4, ACQUIRE), R(1, X, 2)), "");
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), A8(0, ASTORE, Y, 3, RELEASE), A8(2, ASTORE, Y, 7, RELAXED),
                 A8(1, ALOAD, Y, 4, ACQUIRE), R(1, X, 2)), "race/1:1,2");
    /* what was written to the atomic itself before it was published */
    check(HD_METRIC_race,
          EVENTS(W(0, Y, 1), A8(0, ASTORE, Y, 3, RELEASE), A8(1, ALOAD, Y, 4, ACQUIRE)), "");
    /* a compare-exchange that fails only reads */
    check(HD_METRIC_race,
          EVENTS(R(0, Y, 1), EV(1, ARMW, Y, 2, .size = 8, .arg = HD_MO_ACQUIRE | HD_MO_FAILED),
                 R(0, Y, 1)), "");
    check(HD_METRIC_race, EVENTS(R(0, Y, 1), A8(1, ARMW, Y, 2, ACQ_REL)), "race/1:1,2");
}

/* Thread 0 is through the barrier and writes before thread 1 has left it. */
static void barriers(void **state)
{
    check(HD_METRIC_race,
          EVENTS(W(0, X, 1), ARRIVE(0, 8), ARRIVE(1, 8), LEAVE(1, 8), W(1, X, 2), LEAVE(0, 8)), "");
    check(HD_METRIC_race,
          EVENTS(ARRIVE(0, 8), ARRIVE(1, 8), LEAVE(0, 8), W(0, X, 1), ARRIVE(0, 9), LEAVE(1, 8),
                 W(1, X, 2)),
          "race/2:1,2");
}

static void race_lifetimes(void **state)
{
    check(HD_METRIC_race, EVENTS(W(0, X, 1), EV(0, FREE, X, 9, .arg = 8), W(1, X, 2)), "");
    struct hd_coverage c;
    cover(&c, HD_METRIC_race);
    run(&c, EVENTS(W(0, X, 1)));
    run(&c, EVENTS(W(1, X, 2)));
    expect(&c, "");
    hd_coverage_release(&c);
}

/* ---- def-use ------------------------------------------------------------------------ */

static void defuse(void **state)
{
    check(HD_METRIC_defuse,
          EVENTS(R(0, X, 9), W(0, X, 1), R(0, X, 2), R(1, X, 3), W(1, X, 4), R(1, X, 3)),
          "defuse/1:1,2 defuse/2:1,3 defuse/1:4,3");
    check(HD_METRIC_defuse, EVENTS(U(0, X, 1), U(1, X, 2)), "defuse/2:1,2");
    /* two halves, two definitions */
    check(HD_METRIC_defuse,
          EVENTS(W(0, X, 1), EV(1, WRITE, X, 2, .size = 4), R(0, X, 3)),
          "defuse/1:1,3 defuse/2:2,3");
    check(HD_METRIC_defuse, EVENTS(W(0, X, 1), EV(0, FREE, X, 9, .arg = 8), R(0, X, 2)), "");
}

/* ---- concurrent functions ------------------------------------------------------------- */

/* Sites 0x10..0x1f are function 1, and so on. */
static u64 function(void *self, u64 site)
{
    ++*(u32 *)self;
    return site >> 4;
}

static void cfp(const struct hd_event *ev, size_t n, const char *all)
{
    struct hd_coverage c;
    u32 asked = 0;
    hd_coverage_init(&c, &(struct hd_observe_config){.metrics = (u64)1 << HD_METRIC_cfp,
                                                    .function = function, .self = &asked});
    for (u32 i = 0; i < 2; i++) {
        run(&c, ev, n);
        expect(&c, all);
        assert_in_range(asked, 1, n); /* once per site */
    }
    hd_coverage_release(&c);
}

static void functions(void **state)
{
    cfp(EVENTS(R(0, X, 0x10), R(0, X, 0x11), R(1, X, 0x20)), "cfp/0:1,2");
    cfp(EVENTS(R(0, X, 0x20), R(1, X, 0x10), R(1, X, 0x30)), "cfp/0:1,2 cfp/0:2,3");
    cfp(EVENTS(R(0, X, 0x10), R(1, X, 0x11)), "cfp/0:1,1"); /* with itself */
    cfp(EVENTS(R(0, X, 0x10), R(0, X, 0x20)), "");
    /* no lock in common at some entry or exit */
    cfp(EVENTS(LOCK(0, M, 0x10), R(0, X, 0x20), UNLOCK(0, M, 0x11), LOCK(1, M, 0x30),
               R(1, X, 0x40), UNLOCK(1, M, 0x31)),
        "cfp/0:1,3 cfp/0:1,4 cfp/0:2,3");
    cfp(EVENTS(EV(0, RDLOCK, M, 0x10), R(0, X, 0x20), EV(1, RDLOCK, M, 0x30), R(1, X, 0x40)),
        "cfp/0:1,3 cfp/0:1,4 cfp/0:2,3 cfp/0:2,4");
    struct hd_coverage c; /* without names a site is its own function */
    cover(&c, HD_METRIC_cfp);
    run(&c, EVENTS(R(0, X, 0x10), R(1, X, 0x11)));
    expect(&c, "cfp/0:10,11");
    hd_coverage_release(&c);
}

static void functions_in_order(void **state)
{
    /* 1 before the child is made, 3 after it is joined */
    cfp(EVENTS(R(0, X, 0x10), CREATE(0, 1, 0x20), START(1, 0), R(1, X, 0x50), R(0, X, 0x40),
               EXIT(1), JOIN(0, 1, 0x21), R(0, X, 0x30), EXIT(0)),
        "cfp/0:2,5 cfp/0:4,5");
    /* locks order nothing for good */
    cfp(EVENTS(R(0, X, 0x10), LOCK(0, M, 0x11), UNLOCK(0, M, 0x12), R(0, X, 0x20),
               LOCK(1, M, 0x30)),
        "cfp/0:1,3 cfp/0:2,3");
    /* before and after a barrier */
    cfp(EVENTS(R(0, X, 0x10), ARRIVE(0, 0x20), R(1, X, 0x30), ARRIVE(1, 0x40), LEAVE(0, 0x20),
               LEAVE(1, 0x40), R(0, X, 0x50), R(1, X, 0x60)),
        "cfp/0:1,3 cfp/0:2,3 cfp/0:2,4 cfp/0:1,4 cfp/0:2,6 cfp/0:4,5 cfp/0:5,6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races), cmocka_unit_test(order), cmocka_unit_test(memory_orders), cmocka_unit_test(barriers),
        cmocka_unit_test(race_lifetimes), cmocka_unit_test(defuse),
        cmocka_unit_test(functions), cmocka_unit_test(functions_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
