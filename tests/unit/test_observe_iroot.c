/* test_observe_iroot.c: immediate dependencies and idioms 1-6 on scripted runs,
 * the examples of the Maple paper (figures 3 and 4), and random runs against
 * the definitions written down without any cleverness. */
#include "unit/observe_script.h"

#include "base/rng.h"

static void read_after_write(void **state)
{
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2)), "iroot/1:1,2");
    /* only the reader's first read since the write; every reader has its own */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), R(1, X, 3), R(2, X, 4)),
          "iroot/1:1,2 iroot/1:1,4");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(0, X, 2)), "");
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), R(1, X, 2)), "");
    /* an own write in between is where the value comes from */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(1, X, 2), R(1, X, 3)), "iroot/1:1,2");
}

static void write_after_read(void **state)
{
    /* from the last read of every other thread */
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), R(0, X, 2), R(1, X, 3), W(2, X, 4)),
          "iroot/1:2,4 iroot/1:3,4");
    /* also past an own read; reads before the last write no longer count */
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), R(1, X, 2), W(1, X, 3)), "iroot/1:1,3");
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), W(2, X, 2), W(2, X, 3)), "iroot/1:1,2");
}

static void write_after_write(void **state)
{
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(1, X, 2)), "iroot/1:1,2");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(2, X, 3), W(1, X, 2)), "iroot/1:1,3 iroot/1:3,2");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(0, X, 3), W(1, X, 2)), "iroot/1:3,2");
}

static void updates(void **state)
{
    /* an update reads, so its write does not directly follow the other's */
    check(HD_METRIC_iroot, EVENTS(U(0, X, 1), U(1, X, 2)), "iroot/1:1,2");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(2, X, 2), U(1, X, 3)),
          "iroot/1:1,2 iroot/1:1,3 iroot/1:2,3");
    check(HD_METRIC_iroot, EVENTS(U(0, X, 1), U(1, X, 2), U(0, X, 3)),
          "iroot/1:1,2 iroot/1:2,3 iroot/2:1,2,3");
}

static void locks(void **state)
{
    check(HD_METRIC_iroot, EVENTS(LOCK(0, M, 1), UNLOCK(0, M, 2), LOCK(1, M, 3)), "iroot/1:2,3");
    /* attempts that failed took nothing; an owner that died left it to the next */
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, M, 1), EV(1, TRYLOCK, M, 9, .arg = 16), UNLOCK(0, M, 2),
                 EV(1, LOCK, M, 3, .arg = 130)),
          "iroot/1:2,3");
    /* inner pairs of a recursive lock are nobody's business */
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, M, 1), LOCK(0, M, 2), UNLOCK(0, M, 3), UNLOCK(0, M, 4), LOCK(1, M, 5)),
          "iroot/1:4,5");
    check(HD_METRIC_iroot, /* ... nor do they come between two events */
          EVENTS(LOCK(0, M, 1), LOCK(0, M, 2), W(0, X, 3), UNLOCK(0, M, 4), UNLOCK(0, M, 5),
                 R(1, X, 6), LOCK(1, M, 7)),
          "iroot/1:3,6 iroot/1:5,7 iroot/6:3,6,5,7");
    /* readers do not wait for readers */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRLOCK, M, 1), EV(0, RW_UNLOCK, M, 2), EV(1, RDLOCK, M, 3),
                 EV(1, RW_UNLOCK, M, 4), EV(2, RDLOCK, M, 5)),
          "iroot/1:2,3 iroot/1:2,5");
}

/* Both forms of a stream: the wait's unlock as an event of its own, or implied. */
static void conditions(void **state)
{
    const char *all = "iroot/1:2,3 iroot/1:4,2 iroot/1:5,2 iroot/3:2,3,5,2 iroot/4:2,3,4,2 "
                      "iroot/6:4,2,5,2";
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, M, 1), UNLOCK(0, M, 2), EV(0, COND_WAIT, C, 2), LOCK(1, M, 3),
                 EV(1, COND_SIGNAL, C, 4, .arg = 1), UNLOCK(1, M, 5), EV(0, COND_WAKE, C, 2),
                 LOCK(0, M, 2)),
          all);
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, M, 1), EV(0, COND_WAIT, C, 2), LOCK(1, M, 3),
                 EV(1, COND_SIGNAL, C, 4, .arg = 1), UNLOCK(1, M, 5), EV(0, COND_WAKE, C, 2),
                 LOCK(0, M, 2)),
          all);
    /* timed out: nobody woke it */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, COND_WAIT, C, 1), EV(1, COND_SIGNAL, C, 2),
                 EV(0, COND_WAKE, C, 1, .arg = 110)),
          "");
    check(HD_METRIC_iroot, EVENTS(EV(0, SEM_POST, C, 1), EV(1, SEM_WAIT, C, 2)), "iroot/1:1,2");
}

static void idiom_2(void **state)
{
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), W(1, X, 2), R(0, X, 3)),
          "iroot/1:1,2 iroot/1:2,3 iroot/2:1,2,3");
    /* the thread itself touches X in between: 2 is e0 now */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), R(0, X, 3), W(0, X, 4)),
          "iroot/1:1,2 iroot/1:2,4");
    /* a third thread is no part of it */
    check(HD_METRIC_iroot, EVENTS(R(0, X, 1), W(1, X, 2), R(2, X, 3)), "iroot/1:1,2 iroot/1:2,3");
}

static void idiom_3(void **state)
{
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), W(1, X, 3), R(0, X, 4)),
          "iroot/1:1,2 iroot/1:3,4 iroot/3:1,2,3,4");
}

static void idiom_4(void **state)
{
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), W(1, Y, 3), R(0, Y, 4)),
          "iroot/1:1,2 iroot/1:3,4 iroot/4:1,2,3,4");
    /* exclusion: T1 touches X, or Y, between */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), R(0, X, 9), W(1, Y, 3), R(0, Y, 4)),
          "iroot/1:1,2 iroot/1:3,4");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 2), R(0, Y, 9), W(1, Y, 3), R(0, Y, 4)),
          "iroot/1:1,2 iroot/1:3,4 iroot/1:9,3 iroot/2:9,3,4 iroot/6:1,2,9,3");
    /* memory and locks mix */
    check(HD_METRIC_iroot,
          EVENTS(UNLOCK(0, M, 1), LOCK(1, M, 2), W(1, Y, 3), R(0, Y, 4)),
          "iroot/1:1,2 iroot/1:3,4 iroot/4:1,2,3,4");
}

static void idiom_5(void **state)
{
    const char *all = "iroot/1:1,2 iroot/1:3,4 iroot/5:1,2,3,4";
    /* crossed writes, either half last; one name for both */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(1, Y, 3), W(1, X, 2), W(0, Y, 4)), all);
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(1, Y, 3), W(0, Y, 4), W(1, X, 2)), all);
    /* exclusion holds for T2, too */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(1, Y, 3), R(1, Y, 9), W(1, X, 2), R(0, Y, 4)),
          "iroot/1:1,2 iroot/1:3,4");
}

static void idiom_6(void **state)
{
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(0, Y, 2), R(1, X, 3), R(1, Y, 4)),
          "iroot/1:1,3 iroot/1:2,4 iroot/6:1,3,2,4");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(1, X, 3), W(0, Y, 2), R(1, Y, 4)),
          "iroot/1:1,3 iroot/1:2,4 iroot/6:1,3,2,4");
    /* read in the other order: no idiom */
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), W(0, Y, 2), R(1, Y, 4), R(1, X, 3)),
          "iroot/1:1,3 iroot/1:2,4");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), R(0, X, 9), W(0, Y, 2), R(1, X, 3), R(1, Y, 4)),
          "iroot/1:1,3 iroot/1:2,4");
}

static void window(void **state)
{
    struct hd_coverage c;
    for (u32 steps = 0; steps < 4; steps++) {
        hd_coverage_init(&c, &(struct hd_observe_config){.metrics = 1, .window = 3});
        hd_coverage_begin_run(&c, 1, 0);
        const struct hd_event first[] = {R(0, X, 1), W(1, X, 2)}, pad = W(0, Z, 9);
        const struct hd_event end = R(0, X, 3);
        hd_coverage_event(&c, &first[0]);
        hd_coverage_event(&c, &first[1]);
        for (u32 i = 0; i < steps; i++)
            hd_coverage_event(&c, &pad);
        hd_coverage_event(&c, &end);
        hd_coverage_end_run(&c, 1);
        assert_int_equal(has(&c, "iroot/2:1,2,3"), steps + 1 < 3); /* distance below 3 */
        hd_coverage_release(&c);
    }
}

/* Figure 3: T1 c = 1 (I1), a = 1 (I2), a = 2 (I3); T2 if (c) (I4) assert(a != 1)
 * (I5). The bug is I2 => I5. */
static void maple_figure_3(void **state)
{
    enum { c = Y, a = X };
    check(HD_METRIC_iroot, EVENTS(W(0, c, 1), W(0, a, 2), R(1, c, 4), R(1, a, 5), W(0, a, 3)),
          "iroot/1:1,4 iroot/1:2,5 iroot/1:5,3 iroot/2:2,5,3 iroot/6:1,4,2,5");
    /* the intended order: I3 => I5 instead; I2 keeps it from being an idiom 6 */
    check(HD_METRIC_iroot, EVENTS(W(0, c, 1), W(0, a, 2), W(0, a, 3), R(1, c, 4), R(1, a, 5)),
          "iroot/1:1,4 iroot/1:3,5");
}

/* Figure 4: the MySQL bug. generate_table: lock(open) 1, unlock(open) 2 = A,
 * lock(log) 3 = D, unlock(log) 4; mysql_insert: lock(open) 5 = B, unlock(open) 6,
 * lock(log) 7, unlock(log) 8 = C. Idiom 4: A => B ... C => D. */
static void maple_figure_4(void **state)
{
    enum { open = M, log = N };
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, open, 1), UNLOCK(0, open, 2), LOCK(1, open, 5), UNLOCK(1, open, 6),
                 LOCK(1, log, 7), UNLOCK(1, log, 8), LOCK(0, log, 3), UNLOCK(0, log, 4)),
          "iroot/1:2,5 iroot/1:8,3 iroot/4:2,5,8,3");
    /* critical sections of thread 1 not torn apart: only their order */
    check(HD_METRIC_iroot,
          EVENTS(LOCK(0, open, 1), UNLOCK(0, open, 2), LOCK(0, log, 3), UNLOCK(0, log, 4),
                 LOCK(1, open, 5), UNLOCK(1, open, 6), LOCK(1, log, 7), UNLOCK(1, log, 8)),
          "iroot/1:2,5 iroot/1:4,7");
}

static void deadlock(void **state)
{
    struct hd_coverage c;
    cover(&c, HD_METRIC_iroot);
    const struct hd_event ev[] = {LOCK(0, M, 1), LOCK(1, N, 3)};
    for (u32 i = 0; i < 2; i++) {
        hd_coverage_begin_run(&c, i, 0);
        hd_coverage_event(&c, &ev[0]);
        hd_coverage_event(&c, &ev[1]);
        if (i) {
            hd_coverage_blocked(&c, 0, 4, N);
            hd_coverage_blocked(&c, 1, 2, M);
        }
        hd_coverage_end_run(&c, 1);
        expect(&c, i ? "iroot/5:1,2,3,4" : "");
    }
    hd_coverage_release(&c);
}

/* ---- memory ------------------------------------------------------------------- */

static void bytes(void **state)
{
    /* different bytes of one granule do not meet */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X, 1, .size = 4), EV(1, READ, X + 4, 2, .size = 4)), "");
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X + 4, 1, .size = 4), EV(1, READ, X, 2, .size = 8)), "iroot/1:1,2");
    /* a wide access learns from two writers; halves split what was whole */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X, 1, .size = 4), EV(2, WRITE, X + 4, 3, .size = 4),
                 EV(1, READ, X, 2, .size = 8)),
          "iroot/1:1,2 iroot/1:3,2");
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X, 1, .size = 8), EV(1, READ, X, 2, .size = 4),
                 EV(1, READ, X + 4, 3, .size = 4)),
          "iroot/1:1,2 iroot/1:1,3");
    /* two granules, one variable: no idiom over two variables */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X, 1, .size = 16), EV(1, READ, X, 2, .size = 16)), "iroot/1:1,2");
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X + 5, 1, .size = 8), EV(1, READ, X + 12, 2, .size = 1)),
          "iroot/1:1,2");
    /* recorded as a note: the size is in arg */
    check(HD_METRIC_iroot,
          EVENTS(EV(0, WRITE, X, 1, .arg = 16), EV(1, READ, X + 8, 2, .arg = 8)), "iroot/1:1,2");
}

static void lifetimes(void **state)
{
    check(HD_METRIC_iroot,
          EVENTS(W(0, X, 1), EV(0, FREE, X - 16, 9, .arg = 24), EV(1, ALLOC, X - 16, 9, .arg = 24),
                 R(1, X, 2)),
          "");
    check(HD_METRIC_iroot, EVENTS(W(0, X, 1), EV(0, FREE, X - 16, 9, .arg = 16), R(1, X, 2)),
          "iroot/1:1,2");
    check(HD_METRIC_iroot,
          EVENTS(UNLOCK(0, M, 1), EV(0, FREE, 0, 9, .arg = 0x10000000), LOCK(1, M, 2)), "");
    check(HD_METRIC_iroot,
          EVENTS(UNLOCK(0, M, 1), EV(0, MUTEX_DESTROY, M, 9), EV(0, MUTEX_INIT, M, 9),
                 LOCK(1, M, 2)),
          "");
    /* two once controls in one granule are two objects */
    check(HD_METRIC_iroot, EVENTS(EV(0, ONCE_END, C, 1), EV(1, ONCE_BEGIN, C + 4, 2)), "");
}

/* ---- against the definitions ---------------------------------------------------- */

enum { EVENTS_MAX = 60 };
struct dep {
    u32 from, to;
};

static bool writes(const struct hd_event *e) { return e->kind == HD_EV_WRITE; }

static bool touches(const struct hd_event *ev, u16 tid, u64 obj, u32 from, u32 to)
{
    for (u32 i = from + 1; i < to; i++)
        if (ev[i].tid == tid && ev[i].obj == obj)
            return true;
    return false;
}

static u32 dependencies(const struct hd_event *ev, u32 n, struct dep *d)
{
    u32 found = 0;
    for (u32 j = 0; j < n; j++) {
        s32 w = -1;
        bool is_read = false;
        for (u32 i = 0; i < j; i++)
            if (ev[i].obj == ev[j].obj && writes(&ev[i]))
                w = (s32)i;
        for (u32 i = (u32)(w + 1); i < j; i++)
            is_read |= ev[i].obj == ev[j].obj;
        for (s32 i = HD_MAX(w, 0); i < (s32)j; i++) {
            if (ev[i].obj != ev[j].obj || ev[i].tid == ev[j].tid)
                continue;
            bool is;
            if (i == w)
                is = writes(&ev[j]) ? !is_read : !touches(ev, ev[j].tid, ev[j].obj, (u32)i, j);
            else
                is = writes(&ev[j]) && !touches(ev, ev[i].tid, ev[i].obj, (u32)i, j);
            if (is)
                d[found++] = (struct dep){(u32)i, j};
        }
    }
    return found;
}

static u32 steps(const struct hd_event *ev, u16 tid, u32 from, u32 to)
{
    u32 n = 0;
    for (u32 i = from; i < to; i++)
        n += ev[i].tid == tid;
    return n;
}

/* Idiom of two dependencies, d ending after c; 0 = none. */
static u8 idiom(const struct hd_event *ev, struct dep c, struct dep d, u32 w)
{
    u16 t1 = ev[c.from].tid, t2 = ev[c.to].tid;
    u64 x = ev[c.from].obj, y = ev[d.from].obj;
    if (t1 == ev[d.to].tid && t2 == ev[d.from].tid) {
        if (touches(ev, t1, x, c.from, d.to) || touches(ev, t1, y, c.from, d.to) ||
            steps(ev, t1, c.from, d.to) >= w)
            return 0;
        if (x == y)
            return c.to == d.from ? 2 : c.to < d.from ? 3 : 0;
        if (c.to < d.from)
            return 4;
        return touches(ev, t2, x, d.from, c.to) || touches(ev, t2, y, d.from, c.to) ||
                       steps(ev, t2, d.from, c.to) >= w
                   ? 0
                   : 5;
    }
    if (t1 != ev[d.from].tid || t2 != ev[d.to].tid || x == y || c.from >= d.from)
        return 0;
    return touches(ev, t1, x, c.from, d.from) || touches(ev, t1, y, c.from, d.from) ||
                   touches(ev, t2, x, c.to, d.to) || touches(ev, t2, y, c.to, d.to) ||
                   steps(ev, t1, c.from, d.from) >= w || steps(ev, t2, c.to, d.to) >= w
               ? 0
               : 6;
}

static void add(struct hd_coverage *c, u8 sub, u64 a, u64 b, u64 x, u64 y)
{
    struct hd_element e = {.metric = HD_METRIC_iroot, .sub = sub, .site = {a, b, x, y}};
    e.n = sub == 1 ? 2 : sub == 2 ? 3 : 4;
    hd_coverage_add(c, &e, &(struct hd_first_seen){0});
}

static void by_definition(struct hd_coverage *c, const struct hd_event *ev, u32 n, u32 w)
{
    struct dep d[EVENTS_MAX * 4];
    u32 found = dependencies(ev, n, d);
    for (u32 j = 0; j < found; j++) {
        u64 from = ev[d[j].from].site, to = ev[d[j].to].site;
        add(c, 1, from, to, 0, 0);
        for (u32 i = 0; i < found; i++) {
            if (d[i].to >= d[j].to)
                continue;
            u8 sub = idiom(ev, d[i], d[j], w);
            u64 e0 = ev[d[i].from].site, e1 = ev[d[i].to].site;
            if (sub == 2)
                add(c, 2, e0, e1, to, 0);
            else if (sub)
                add(c, sub, e0, e1, from, to);
        }
    }
}

/* Every event has a site of its own, so that no element hides another. Nothing
 * is made up; 1-4 are complete, and so are 5 and 6 as long as no thread touches
 * an object more than four times (the ring of recent touches). */
static void random_runs(void **state)
{
    struct hd_rng rng = hd_rng_make(7, 0, 0);
    u64 total[7] = {0};
    for (u32 round = 0; round < 3000; round++) {
        struct hd_event ev[EVENTS_MAX];
        u32 n = 4 + (u32)hd_rng_below(&rng, EVENTS_MAX - 4), w = round & 1 ? 1000 : 5;
        u32 threads = 2 + (u32)hd_rng_below(&rng, 2), objects = 1 + (u32)hd_rng_below(&rng, 5);
        u32 most = 0, touched[3][5] = {{0}};
        for (u32 i = 0; i < n; i++) {
            u32 t = (u32)hd_rng_below(&rng, threads), o = (u32)hd_rng_below(&rng, objects);
            ev[i] = (struct hd_event)R((u16)t, X + 8 * o, i + 1);
            ev[i].kind = hd_rng_below(&rng, 2) ? HD_EV_READ : HD_EV_WRITE;
            touched[t][o]++;
            most = HD_MAX(most, touched[t][o]);
        }
        struct hd_coverage c, d;
        hd_coverage_init(&c, &(struct hd_observe_config){.metrics = 1, .window = w});
        hd_coverage_init(&d, &(struct hd_observe_config){.metrics = 1, .window = w});
        run(&c, ev, n);
        by_definition(&d, ev, n, w);
        for (u32 i = 0; i < hd_coverage_size(&c); i++) {
            struct hd_element e;
            hd_coverage_at(&c, i, &e, NULL);
            assert_true(hd_coverage_has(&d, &e));
        }
        for (u32 sub = 1; sub <= 6; sub++) {
            u64 want = hd_coverage_count(&d, HD_METRIC_iroot)->by_sub[sub];
            u64 got = hd_coverage_count(&c, HD_METRIC_iroot)->by_sub[sub];
            total[sub] += got;
            if (sub <= 4 || most <= 4)
                assert_int_equal(got, want);
        }
        hd_coverage_release(&c);
        hd_coverage_release(&d);
    }
    for (u32 sub = 1; sub <= 6; sub++)
        assert_true(total[sub] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_after_write), cmocka_unit_test(write_after_read),
        cmocka_unit_test(write_after_write), cmocka_unit_test(updates),
        cmocka_unit_test(locks), cmocka_unit_test(conditions),
        cmocka_unit_test(idiom_2), cmocka_unit_test(idiom_3), cmocka_unit_test(idiom_4),
        cmocka_unit_test(idiom_5), cmocka_unit_test(idiom_6), cmocka_unit_test(window),
        cmocka_unit_test(maple_figure_3), cmocka_unit_test(maple_figure_4),
        cmocka_unit_test(deadlock), cmocka_unit_test(bytes), cmocka_unit_test(lifetimes),
        cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
