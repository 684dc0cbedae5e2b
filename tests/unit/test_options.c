/* test_options.c: the command line and HEDDLE_OPTIONS become data, mistakes
 * become a sentence with the nearest right name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

static struct hd_options o;
static struct hd_error err;

#define PARSE(command, ...) parse(command, (char *[]){__VA_ARGS__, NULL})
static int parse(u32 command, char **argv)
{
    err.text[0] = '\0';
    return hd_options_parse(&o, command, argv, &err);
}

static void says(const char *part)
{
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    hd_options_release(&o);
}

static void test_defaults(void **state)
{
    assert_int_equal(PARSE(HD_FOR_test, "./prog"), 0);
    assert_string_equal(o.strategy->name, "active");
    assert_int_equal(o.strategy_param, o.strategy->param_default);
    assert_int_equal(o.runs, 0);
    assert_int_equal(o.timeout_ms, 10000);
    assert_int_equal(o.steps, 0);
    assert_int_equal(o.jobs, 1);
    assert_int_equal(o.early, 8);
    assert_string_equal(o.dir, ".heddle");
    assert_false(hd_options_is_given(&o, "seed"));
    assert_int_equal(o.n_rest, 1);
    hd_options_release(&o);
}

static void test_all_forms(void **state)
{
    assert_int_equal(PARSE(HD_FOR_test, "--strategy", "pos", "--runs=50", "--time", "2m",
                           "--timeout", "250ms", "-j4", "--keep-going", "--exit-ok", "1,3",
                           "--exit-ok=77", "-q", "--seed", "0x10", "--json", "-", "--", "./prog",
                           "--runs", "9"),
                     0);
    assert_string_equal(o.strategy->name, "pos");
    assert_int_equal(o.runs, 50);
    assert_true(o.seconds == 120.0);
    assert_int_equal(o.timeout_ms, 250);
    assert_int_equal(o.jobs, 4);
    assert_true(o.keep_going && o.quiet);
    assert_int_equal(o.n_exit_ok, 3);
    assert_int_equal(o.exit_ok[2], 77);
    assert_int_equal(o.seed, 16);
    assert_string_equal(o.json, "-");
    assert_int_equal(o.n_rest, 3);
    assert_string_equal(o.rest[1], "--runs");
    assert_null(o.rest[3]);
    hd_options_release(&o);
    assert_int_equal(PARSE(HD_FOR_test, "-j", "2", "--depth", "7", "prog", "-x"), 0);
    assert_int_equal(o.jobs, 2);
    assert_string_equal(o.strategy->name, "pct");
    assert_int_equal(o.strategy_param, 7);
    assert_int_equal(o.n_rest, 2);
    hd_options_release(&o);
    assert_int_equal(PARSE(HD_FOR_test, "--strategy=pct=5", "--time", "5", "p"), 0);
    assert_int_equal(o.strategy_param, 5);
    assert_int_equal(o.runs, 0); /* time alone is the budget */
    hd_options_release(&o);
    assert_int_equal(PARSE(HD_FOR_replay, "x.heddle", "--times", "3", "--gdb"), 0);
    assert_int_equal(o.times, 3);
    assert_true(o.gdb);
    assert_int_equal(o.n_rest, 1);
    hd_options_release(&o);
}

static void test_mistakes(void **state)
{
    assert_int_equal(PARSE(HD_FOR_test, "--run", "5", "p"), -EINVAL);
    says("did you mean --runs?");
    assert_int_equal(PARSE(HD_FOR_test, "--strateyg=pct", "p"), -EINVAL);
    says("did you mean --strategy?");
    assert_int_equal(PARSE(HD_FOR_test, "--keep", "p"), -EINVAL);
    says("did you mean --keep-going?");
    assert_int_equal(PARSE(HD_FOR_test, "--xyzzy", "p"), -EINVAL);
    says("--help lists them");
    assert_int_equal(PARSE(HD_FOR_test, "-z", "p"), -EINVAL);
    says("unknown option '-z'");
    assert_int_equal(PARSE(HD_FOR_test, "--times", "2", "p"), -EINVAL); /* of another command */
    says("did you mean --time?");
    assert_int_equal(PARSE(HD_FOR_test, "--strategy", "ptc", "p"), -EINVAL);
    says("unknown strategy 'ptc': did you mean 'pct'?");
    assert_int_equal(PARSE(HD_FOR_test, "--strategy", "random=3", "p"), -EINVAL);
    says("takes no number");
    assert_int_equal(PARSE(HD_FOR_test, "--strategy", "pct=x", "p"), -EINVAL);
    says("is not a number");
    assert_int_equal(PARSE(HD_FOR_test, "--runs"), -EINVAL);
    says("--runs wants a value");
    assert_int_equal(PARSE(HD_FOR_test, "--runs", "-5", "p"), -EINVAL);
    says("--runs wants a number, not '-5'");
    assert_int_equal(PARSE(HD_FOR_test, "--runs", "0", "p"), -EINVAL);
    says("at least 1");
    assert_int_equal(PARSE(HD_FOR_test, "--runs", "99999999999999999999", "p"), -EINVAL);
    says("wants a number");
    assert_int_equal(PARSE(HD_FOR_test, "--time", "2 days", "p"), -EINVAL);
    says("--time wants a time");
    assert_int_equal(PARSE(HD_FOR_test, "--timeout", "0", "p"), -EINVAL);
    says("--timeout wants a time");
    assert_int_equal(PARSE(HD_FOR_test, "-j0", "p"), -EINVAL);
    says("--jobs wants");
    assert_int_equal(PARSE(HD_FOR_test, "--exit-ok", "1,300", "p"), -EINVAL);
    says("0 to 255");
    assert_int_equal(PARSE(HD_FOR_test, "--exit-ok", "", "p"), -EINVAL);
    says("0 to 255");
    assert_int_equal(PARSE(HD_FOR_test, "--quiet=1", "p"), -EINVAL);
    says("takes no value");
    assert_int_equal(PARSE(HD_FOR_test, "--early-timeouts", "2000", "p"), -EINVAL);
    says("0 to 1024");
    assert_int_equal(PARSE(HD_FOR_test, "--json", "", "p"), -EINVAL);
    says("--json wants a name");
}

static void test_environment(void **state)
{
    setenv("HEDDLE_OPTIONS", " --runs 7  seed=3 --times=2 -q", 1);
    assert_int_equal(PARSE(HD_FOR_test, "--seed", "4", "p"), 0);
    assert_int_equal(o.runs, 7);
    assert_int_equal(o.seed, 4); /* the command line wins */
    assert_int_equal(o.times, 1); /* belongs to replay: passed over */
    assert_true(o.quiet);
    hd_options_release(&o);
    assert_int_equal(PARSE(HD_FOR_replay, "f"), 0);
    assert_int_equal(o.times, 2);
    hd_options_release(&o);
    setenv("HEDDLE_OPTIONS", "--rnus=7", 1);
    assert_int_equal(PARSE(HD_FOR_test, "p"), -EINVAL);
    says("HEDDLE_OPTIONS: unknown option '--rnus=7': did you mean --runs?");
    hd_options_release(&o);
    setenv("HEDDLE_OPTIONS", "-", 1); /* read past its end once */
    assert_int_equal(PARSE(HD_FOR_test, "p"), -EINVAL);
    says("HEDDLE_OPTIONS: unknown option '-': --help lists them");
    hd_options_release(&o);
    unsetenv("HEDDLE_OPTIONS");
}

static void test_times(void **state)
{
    static const struct { const char *text; double s;
    } good[] = {{"30s", 30},  {"2m", 120},    {"2min", 120}, {"1h", 3600},
                {"1.5", 1.5}, {"500ms", 0.5}, {".5s", .5}};
    static const char *const bad[] = {"", "s", "-1", "0", "1d", "5 s", "nan", "inf", "1e300"};
    double s;
    for (u32 i = 0; i < HD_COUNT(good); i++) {
        assert_true(hd_parse_time(good[i].text, &s));
        assert_true(s == good[i].s);
    }
    for (u32 i = 0; i < HD_COUNT(bad); i++)
        assert_false(hd_parse_time(bad[i], &s));
}

static void test_suggest(void **state)
{
    static const char *const names[] = {"test", "run", "replay", "cc", "c++", "help"};
    assert_string_equal(hd_suggest("tset", names, 6), "test");
    assert_string_equal(hd_suggest("rn", names, 6), "run");
    assert_string_equal(hd_suggest("repaly", names, 6), "replay");
    assert_string_equal(hd_suggest("rep", names, 6), "replay");
    assert_null(hd_suggest("frobnicate", names, 6));
    char word[200];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(hd_suggest(word, names, 6));
}

static void test_config(void **state)
{
    struct hd_config a, b;
    assert_int_equal(PARSE(HD_FOR_test, "--seed", "5", "--no-filter", "--no-pin", "p"), 0);
    hd_options_config(&o, &a);
    hd_options_config(&o, &b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.seed, 5);
    assert_int_equal(a.cpu, -1);
    assert_int_equal(a.mode, HD_MODE_NO_FILTER);
    assert_ptr_equal(hd_strategy_at(a.strategy), o.strategy);
    hd_options_release(&o);
    assert_int_equal(PARSE(HD_FOR_test, "p"), 0);
    hd_options_config(&o, &a);
    hd_options_config(&o, &b);
    assert_true(a.seed != b.seed); /* 2^-32 chance of a false alarm */
    hd_options_release(&o);
}

int main(void)
{
    unsetenv("HEDDLE_OPTIONS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_all_forms),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_times),    cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
