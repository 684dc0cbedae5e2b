/* cli.h: what the commands share: exit codes, messages, results in files. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include "campaign/campaign.h"
#include "error/error.h"
#include "process/command.h"
#include "cover/cover.h"
#include "plan/drive/drive.h"
#include "process/oracle.h"
#include "children/children.h"
#include "script/script.h"
#include "cli/options.h"
#include "report/outcome.h"
#include "report/suppress.h"

enum {
    HD_EXIT_OK = 0,       /* nothing found */
    HD_EXIT_USAGE = 64,
    HD_EXIT_FINDING = 66,
    HD_EXIT_INCONCLUSIVE = 98, /* nothing was tested, every run met a limit, interrupted, or a
                                  replay could not be followed */
    HD_EXIT_FAILED = 99,  /* Heddle failed */
};

/* Commands: argv is what follows the name, NULL-terminated. Return exit codes. */
#define HD_CMD(ident, name, usage, doc) int hd_cmd_##ident(char **argv);
#include "cli/cmd.def"
#undef HD_CMD

/* "heddle: error: ..." on stderr; returns the exit code given. */
HD_PRINTF(2, 3) int hd_cli_fail(int code, const char *format, ...);
/* "heddle: ..." on stderr. */
HD_PRINTF(1, 2) void hd_cli_print(const char *format, ...);

/* What the runs did that the schedule does not decide. */
void hd_cli_print_uncontrolled(const struct hd_campaign *c);

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

/* Words quoted for a shell; free it. */
char *hd_cli_words(char *const *argv);
/* "heddle NAME ARG...", likewise. */
char *hd_cli_command(const char *name, char **argv);

/* What --check and --expect-stdout ask for. 0 or an exit code. */
int hd_cli_oracle(struct hd_oracle *oracle, const struct hd_options *o);
/* What --setup and --cleanup ask for; empty if nothing. 0 or an exit code. */
int hd_cli_around(struct hd_around *around, const struct hd_options *o);
/* --without-locks for the runs that follow. 0 or an exit code. */
int hd_cli_without_locks(const struct hd_options *o, const struct hd_target *target);
/* What --suppressions names; empty if nothing. 0 or an exit code. */
int hd_cli_suppressions(struct hd_suppressions *s, const struct hd_options *o);
/* Says which were used and which were not. */
void hd_cli_print_suppressions(const struct hd_suppressions *s);

/* `heddle test`; test.c. Returns an exit code, or HD_CLI_COMMAND and has said nothing: the program
 * had nothing to test, but started others. */
#define HD_CLI_COMMAND (-1)
int hd_cli_test(struct hd_options *o, const char *command);

/* ---- summary.c -------------------------------------------------------------------- */

/* What a campaign came to, but for its findings. */
void hd_cli_summary(const struct hd_campaign *c, const struct hd_campaign_opts *co,
                    const struct hd_options *o);
/* ... as data for the words of report/outcome.h. */
void hd_cli_outcome(struct hd_outcome *out, const struct hd_campaign *c,
                    const struct hd_campaign_opts *co);

/* Standard input of the target as the options ask: a memfd, -1 = nothing. */
int hd_cli_input(const struct hd_options *o);

/* Says of each finding of builds of `program`, but not of this one (0: of any), whether it still fails now;
 * returns how many do (cmd/again.c). */
u32 hd_cli_again(const struct hd_options *o, struct hd_store *st, s64 build, const char *program,
                 struct hd_suppressions *suppress);

/* ---- suite.c ------------------------------------------------------------------------- */

struct hd_suite;
struct hd_suite_result;
/* Profiles, chooses and tests the inputs of a suite as the options ask, prints the table, and
 * writes --junit and --json. `command` is the command line. Returns an exit code. */
int hd_cli_suite(struct hd_options *o, struct hd_suite *s, const char *command);
/* A new finding of the input that is tested now; r NULL: there is no suite. */
void hd_cli_suite_found(struct hd_suite_result *r, const struct hd_finding *f,
                        struct hd_symbols *s);
struct hd_result;
/* Its campaign is over. */
void hd_cli_suite_ended(struct hd_suite_result *r, const struct hd_result *of);

/* ---- script.c --------------------------------------------------------------------- */

/* --script: calls `test` for each input, with scripted set. Releases *o. `argv` are
 * the words *o was made from. Returns an exit code. */
int hd_cli_script(struct hd_options *o, char **argv, const char *command,
                  int (*test)(struct hd_options *o, const char *command));
/* One input of a script that was read; *own is a copy of the options, changed. */
int hd_cli_scripted(struct hd_options *own, const struct hd_script_file *s,
                    const struct hd_script_input *in, const char *command,
                    int (*test)(struct hd_options *o, const char *command));
/* Standard input of o->scripted, -1 = nothing. */
int hd_cli_script_stdin(const struct hd_options *o);

/* ---- children.c ------------------------------------------------------------------- */

/* hd_cli_test of the program, or, if it is a command that starts those to be tested, of each of
 * them, with o->children set. Returns an exit code. */
int hd_cli_command_or_program(struct hd_options *o, const char *command);

/* ---- tests.c ---------------------------------------------------------------------- */

/* --tests, --list-tests. Returns an exit code. */
int hd_cli_tests(struct hd_options *o, const char *command);

/* ---- recorded.c ------------------------------------------------------------------- */

/* A replay file and the program that is to follow it. Begins as {.o, .file,
 * .stdin_fd = -1} with hd_replay_init(&r). */
struct hd_recorded {
    struct hd_options *o;
    const char *file;
    struct hd_replay r;
    struct hd_target target;
    struct hd_worker w;
    struct hd_config cfg;
    struct hd_campaign c;
    struct hd_around around; /* what was run before and after */
    struct hd_oracle oracle; /* what judged the run besides the program */
    struct hd_script_beside script; /* what drove it */
    struct hd_children children; /* what started it, if r.cfg.instance */
    struct hd_process process[HD_REPLAY_OTHERS + 1]; /* ... and which processes are controlled */
    struct hd_cover *cover;  /* replay: what the run covers; NULL = not asked for */
    HD_VEC(u64) learned;     /* ... sites whose accesses are events */
    bool may_move;           /* a later build will do if the places of the schedule are found */
    bool is_rebuilt;         /* the program is of a later build: follow it as far as it goes */
    int stdin_fd;
    struct hd_error err;
};
/* Reads the file, finds program and input, compares builds. 0 or an exit code,
 * everything said. */
int hd_recorded_open(struct hd_recorded *a);
/* May it be run? Shows what would be, and asks, unless it was made here. 0 or an exit code. */
int hd_cli_trust(const struct hd_recorded *a);
/* The processes of a command that a record is about: the one that it is of, `program`, and the
 * others. */
void hd_recorded_processes(const struct hd_replay *r, const char *program, struct hd_process *to,
                           u32 *n_others);
/* Starts the program up to main. */
int hd_recorded_start(struct hd_recorded *a);
/* Started, and is_rebuilt: finds the sites of the schedule in the new build. */
int hd_recorded_move(struct hd_recorded *a);
/* After a run: how many steps of the schedule it followed; `deviation` gets where and how it
 * left it, "" if it did not. */
u64 hd_recorded_followed(struct hd_recorded *a, char *deviation, size_t size);
/* Everything but the worker. */
void hd_recorded_release(struct hd_recorded *a);

/* ---- replay_cover.c ----------------------------------------------------------------- */

/* If --coverage asks for it: finds out which accesses matter. 0 or an exit code. */
int hd_replay_cover_open(struct hd_recorded *a);
/* The schedule is in shared memory and will be sent next. */
void hd_replay_cover_begin(struct hd_recorded *a);
struct hd_listed;
/* Every element covered, with names. */
void hd_cli_cover_each(const struct hd_cover *c, void (*fn)(void *self, const struct hd_listed *e),
                       void *self);

/* ---- until.c ---------------------------------------------------------------------- */

/* Prints where every thread is after that step. 0 or an exit code. */
int hd_cli_until(const struct hd_finding *f, struct hd_symbols *s, u64 step);

/* ---- gdb/gdb.c ------------------------------------------------------------------------ */

/* Becomes gdb, ready to start the target on the schedule r that came from
 * `file`; w's server has been started once and ended. Returns only on error,
 * with an exit code. */
struct hd_gdb_opts {
    u64 at;            /* step to stop at; 0 = the one that decides */
    char *const *args; /* for gdb itself, NULL-terminated */
};
int hd_gdb_exec(struct hd_worker *w, const struct hd_replay *r, const char *file,
                const struct hd_gdb_opts *o);
/* `heddle gdb-target ...`: what gdb starts instead of the target: puts the
 * environment in order and becomes the target. Not for people. */
#define HD_GDB_TARGET "gdb-target"
int hd_gdb_target(char **argv);

/* ---- coverage.c ------------------------------------------------------------------- */

/* Coverage and memory of a campaign as the options ask; NULL = none. Says what is
 * wrong with the store; the caller goes on. */
struct hd_cover *hd_cli_cover_open(const struct hd_options *o, const struct hd_target *target,
                                   char *const *argv, int stdin_fd, u32 jobs);
/* One line about what was covered. NULL is fine. */
void hd_cli_cover_print(const struct hd_cover *c, const struct hd_options *o);
/* The member "coverage" of a result; null if there was none. */
void hd_cli_cover_json(struct hd_json *j, const struct hd_cover *c);

/* An element with the names of its sites, for people and programs. */
struct hd_listed_site {
    const char *text, *function, *file, *object; /* "" = not known */
    u32 line, ordinal;
};
struct hd_listed {
    u32 metric, sub, n;
    struct hd_listed_site site[HD_ELEMENT_SITES];
    u64 runs;             /* that showed it */
    u32 inputs;           /* 0: not counted */
    u64 first;            /* run that showed it first */
};
/* One line: "put queue.c:41 => get queue.c:77 (head)". */
void hd_listed_print(FILE *to, const struct hd_listed *e);
void hd_listed_json(struct hd_json *j, const struct hd_listed *e);

/* ---- drive.c ---------------------------------------------------------------------- */

/* The director the options ask for (plan/director.h). 0 or an exit code. */
int hd_cli_director_open(struct hd_director **out, const struct hd_options *o,
                         const struct hd_campaign_opts *co);
/* A line or two about what was targeted. NULL is fine. */
void hd_cli_drive_print(const struct hd_drive *d, const struct hd_options *o);
/* The member "drive" of a result; null if there was none. */
void hd_cli_drive_json(struct hd_json *j, const struct hd_drive *d);

/* ---- output.c: results for programs ------------------------------------------ */

struct hd_result {
    const char *command;
    const char *program;
    char *const *argv;
    const struct hd_options *options;
    const struct hd_campaign *campaign;
    int exit_code;
    const char *error;     /* NULL = none */
    const struct hd_suppressions *suppress; /* NULL = none */
    const struct hd_cover *cover; /* NULL = coverage was not observed */
    const struct hd_director *director; /* NULL = one run */
    const struct hd_outcome *outcome;   /* NULL = there are findings, or it is inconclusive */
};

/* Writes what --json, --sarif, --junit ask for. Returns r->exit_code, or 99 if a
 * file could not be written (and nothing worse was to be reported). */
int hd_output(const struct hd_result *r);

/* Is the name taken for stdout? Then nothing else may be printed there. */
bool hd_output_owns_stdout(const struct hd_options *o);

/* Checks before a campaign that the files can be written. */
int hd_output_check(const struct hd_options *o);

#endif
