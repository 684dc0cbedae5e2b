/* test_observe_syncpair.c: synchronization pairs, with the example of the TSA
 * paper: two threads with two critical sections each, ten feasible pairs. */
#include "unit/observe_script.h"

enum { L2A = 0x2a, U3A = 0x3a, L4A = 0x4a, U5A = 0x5a };
enum { L2B = 0x2b, U3B = 0x3b, L4B = 0x4b, U5B = 0x5b };

/* The section-th critical section of a thread. */
static void section(struct hd_coverage *c, u16 tid, u32 section)
{
    static const u64 site[2][2] = {{L2A, L4A}, {L2B, L4B}};
    struct hd_event take = LOCK(tid, M, site[tid][section]);
    struct hd_event give = UNLOCK(tid, M, site[tid][section] + 0x10);
    hd_coverage_event(c, &take);
    hd_coverage_event(c, &give);
}

static void schedule(struct hd_coverage *c, u32 order)
{
    u32 done[2] = {0, 0};
    hd_coverage_begin_run(c, order, 0);
    for (u32 i = 0; i < 4; i++) {
        u16 t = order >> i & 1;
        section(c, t, done[t]++);
    }
    hd_coverage_end_run(c, 0);
}

static void paper_example(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_syncpair);
    schedule(&c, 0xc); /* a a b b */
    expect(&c, "syncpair/0:2a,4a syncpair/0:4a,2b syncpair/0:2b,4b");
    for (u32 order = 0; order < 16; order++)
        if (__builtin_popcount(order) == 2)
            schedule(&c, order);
    expect(&c, "syncpair/0:2a,4a syncpair/0:2a,2b syncpair/0:2a,4b syncpair/0:4a,2b "
               "syncpair/0:4a,4b syncpair/0:2b,4b syncpair/0:2b,2a syncpair/0:2b,4a "
               "syncpair/0:4b,2a syncpair/0:4b,4a");
    hd_coverage_release(&c);
}

static void what_counts(void **state)
{
    /* other locks are other locks; a failed attempt took nothing */
    check(HD_METRIC_syncpair,
          EVENTS(LOCK(0, M, 1), LOCK(1, N, 2), EV(1, TRYLOCK, M, 3, .arg = 16), UNLOCK(0, M, 4),
                 EV(1, TRYLOCK, M, 5)),
          "syncpair/0:1,5");
    /* the wait takes the lock again, at its own site */
    check(HD_METRIC_syncpair,
          EVENTS(LOCK(0, M, 1), EV(0, COND_WAIT, C, 2), LOCK(1, M, 3),
                 EV(1, COND_SIGNAL, C, 4), UNLOCK(1, M, 5), EV(0, COND_WAKE, C, 2), LOCK(0, M, 2)),
          "syncpair/0:1,3 syncpair/0:3,2");
    check(HD_METRIC_syncpair,
          EVENTS(LOCK(0, M, 1), EV(0, COND_WAIT, C, 2), EV(0, COND_WAKE, C, 2, .arg = 110),
                 LOCK(0, M, 2)),
          "syncpair/0:1,2");
    /* inner calls of a recursive lock do not */
    check(HD_METRIC_syncpair,
          EVENTS(LOCK(0, M, 1), LOCK(0, M, 2), UNLOCK(0, M, 3), UNLOCK(0, M, 4), LOCK(0, M, 5)),
          "syncpair/0:1,5");
    check(HD_METRIC_syncpair,
          EVENTS(EV(0, RDLOCK, M, 1), EV(1, RDLOCK, M, 2), EV(0, RW_UNLOCK, M, 3),
                 EV(1, RW_UNLOCK, M, 3), EV(0, WRLOCK, M, 4)),
          "syncpair/0:1,2 syncpair/0:2,4");
}

static void lifetimes(void **state)
{
    check(HD_METRIC_syncpair,
          EVENTS(LOCK(0, M, 1), UNLOCK(0, M, 2), EV(0, FREE, M, 9, .arg = 40), LOCK(1, M, 3)), "");
    struct hd_coverage c; /* nor does a run know the locks of the one before */
    cover(&c, HD_METRIC_syncpair);
    run(&c, EVENTS(LOCK(0, M, 1)));
    run(&c, EVENTS(LOCK(0, M, 2)));
    expect(&c, "");
    hd_coverage_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_example),
        cmocka_unit_test(what_counts),
        cmocka_unit_test(lifetimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
