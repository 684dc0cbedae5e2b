/* options.h: the command line of one command as data; rows in options.def.
 * heddle.toml (project.h) is read first, then HEDDLE_OPTIONS (same names, separated
 * by blanks), so the command line wins. */
#ifndef HD_OPTIONS_H
#define HD_OPTIONS_H

#include "base/bits.h"
#include "error/error.h"
#include "event/shm.h"
#include "search/search.h"
#include "strategy/strategy.h"

/* Which commands an option belongs to: HD_FOR_test, HD_FOR_run, ... from the rows of cmd.def. */
enum {
#define HD_CMD(ident, ...) HD_CMD_NUMBER_##ident,
#include "cli/cmd.def"
#undef HD_CMD
};
enum {
#define HD_CMD(ident, ...) HD_FOR_##ident = 1 << HD_CMD_NUMBER_##ident,
#include "cli/cmd.def"
#undef HD_CMD
};

#define HD_MAX_OPTIONS 128 /* rows of options.def */
#define HD_MAX_EXIT_OK 32
#define HD_MAX_NAMES 16

struct hd_script_input;
struct hd_suite_result;
struct hd_children;
struct hd_wanted;
struct hd_project;
struct hd_scope;

struct hd_options {
    const struct hd_strategy *strategy;
    const struct hd_search_method *search; /* given instead of a strategy, NULL = none */
    u64 strategy_param;                    /* of either */
    u64 runs, steps, seed;
    u64 at;               /* --at, and --until of replay: a step, 0 = not given */
    double max_delay;     /* seconds */
    double seconds, minimize_seconds;
    u32 learn;          /* --learn: runs by chance before a search */
    const char *learn_from; /* --learn-from: folder of another store */
    u32 window, context; /* --window, --context */
    const char *without_locks; /* --without-locks: functions */
    bool fresh;         /* --fresh: earlier searches do not count */
    u32 timeout_ms, jobs, early, times, replays;
    bool no_minimize;
    bool keep_going, trust, no_filter, no_pin, show_output, gdb, force, quiet, help, version;
    bool verbose;
    bool no_misuse;
    bool no_heap;
    bool no_race;
    const char *format;   /* NULL, "text", "tsan" */
    bool predicted;       /* possible races are listed */
    bool is_races;        /* `heddle races`: races are what it is for */
    bool brings_all;      /* ... of a suite that has no time set: each is tried */
    const char *json, *sarif, *junit, *html, *dir, *output;
    const char *coverage, *until, *metric, *list, *build;
    bool curve;
    const char *idioms, *candidate;        /* of driving (plan/drive/drive.h) */
    u32 idiom, tries, tries_all;
    bool profile, no_memory, no_corpus, all;
    const char *setup, *cleanup;
    const char *check, *expect_stdout, *suppressions, *trace;
    const char *script;
    const char *gen_header, *gen_prefix, *gen_class, *gen_spec, *gen_write, *gen_contract, *gen_pick;
    bool gen_no_confirm;
    struct hd_race_memory *tested; /* races, under other inputs of a suite; NULL = none */
    bool is_look;                  /* ... whether this one shows others: a few runs (plan/look/look.c) */
    bool every_input;
    const char *since, *svg;
    u32 keep;
    u32 still_fails;                        /* findings of earlier builds that do */
    const char *stdin_file;                 /* of the input that is tested now, NULL = our own */
    const struct hd_scope *scope;           /* code that need not be tested, NULL = none */
    struct hd_suite_result *result;         /* what it comes to goes there, NULL = nowhere */
    const struct hd_script_input *scripted; /* the one of its inputs that is tested now */
    const char *reproduce;
    const struct hd_wanted *wanted; /* what it tells of, NULL = nothing is looked for */
    const char *tests;
    bool list_tests;
    struct hd_names {
        const char *at[HD_MAX_NAMES];
        u32 n;
        bool is_default;    /* they are not from the command line, where others take their place */
    } programs;
    bool one_process;
    const struct hd_children *children; /* what is tested of the command's processes; NULL = it is
                                           the program itself */
    bool is_command;        /* the program has started others, and is not instrumented itself */
    int stdin_fd;           /* a copy of standard input, -1 = nothing */
    int exit_ok[HD_MAX_EXIT_OK];
    u32 n_exit_ok;
    u64 given[HD_BITS_WORDS(HD_MAX_OPTIONS)]; /* bit i: row i of options.def was given */
    char *env;          /* copy of HEDDLE_OPTIONS that texts point into */
    char **rest;        /* what is not an option: the program and its arguments */
    int n_rest;
    int n_plain;        /* of these, before `--`; all if there was none */
    bool is_split;      /* there was a `--` */
    struct hd_project *project; /* what heddle.toml says, NULL = there is none */
};

/* 0, or -EINVAL with a sentence in err. `command` is one of HD_FOR_*; `argv` is
 * what follows the command's name, NULL-terminated. For test and run options end
 * at `--` or at the first other word; elsewhere they may come anywhere. */
int hd_options_parse(struct hd_options *o, u32 command, char **argv, struct hd_error *err);
void hd_options_release(struct hd_options *o);

/* ---- for project.c: options by name ---- */
enum hd_option_value { HD_OPTION_NONE, HD_OPTION_FLAG, HD_OPTION_TEXT, HD_OPTION_PATH };
/* What the option takes; NONE: none of these commands has one of that name. */
enum hd_option_value hd_options_takes(const char *name, u32 commands);
/* Sets it, if the command has it; value NULL: a flag. 0, or -EINVAL with a sentence. */
int hd_options_set(struct hd_options *o, u32 command, const char *name, const char *value,
                   struct hd_error *err);
/* Names of all options; how many. */
u32 hd_options_names(const char **names, u32 n);

/* Row i of options.def; false: there are no more. */
struct hd_option_row {
    const char *name, *arg, *doc; /* arg NULL: a flag */
    char letter;                  /* 0 = none */
    u32 commands;                 /* HD_FOR_* */
};
bool hd_options_row(u32 i, struct hd_option_row *out);

bool hd_options_is_given(const struct hd_options *o, const char *name);

/* `test` predicts and targets what was not tested (plan/drive/drive.h). */
bool hd_options_is_driven(const struct hd_options *o);

/* Name of the strategy or search. */
const char *hd_options_strategy(const struct hd_options *o);

/* Configuration of a run from the options: seed drawn if none was given. */
void hd_options_config(struct hd_options *o, struct hd_config *cfg);

/* One row of a help text: a name, and words beside it within 80 columns. */
void hd_options_help_row(const char *left, const char *doc);
/* Prints the rows of one command. */
void hd_options_help(u32 command);

/* The candidate nearest to `word` in edit distance, NULL if none is near. */
const char *hd_suggest(const char *word, const char *const *candidates, u32 n);

/* "30s", "2m", "1h", "250ms", "1.5" (seconds); false if it is none. */
bool hd_parse_time(const char *text, double *seconds);

#endif
