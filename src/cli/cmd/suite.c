/* suite.c: heddle suite: many inputs in one store. docs/cmd/suite.md */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "suite/suite.h"

static int read_inputs(struct hd_suite *s, const struct hd_options *o)
{
    struct hd_error err = {""};
    struct stat st;
    bool is_folder = !stat(o->rest[0], &st) && S_ISDIR(st.st_mode);
    if (is_folder && o->n_rest < 2)
        return hd_cli_fail(HD_EXIT_USAGE, "no program: heddle suite %s -- ./program [arguments]; {} "
                           "stands for the file", o->rest[0]);
    if (!is_folder && o->n_rest > 1)
        return hd_cli_fail(HD_EXIT_USAGE, "a suite names its programs itself, not also '%s'",
                           o->rest[1]);
    if (is_folder ? hd_suite_read_folder(s, o->rest[0], o->rest + 1, &err)
                  : hd_suite_read(s, o->rest[0], &err))
        return hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    return 0;
}

int hd_cmd_suite(char **argv)
{
    struct hd_options o;
    struct hd_suite s;
    int code;
    if (!hd_cli_options(&o, "suite", HD_FOR_suite, argv, &code))
        return code;
    char *command = hd_cli_command("suite", argv);
    if (!o.n_rest) {
        code = hd_cli_fail(HD_EXIT_USAGE, "no inputs: heddle suite SUITE.toml, or heddle suite FOLDER "
                           "-- ./program [arguments]");
    } else {
        hd_suite_init(&s, o.rest[0]);
        code = read_inputs(&s, &o);
        if (!code)
            code = hd_cli_suite(&o, &s, command);
        hd_suite_release(&s);
    }
    free(command);
    hd_options_release(&o);
    return code;
}
