/* cli.h: what the commands share: exit codes, messages, results in files. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include "campaign/campaign.h"
#include "cli/options.h"

enum {
    HD_EXIT_OK = 0,       /* nothing found */
    HD_EXIT_USAGE = 64,
    HD_EXIT_FINDING = 66,
    HD_EXIT_FAILED = 99,  /* Heddle failed, or nothing was tested */
};

/* Commands: argv is what follows the name, NULL-terminated. Return exit codes. */
#define HD_CMD(ident, name, usage, doc) int hd_cmd_##ident(char **argv);
#include "cli/cmd.def"
#undef HD_CMD

/* "heddle: error: ..." on stderr; returns the exit code given. */
HD_PRINTF(2, 3) int hd_cli_fail(int code, const char *format, ...);
/* "heddle: ..." on stderr. */
HD_PRINTF(1, 2) void hd_cli_say(const char *format, ...);

/* Usage and options of a command on stdout. */
void hd_cli_help(const char *name);

/* Says that there is no such command and which may be meant; 64. */
int hd_cli_unknown(const char *name);

/* Options of a command; on error or --help/--version *code is what to exit with
 * and the result is false. */
bool hd_cli_options(struct hd_options *o, const char *name, u32 command, char **argv, int *code);

/* Standard input of the target, -1 = nothing; says so if a pipe is silent. */
int hd_cli_stdin(bool quiet);

struct hd_text_opts hd_cli_text_opts(FILE *to);

/* ---- gdb.c ------------------------------------------------------------------------ */

/* Becomes gdb, ready to start the target on the schedule r that came from
 * `file`; w's server has been started once and ended. Returns only on error,
 * with an exit code. */
int hd_gdb_exec(struct hd_worker *w, const struct hd_replay *r, const char *file);
/* `heddle gdb-target ...`: what gdb starts instead of the target: puts the
 * environment in order and becomes the target. Not for people. */
#define HD_GDB_TARGET "gdb-target"
int hd_gdb_target(char **argv);

/* ---- output.c: results for programs ------------------------------------------ */

struct hd_result {
    const char *command;
    const char *program;
    char *const *argv;
    const struct hd_options *options;
    const struct hd_campaign *campaign;
    int exit_code;
    const char *error;     /* NULL = none */
};

/* Writes what --json, --sarif, --junit ask for. Returns r->exit_code, or 99 if a
 * file could not be written (and nothing worse was to be told). */
int hd_output(const struct hd_result *r);

/* Is the name taken for stdout? Then nothing else may be printed there. */
bool hd_output_owns_stdout(const struct hd_options *o);

/* Checks before a campaign that the files can be written. */
int hd_output_check(const struct hd_options *o);

#endif
