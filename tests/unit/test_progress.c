/* Unit tests of campaign/progress.c: what is shown, at any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "campaign/progress.h"

static char text[2048];

static struct hd_progress_view view(void)
{
    return (struct hd_progress_view){
        .runs = 12345, .of = 20000, .seconds = 75, .rate = 164.6, .left = 46.5, .threads = 4,
        .findings = 2, .program = "/home/me/a/long/way/to/the/program",
        .last = "deadlock-3f9a2c10", .last_ago = 9,
        .at = {.phase = "driving into what was not tested", .has_left = true, .left = 17,
               .trying = "queue.c:12, queue.c:40"},
        .has_news = true, .news_runs = 310, .news_ago = 2,
    };
}

static void has(const char *want)
{
    if (!strstr(text, want))
        fail_msg("no '%s' in\n%s", want, text);
}

static void test_screen(void **state)
{
    struct hd_progress_view v = view();
    u32 n = hd_progress_screen(text, sizeof text, &v, 79);
    has("heddle: /home/me/a/long/way/to/the/program\n");
    has("runs      12345 of 20000, 165/s\n");
    has("time      1:15, 0:47 left\n");
    has("findings  2\n");
    has("last new  deadlock-3f9a2c10\n");
    has("0:09 ago\n");
    has("phase     driving into what was not tested, 17 left\n");
    has("trying    queue.c:12, queue.c:40\n");
    has("last news 310 runs ago, 0:02\n");
    has("Ctrl-C");
    u32 lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, n);
}

/* No line is wider than the terminal, the end of the path stays. */
static void test_width(void **state)
{
    struct hd_progress_view v = view();
    for (u32 width = 20; width < 120; width++) {
        hd_progress_screen(text, sizeof text, &v, width);
        for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
            if (strcspn(p, "\n") > width)
                fail_msg("wider than %u: %.*s", width, (int)strcspn(p, "\n"), p);
    }
    hd_progress_screen(text, sizeof text, &v, 39);
    has("to/the/program\n");
    has("runs      12345 of 20000, 165/s\n");
    has("last new  deadlock-3f9a2c10\n");
}

static void test_unknowns(void **state)
{
    struct hd_progress_view v = {.program = "x\033[2Jy", .left = -1, .runs = 7, .seconds = 4000};
    hd_progress_screen(text, sizeof text, &v, 79);
    has("heddle: x?[2Jy\n"); /* a name cannot drive the terminal */
    has("runs      7, 0/s\n");
    has("time      1 h 06\n");
    assert_null(strstr(text, "left"));
    assert_null(strstr(text, "last new"));
    v.suppressed = 3;
    hd_progress_screen(text, sizeof text, &v, 79);
    has("findings  0, 3 suppressed\n");
    v.runs = 123456789;
    hd_progress_screen(text, sizeof text, &v, 79);
    has("runs      123.5M");
}

static void test_plain(void **state)
{
    struct hd_progress_view v = view();
    hd_progress_plain(text, sizeof text, &v);
    assert_string_equal(text, "heddle: 12345 of 20000 runs, 75 s, 0:47 left, 165 runs/s, 4 "
                              "threads, 2 findings, last deadlock-3f9a2c10\n");
    assert_null(strchr(text, '\033'));
}

/* The time left is what comes first: runs or seconds. */
static void test_time_left(void **state)
{
    struct hd_progress_view v;
    struct hd_campaign c = {.runs = 100, .started_ns = 1000000000};
    struct hd_campaign_opts o = {.runs = 400};
    hd_progress_read(&v, &c, &o, 3, 11000000000);
    assert_int_equal((int)(v.left + 0.5), 30);
    assert_int_equal((int)(v.rate + 0.5), 10);
    o.seconds = 25;
    hd_progress_read(&v, &c, &o, 3, 11000000000);
    assert_int_equal((int)(v.left + 0.5), 15);
    o.runs = 0;
    o.seconds = 5; /* over already */
    hd_progress_read(&v, &c, &o, 3, 11000000000);
    assert_int_equal((int)v.left, 0);
    o.seconds = 0;
    hd_progress_read(&v, &c, &o, 3, 11000000000);
    assert_true(v.left < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_screen), cmocka_unit_test(test_width),
        cmocka_unit_test(test_unknowns), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_time_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
