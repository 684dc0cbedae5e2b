/* finding.h: everything known about one failure, as data. Filled by
 * finding_from_run (right after the run: the next one takes its place),
 * completed by the campaign, rendered by text.c, json.c, ...
 */
#ifndef HD_FINDING_H
#define HD_FINDING_H

#include <stdio.h>

#include "event/replay/replay.h"
#include "event/shm.h"
#include "symbol/symbol.h"

struct hd_worker;

struct hd_finding_thread {
    u16 tid;
    u8 state;       /* enum hd_tstate */
    u8 op_kind;     /* what it was about to do */
    u16 parent;
    u64 create_site, op_site, op_obj;
    u64 create_pc[HD_CREATE_FRAMES]; /* calls that led to create_site; 0 ends */
    u64 op_arg;     /* FUTEX_WAIT: the value it waits to change */
    u64 call_site;  /* the call its innermost instrumented function was in, 0 = not known */
    char name[16];
    u32 n_frames;   /* innermost first; all are return addresses but frame 0 may be the crash pc */
    u64 *frames;
    u64 stack_lo, stack_hi;
    u32 frames_lost;   /* innermost calls deeper than the shadow stack, between frames 0 and 1 */
    bool is_exact;     /* frame 0 is an instruction, not a return address */
    bool is_guess;     /* frame 0 is where it was last seen, not where it ended */
};

/* What minimization found out (minimize/minimize.c): how small the schedule is,
 * and the order of two events that decides, verified both ways. All zero if it
 * was not tried. */
enum hd_decided_event { HD_DECIDED_BEFORE, HD_DECIDED_FIRST, HD_DECIDED_SECOND, HD_DECIDED_EVENTS };
struct hd_decided {
    bool is;                   /* FIRST before SECOND fails, the other order passes */
    bool is_minimized;         /* the finding shows a run with fewer preemptions or steps */
    bool is_complete;          /* it was not the budget that ended the search */
    struct hd_event event[HD_DECIDED_EVENTS]; /* of this run. BEFORE: an earlier one of SECOND's
                                  thread on FIRST's object, step 0 = none. SECOND: step 0 = its
                                  thread was still about to do it */
    u32 fails, fails_of;       /* replays of this schedule */
    u32 passes, passes_of;     /* runs with the other order */
    u64 preemptions, preemptions_before;
    u64 switches, switches_before;
    u64 steps, steps_before;
    u32 replays;               /* runs that minimization took */
    double seconds;
    const char *why_not;       /* static text: why there was no minimization, NULL = there was */
};

/* Two accesses that race (campaign/race/races.c). */
enum hd_race_class {
    HD_RACE_NONE,    /* the finding is not about a race */
    HD_RACE_FAILS,   /* one order fails: the finding is that failure, this is its cause */
    HD_RACE_CHANGES, /* the orders give different results */
    HD_RACE_SAME,    /* no difference was seen */
    HD_RACE_WEAK,    /* only memory orders are missing: no run turns the two round */
    HD_RACE_LEADS,   /* one order fails, and that failure is a finding about another pair: a race of its own */
};
struct hd_race {
    u32 class;             /* enum hd_race_class */
    u32 step[4];           /* of the two accesses, as this run did them. If there is a third, the
                              second came between it and the first, which are of one thread; if there
                              is a fourth, so did that, of the second's thread: two variables */
    char result[2][120];   /* what comes of it in that order and in the other; "" = not known */
    u32 same[2], of[2];    /* runs of each order, and how many of them ended like that */
    bool decides;          /* FAILS: one order fails clearly more often than the other */
    bool is_apart;         /* result[0]: both at the same time, in either order; [1]: one after the other */
    u64 store, load;       /* WEAK: sites of the atomics that should order them, */
    u8 store_order, load_order; /* ... enum hd_memory_order */
    char failure[24];      /* LEADS: the id of that finding; SAME: runs lead to it, whichever comes first; "" = to none */
};

struct hd_finding {
    char id[24];               /* e.g. "blocked-3f9a2c10": class of kind and hash (identity.c) */
    struct hd_verdict verdict;
    struct hd_stats stats;
    struct hd_module *modules; u32 n_modules;
    struct hd_finding_thread *threads; u32 n_threads;
    struct hd_event *events; u32 n_events;  /* the last ones, in order */
    struct hd_detail *details; /* as many, from a replay of the run; NULL = none was made */
    struct hd_replay replay;   /* the recorded schedule */
    char *out, *err;           /* captured output, NUL-terminated, may be NULL */
    size_t out_len, err_len;
    const char *strategy;
    u64 seed, run;             /* campaign seed; run number within it */
    u64 runs_until;            /* runs done when it was found */
    u32 reproduced, tried;     /* replays that gave the same verdict and events */
    char dir[512];             /* where it is saved, "" if not */
    bool is_outdated;          /* `dir` holds an earlier state: saving this one failed */
    char program[512];
    double seconds;            /* from start of campaign */
    const char *command;       /* the command line that found it, NULL = not known */
    const struct hd_around *around; /* commands around the run, likewise */
    const struct hd_oracle *oracle; /* what judged the run, for saving; NULL = the program alone */
    const struct hd_script_saved *script; /* ... what drove it, likewise; NULL = nothing did */
    bool is_remark;            /* it needs a thread to be delayed for longer than was asked for */
    struct hd_decided decided;
    struct hd_race race;
    struct hd_replay original; /* the schedule as it was found, if decided.is_minimized */
};

/* Copies what the run left behind. `out`/`err` are descriptors of the captured
 * output or -1. 0 or negative errno. */
int hd_finding_from_run(struct hd_finding *f, struct hd_snapshot *m, int out, int err);
/* The run that just ended as a finding, not confirmed, not named. */
int hd_finding_take(struct hd_finding *f, struct hd_worker *w, const char *program,
                    char *const *argv);
/* Takes the details of the run that `m` shows, if it is the same run as f's. */
void hd_finding_details(struct hd_finding *f, struct hd_snapshot *m);
void hd_finding_release(struct hd_finding *f);

/* "assertion", "deadlock", "signal", "exit", "hang", "timeout", ... */
const char *hd_finding_kind(const struct hd_finding *f);

/* Computes f->id: one per cause, the same over runs, seeds and edits that move lines
 * (identity.c). */
void hd_finding_identify(struct hd_finding *f, struct hd_symbols *s);

struct hd_text_opts {
    bool color;
    int width;        /* columns, 80 if not a terminal */
    u32 last_steps;   /* how many steps of the order to show, 0 = default */
};
/* The report a person reads; DESIGN: sentence, evidence, order, columns,
 * commands, limits. */
void hd_report_text(FILE *to, const struct hd_finding *f, struct hd_symbols *s,
                    const struct hd_text_opts *o);

/* A race as ThreadSanitizer would print it (tsan.c); false: it is none, nothing was printed. */
bool hd_report_tsan(FILE *to, const struct hd_finding *f, struct hd_symbols *s);

/* Small JSON writer (json.c): balanced calls, escapes strings, no reading. */
struct hd_json {
    FILE *to;
    int depth;
    bool first[32];
    char closing[32];
    bool is_embedded; /* inside a page: one line, and nothing in it can end a <script> */
};
#define HD_JSON_VERSION 1 /* docs/json.md */
void hd_json_begin(struct hd_json *j, FILE *to);
void hd_json_object(struct hd_json *j, const char *key); /* key NULL inside arrays and at top */
void hd_json_array(struct hd_json *j, const char *key);
void hd_json_end(struct hd_json *j);                     /* closes the innermost */
void hd_json_str(struct hd_json *j, const char *key, const char *value); /* NULL -> null */
void hd_json_u64(struct hd_json *j, const char *key, u64 value);
void hd_json_f64(struct hd_json *j, const char *key, double value);
void hd_json_bool(struct hd_json *j, const char *key, bool value);
void hd_json_raw(struct hd_json *j, const char *key, const char *text); /* JSON already */
void hd_json_finish(struct hd_json *j);                  /* newline, flush */

void hd_json_s64(struct hd_json *j, const char *key, s64 value);
/* As "0x1f": 64 bits survive every reader. */
void hd_json_hex(struct hd_json *j, const char *key, u64 value);

/* Processes of a command: the one that the record is of, then those that were controlled as well. */
void hd_json_processes(struct hd_json *j, const struct hd_replay *r);
/* One finding as a JSON object inside an array or under `key`. */
void hd_report_json(struct hd_json *j, const char *key, const struct hd_finding *f,
                    struct hd_symbols *s);

/* The one sentence a report begins with, without newline. */
void hd_report_title(const struct hd_finding *f, struct hd_symbols *s, char *buf, size_t size);

/* What a whole campaign did, for formats that also say "nothing was found". */
struct hd_tested {
    const char *program;
    u64 runs;
    double seconds;
    const char *skipped; /* NULL, or why the campaign was inconclusive */
};
/* SARIF 2.1.0: one result per finding, the order of steps as a code flow with
 * one thread flow per thread. Symbols are opened from each finding's modules. */
void hd_report_sarif(FILE *to, const struct hd_finding *list, u32 n, const struct hd_tested *what);
/* ... in parts: a result each, to be freed, and then all of them, of several campaigns. */
char *hd_sarif_result(const struct hd_finding *f);
/* Of a finding that only its title is known of; its place is the program. */
char *hd_sarif_result_known(const char *kind, const char *id, const char *title, const char *program);
void hd_sarif_results(FILE *to, char *const *result, u32 n, const struct hd_tested *what);
/* JUnit XML: one failed test case per finding, one passed or skipped if there is none. */
void hd_report_junit(FILE *to, const struct hd_finding *list, u32 n, const struct hd_tested *what);
/* ... of several tests that have results of their own already. */
struct hd_junit_case {
    const char *name;
    double seconds;
    const char *kind, *title, *text; /* it failed; NULL = it did not */
    const char *skipped;             /* why it could not be tested; NULL = it was */
};
/* The text of a finding for it; free it. */
char *hd_junit_text(const struct hd_finding *f, struct hd_symbols *s);
void hd_junit_cases(FILE *to, const char *suite, const struct hd_junit_case *list, u32 n);

#endif
