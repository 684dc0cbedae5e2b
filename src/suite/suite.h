/* suite.h: many inputs of a program (or of several): each is run once and cheaply, those
 * that show pairs of functions nobody else shows are chosen, and only these are tested.
 * `papers`: concurrent function pairs, the three steps of the position paper on
 * interleaving-space overlap across inputs and versions.
 *
 *   suite.c    the list of inputs, by hand (for front ends that know a list of tests)
 *   read.c     ... from a suite.toml, or from a folder of files
 *   profile.c  one cheap run of each, in parallel
 *   recall.c   ... unless the store knows what it showed
 *   choose.c   greedy set cover by pairs of functions
 *   scope.c    code that need not be looked at
 *   run.c      the steps in order; the budget that the chosen ones share
 *   table.c    what came of it: a table, JUnit
 *
 *   hd_suite_add ... -> hd_suite_run -> hd_suite_table, hd_suite_junit -> hd_suite_release
 */
#ifndef HD_SUITE_H
#define HD_SUITE_H

#include <stdio.h>

#include "base/vec.h"
#include "campaign/race/races.h"
#include "error/error.h"
#include "event/config.h"

#define HD_SUITE_STATUSES 32

/* What the one cheap run said about an input. */
enum hd_suite_state {
    HD_SUITE_UNSEEN,  /* it was not run (yet) */
    HD_SUITE_READY,   /* it can be tested */
    HD_SUITE_SINGLE,   /* it never has a second thread: there is nothing to test */
    HD_SUITE_REFUSED, /* it fails by itself, before it has a second thread */
    HD_SUITE_ENDLESS, /* it did not end within its time */
    HD_SUITE_BROKEN,  /* it could not be run at all; `why` says it */
};

/* Two functions that run at the same time: identities as in cover.h, a <= b. */
struct hd_suite_pair {
    u64 a, b;
};

/* An access that was executed, and its function. Two inputs that run the same functions at the same
 * time may take different paths through them. */
struct hd_suite_site {
    u64 id, function;
};

struct hd_suite_profile {
    enum hd_suite_state state;
    bool differs;        /* two runs of the same schedule were not the same */
    bool fails;          /* in the plainest schedule, with more than one thread */
    bool was_known;      /* an earlier suite has made the run */
    char *why;           /* a sentence, if it cannot be used; NULL otherwise */
    u32 threads;
    u64 events;          /* of the run: calls, returns and synchronization */
    double seconds;      /* it took, without the start */
    HD_VEC(struct hd_suite_pair) pair; /* sorted */
    HD_VEC(struct hd_suite_site) site; /* accesses it executed in functions of these pairs */
};

/* What testing it came to. */
struct hd_suite_result {
    bool is_tested, was_interrupted;
    bool is_look;        /* it was not chosen, and had a few runs for races that no other input shows */
    bool was_known;      /* the finding is of an earlier suite or campaign */
    int code;            /* exit code of `heddle test` for it; 0 = nothing found */
    u64 runs, events;
    double seconds;
    u32 findings;
    char *kind, *title, *text; /* of the first finding: its kind, sentence and report; or NULL */
    HD_VEC(char *) sarif; /* of all findings, a result each */
    char *why;           /* inconclusive or failed: why; else NULL */
    u64 race_runs;       /* to bring races about, besides `runs` */
    struct hd_race_list races, atomicity; /* sites that race or could; ... come between */
};

struct hd_suite_input {
    char *name;          /* unique in the suite */
    char **argv;         /* [0] is the program; NULL-terminated */
    char **env;          /* NAME=value, over ours; NULL-terminated; NULL = none */
    char *cwd;           /* absolute; NULL = where we are */
    char *stdin_file;    /* NULL = nothing to read */
    char *script;        /* a test.toml (script.h), which names program and arguments; NULL = none, */
    char *script_input;  /* ... and which of its inputs; NULL = the first */
    char *setup, *cleanup, *check; /* as the options of `heddle test`; NULL = none */
    int exit_ok[HD_SUITE_STATUSES]; /* statuses besides 0 that are fine, besides the options' */
    u32 n_exit_ok;
    u32 timeout_ms;      /* of a run; 0 = as the options say */

    const struct hd_fingerprints *code; /* of the program, NULL = not read */
    struct hd_suite_profile profile;
    bool is_chosen;
    HD_VEC(struct hd_suite_pair) news; /* pairs that no input chosen before it has shown */
    HD_VEC(struct hd_suite_pair) again; /* ... others, with a function it takes new paths in */
    u32 new_sites;       /* accesses there that no input chosen before it has executed */
    double weight;       /* chosen: its share of the budget, relative to the others */
    u32 left_out;        /* functions that were tested under inputs before it */
    u32 covered_by;      /* not chosen: an input + 1 that shows its pairs, 0 = several */
    struct hd_suite_result result;
};

struct hd_fingerprints;
/* Programs whose functions were read (scope.c). */
struct hd_suite_programs {
    HD_VEC(struct hd_suite_program *) v;
};
void hd_suite_programs_release(struct hd_suite_programs *p);
/* Name of the function with this identity, "?" = not known. */
const char *hd_suite_name(const struct hd_fingerprints *f, u64 id);

struct hd_suite {
    char *name;          /* for people: the file, the folder, the test program */
    HD_VEC(struct hd_suite_input) input;
    struct hd_suite_programs programs;
    u32 pairs;           /* different ones, of all inputs */
    double profile_seconds, test_seconds;
    bool is_interrupted;
};

void hd_suite_init(struct hd_suite *s, const char *name);
void hd_suite_release(struct hd_suite *s);

/* A new input that runs argv (copied). The rest of it is for the caller to fill in, with
 * texts that free() can take; the address holds until the next call. NULL: the suite has an
 * input of that name already. */
struct hd_suite_input *hd_suite_add(struct hd_suite *s, const char *name, char *const *argv);
/* Adds NAME=value to what it finds in its environment. */
void hd_suite_input_env(struct hd_suite_input *in, const char *text);

/* ---- read.c ---------------------------------------------------------------------------- */

/* Inputs of a suite.toml (docs/cmd/suite.md). 0 or -EINVAL with "file:line: ..." */
int hd_suite_read(struct hd_suite *s, const char *path, struct hd_error *err);
/* Each regular file of a folder, by name: it stands for `{}` among the arguments; without one
 * it is the standard input. 0 or negative errno with a sentence. */
int hd_suite_read_folder(struct hd_suite *s, const char *path, char *const *argv,
                         struct hd_error *err);

/* ---- run.c ------------------------------------------------------------------------------- */

/* Tests one input until it is done or its share is spent, and fills in its result. */
struct hd_suite_share {
    double seconds;      /* 0 = no limit */
    u64 runs;            /* likewise */
    bool is_look;        /* a few runs, for races that no input before has shown */
};
typedef void hd_suite_test(void *self, struct hd_suite *s, struct hd_suite_input *in,
                           const struct hd_suite_share *share);

struct hd_suite_opts {
    struct hd_config cfg; /* of the cheap runs */
    u32 jobs;             /* of them at the same time */
    u32 timeout_ms;       /* of one run, where the input does not say */
    const int *exit_ok; u32 n_exit_ok;
    double seconds;       /* for all of the suite; 0 = no limit */
    u64 runs;             /* likewise */
    bool profile_only;    /* test nothing */
    bool test_all;        /* choose every input that can be tested */
    bool looks;           /* at those that were not chosen */
    bool quiet;
    const char *dir;      /* of the store that remembers cheap runs; NULL = none does */
    hd_suite_test *test;
    void *self;
};
void hd_suite_run(struct hd_suite *s, const struct hd_suite_opts *o);

/* ---- profile.c, choose.c: steps of it ------------------------------------------------------ */

void hd_suite_profile(struct hd_suite *s, const struct hd_suite_opts *o);
/* Sets is_chosen, news, shown_by, and s->pairs. */
void hd_suite_choose(struct hd_suite *s, bool test_all);

/* ---- table.c ------------------------------------------------------------------------------- */

void hd_suite_table(FILE *to, const struct hd_suite *s);
/* One test case for each input: passed, failed with the report, or skipped with the reason. */
void hd_suite_junit(FILE *to, const struct hd_suite *s);

#endif
