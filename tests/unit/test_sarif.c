/* test_sarif.c: SARIF and JUnit output, judged by jq and xmllint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_fixture.h"

static char path[] = "/tmp/heddle-sarif-XXXXXX";
static struct bank k;
static const struct hd_tested suite = {.program = "/home/me/bank", .runs = 1234, .seconds = 2.5};

static void holds(const char *format, ...)
{
    char expr[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(expr, sizeof expr, format, ap);
    va_end(ap);
    if (shell("jq -e '%s' %s >/dev/null", expr, path)) {
        fprintf(stderr, "does not hold: %s\n", expr);
        shell("cat %s >&2", path);
        fail();
    }
}

/* The XPath expression must be true for the file. */
static void xml_holds(const char *expr)
{
    if (shell("test \"$(xmllint --nonet --xpath \"%s\" %s)\" = true", expr, path)) {
        fprintf(stderr, "does not hold: %s\n", expr);
        shell("cat %s >&2", path);
        fail();
    }
}

static void write_sarif(const struct hd_finding *list, u32 n)
{
    FILE *to = fopen(path, "w");
    hd_report_sarif(to, list, n, &suite);
    fclose(to);
}

static void write_junit(const struct hd_finding *list, u32 n)
{
    FILE *to = fopen(path, "w");
    hd_report_junit(to, list, n, &suite);
    fclose(to);
    assert_int_equal(shell("xmllint --nonet --noout %s", path), 0);
}

static void test_sarif_result(void **state)
{
    bank_lost_update(&k);
    write_sarif(&k.f, 1);
    holds(".version == \"2.1.0\" and (.runs | length) == 1 and .runs[0].tool.driver.name == \"Heddle\"");
    holds(".runs[0] | .results[0] as $r | .tool.driver.rules[$r.ruleIndex].id == $r.ruleId and "
          "$r.ruleId == \"assertion\" and $r.level == \"error\"");
    holds(".runs[0].results[0] | .partialFingerprints[\"heddleFinding/v1\"] == \"assertion-12345678\" and "
          "(.message.text | test(\"most likely because T2 wrote\")) and "
          ".properties.replay == \"heddle replay .heddle/findings/x/replay.heddle\"");
    holds(".runs[0].results[0].locations[0].physicalLocation | .region.startLine == %d and "
          ".artifactLocation == {uri: \"bank.c\", uriBaseId: \"SRCROOT\"}",
          fixture_line(&k.fx, "check"));
    /* every step is in one thread flow, and the order covers 1..13 once */
    holds("[.runs[0].results[0].codeFlows[0].threadFlows[].locations[].executionOrder] | sort == "
          "[range(1; 14)]");
    holds(".runs[0].results[0].codeFlows[0].threadFlows | map(.id) | sort == [\"T0 (main)\", \"T1\", \"T2\"]");
    holds(".runs[0].results[0].codeFlows[0].threadFlows[] | select(.id == \"T2\") | .locations | "
          "map(select(.importance == \"essential\")) | length == 1 and "
          ".[0].location.message.text == \"write balance\"");
    holds(".runs[0].invocations[0].properties.runs == 1234");
    bank_free(&k);
}

static void test_sarif_paths(void **state)
{
    /* started in the directory above: relative to it, blanks encoded */
    char *cwd = getcwd(NULL, 0);
    bank_deadlock(&k);
    assert_int_equal(chdir("/tmp"), 0);
    write_sarif(&k.f, 1);
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
    holds(".runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri == \"%s/bank.c\"",
          k.fx.dir + strlen("/tmp/"));
    bank_free(&k);
}

static void test_sarif_without_symbols(void **state)
{
    bank_deadlock(&k);
    for (u32 i = 0; i < k.f.n_modules; i++)
        strcpy(k.f.modules[i].path, "/nonexistent/bank");
    write_sarif(&k.f, 1);
    holds(".runs[0].results[0].locations[0] | (.physicalLocation.artifactLocation.uri | endswith(\"bank\")) and "
          "(.logicalLocations[0].fullyQualifiedName | startswith(\"/nonexistent/bank+0x\"))");
    bank_free(&k);
}

static void test_sarif_nothing(void **state)
{
    write_sarif(NULL, 0);
    holds(".runs[0].results == []");
}

static void test_junit_findings(void **state)
{
    struct hd_finding two[2];
    bank_lost_update(&k);
    strcpy(k.f.id, "assertion-<&\"'>");
    k.f.out = strdup("bad \x01\x1b \xff <tag> ]]> \xc3\xa4\n");
    k.f.out_len = strlen(k.f.out);
    two[0] = k.f;
    hd_symbols_close(k.s);
    bank_deadlock(&k);
    two[1] = k.f;
    write_junit(two, 2);
    xml_holds("count(//testcase)=2 and //testsuite/@tests=2 and //testsuite/@failures=2");
    xml_holds("//testsuite/@name='bank' and //testsuite/@time='2.500'");
    xml_holds("starts-with(//testcase[2]/failure/@message, 'Deadlock: T1 holds')");
    xml_holds("//testcase[2]/failure/@type='deadlock'");
    xml_holds("contains(//testcase[1]/failure, 'heddle replay .heddle/findings/x/replay.heddle --gdb')");
    xml_holds("contains(//testcase[1]/failure, '<tag> ]]> ä')");
    hd_finding_release(&two[0]);
    bank_free(&k);
}

static void test_junit_nothing(void **state)
{
    write_junit(NULL, 0);
    xml_holds("count(//testcase)=1 and count(//failure)=0 and //testsuite/@failures=0");
    xml_holds("//property[@name='runs']/@value='1234'");
}

static int setup(void **state)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    int fd = mkstemp(path);
    close(fd);
    return fd < 0;
}

static int teardown(void **state)
{
    unlink(path);
    fixture_release(&k.fx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sarif_result), cmocka_unit_test(test_sarif_paths),
        cmocka_unit_test(test_sarif_without_symbols), cmocka_unit_test(test_sarif_nothing),
        cmocka_unit_test(test_junit_findings), cmocka_unit_test(test_junit_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
