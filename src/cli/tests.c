/* tests.c: heddle test --tests GLOB -- ./test_program: each test is an input of a suite, with a
 * campaign of its own. docs/frameworks.md */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/clean.h"
#include "suite/tests.h"

int hd_cli_tests(struct hd_options *o, const char *command)
{
    struct hd_target target;
    struct hd_suite s;
    struct hd_error err;
    if (hd_target_open(&target, o->rest[0], &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    const char *slash = strrchr(target.path, '/');
    hd_suite_init(&s, slash ? slash + 1 : target.path);
    int code = 0;
    if (hd_tests_list(&s, target.path, target.runtime, o->rest, o->tests ? o->tests : "*", &err))
        code = hd_cli_fail(HD_EXIT_INCONCLUSIVE, "%s", err.text);
    for (size_t i = 0; !code && o->list_tests && i < s.input.n; i++)
        hd_clean_printf(stdout, "%s\n", s.input.at[i].name);
    if (!code && !o->list_tests) {
        o->every_input = true;
        hd_tests_sift(&s, target.path, o->seconds / 4);
        code = hd_cli_suite(o, &s, command);
    }
    hd_suite_release(&s);
    return code;
}
