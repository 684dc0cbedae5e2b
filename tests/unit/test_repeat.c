/* test_repeat.c: events that are like those before them, and what is told of those that were left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/news/gap.h"
#include "runtime/news/repeat.h"

static struct hd_repeat repeat;

static bool is_news(u8 kind, u16 tid, u64 site, u64 obj)
{
    struct hd_event ev = {.kind = kind, .tid = tid, .site = site, .obj = obj, .size = 4};
    return hd_repeat_is_news(&repeat, &ev);
}

/* How many of n are news. */
static u32 count(u32 n, u8 kind, u16 tid, u64 site, u64 obj)
{
    u32 news = 0;
    while (n--)
        news += is_news(kind, tid, site, obj);
    return news;
}

static void repeats(void **state)
{
    memset(&repeat, 0, sizeof repeat);
    assert_in_range(count(100, HD_EV_WRITE, 1, 0x10, 0x1000), HD_REPEAT_TIMES, HD_REPEAT_TIMES + 1);
    assert_int_equal(count(100, HD_EV_WRITE, 1, 0x10, 0x1000), 0);
    assert_int_equal(count(1, HD_EV_WRITE, 1, 0x14, 0x1000), 1); /* another site */
    assert_int_equal(count(1, HD_EV_READ, 1, 0x10, 0x1000), 1);  /* another kind */
}

static void threads_and_addresses_do_not_count(void **state)
{
    memset(&repeat, 0, sizeof repeat);
    for (u16 t = 1; t < 100; t++)
        is_news(HD_EV_WRITE, t, 0x10, 0x1000 + t * 64);
    for (u16 t = 100; t < 200; t++)
        assert_false(is_news(HD_EV_WRITE, t, 0x10, 0x1000 + t * 64));
}

/* Who touched the object last, and under which lock, does. */
static void relations_count(void **state)
{
    memset(&repeat, 0, sizeof repeat);
    count(100, HD_EV_WRITE, 1, 0x10, 0x1000);
    assert_true(is_news(HD_EV_READ, 2, 0x20, 0x1000));
    count(100, HD_EV_READ, 2, 0x20, 0x1000);
    assert_true(is_news(HD_EV_WRITE, 1, 0x10, 0x1000)); /* after a read of another thread */
    count(100, HD_EV_WRITE, 1, 0x10, 0x1000);
    is_news(HD_EV_LOCK, 1, 0x30, 0x2000);
    assert_true(is_news(HD_EV_WRITE, 1, 0x10, 0x1000)); /* with a lock */
}

/* A site met for the first time is news, however full the tables are. */
static void rare_sites_always(void **state)
{
    memset(&repeat, 0, sizeof repeat);
    for (u32 i = 0; i < 4 * HD_REPEAT_KINDS; i++) { /* contexts without end */
        struct hd_event ev = {.kind = HD_EV_READ, .tid = 1, .site = 0x10, .obj = 0x1000, .ctx = i};
        hd_repeat_is_news(&repeat, &ev);
    }
    assert_true(is_news(HD_EV_READ, 1, 0x50, 0x3000));
}

/* ---- gaps --------------------------------------------------------------------------------- */

static struct hd_gap gap;
static char told[256];

static void put(const struct hd_event *ev)
{
    static const char *const name[HD_EV_COUNT] = {
        [HD_EV_GAP] = "gap", [HD_EV_LOCK] = "lock", [HD_EV_FREE] = "free", [HD_EV_CREATE] = "create",
        [HD_EV_HB_RELEASE] = "release", [HD_EV_HB_ACQUIRE] = "acquire", [HD_EV_BENIGN] = "benign",
    };
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%s%u:%s:%llx", n ? " " : "", ev->tid,
             name[ev->kind] ? name[ev->kind] : "?",
             (unsigned long long)(ev->kind == HD_EV_HB_RELEASE || ev->kind == HD_EV_HB_ACQUIRE ? 0 : ev->obj));
}

static void out(u8 kind, u16 tid, u64 obj, u32 arg)
{
    struct hd_event ev = {.kind = kind, .tid = tid, .obj = obj, .arg = arg};
    hd_gap_leave_out(&gap, &ev);
}

static const char *tell(void)
{
    told[0] = 0;
    hd_gap_report(&gap, put);
    return told;
}

static void gap_tells(void **state)
{
    memset(&gap, 0, sizeof gap);
    assert_string_equal(tell(), ""); /* nothing was left out */
    struct hd_event before = {.kind = HD_EV_LOCK, .tid = 3, .obj = 0x30};
    hd_gap_follow(&gap, &before);
    out(HD_EV_LOCK, 1, 0x10, 0);
    out(HD_EV_LOCK, 2, 0x20, 0);
    out(HD_EV_UNLOCK, 1, 0x10, 0);
    out(HD_EV_CREATE, 1, 4, 0);
    out(HD_EV_FREE, 1, 0x1000, 16);
    out(HD_EV_FREE, 2, 0x1000, 16);
    out(HD_EV_SEM_POST, 1, 0x40, 0);
    out(HD_EV_SEM_WAIT, 2, 0x40, 0);
    assert_string_equal(tell(), "0:gap:8 1:create:4 0:free:1000 1:release:0 2:acquire:0 3:lock:30 "
                                "2:lock:20");
    assert_string_equal(tell(), "");
    out(HD_EV_MUTEX_DESTROY, 3, 0x30, 0);
    assert_string_equal(tell(), "0:gap:1 2:lock:20");
}

/* Or correct programs would be accused of races that they declare. */
static void gap_tells_benign_races(void **state)
{
    memset(&gap, 0, sizeof gap);
    out(HD_EV_WRITE, 1, 0x1000, 0);
    out(HD_EV_BENIGN, 1, 0x1000, 4);
    out(HD_EV_BENIGN, 2, 0x1000, 0); /* no longer */
    assert_string_equal(tell(), "0:gap:3 1:benign:1000 2:benign:1000");
    for (u32 i = 0; i < HD_GAP_KEPT; i++) {
        assert_false(hd_gap_is_full(&gap));
        out(HD_EV_BENIGN, 1, 0x1000 + 8 * i, 4);
    }
    assert_true(hd_gap_is_full(&gap)); /* is reported before one is lost */
}

/* More than can be told: then the objects are others, and the gap says so. */
static void gap_is_too_large(void **state)
{
    memset(&gap, 0, sizeof gap);
    for (u32 i = 1; i <= HD_GAP_FREED; i++)
        out(HD_EV_FREE, 1, i * 64, 16);
    tell();
    assert_string_equal(told, "0:gap:1000");
    out(HD_EV_FREE, 1, 64, 16);
    assert_string_equal(tell(), "0:gap:1 0:free:40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats),
        cmocka_unit_test(threads_and_addresses_do_not_count),
        cmocka_unit_test(relations_count),
        cmocka_unit_test(rare_sites_always),
        cmocka_unit_test(gap_tells), cmocka_unit_test(gap_tells_benign_races),
        cmocka_unit_test(gap_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
