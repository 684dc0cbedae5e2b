/* test_model.c: what reports conclude from events: happens-before, locks held,
 * the suspected accesses; and the shortening of names. Scripted events only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/knowledge.h"
#include "report/explain/model.h"

enum { X = 0x1000, Y = 0x2000, M = 0x3000, C = 0x4000 };

static struct hd_finding f;
static struct hd_event events[64];
static struct hd_model st;
static struct hd_symbols *none;

static u32 ev(u16 tid, u8 kind, u64 obj)
{
    u32 i = f.n_events++;
    events[i] = (struct hd_event){.step = i + 1, .tid = tid, .kind = kind, .obj = obj,
                                  .size = kind <= HD_EV_ARMW ? 4 : 0, .site = 0x100 + i};
    return i;
}

static void begin(enum hd_verdict_kind kind, u16 tid)
{
    memset(&f, 0, sizeof f);
    f.events = events;
    f.verdict.kind = kind;
    f.verdict.tid = tid;
}

static void make_model(void)
{
    hd_model_init(&st, &f, none);
    hd_model_release(&st);
}

/* Is event i ordered before the later event j? */
static bool is_before(u32 i, u32 j)
{
    struct hd_knowledge k;
    u32 event[] = {j, i};
    hd_knowledge_init(&k);
    hd_knowledge_read(&k, events, event, 2);
    bool is = hd_knowledge_is_before(&k, events, event, 1, 0);
    hd_knowledge_release(&k);
    return is;
}

static void test_order(void **state)
{
    begin(HD_V_ASSERT, 0);
    u32 w = ev(1, HD_EV_WRITE, X);
    u32 early = ev(2, HD_EV_READ, X);
    ev(1, HD_EV_UNLOCK, M);
    ev(3, HD_EV_LOCK, M);
    u32 locked = ev(3, HD_EV_READ, X);
    ev(1, HD_EV_EXIT, 0);
    ev(0, HD_EV_JOIN, 1);
    u32 joined = ev(0, HD_EV_READ, X);
    ev(0, HD_EV_CREATE, 4);
    u32 created = ev(4, HD_EV_READ, X);
    ev(2, HD_EV_LOCK, Y);
    u32 still = ev(2, HD_EV_READ, X);
    assert_false(is_before(w, early));
    assert_true(is_before(w, locked));
    assert_true(is_before(w, joined));
    assert_true(is_before(w, created));
    assert_false(is_before(w, still));
    assert_true(is_before(early, still)); /* the same thread */
    assert_false(is_before(early, locked));
}

/* Both sides of a barrier, and a failed join that proves nothing. */
static void test_order_barrier(void **state)
{
    begin(HD_V_ASSERT, 0);
    u32 w = ev(1, HD_EV_WRITE, X);
    ev(1, HD_EV_BARRIER_WAIT, C);
    ev(2, HD_EV_BARRIER_WAIT, C);
    ev(2, HD_EV_BARRIER_LEAVE, C);
    u32 r = ev(2, HD_EV_READ, X);
    u32 w2 = ev(2, HD_EV_WRITE, Y);
    u32 j = ev(3, HD_EV_JOIN, 2);
    events[j].arg = EBUSY;
    u32 r2 = ev(3, HD_EV_READ, Y);
    assert_true(is_before(w, r));
    assert_false(is_before(w2, r2));
}

static void test_held(void **state)
{
    begin(HD_V_ASSERT, 0);
    u32 first = ev(1, HD_EV_LOCK, M);
    ev(1, HD_EV_LOCK, M); /* recursive */
    ev(1, HD_EV_UNLOCK, M);
    u32 failed = ev(2, HD_EV_TRYLOCK, M);
    events[failed].arg = EBUSY;
    ev(2, HD_EV_RDLOCK, Y);
    ev(3, HD_EV_RDLOCK, Y);
    ev(2, HD_EV_RW_UNLOCK, Y);
    hd_model_init(&st, &f, none);
    assert_int_equal(st.held.v.n, 2);
    assert_non_null(hd_held_find(&st.held, M, 1));
    assert_int_equal(hd_held_find(&st.held, M, HD_NO_THREAD)->event, first);
    assert_null(hd_held_find(&st.held, M, 2));
    assert_int_equal(hd_held_find(&st.held, Y, HD_NO_THREAD)->tid, 3);
    hd_model_release(&st);
    /* a cond wait gives its own mutex up by an UNLOCK, and no other */
    ev(1, HD_EV_LOCK, X);
    ev(1, HD_EV_UNLOCK, X);
    ev(1, HD_EV_COND_WAIT, C);
    hd_model_init(&st, &f, none);
    assert_null(hd_held_find(&st.held, X, 1));
    assert_non_null(hd_held_find(&st.held, M, 1));
    hd_model_release(&st);
    /* whoever takes a lock now holds it */
    ev(2, HD_EV_LOCK, M);
    hd_model_init(&st, &f, none);
    assert_null(hd_held_find(&st.held, M, 1));
    assert_non_null(hd_held_find(&st.held, M, 2));
    hd_model_release(&st);
}

/* The threads of an earlier part have ended: what they did is not why this part failed. */
static void test_last_part(void **state)
{
    begin(HD_V_ASSERT, 0);
    ev(0, HD_EV_CREATE, 1);
    ev(0, HD_EV_CREATE, 2);
    ev(1, HD_EV_READ, X);
    ev(2, HD_EV_READ, X);
    ev(2, HD_EV_WRITE, X);
    ev(1, HD_EV_WRITE, X);
    ev(1, HD_EV_EXIT, 0);
    ev(2, HD_EV_EXIT, 0);
    ev(0, HD_EV_JOIN, 1);
    ev(0, HD_EV_JOIN, 2);
    ev(0, HD_EV_CREATE, 3);
    u32 w = ev(3, HD_EV_WRITE, Y);
    u32 r = ev(0, HD_EV_READ, Y);
    ev(0, HD_EV_READ, X);
    f.stats.events = f.n_events;
    hd_model_init(&st, &f, none);
    assert_int_equal(st.suspect.kind, HD_SUSPECT_PAIR);
    assert_int_equal(st.suspect.e[0], w);
    assert_int_equal(st.suspect.e[1], r);
    hd_model_release(&st);
}

static void test_triple(void **state)
{
    begin(HD_V_ASSERT, 0);
    u32 r = ev(1, HD_EV_READ, X);
    ev(2, HD_EV_READ, X);
    u32 w2 = ev(2, HD_EV_WRITE, X);
    u32 w = ev(1, HD_EV_WRITE, X);
    ev(1, HD_EV_EXIT, 0);
    ev(0, HD_EV_JOIN, 1);
    ev(0, HD_EV_READ, Y);
    ev(0, HD_EV_READ, X);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_TRIPLE);
    assert_int_equal(st.suspect.e[0], r);
    assert_int_equal(st.suspect.e[1], w2);
    assert_int_equal(st.suspect.e[2], w);
    assert_int_equal(st.suspect.score, 4);
}

/* Updates under one lock are no suspects beside a flag nobody protects. */
static void test_protected_is_innocent(void **state)
{
    begin(HD_V_ASSERT, 1);
    u32 flag = ev(2, HD_EV_WRITE, Y);
    u32 read = ev(1, HD_EV_READ, Y);
    for (u16 t = 1; t <= 3; t++) {
        u16 tid = t == 3 ? 1 : t;
        ev(tid, HD_EV_LOCK, M);
        ev(tid, HD_EV_READ, X);
        ev(tid, HD_EV_WRITE, X);
        ev(tid, HD_EV_UNLOCK, M);
    }
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_PAIR);
    assert_int_equal(st.suspect.e[0], flag);
    assert_int_equal(st.suspect.e[1], read);
    assert_int_equal(st.suspect.score, 3);
}

/* Check under the lock, act under the lock: two sections, one mistake. */
static void test_check_then_act(void **state)
{
    begin(HD_V_ASSERT, 1);
    u32 check = 0, other = 0, act = 0;
    ev(1, HD_EV_LOCK, M);
    check = ev(1, HD_EV_READ, X);
    ev(1, HD_EV_UNLOCK, M);
    ev(2, HD_EV_LOCK, M);
    other = ev(2, HD_EV_WRITE, X);
    ev(2, HD_EV_UNLOCK, M);
    ev(1, HD_EV_LOCK, M);
    act = ev(1, HD_EV_READ, X);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_TRIPLE);
    assert_int_equal(st.suspect.e[0], check);
    assert_int_equal(st.suspect.e[1], other);
    assert_int_equal(st.suspect.e[2], act);
    assert_int_equal(st.suspect.score, 2);
}

static void test_pending(void **state)
{
    struct hd_finding_thread t = {.tid = 0, .state = HD_T_PENDING, .op_kind = HD_EV_WRITE,
                                  .op_obj = X};
    begin(HD_V_SIGNAL, 1);
    f.threads = &t;
    f.n_threads = 1;
    u32 r = ev(1, HD_EV_READ, X);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_PENDING);
    assert_int_equal(st.suspect.e[0], r);
    t.op_kind = HD_EV_READ; /* two reads are no conflict */
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_NONE);
}

static void test_no_suspect(void **state)
{
    begin(HD_V_ASSERT, 0);
    ev(0, HD_EV_WRITE, X); /* ordered by the creation: innocent */
    ev(0, HD_EV_CREATE, 1);
    ev(1, HD_EV_READ, X);
    ev(0, HD_EV_READ, Y);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_NONE);
    begin(HD_V_DEADLOCK, 0);
    ev(1, HD_EV_WRITE, X);
    ev(0, HD_EV_READ, X);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_NONE);
}

/* The failing thread touched none of it: only a possibility. */
static void test_others(void **state)
{
    begin(HD_V_EXIT, 0);
    ev(0, HD_EV_WRITE, X);
    ev(0, HD_EV_CREATE, 1);
    ev(0, HD_EV_CREATE, 2);
    u32 w = ev(2, HD_EV_WRITE, X);
    u32 r = ev(1, HD_EV_READ, X);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_PAIR);
    assert_int_equal(st.suspect.e[0], w);
    assert_int_equal(st.suspect.e[1], r);
    assert_int_equal(st.suspect.score, 1);
}

/* Different sizes at different addresses still meet. */
static void test_overlap(void **state)
{
    begin(HD_V_ASSERT, 0);
    u32 w = ev(1, HD_EV_WRITE, X);
    u32 r = ev(0, HD_EV_READ, X + 3);
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_PAIR);
    assert_int_equal(st.suspect.e[0], w);
    assert_int_equal(st.suspect.e[1], r);
    events[r].obj = X + 4;
    make_model();
    assert_int_equal(st.suspect.kind, HD_SUSPECT_NONE);
}

static void is_short(const char *name, size_t max, const char *want)
{
    char buf[256];
    hd_name_function(name, max, buf, sizeof buf);
    assert_string_equal(buf, want);
    assert_true(strlen(buf) <= max);
}

static void test_short_names(void **state)
{
    is_short("main", 10, "main");
    is_short("std::map<int, std::vector<long> >::insert", 20, "std::map<..>::insert");
    is_short("std::map<int, std::vector<long> >::insert", 14, "insert");
    is_short("a::b::c::function", 11, "c::function");
    is_short("a_very_long_c_function_name", 10, "a_very_l..");
    is_short("ns::box<std::pair<int, int> >::operator<<", 24, "ns::box<..>::operator<<");
}

static void check_place(const char *cwd, const char *file, const char *want)
{
    char got[256];
    struct hd_srcloc l = {.file = file, .line = 7};
    snprintf(st.cwd, sizeof st.cwd, "%s", cwd);
    hd_name_place(&st, &l, false, got, sizeof got);
    assert_string_equal(got, want);
}

static void test_place(void **state)
{
    check_place("/home/me/a", "/home/me/a/b.c", "b.c:7");
    check_place("/home/me/a", "/home/me/a/src/b.c", "src/b.c:7");
    check_place("/home/me/a/build", "/home/me/a/src/b.c", "../src/b.c:7");
    check_place("/home/me/ab", "/home/me/a/b.c", "../a/b.c:7");
    check_place("/home/me/a", "/home/me/ab/c.c", "../ab/c.c:7");
    check_place("/home/me/a", "b.c", "b.c:7");
    check_place("/home/me/a", "/srv/b.c", "/srv/b.c:7");      /* nothing in common */
    check_place("/s/a/b/c", "/s/b.c", "/s/b.c:7");            /* longer */
    check_place("/home/a/b/c/d", "/home/e/b.c", "/home/e/b.c:7"); /* too far up */
    check_place("/", "/b.c", "/b.c:7");
    check_place("", "/b.c", "/b.c:7");
    check_place("/home/me/a", "/usr/include/c++/12/mutex", "mutex:7");
}

static void test_cut(void **state)
{
    char buf[64];
    hd_paint_cut(buf, sizeof buf, "one\ttwo\x1b[0m", 40);
    assert_string_equal(buf, "one two?[0m");
    /* not inside a character */
    hd_paint_cut(buf, sizeof buf, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6);
    assert_string_equal(buf, "\xc3\xa4\xc3\xa4..");
    hd_paint_cut(buf, 5, "longer than the buffer", 40);
    assert_string_equal(buf, "lo..");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_order_barrier),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_last_part), cmocka_unit_test(test_triple), cmocka_unit_test(test_protected_is_innocent),
        cmocka_unit_test(test_check_then_act), cmocka_unit_test(test_pending),
        cmocka_unit_test(test_no_suspect), cmocka_unit_test(test_others),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_short_names), cmocka_unit_test(test_place), cmocka_unit_test(test_cut),
    };
    none = hd_symbols_open(NULL, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hd_symbols_close(none);
    return failed;
}
