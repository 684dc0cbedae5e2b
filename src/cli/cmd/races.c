/* races.c: heddle races: a campaign that is after races and does not stop at the first
 * finding. docs/cmd/races.md */
#include <stdlib.h>

#include "cli/cli.h"

#define RUNS 100

int hd_cmd_races(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "races", HD_FOR_test, argv, &code))
        return code;
    o.is_races = o.keep_going = true;
    if (o.no_race) {
        hd_options_release(&o);
        return hd_cli_fail(HD_EXIT_USAGE, "--no-race leaves nothing to do: use 'heddle test'");
    }
    if (!hd_options_is_given(&o, "runs") && !(o.seconds > 0) && !o.until)
        o.runs = RUNS;
    char *command = hd_cli_command("races", argv);
    code = o.script ? hd_cli_script(&o, argv, command, hd_cli_test)
                    : hd_cli_command_or_program(&o, command);
    free(command);
    hd_options_release(&o);
    return code;
}
