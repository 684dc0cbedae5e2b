/* test_decided.c: what reports say about a minimized finding: the order that
 * decides, how much smaller it became, and which steps are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_fixture.h"

static struct bank k;
static char *text;

static int L(const char *mark) { return fixture_line(&k.fx, mark); }

static void render(void)
{
    size_t len;
    free(text);
    FILE *to = open_memstream(&text, &len);
    hd_report_text(to, &k.f, k.s, &(struct hd_text_opts){.width = 80});
    fclose(to);
    for (char *p = text; *p; p++) /* one line, single blanks */
        while ((*p == '\n' || *p == ' ') && (p[1] == '\n' || p[1] == ' '))
            memmove(p, p + 1, strlen(p));
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

static bool has(const char *format, ...)
{
    char want[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(want, sizeof want, format, ap);
    va_end(ap);
    if (!strstr(text, want))
        print_message("no \"%s\" in:\n%s\n", want, text);
    return strstr(text, want) != NULL;
}

/* Event i of the finding as one of those that decide. */
static void decides(enum hd_decided_event which, u32 i)
{
    k.f.decided.event[which] = k.f.events[i];
    k.f.decided.is = k.f.decided.is_minimized = k.f.decided.is_complete = true;
    k.f.decided.fails = k.f.decided.fails_of = 20;
    k.f.decided.passes = k.f.decided.passes_of = 20;
    k.f.decided.preemptions = 1;
    k.f.decided.preemptions_before = 7;
    k.f.decided.steps = k.f.stats.steps;
    k.f.decided.steps_before = 99;
    k.f.decided.replays = 80;
    k.f.decided.seconds = 0.5;
}

static void lost_update(void)
{
    bank_lost_update(&k);
    decides(HD_DECIDED_BEFORE, 3); /* T1 reads */
    decides(HD_DECIDED_FIRST, 6);  /* T2 writes */
    decides(HD_DECIDED_SECOND, 8); /* T1 writes */
}

static void the_order_is_told_first(void **state)
{
    lost_update();
    render();
    assert_true(has("failed in T0 (main), at bank.c:%d in main(). T2's write of `balance` at "
                    "bank.c:%d came between T1's read at bank.c:%d (called in line %d) and its "
                    "write at bank.c:%d. In that order it fails 20/20; the other way round it "
                    "passes 20/20. Evidence",
                    L("check"), L("write"), L("read"), L("current"), L("write")));
    assert_true(has("1 preemption instead of 7, 13 steps instead of 99. The schedule as it was "
                    "found is kept in original.heddle."));
    assert_null(strstr(text, "ikely"));
    assert_null(strstr(text, "Possibly"));
    assert_null(strstr(text, "more --time"));
    k.f.decided.event[HD_DECIDED_BEFORE].step = 0;
    k.f.decided.is_complete = false;
    render();
    assert_true(has("T2's write of `balance` at bank.c:%d came before T1's write of it at "
                    "bank.c:%d. In that order", L("write"), L("write")));
    assert_true(has("'heddle minimize' with more --time may find less."));
    bank_free(&k);
}

/* A replay noted what was in memory, and who called. */
static void values_and_callers_are_told(void **state)
{
    struct { u32 event; u64 before, after; } note[] = {{3, 0, 0}, {5, 0, 0}, {6, 0, 10},
                                                       {8, 10, (u64)(u32)-7}};
    lost_update();
    k.f.details = calloc(k.f.n_events, sizeof *k.f.details);
    for (size_t i = 0; i < HD_COUNT(note); i++)
        k.f.details[note[i].event] = (struct hd_detail){
            .before = note[i].before, .after = note[i].after,
            .known = HD_DETAIL_BEFORE | HD_DETAIL_AFTER,
            .caller = {at(&k, "deposit")}, .n_callers = 1};
    for (u32 i = 0; i < k.f.n_events; i++)
        k.f.events[i].size = 4;
    render();
    assert_true(has("T2's write of `balance` (0 -> 10) at bank.c:%d (called in line %d) came "
                    "between T1's read (saw 0) at bank.c:%d (called in line %d) and its write "
                    "(10 -> -7) at bank.c:%d (called in line %d).", L("write"), L("deposit"),
                    L("read"), L("current"), L("write"), L("deposit")));
    assert_true(has("> 4 %d read balance = 0 -- preempted --", L("read")));
    assert_true(has("> 7 %d write balance 0->10", L("write")));
    k.f.details[6].known = HD_DETAIL_BEFORE; /* the run ended before it was written */
    render();
    assert_true(has("T2's write of `balance` at bank.c:%d", L("write")));
    bank_free(&k);
}

/* The run ended before SECOND could happen. */
static void an_event_still_to_come(void **state)
{
    bank_deadlock(&k);
    decides(HD_DECIDED_FIRST, 5); /* T2 locks b */
    k.f.decided.event[HD_DECIDED_SECOND] = (struct hd_event){
        .tid = 1, .kind = HD_EV_LOCK, .site = at(&k, "want_b"), .obj = at(&k, "b")};
    render();
    assert_true(has("T2's lock of `b` at bank.c:%d came before T1 could lock it at bank.c:%d "
                    "(called in line %d). In that order it fails", L("lock_b"), L("want_b"),
                    L("transfer")));
    bank_free(&k);
}

static void programs_read_it_too(void **state)
{
    char path[] = "/tmp/heddle-decided-XXXXXX";
    int fd = mkstemp(path);
    lost_update();
    FILE *to = fdopen(fd, "w");
    struct hd_json j;
    hd_json_begin(&j, to);
    hd_report_json(&j, NULL, &k.f, k.s);
    hd_json_finish(&j);
    fclose(to);
    assert_int_equal(0, shell("jq -e '.decided | .proven and .fails == 20 and .passes_of == 20 and "
                              ".first.tid == 2 and .second.line == %d and .before.kind == \"read\" "
                              "and .first.variable == \"balance\" and .second.pending == false' %s "
                              ">/dev/null", L("write"), path));
    assert_int_equal(0, shell("jq -e '.minimized | .done and .preemptions == 1 and "
                              ".preemptions_before == 7 and .complete' %s >/dev/null", path));
    assert_int_equal(0, shell("jq -e 'has(\"suspect\") | not' %s >/dev/null", path));
    assert_int_equal(0, shell("jq -e '[.order[] | select(.key) | .step] == [4, 7, 9]' %s "
                              ">/dev/null", path));
    to = fopen(path, "w");
    hd_report_sarif(to, &k.f, 1, NULL);
    fclose(to);
    assert_int_equal(0, shell("jq -e '.runs[0].results[0] | .properties.proven and "
                              "(.message.text | test(\"the other way round it passes 20/20\"))' "
                              "%s >/dev/null", path));
    unlink(path);
    bank_free(&k);
}

/* A long run: not its end but what decided is shown, the rest folded. */
static void the_table_shows_what_decided(void **state)
{
    bank_new(&k, HD_V_ASSERT, 0);
    u64 balance = at(&k, "balance"), ready = at(&k, "ready"), head = at(&k, "head");
    for (u32 i = 0; i < 40; i++) /* other work, never the same twice in a row */
        bank_event(&k, 0, HD_EV_READ, "test", head + 16 * i, 0);
    bank_event(&k, 1, HD_EV_READ, "read", balance, 0);
    bank_event(&k, 2, HD_EV_WRITE, "write", balance, 0);
    bank_event(&k, 1, HD_EV_WRITE, "write", balance, 0);
    for (u32 i = 0; i < 40; i++)
        bank_event(&k, 0, HD_EV_WRITE, "clear", ready + 16 * i, 0);
    for (u32 i = 0; i < 3; i++)
        bank_thread(&k, HD_T_RUNNING, HD_EV_READ, balance, FRAMES("check"));
    decides(HD_DECIDED_BEFORE, 40);
    decides(HD_DECIDED_FIRST, 41);
    decides(HD_DECIDED_SECOND, 42);
    render();
    assert_true(has("-- preempted --"));
    assert_true(has("> 42 "));
    assert_true(has("steps left out"));
    assert_true(has(" 83 ")); /* the end, too */
    assert_null(strstr(text, " 60 ")); /* in the middle of the folded part */
    bank_free(&k);
}

static void what_was_not_done_is_said(void **state)
{
    bank_lost_update(&k);
    k.f.reproduced = 3;
    k.f.tried = 5;
    k.f.decided.why_not = "its schedule does not lead to it each time";
    render();
    assert_true(has("only 3 gave the same failure"));
    assert_true(has("Not made smaller: its schedule does not lead to it each time."));
    assert_true(has("most likely because")); /* a guess is better than nothing */
    memset(&k.f.decided, 0, sizeof k.f.decided);
    k.f.decided.is_minimized = true;
    render();
    assert_true(has("No two events were found whose order alone decides."));
    bank_free(&k);
}

int main(void)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_told_first),
        cmocka_unit_test(values_and_callers_are_told),
        cmocka_unit_test(an_event_still_to_come),
        cmocka_unit_test(programs_read_it_too),
        cmocka_unit_test(the_table_shows_what_decided),
        cmocka_unit_test(what_was_not_done_is_said),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_release(&k.fx);
    return failed;
}
