/* test_observe_coverage.c: the set over all runs: counters, curves, text form,
 * merging, memory per element, several metrics at once. */
#include "unit/observe_script.h"

#include "base/rng.h"

static void counters(void **state)
{
    struct hd_coverage c;
    struct hd_element e;
    struct hd_first_seen when;
    cover(&c, HD_METRIC_pset);
    hd_coverage_begin_run(&c, 41, 1.5);
    const struct hd_event ev[] = {W(0, X, 1), R(1, X, 2), W(0, X, 1), R(1, X, 2)};
    for (u32 i = 0; i < 4; i++)
        hd_coverage_event(&c, &ev[i]);
    const struct hd_metric_count *n = hd_coverage_count(&c, HD_METRIC_pset);
    assert_int_equal(n->covered, 2);
    assert_int_equal(n->in_run, 2);
    assert_int_equal(n->new_in_run, 2);
    hd_coverage_end_run(&c, 2);
    hd_coverage_begin_run(&c, 42, 2);
    hd_coverage_event(&c, &ev[0]);
    hd_coverage_event(&c, &ev[1]);
    hd_coverage_end_run(&c, 3);
    assert_int_equal(n->covered, 2);
    assert_int_equal(n->in_run, 1);
    assert_int_equal(n->new_in_run, 0);
    assert_int_equal(n->last_new_run, 41);
    assert_int_equal(hd_coverage_size(&c), 2);
    hd_coverage_at(&c, 0, &e, &when);
    assert_true(e.metric == HD_METRIC_pset && e.n == 2 && e.site[0] == 1 && e.site[1] == 2);
    assert_int_equal(when.run, 41);
    assert_int_equal(when.runs, 2);
    assert_true(when.seconds == 1.5);
    hd_coverage_at(&c, 1, &e, &when);
    assert_int_equal(when.runs, 1);
    hd_coverage_release(&c);
}

static void curve(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_pset);
    run(&c, EVENTS(R(0, X, 1)));              /* nothing */
    run(&c, EVENTS(W(0, X, 1), R(1, X, 2)));  /* 1 at 2 */
    run(&c, EVENTS(W(0, X, 1), R(1, X, 2)));
    run(&c, EVENTS(W(0, X, 3), R(1, X, 4), W(0, X, 5))); /* 3 at 4 */
    const struct hd_curve *v = &c.curve[HD_METRIC_pset];
    assert_int_equal(v->point.n, 3); /* a point where it rises */
    static const u64 want[3][2] = {{0, 0}, {2, 1}, {4, 3}};
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(v->point.at[i].run, want[i][0]);
        assert_int_equal(v->point.at[i].seconds, want[i][0]);
        assert_int_equal(v->point.at[i].covered, want[i][1]);
    }
    /* least squares over [0, 4]: 12/64 * (1 * (0 - 0)/2 ... by hand: 0 on [0,2),
     * 1 on [2,4): 12/64 * 1 * (2^2 - 0)/2 = 3/8 */
    struct hd_saturation s =
        hd_saturate(v->point.at, 3, HD_BY_RUNS, 4, &(struct hd_saturate){4, 0.5});
    assert_true(s.is_full && s.is_saturated && s.slope == 0.375);
    s = hd_saturate(v->point.at, 3, HD_BY_TIME, c.io.seconds, NULL);
    assert_false(s.is_full || s.is_saturated);
    hd_coverage_release(&c);
}

static u32 sunk, sunk_new;
static void sink(void *self, const struct hd_element *e, bool is_new)
{
    assert_ptr_equal(self, &sunk);
    assert_int_equal(e->metric, HD_METRIC_pset);
    sunk++;
    sunk_new += is_new;
}

static void sinks(void **state)
{
    struct hd_coverage c;
    hd_coverage_init(&c, &(struct hd_observe_config){
                             .metrics = (u64)1 << HD_METRIC_pset, .sink = sink, .self = &sunk});
    for (u32 i = 0; i < 3; i++) /* once per run, however often it occurs */
        run(&c, EVENTS(W(0, X, 1), R(1, X, 2), W(0, X, 1), R(1, X, 2)));
    assert_int_equal(sunk, 6);
    assert_int_equal(sunk_new, 2);
    hd_coverage_release(&c);
}

/* ---- text --------------------------------------------------------------------------- */

static void text(void **state)
{
    static const char *const good[] = {
        "iroot/1:401000,7fff00001234", "iroot/5:1,2,3,4", "hapset/2:1,2;ffffffff,0",
        "map/17:1,2,3,4", "cfp/0:0,ffffffffffffffff", "defuse/1:a,b"};
    static const char *const bad[] = {
        "", "iroot", "iroot/1", "iroot/1:", "iroot/:1,2", "nosuch/1:1,2", "iroot/18:1,2",
        "iroot/1:1,2,3,4,5", "iroot/1:1,", "iroot/1:g", "hapset/1:1,2;1,2,3", "iroot/1:1,2 ",
        "iroot/1:1,10000000000000000", "hapset/1:1,2;100000000", "iroot/1;1", "iroots/1:1,2"};
    struct hd_element e, f;
    char out[HD_ELEMENT_TEXT];
    for (u32 i = 0; i < HD_COUNT(good); i++) {
        assert_true(element_parse(&e, good[i]));
        assert_int_equal(hd_element_text(&e, out, sizeof out), strlen(good[i]));
        assert_string_equal(out, good[i]);
    }
    for (u32 i = 0; i < HD_COUNT(bad); i++)
        if (element_parse(&e, bad[i]))
            fail_msg("parsed: %s", bad[i]);
    /* one thing, one name */
    assert_true(element_parse(&e, "iroot/5:3,4,1,2") && element_parse(&f, "iroot/5:1,2,3,4"));
    assert_true(element_is_equal(&e, &f));
    assert_true(element_parse(&e, "iroot/4:3,4,1,2") && element_parse(&f, "iroot/4:1,2,3,4"));
    assert_false(element_is_equal(&e, &f));
    /* the longest there is */
    e = (struct hd_element){.metric = HD_METRIC_syncpair, .sub = 17, .n = 4, .n_extra = 2};
    memset(e.site, 0xff, sizeof e.site);
    memset(e.extra, 0xff, sizeof e.extra);
    assert_true(hd_element_text(&e, out, sizeof out) < HD_ELEMENT_TEXT);
    assert_true(element_parse(&f, out) && element_is_equal(&e, &f));
}

static void names(void **state)
{
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        assert_int_equal(hd_metric_find(hd_metric_name(m), strlen(hd_metric_name(m))), m);
        assert_true(strlen(hd_metric_doc(m)) > 10);
        assert_non_null(hd_observer_at(m)->event);
    }
    assert_int_equal(hd_metric_find("nosuch", 6), HD_METRIC_COUNT);
    assert_int_equal(hd_metric_find("irootx", 5), HD_METRIC_iroot);
    assert_int_equal(hd_metric_find("iroo", 4), HD_METRIC_COUNT);
}

/* ---- the set -------------------------------------------------------------------------- */

static void merge_all(struct hd_coverage *into, const struct hd_coverage *from)
{
    for (u32 i = 0; i < hd_coverage_size(from); i++) {
        struct hd_element e;
        struct hd_first_seen when;
        hd_coverage_at(from, i, &e, &when);
        hd_coverage_add(into, &e, &when);
    }
}

static void merge(void **state)
{
    struct hd_coverage a, b;
    struct hd_element e;
    struct hd_first_seen when;
    cover(&a, HD_METRIC_pset);
    cover(&b, HD_METRIC_pset);
    run(&a, EVENTS(W(0, X, 0x77), R(1, X, 0x88))); /* sites have other numbers in a and b */
    run(&a, EVENTS(W(0, X, 1), R(1, X, 2)));
    run(&b, EVENTS(W(0, X, 1), R(1, X, 2)));
    run(&b, EVENTS(W(0, X, 3), R(1, X, 4)));
    merge_all(&a, &b);
    expect(&a, "pset/0:77,88 pset/0:1,2 pset/0:3,4");
    assert_int_equal(hd_coverage_count(&a, HD_METRIC_pset)->covered, 3);
    hd_coverage_at(&a, 1, &e, &when); /* 1,2: earliest first run, sum of runs */
    assert_int_equal(when.run, 1);
    assert_int_equal(when.runs, 2);
    merge_all(&a, &b);
    assert_int_equal(hd_coverage_size(&a), 3);
    run(&a, EVENTS(W(0, X, 3), R(1, X, 4))); /* known from elsewhere: not new */
    assert_int_equal(hd_coverage_count(&a, HD_METRIC_pset)->new_in_run, 0);
    hd_coverage_release(&a);
    hd_coverage_release(&b);
}

/* Many elements: nothing is lost, nothing is taken for another, and the memory
 * stays below 200 bytes each (sites included). */
static void many(void **state)
{
    enum { N = 200000 };
    struct hd_coverage c;
    struct hd_element e = {.metric = HD_METRIC_iroot, .sub = 4, .n = 4};
    size_t worst = 0;
    cover(&c, HD_METRIC_iroot);
    for (u32 i = 0; i < N; i++) {
        for (u32 k = 0; k < 4; k++)
            e.site[k] = 0x401000 + (i >> 5 * k & 31) * 4;
        bool is_new = hd_coverage_add(&c, &e, &(struct hd_first_seen){i, i, 1});
        assert_true(is_new);
        if (i > 1000)
            worst = HD_MAX(worst, hd_coverage_bytes(&c) / (i + 1));
    }
    assert_int_equal(hd_coverage_size(&c), N);
    assert_true(worst < 200);
    print_message("bytes per element: %zu at most\n", worst);
    for (u32 i = 0; i < N; i += 7) {
        struct hd_element f;
        struct hd_first_seen when;
        hd_coverage_at(&c, i, &f, &when);
        assert_int_equal(when.run, i);
        for (u32 k = 0; k < 4; k++)
            assert_int_equal(f.site[k], 0x401000 + (i >> 5 * k & 31) * 4);
        assert_true(hd_coverage_has(&c, &f));
        f.sub = 3;
        assert_false(hd_coverage_has(&c, &f));
    }
    hd_coverage_release(&c);
}

/* ---- all metrics in one run -------------------------------------------------------------- */

static void all_at_once(void **state)
{
    struct hd_rng rng = hd_rng_make(3, 0, 0);
    struct hd_event ev[400];
    struct hd_coverage all;
    u32 size = 0;
    hd_coverage_init(&all, &(struct hd_observe_config){0});
    for (u32 i = 0; i < HD_COUNT(ev); i++) {
        u64 what = hd_rng_below(&rng, 10);
        u16 t = (u16)hd_rng_below(&rng, 3);
        ev[i] = (struct hd_event)R(t, X + 4 * hd_rng_below(&rng, 6), 1 + hd_rng_below(&rng, 9));
        ev[i].size = (u8)(1 + hd_rng_below(&rng, 12));
        ev[i].kind = what < 4 ? HD_EV_READ : what < 7 ? HD_EV_WRITE : what < 8 ? HD_EV_ARMW
                     : what < 9 ? HD_EV_LOCK : HD_EV_UNLOCK;
        if (hd_rng_below(&rng, 40) == 0)
            ev[i] = (struct hd_event)EV(t, FREE, X, 99, .arg = 16);
    }
    run(&all, ev, HD_COUNT(ev));
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        struct hd_coverage one;
        assert_true(all.state[m]);
        cover(&one, m);
        run(&one, ev, HD_COUNT(ev));
        size += hd_coverage_size(&one);
        assert_true(hd_coverage_size(&one) > 0);
        assert_int_equal(hd_coverage_count(&one, m)->covered, hd_coverage_count(&all, m)->covered);
        for (u32 k = 0; k < HD_METRIC_COUNT; k++)
            assert_int_equal(one.state[k] != NULL, k == m);
        for (u32 i = 0; i < hd_coverage_size(&one); i++) {
            struct hd_element e;
            hd_coverage_at(&one, i, &e, NULL);
            assert_true(hd_coverage_has(&all, &e));
        }
        hd_coverage_release(&one);
    }
    assert_int_equal(hd_coverage_size(&all), size);
    /* a second run of the same events shows the same, and nothing new */
    u64 in_run[HD_METRIC_COUNT];
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        in_run[m] = hd_coverage_count(&all, m)->in_run;
    run(&all, ev, HD_COUNT(ev));
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        assert_int_equal(hd_coverage_count(&all, m)->in_run, in_run[m]);
        assert_int_equal(hd_coverage_count(&all, m)->new_in_run, 0);
    }
    hd_coverage_release(&all);
}

/* Streams that make no sense must not do harm: locks nobody holds, threads that
 * were never made, sizes and addresses at the edges. */
static void nonsense(void **state)
{
    struct hd_rng rng = hd_rng_make(13, 0, 0);
    struct hd_coverage c;
    u64 covered = 0;
    hd_coverage_init(&c, &(struct hd_observe_config){.window = 20, .history = 3});
    for (u32 r = 0; r < 20; r++) {
        hd_coverage_begin_run(&c, r, r);
        for (u32 i = 0; i < 5000; i++) {
            struct hd_event ev = {.kind = (u8)hd_rng_below(&rng, HD_EV_COUNT),
                                  .tid = (u16)hd_rng_below(&rng, r % 4 ? 5 : 70),
                                  .size = (u8)hd_rng_below(&rng, 256),
                                  .obj = hd_rng_below(&rng, 200),
                                  .arg = (u32)hd_rng_below(&rng, 3),
                                  .site = hd_rng_below(&rng, 40),
                                  .ctx = (u32)hd_rng_below(&rng, 3)};
            if (hd_rng_below(&rng, 50) == 0)
                ev.obj = ~(u64)0 - hd_rng_below(&rng, 300);
            if (ev.kind == HD_EV_FREE)
                ev.arg *= ev.size;
            hd_coverage_event(&c, &ev);
        }
        for (u16 t = 0; t < 80; t++)
            hd_coverage_blocked(&c, t, 1, t);
        hd_coverage_end_run(&c, r + 1);
    }
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        const struct hd_metric_count *n = hd_coverage_count(&c, m);
        u64 by_sub = 0;
        for (u32 i = 0; i < HD_ELEMENT_SUBS; i++)
            by_sub += n->by_sub[i];
        assert_int_equal(n->covered, by_sub);
        assert_true(n->covered > 0 && n->new_in_run <= n->in_run && n->in_run <= n->covered);
        covered += n->covered;
    }
    assert_int_equal(hd_coverage_size(&c), covered);
    assert_true(hd_coverage_count(&c, HD_METRIC_map)->covered <=
                hd_coverage_possible(&c, HD_METRIC_map));
    hd_coverage_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters), cmocka_unit_test(curve), cmocka_unit_test(sinks),
        cmocka_unit_test(text), cmocka_unit_test(names), cmocka_unit_test(merge),
        cmocka_unit_test(many), cmocka_unit_test(all_at_once), cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
