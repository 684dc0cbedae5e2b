/* test_observe_map.c: memory-access patterns: the example of the MAP paper
 * (figures 1-3: 3 of 16), every pattern alone, T_C by hand, and random runs
 * against the definition. */
#include "unit/observe_script.h"

#include "base/rng.h"

/* ---- the paper's example ---------------------------------------------------------- */

/* th is read in lines 4 and 5, written in line 9. */
static void three_of_sixteen(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_map);
    run(&c, EVENTS(R(0, X, 4), W(1, X, 9), R(0, X, 5)));
    expect(&c, "map/1:4,9 map/2:9,5 map/4:4,9,5");
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map), 16);
    hd_coverage_release(&c);
}

/* Instances of the 17 patterns (the paper's table) over one variable with that many read and write
 * sites, and over an ordered pair of variables. */
static u64 one_possible(u64 reads, u64 writes)
{
    return 2 * reads * writes + writes * writes + reads * reads * writes +
           3 * reads * writes * writes + writes * writes * writes;
}

static u64 two_possible(u64 reads_x, u64 writes_x, u64 reads_y, u64 writes_y)
{
    return 3 * writes_x * writes_x * writes_y * writes_y +
           6 * reads_x * writes_x * reads_y * writes_y;
}

static void possible(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_map);
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map), 0);
    /* what only one thread touches, or nobody writes, is no shared variable */
    run(&c, EVENTS(R(0, X, 1), W(0, X, 2), R(0, Y, 3), R(1, Y, 4)));
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map), 0);
    /* x: a read (1), two writes (2, 5); y: a read and a write. Ordered pairs. */
    run(&c, EVENTS(R(0, X, 1), W(0, X, 2), W(1, X, 5), R(0, Y, 3), W(1, Y, 4)));
    u64 one = one_possible(1, 2) + one_possible(1, 1);
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map),
                     one + 2 * two_possible(1, 2, 1, 1));
    /* said by somebody who knows better */
    hd_coverage_set_possible(&c, HD_METRIC_map, 77);
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map), 77);
    hd_coverage_release(&c);
}

/* Elements of an array are touched by the same sites: counted once, but x and y
 * may be two of them. */
static void array(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_map);
    run(&c, EVENTS(R(0, X, 1), W(1, X, 2), R(0, X + 8, 1), W(1, X + 8, 2), R(0, X + 16, 1),
                   W(1, X + 16, 2)));
    assert_int_equal(hd_coverage_possible(&c, HD_METRIC_map),
                     one_possible(1, 1) + two_possible(1, 1, 1, 1));
    hd_coverage_release(&c);
}

/* ---- every pattern ------------------------------------------------------------------ */

/* Steps as in the table: thread, kind, variable. */
static const char *const pattern[18] = {
    "", "aRx bWx", "aWx bRx", "aWx bWx", "aRx bWx aRx", "aWx bWx aRx", "aWx bRx aWx",
    "aRx bWx aWx", "aWx bWx aWx", "aWx bWx bWy aWy", "aWx bWy bWx aWy", "aWx bWy aWy bWx",
    "aWx bRx bRy aWy", "aWx bRy bRx aWy", "aRx bWx bWy aRy", "aRx bWy bWx aRy", "aRx bWy aRy bWx",
    "aWx bRy aWy bRx"};

static struct hd_event step(const char *text, u64 site)
{
    struct hd_event ev = R(text[0] == 'a' ? 0 : 1, text[2] == 'x' ? X : Y, site);
    ev.kind = text[1] == 'R' ? HD_EV_READ : HD_EV_WRITE;
    return ev;
}

static void each_pattern(void **state)
{
    for (u32 p = 1; p < 18; p++) {
        struct hd_event ev[4];
        u32 n = ((u32)strlen(pattern[p]) + 1) / 4;
        struct hd_coverage c;
        char text[64], *to = text + sprintf(text, "map/%u:", p);
        for (u32 i = 0; i < n; i++) {
            ev[i] = step(pattern[p] + 4 * i, i + 1);
            to += sprintf(to, "%s%x", i ? "," : "", i + 1);
        }
        cover(&c, HD_METRIC_map);
        run(&c, ev, n);
        assert_true(has(&c, text));
        /* and of its length no other: four steps show one pattern of four */
        for (u32 q = n == 2 ? 1 : n == 3 ? 4 : 9; q < (n == 2 ? 4 : n == 3 ? 9 : 18); q++)
            assert_int_equal(hd_coverage_count(&c, HD_METRIC_map)->by_sub[q], q == p);
        /* the same steps by one thread show nothing */
        struct hd_coverage d;
        for (u32 i = 0; i < n; i++)
            ev[i].tid = 0;
        cover(&d, HD_METRIC_map);
        run(&d, ev, n);
        expect(&d, "");
        /* a stored instance tells as much about T_C as the run did */
        struct hd_element e;
        element_parse(&e, text);
        hd_coverage_add(&d, &e, &(struct hd_first_seen){0});
        u64 possible = hd_coverage_possible(&d, HD_METRIC_map);
        assert_in_range(possible, 1, hd_coverage_possible(&c, HD_METRIC_map));
        hd_coverage_release(&c);
        hd_coverage_release(&d);
    }
}

static void updates_and_bytes(void **state)
{
    check(HD_METRIC_map, EVENTS(U(0, X, 1), U(1, X, 2)), "map/1:1,2 map/2:1,2 map/3:1,2");
    check(HD_METRIC_map,
          EVENTS(EV(0, WRITE, X, 1, .size = 4), EV(1, READ, X + 4, 2, .size = 4)), "");
    /* one wide variable is not two */
    check(HD_METRIC_map,
          EVENTS(EV(0, WRITE, X, 1, .size = 16), EV(1, WRITE, X, 2, .size = 16),
                 EV(1, WRITE, X, 3, .size = 16), EV(0, READ, X, 4, .size = 16)),
          "map/3:1,2 map/3:1,3 map/2:2,4 map/2:3,4 map/5:1,2,4 map/5:1,3,4");
    check(HD_METRIC_map,
          EVENTS(EV(0, WRITE, X, 1, .size = 16), EV(1, WRITE, X, 2, .size = 16),
                 EV(1, WRITE, X, 2, .size = 16), EV(0, WRITE, X, 1, .size = 16)),
          "map/3:1,2 map/3:2,1 map/8:1,2,1");
    /* an access to half of it takes its past along */
    check(HD_METRIC_map, EVENTS(W(0, X, 1), W(1, X, 2), EV(0, READ, X + 4, 3, .size = 4)),
          "map/3:1,2 map/2:2,3 map/5:1,2,3");
    check(HD_METRIC_map, EVENTS(W(0, X, 1), EV(0, FREE, X, 9, .arg = 8), W(1, X, 2)), "");
}

/* Anywhere later: accesses in between do not matter. */
static void far_apart(void **state)
{
    check(HD_METRIC_map, EVENTS(W(0, X, 1), R(0, X, 2), R(1, X, 3), W(1, X, 4), R(0, X, 2)),
          "map/2:1,3 map/3:1,4 map/1:2,4 map/2:4,2 map/5:1,4,2 map/4:2,4,2");
}

/* ---- against the definition ---------------------------------------------------------- */

static bool matches(const char *p, const struct hd_event *const *ev, u32 n)
{
    u16 tid[2] = {0, 0};
    u64 var[2] = {0, 0};
    bool has_tid[2] = {0}, has_var[2] = {0};
    for (u32 i = 0; i < n; i++) {
        u32 t = p[4 * i] == 'b', v = p[4 * i + 2] == 'y';
        if ((ev[i]->kind == HD_EV_WRITE) != (p[4 * i + 1] == 'W'))
            return false;
        if ((has_tid[t] && tid[t] != ev[i]->tid) || (has_var[v] && var[v] != ev[i]->obj))
            return false;
        has_tid[t] = has_var[v] = true;
        tid[t] = ev[i]->tid;
        var[v] = ev[i]->obj;
    }
    return tid[0] != tid[1] && (!has_var[1] || var[0] != var[1]);
}

static void find_all(struct hd_coverage *c, const struct hd_event *ev, u32 n, u32 p,
                     const struct hd_event **chosen, u32 k, u32 from)
{
    u32 length = ((u32)strlen(pattern[p]) + 1) / 4;
    if (k == length) {
        struct hd_element e = {.metric = HD_METRIC_map, .sub = (u8)p, .n = (u8)length};
        if (!matches(pattern[p], chosen, length))
            return;
        for (u32 i = 0; i < length; i++)
            e.site[i] = chosen[i]->site;
        hd_coverage_add(c, &e, &(struct hd_first_seen){0});
        return;
    }
    for (u32 i = from; i < n; i++) {
        chosen[k] = &ev[i];
        find_all(c, ev, n, p, chosen, k + 1, i + 1);
    }
}

/* Patterns of one variable are found completely (up to three threads on it). Of
 * those over two, none is made up and most are found (bounded: see map_two.c).
 * Never more than T_C. */
static void random_runs(void **state)
{
    struct hd_rng rng = hd_rng_make(5, 0, 0);
    u64 two = 0, two_found = 0;
    for (u32 round = 0; round < 400; round++) {
        struct hd_event ev[24];
        const struct hd_event *chosen[4];
        struct hd_coverage c, want;
        u32 objects = 1 + (u32)hd_rng_below(&rng, 3), threads = round % 4 ? 3 : 6;
        cover(&c, HD_METRIC_map);
        cover(&want, HD_METRIC_map);
        for (u32 i = 0; i < HD_COUNT(ev); i++) {
            u64 o = hd_rng_below(&rng, objects), site = 1 + o * 8 + hd_rng_below(&rng, 6);
            ev[i] = (struct hd_event)R((u16)hd_rng_below(&rng, threads), X + 8 * o, site);
            ev[i].kind = site & 1 ? HD_EV_READ : HD_EV_WRITE;
        }
        run(&c, ev, HD_COUNT(ev));
        for (u32 p = 1; p < 18; p++) {
            find_all(&want, ev, HD_COUNT(ev), p, chosen, 0, 0);
            u64 got = hd_coverage_count(&c, HD_METRIC_map)->by_sub[p];
            u64 all = hd_coverage_count(&want, HD_METRIC_map)->by_sub[p];
            if (p < 9 && threads == 3)
                assert_int_equal(got, all);
            two += p < 9 ? 0 : all;
            two_found += p < 9 ? 0 : got;
        }
        assert_true(hd_coverage_size(&c) <= hd_coverage_possible(&c, HD_METRIC_map));
        if (threads == 3)
            assert_true(hd_coverage_size(&want) <= hd_coverage_possible(&c, HD_METRIC_map));
        for (u32 i = 0; i < hd_coverage_size(&c); i++) {
            struct hd_element e;
            hd_coverage_at(&c, i, &e, NULL);
            assert_true(hd_coverage_has(&want, &e));
        }
        hd_coverage_release(&c);
        hd_coverage_release(&want);
    }
    print_message("two-variable patterns found: %u %%\n", (u32)(100 * two_found / two));
    assert_true(two_found * 2 > two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_of_sixteen), cmocka_unit_test(possible), cmocka_unit_test(array),
        cmocka_unit_test(each_pattern), cmocka_unit_test(updates_and_bytes),
        cmocka_unit_test(far_apart), cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
