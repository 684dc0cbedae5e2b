/* test_observe_pset.c: predecessor sets, plain and history-aware: the examples
 * of the HaPSet paper (figures 1 and 2), locks, conditions, contexts. */
#include "unit/observe_script.h"

#include "base/rng.h"

/* ---- the paper's figures --------------------------------------------------------- */

/* Figure 1: T1 e1: p = &a; T2 e2: if (p) e3: *p = 10; T1 e4: p = 0. Threads 0, 1. */
enum { p = X, a = Y };
#define E1 W(0, p, 1)
#define E2 R(1, p, 2)
#define E3 R(1, p, 3), W(1, a, 3)
#define E4 W(0, p, 4)

static void figure_1(void **state)
{
    check(HD_METRIC_pset, EVENTS(E1, E2, E3, E4), "pset/0:1,2 pset/0:3,4");
    /* HaPSet[e2] = {e1}, HaPSet[e4] = {e3}; thread 0 is thr 0 */
    check(HD_METRIC_hapset, EVENTS(E1, E2, E3, E4), "hapset/1:1,2;0,0 hapset/2:3,4;0,0");
}

/* All good runs: e2 e3 stay together. HaPSet[e1] = {e2}, HaPSet[e2] = {e1, e4},
 * HaPSet[e3] = {}, HaPSet[e4] = {e3}. (If p is 0, e3 is not reached.) */
static void figure_1_all_good_runs(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_pset);
    run(&c, EVENTS(E1, E2, E3, E4));
    run(&c, EVENTS(E2, E1, E4));
    run(&c, EVENTS(E1, E4, E2));
    expect(&c, "pset/0:1,2 pset/0:3,4 pset/0:2,1 pset/0:4,2");
    /* the bad run e1 e2 e4 e3 shows what no good one did */
    run(&c, EVENTS(E1, E2, E4, E3));
    assert_int_equal(hd_coverage_count(&c, HD_METRIC_pset)->new_in_run, 2);
    assert_true(has(&c, "pset/0:4,3") && has(&c, "pset/0:2,4"));
    hd_coverage_release(&c);
}

/* Figure 2: T1 b lock(A) c: R(x) d unlock(A), in a loop; T2 f lock(A) g: W(x)
 * h unlock(A). HaPSet[g] = {c}, [c] = {g}, [b] = {f}, [f] = {b}, for any number
 * of rounds. */
static void figure_2(void **state)
{
    enum { b = 0xb, c, d, f = 0xf, g = 0x10, h };
#define LOOP LOCK(0, M, b), R(0, X, c), UNLOCK(0, M, d)
#define SET LOCK(1, M, f), W(1, X, g), UNLOCK(1, M, h)
    const char *all = "hapset/1:b,f;0,0 hapset/1:c,10;0,0 hapset/2:f,b;0,0 hapset/2:10,c;0,0";
    check(HD_METRIC_hapset, EVENTS(LOOP, SET, LOOP), all);
    check(HD_METRIC_hapset, EVENTS(LOOP, LOOP, LOOP, LOOP, SET, LOOP), all);
    check(HD_METRIC_pset, EVENTS(LOOP, LOOP, SET, LOOP), "pset/0:c,10 pset/0:10,c");
}

/* ---- rules ------------------------------------------------------------------------ */

static void every_other_thread(void **state)
{
    check(HD_METRIC_pset, EVENTS(R(0, X, 1), R(1, X, 2), W(2, X, 3)), "pset/0:1,3 pset/0:2,3");
    /* its last conflicting access: a read does not hide the write before it */
    check(HD_METRIC_pset, EVENTS(W(0, X, 1), R(0, X, 2), R(1, X, 3)), "pset/0:1,3");
    check(HD_METRIC_pset, EVENTS(W(0, X, 1), R(0, X, 2), W(1, X, 3)), "pset/0:2,3");
    check(HD_METRIC_pset, EVENTS(R(0, X, 1), R(1, X, 2)), "");
    check(HD_METRIC_pset, EVENTS(W(0, X, 1), U(1, X, 2), U(0, X, 3)), "pset/0:1,2 pset/0:2,3");
    check(HD_METRIC_pset, EVENTS(LOCK(0, M, 1), UNLOCK(0, M, 2), LOCK(1, M, 3)), "");
}

static void contexts(void **state)
{
    struct hd_event w = W(0, X, 1), r = R(1, X, 2), events[4] = {w, r, w, r};
    events[0].ctx = 0xa;
    events[1].ctx = 0xb;
    events[2].ctx = 0xc;
    events[3].ctx = 0xb;
    check(HD_METRIC_hapset, events, 4,
          "hapset/1:1,2;a,b hapset/2:2,1;b,c hapset/1:1,2;c,b");
    check(HD_METRIC_pset, events, 4, "pset/0:1,2 pset/0:2,1");
}

static void locks(void **state)
{
    /* tried in vain: not there. Readers do not conflict with readers. */
    check(HD_METRIC_hapset,
          EVENTS(LOCK(0, M, 1), EV(1, TRYLOCK, M, 2, .arg = 16), UNLOCK(0, M, 3), LOCK(1, M, 4)),
          "hapset/1:1,4;0,0");
    check(HD_METRIC_hapset,
          EVENTS(EV(0, RDLOCK, M, 1), EV(1, RDLOCK, M, 2), EV(0, RW_UNLOCK, M, 3),
                 EV(1, RW_UNLOCK, M, 4), EV(2, WRLOCK, M, 5)),
          "hapset/1:1,5;0,0 hapset/1:2,5;0,0");
    /* a recursive lock: its unlock counts */
    check(HD_METRIC_hapset,
          EVENTS(LOCK(0, M, 1), LOCK(0, M, 2), UNLOCK(0, M, 3), UNLOCK(0, M, 4), LOCK(1, M, 5)),
          "hapset/1:4,5;0,0");
    /* ... also if nobody took it twice: its type says so */
    check(HD_METRIC_hapset,
          EVENTS(EV(0, LOCK, M, 1, .size = 1), UNLOCK(0, M, 2), EV(1, LOCK, M, 3, .size = 1)),
          "hapset/1:2,3;0,0");
}

static void conditions(void **state)
{
    /* wait, signal, wake */
    check(HD_METRIC_hapset,
          EVENTS(EV(0, COND_WAIT, C, 1), EV(1, COND_SIGNAL, C, 2, .arg = 1),
                 EV(0, COND_WAKE, C, 1)),
          "hapset/1:1,2;0,0 hapset/2:2,1;0,0");
    /* the lost wake-up: signal, wait */
    check(HD_METRIC_hapset, EVENTS(EV(1, COND_SIGNAL, C, 2), EV(0, COND_WAIT, C, 1)),
          "hapset/2:2,1;0,0");
    check(HD_METRIC_hapset, EVENTS(EV(0, COND_SIGNAL, C, 1), EV(1, COND_SIGNAL, C, 2)), "");
    check(HD_METRIC_hapset, EVENTS(EV(0, SEM_POST, C, 1), EV(1, SEM_WAIT, C, 2)),
          "hapset/1:1,2;0,0");
}

/* Memory of more threads than are remembered: the oldest is forgotten. */
static void bounded(void **state)
{
    struct hd_coverage c;
    hd_coverage_init(&c, &(struct hd_observe_config){.metrics = (u64)1 << HD_METRIC_pset,
                                                    .history = 2});
    run(&c, EVENTS(R(0, X, 1), R(1, X, 2), R(2, X, 3), W(3, X, 4)));
    expect(&c, "pset/0:3,4");
    hd_coverage_release(&c);
}

static void random_runs(void **state)
{
    struct hd_rng rng = hd_rng_make(11, 0, 0);
    for (u32 round = 0; round < 1000; round++) {
        struct hd_event ev[50];
        struct hd_coverage c, want;
        cover(&c, HD_METRIC_pset);
        cover(&want, HD_METRIC_pset);
        for (u32 i = 0; i < HD_COUNT(ev); i++) {
            ev[i] = (struct hd_event)R((u16)hd_rng_below(&rng, 3), X + 8 * hd_rng_below(&rng, 3),
                                       1 + hd_rng_below(&rng, 20));
            ev[i].kind = hd_rng_below(&rng, 2) ? HD_EV_READ : HD_EV_WRITE;
        }
        for (u32 j = 0; j < HD_COUNT(ev); j++) {
            u32 met = 0; /* threads whose last conflicting access was found */
            for (u32 i = j; i-- && !(ev[i].obj == ev[j].obj && ev[i].tid == ev[j].tid);) {
                if (ev[i].obj != ev[j].obj || met >> ev[i].tid & 1 ||
                    (ev[i].kind == HD_EV_READ && ev[j].kind == HD_EV_READ))
                    continue;
                met |= 1u << ev[i].tid;
                struct hd_element e = {.metric = HD_METRIC_pset, .n = 2,
                                       .site = {ev[i].site, ev[j].site}};
                hd_coverage_add(&want, &e, &(struct hd_first_seen){0});
            }
        }
        run(&c, ev, HD_COUNT(ev));
        assert_int_equal(hd_coverage_size(&c), hd_coverage_size(&want));
        for (u32 i = 0; i < hd_coverage_size(&want); i++) {
            struct hd_element e;
            hd_coverage_at(&want, i, &e, NULL);
            assert_true(hd_coverage_has(&c, &e));
        }
        hd_coverage_release(&c);
        hd_coverage_release(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1), cmocka_unit_test(figure_1_all_good_runs),
        cmocka_unit_test(figure_2), cmocka_unit_test(every_other_thread),
        cmocka_unit_test(contexts), cmocka_unit_test(locks), cmocka_unit_test(conditions),
        cmocka_unit_test(bounded), cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
