/* test_json.c: the JSON writer and the JSON of findings, judged by jq. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "report_fixture.h"

static char path[] = "/tmp/heddle-json-XXXXXX";

static FILE *open_out(void)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    return to;
}

/* jq must accept the file, and the expression must hold. */
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

static void test_writer(void **state)
{
    struct hd_json j;
    FILE *to = open_out();
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "text", "quote \" back \\ nl \n tab \t bell \a del \x7f end");
    hd_json_str(&j, "none", NULL);
    hd_json_str(&j, "key \"quoted\"", "x");
    hd_json_u64(&j, "big", 18446744073709551615ull);
    hd_json_s64(&j, "small", -5);
    hd_json_hex(&j, "hex", 0xdeadbeefcafef00dull);
    hd_json_f64(&j, "half", 0.5);
    hd_json_f64(&j, "nan", NAN);
    hd_json_bool(&j, "yes", true);
    hd_json_array(&j, "empty");
    hd_json_end(&j);
    hd_json_array(&j, "list");
    hd_json_u64(&j, NULL, 1);
    hd_json_object(&j, NULL);
    hd_json_end(&j);
    hd_json_array(&j, NULL);
    hd_json_bool(&j, NULL, false);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_finish(&j);
    fclose(to);
    holds(".text == \"quote \\\" back \\\\ nl \\n tab \\t bell \\u0007 del \\u007f end\"");
    holds(".none == null and .[\"key \\\"quoted\\\"\"] == \"x\" and .small == -5 and .half == 0.5");
    holds(".nan == null and .yes and .empty == [] and .list == [1, {}, [false]]");
    holds(".hex == \"0xdeadbeefcafef00d\"");
    assert_int_equal(shell("grep -q '\"big\": 18446744073709551615' %s", path), 0);
}

static void test_bytes_that_are_no_text(void **state)
{
    struct hd_json j;
    FILE *to = open_out();
    hd_json_begin(&j, to);
    hd_json_array(&j, NULL);
    hd_json_str(&j, NULL, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    hd_json_str(&j, NULL, "a\xff" "b\xc3");                 /* stray bytes */
    /* too long, a surrogate, too big */
    hd_json_str(&j, NULL, "\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80");
    hd_json_end(&j);
    hd_json_finish(&j);
    fclose(to);
    assert_int_equal(shell("iconv -f UTF-8 -t UTF-8 %s >/dev/null", path), 0);
    holds(".[0] == \"ä € 😀\"");
    holds(".[1] == \"a\\ufffdb\\ufffd\"");
    holds("(.[2] | length) == 11 and (.[2] | test(\"^\\ufffd+.\\ufffd+.\\ufffd+$\"))");
}

static struct bank k;

static void write_finding(void)
{
    struct hd_json j;
    FILE *to = open_out();
    hd_json_begin(&j, to);
    hd_report_json(&j, NULL, &k.f, k.s);
    hd_json_finish(&j);
    fclose(to);
}

static void test_assertion(void **state)
{
    bank_lost_update(&k);
    k.f.stats.uncontrolled = 1u << HD_UNC_IO;
    strcpy(k.f.stats.uncontrolled_call, "read");
    write_finding();
    holds(".heddle_json == 1 and .kind == \"assertion\" and .id == \"assertion-12345678\"");
    holds(".title | startswith(\"The assertion `balance == 20` failed in T0 (main), at bank.c\")");
    holds(".strategy == \"pct\" and .seed == 42 and .run == 16 and .runs_until == 17");
    holds(".reproduced == 20 and .tried == 20 and .replay == \".heddle/findings/x/replay.heddle\"");
    holds(".verdict.kind == \"assertion\" and .verdict.assertion == \"balance == 20\"");
    holds(".uncontrolled == [\"data or timing came from another process\"] and .uncontrolled_call == \"read\"");
    holds("(.threads | length) == 3 and .threads[0].name == \"T0 (main)\" and .threads[1].state == \"finished\"");
    holds(".threads[0].frames[0] | .function == \"main\" and .file == \"bank.c\" and .line == %d and "
          "(.module | endswith(\"/bank\")) and (.offset | startswith(\"0x\")) and .inlined == false",
          fixture_line(&k.fx, "check"));
    holds("(.order | length) == 13 and .order[3] == {step: 4, tid: 1, kind: \"read\", function: \"current\", "
          "file: \"bank.c\", line: %d, object: .order[5].object, variable: \"balance\", "
          "caller: {function: \"deposit\", file: \"bank.c\", line: %d}, key: true}",
          fixture_line(&k.fx, "read"), fixture_line(&k.fx, "current"));
    holds(".suspect == {pattern: \"not-atomic\", variable: \"balance\", proven: false, steps: [4, 7, 9]}");
    holds(".stdout == null and (.stderr | test(\"Assertion\"))");
    bank_free(&k);
}

static void test_deadlock(void **state)
{
    bank_deadlock(&k);
    write_finding();
    holds(".verdict.is_cycle and (.verdict.waits | map([.tid, .variable, .held_by])) == "
          "[[1, \"b\", 2], [2, \"a\", 1]]");
    holds(".threads[1] | .about_to == \"lock\" and .variable == \"b\" and .holds[0].variable == \"a\" and "
          ".holds[0].step == 4 and (.frames | map(.function)) == [\"transfer\", \"worker\"]");
    bank_free(&k);
}

static void test_crash_and_heap(void **state)
{
    bank_crash(&k);
    write_finding();
    holds(".verdict.signal == 11 and .verdict.signal_name == \"SIGSEGV\" and .verdict.fault_address == \"0x8\"");
    k.f.verdict.kind = HD_V_HEAP;
    k.f.verdict.heap = (struct hd_heap_report){
        .kind = HD_HEAP_DOUBLE_FREE, .addr = 0x10, .block = 0x10, .size = 48, .offset = -3,
        .use = {1, 1, {at(&k, "use")}}, .freed = {2, 1, {at(&k, "clear")}},
    };
    write_finding();
    holds(".verdict.heap | .error == \"double-free\" and .block_size == 48 and .block_offset == -3 and "
          ".freed.tid == 2 and .freed.frames[0].function == \"worker\" and (has(\"allocated\") | not)");
    bank_free(&k);
}

static void test_empty(void **state)
{
    bank_new(&k, HD_V_NONE, 0);
    k.f.dir[0] = 0;
    k.f.strategy = NULL;
    k.f.out = calloc(8192, 1);
    k.f.out_len = 8191;
    write_finding();
    holds(".order == [] and .threads == [] and .replay == null and .strategy == null and "
          "(.stdout | length) == 4096");
    bank_free(&k);
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
        cmocka_unit_test(test_writer), cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_assertion), cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_crash_and_heap), cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
