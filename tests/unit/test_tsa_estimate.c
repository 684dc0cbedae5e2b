/* How good the estimate of synchronization pairs is: what a few runs of a small program
 * by chance show or let the predictor tell, against what all its interleavings show
 * (dpor has one of each class, and equivalent ones take locks in the same order).
 * Printed, and held to 5 % each: pairs estimated that cannot be, pairs that can be and
 * were not estimated. */
#include "search_brute.h"
#include "search_programs.h"
#include "search_random.h"

#include "observe/coverage.h"
#include "predict/predict.h"
#include "unit/predicted.h"

#define RUNS 10 /* to estimate from; a campaign has more */

static struct machine machine;

struct counts {
    u32 programs, feasible, estimated, infeasible, missed;
};

static void observe(struct hd_coverage *c, u64 run)
{
    hd_coverage_begin_run(c, run, 0);
    for (u32 i = 0; i < machine.n_events; i++)
        hd_coverage_event(c, &machine.event[i]);
    hd_coverage_end_run(c, 0);
}

static void estimate(struct hd_predict *p, u64 run)
{
    hd_predict_begin_run(p, run);
    for (u32 i = 0; i < machine.n_events; i++)
        hd_predict_event(p, &machine.event[i]);
    hd_predict_end_run(p);
}

/* False: it has more interleavings than can be gone through. */
static bool explore(const struct program *p, struct hd_coverage *c)
{
    struct hd_search_opts o = {.method = hd_search_find("dpor"), .param = HD_NO_BOUND};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    u64 run = 0;
    while (run < 3000 && search_next(s, &plan)) {
        run_plan(&machine, p, &plan, &t);
        search_ran(s, &t);
        observe(c, run++);
    }
    bool is_whole = hd_search_result(s)->is_complete;
    hd_search_close(s);
    return is_whole;
}

/* A schedule by chance: a script that is left where it cannot be followed. */
static void run_randomly(const struct program *p, struct hd_rng *rng)
{
    struct hd_choice choice[96];
    struct hd_trace t;
    for (u32 i = 0; i < HD_COUNT(choice); i++)
        choice[i] = (struct hd_choice){.count = 1, .kind = HD_CHOICE_PICK,
                                       .tid = (u16)hd_rng_below(rng, p->threads + 1u)};
    struct hd_plan plan = {choice, HD_COUNT(choice), 0};
    run_plan(&machine, p, &plan, &t);
}

static void add_program(const struct program *p, u64 seed, struct counts *out)
{
    struct hd_coverage c, seen;
    struct hd_predict e;
    struct hd_element x;
    struct hd_rng rng = hd_rng_make(seed, 7, 99);
    struct hd_observe_config cfg = {.metrics = (u64)1 << HD_METRIC_syncpair};
    hd_coverage_init(&c, &cfg);
    hd_coverage_init(&seen, &cfg);
    hd_predict_init(&e, &(struct hd_predict_config){.idioms = 1u, .syncpairs = true});
    if (explore(p, &c) && hd_coverage_size(&c)) {
        for (u64 run = 0; run < RUNS; run++) {
            run_randomly(p, &rng);
            estimate(&e, run);
            observe(&seen, run);
        }
        out->programs++;
        out->feasible += hd_coverage_size(&c);
        for (u32 i = 0; i < hd_coverage_size(&c); i++) {
            hd_coverage_at(&c, i, &x, NULL);
            bool is_estimated = predicted_has(&e, &x) || hd_coverage_has(&seen, &x);
            out->missed += !is_estimated;
            out->estimated += is_estimated;
        }
        for (u32 i = 0; i < predicted_size(&e); i++) {
            predicted_at(&e, i, &x);
            out->estimated += !hd_coverage_has(&c, &x);
            out->infeasible += !hd_coverage_has(&c, &x);
        }
    }
    hd_coverage_release(&seen);
    hd_predict_release(&e);
    hd_coverage_release(&c);
}

static void expect_good(const char *what, const struct counts *n)
{
    print_message("%s: %u programs, %u pairs can be, %u estimated: %.1f %% of these cannot be, "
                  "%.1f %% missed\n", what, n->programs, n->feasible, n->estimated,
                  100.0 * n->infeasible / n->estimated, 100.0 * n->missed / n->feasible);
    assert_true(n->programs >= 10);
    assert_true(n->infeasible * 20 <= n->estimated);
    assert_true(n->missed * 20 <= n->feasible);
}

static void test_small(void **state)
{
    (void)state;
    struct counts n = {0};
    for (u32 i = 0; i < HD_COUNT(programs); i++)
        add_program(&programs[i], i, &n);
    expect_good("small programs", &n);
}

static void test_random(void **state)
{
    (void)state;
    struct counts n = {0};
    struct program p;
    for (u64 seed = 1; seed <= 300; seed++) {
        generate(&p, seed, false, false);
        add_program(&p, seed, &n);
    }
    expect_good("random programs", &n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
