/* Unit tests of report/suppress.c: patterns, the file, what a finding is
 * compared with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report/suppress.h"
#include "report_fixture.h"

static struct bank k;
static struct hd_error err;

static void test_patterns(void **state)
{
    static const struct { const char *pattern, *text; bool is_match; } c[] = {
        {"foo", "foo", true},          {"foo", "a_foo_b", true},    {"foo", "fo", false},
        {"^foo", "foobar", true},      {"^foo", "a foo", false},    {"foo$", "a foo", true},
        {"foo$", "foo bar", false},    {"^foo$", "foo", true},      {"^foo$", "foofoo", false},
        {"f*o", "fxxo", true},         {"^f*o$", "fxxo", true},     {"^f*o$", "fxxoy", false},
        {"a*b*c", "xaybzc", true},     {"a*b*c", "acb", false},     {"*", "", true},
        {"", "", true},                {"ab", "aab", true},         {"^a*ab$", "aaab", true},
        {"abab$", "ababab", true},     {"$", "x", true},            {"^", "x", true},
        {"bank.c", "/src/bank.c", true}, {"*::push*", "std::vector::push_back", true},
    };
    for (u32 i = 0; i < HD_COUNT(c); i++)
        if (hd_suppress_matches(c[i].pattern, c[i].text) != c[i].is_match)
            fail_msg("'%s' on '%s'", c[i].pattern, c[i].text);
}

/* Writes a file and loads it. */
static int load(struct hd_suppressions *s, const char *text, size_t n)
{
    char path[600];
    snprintf(path, sizeof path, "%s/x.supp", k.fx.dir);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fwrite(text, 1, n, to);
    fclose(to);
    return hd_suppress_load(s, path, &err);
}

static void test_file(void **state)
{
    struct hd_suppressions s;
    static const char good[] =
        "# a comment\n\n  race:foo  \nrace_top:bar\ndeadlock:a*b\nmutex:^m$\r\nthread:t\n"
        "signal:h\ncalled_from_lib:libz.so\nfinding:deadlock-12345678";
    assert_int_equal(load(&s, good, sizeof good - 1), 0);
    assert_int_equal(s.v.n, 8);
    assert_string_equal(s.v.at[0].pattern, "foo");
    assert_int_equal(s.v.at[0].line, 3);
    assert_string_equal(s.v.at[3].pattern, "^m$");
    hd_suppress_text(&s.v.at[7], err.text, sizeof err.text);
    assert_string_equal(err.text, "finding:deadlock-12345678");
    hd_suppress_release(&s);

    static const struct { const char *text; size_t n; const char *says; } bad[] = {
        {"race:a\nnonsense\n", 16, ":2: 'nonsense' is no suppression"},
        {"race:a\nrase:b\n", 14, ":2: unknown type 'rase'"},
        {"deadlock:\n", 10, ":1: the pattern after 'deadlock:' is missing"},
        {"race:a\n\0\1\2\n", 11, ":2: this is not a text file"},
        {"race:a\nrace:b\033[2J\n", 18, ":2: this is not a text file"},
    };
    for (u32 i = 0; i < HD_COUNT(bad); i++) {
        assert_int_not_equal(load(&s, bad[i].text, bad[i].n), 0);
        if (!strstr(err.text, bad[i].says))
            fail_msg("'%s' is not in '%s'", bad[i].says, err.text);
        assert_int_equal(s.v.n, 0);
    }
    assert_int_not_equal(hd_suppress_load(&s, "/nonexistent/x", &err), 0);
    assert_non_null(strstr(err.text, "/nonexistent/x"));
    assert_int_not_equal(hd_suppress_load(&s, k.fx.dir, &err), 0);
}

/* Does this one line hide k.f? */
static bool hides(const char *line)
{
    struct hd_suppressions s;
    assert_int_equal(load(&s, line, strlen(line)), 0);
    struct hd_suppression *hit = hd_suppress_find(&s, &k.f, k.s);
    assert_int_equal(s.v.at[0].used, hit != NULL);
    hd_suppress_release(&s);
    return hit;
}

static void test_deadlock(void **state)
{
    bank_new(&k, HD_V_DEADLOCK, 1);
    u64 a = at(&k, "a"), b = at(&k, "b");
    bank_event(&k, 1, HD_EV_LOCK, "lock_a", a, 0);
    bank_event(&k, 2, HD_EV_LOCK, "lock_b", b, 0);
    bank_thread(&k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_PENDING, HD_EV_LOCK, b, FRAMES("want_b", "transfer"));
    bank_thread(&k, HD_T_PENDING, HD_EV_LOCK, a, FRAMES("want_a", "refund"));
    k.f.verdict.cycle =
        (struct hd_cycle){.n = 2, .is_cycle = true, .tid = {1, 2}, .obj = {b, a}};
    strcpy(k.f.id, "deadlock-12345678");
    assert_true(hides("deadlock:transfer"));
    assert_true(hides("deadlock:^refund$"));
    assert_true(hides("deadlock:bank.c"));
    assert_true(hides("deadlock:^b$")); /* the lock's name */
    assert_true(hides("finding:deadlock-12345678"));
    assert_true(hides("finding:deadlock-*"));
    assert_false(hides("finding:deadlock-1234567"));
    assert_false(hides("deadlock:^main$")); /* not in the circle */
    assert_false(hides("race:transfer"));
    assert_false(hides("mutex:transfer"));
    assert_true(hides("called_from_lib:bank"));
    assert_false(hides("called_from_lib:libz"));
    char line[256];
    assert_true(hd_suppress_suggest(&k.f, k.s, line, sizeof line));
    assert_string_equal(line, "deadlock:^transfer$");
    assert_true(hides(line));
    bank_free(&k);
}

static void test_race(void **state)
{
    bank_new(&k, HD_V_ASSERT, 0);
    u64 balance = at(&k, "balance");
    bank_event(&k, 1, HD_EV_READ, "read", balance, 0);
    bank_event(&k, 2, HD_EV_WRITE, "write", balance, 0);
    bank_event(&k, 1, HD_EV_WRITE, "write", balance, 0);
    bank_event(&k, 0, HD_EV_READ, "check", balance, 0);
    bank_thread(&k, HD_T_RUNNING, HD_EV_READ, balance, FRAMES("check"));
    bank_thread(&k, HD_T_FINISHED, HD_EV_EXIT, 0, NULL);
    bank_thread(&k, HD_T_FINISHED, HD_EV_EXIT, 0, NULL);
    assert_true(hides("race:^balance$")); /* the variable that decided */
    assert_true(hides("race:^deposit$"));
    assert_true(hides("race:^main$"));
    assert_true(hides("race_top:^main$"));
    assert_false(hides("race:^ready$"));
    assert_false(hides("deadlock:deposit"));
    assert_false(hides("signal:main"));
    k.f.verdict.kind = HD_V_SIGNAL;
    k.f.verdict.signo = 11;
    assert_true(hides("signal:main"));
    assert_true(hides("race:main"));
    bank_free(&k);
}

static void test_heap_and_misuse(void **state)
{
    bank_new(&k, HD_V_HEAP, 1);
    bank_thread(&k, HD_T_RUNNING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_RUNNING, HD_EV_READ, 0, FRAMES("use", "consume"));
    k.f.verdict.heap = (struct hd_heap_report){
        .kind = HD_HEAP_READ_FREED, .access_size = 8, .block = 0x1000, .size = 48,
        .use = {1, 1, {at(&k, "use")}}, .alloc = {0, 1, {at(&k, "create")}},
        .freed = {2, 1, {at(&k, "want_b")}},
    };
    assert_true(hides("race:^consume$"));
    assert_true(hides("race:^transfer$")); /* who freed it */
    assert_false(hides("race:^refund$"));
    assert_false(hides("mutex:consume"));
    k.f.verdict.kind = HD_V_MISUSE;
    k.f.verdict.misuse = (struct hd_misuse){.kind = HD_MISUSE_UNLOCK_FREE, .tid = 1,
                                            .owner = HD_NO_THREAD, .obj = at(&k, "a"),
                                            .site = at(&k, "lock_a")};
    assert_true(hides("mutex:^transfer$"));
    assert_true(hides("mutex:^a$"));
    assert_false(hides("race:transfer"));
    bank_free(&k);
}

static void test_note(void **state)
{
    struct hd_suppressions s;
    bank_new(&k, HD_V_CLEAN, 0);
    struct hd_note n = {.kind = HD_NOTE_UNJOINED, .site = at(&k, "create")};
    assert_int_equal(load(&s, "race:main\nthread:^main$\n", 24), 0);
    struct hd_suppression *hit = hd_suppress_note(&s, &n, k.s);
    assert_ptr_equal(hit, &s.v.at[1]);
    n.kind = HD_NOTE_EXIT_HOLDING; /* that is mutex: */
    assert_null(hd_suppress_note(&s, &n, k.s));
    assert_null(hd_suppress_note(NULL, &n, k.s));
    hd_suppress_release(&s);
    bank_free(&k);
}

static int set_up(void **state)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    return 0;
}

static int tear_down(void **state)
{
    fixture_release(&k.fx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),        cmocka_unit_test(test_file),
        cmocka_unit_test(test_deadlock),        cmocka_unit_test(test_race),
        cmocka_unit_test(test_heap_and_misuse), cmocka_unit_test(test_note),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
