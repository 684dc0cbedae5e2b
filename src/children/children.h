/* children.h: the program under test is not the one heddle starts, but one that a command of the
 * user's starts: a shell script, make, pytest, a server that forks its workers.
 * docs/design/children.md
 *
 *   heddle --> keeper --> command --> ... --> program      (its ThreadSanitizer is ours)
 *     ^  socket: "what am I to be?"  <------ watch.so
 *     '----- shared memory, 'C', 'D' ------> runtime
 *
 *   ask.c      the socket
 *   command.c  the command: environment, descriptors
 *   run.c      one worker's runs: the command is started for each of them
 *   companion.c  the other processes of the command that are controlled in the same runs
 *   arrivals.c   which process of the command is it that asks?
 *   seen.c     one run in which nothing is controlled: what is there to be tested?
 *   stand_in.c the process that is meant waits, and a debugger's takes its place
 */
#ifndef HD_CHILDREN_H
#define HD_CHILDREN_H

#include "base/vec.h"
#include "error/error.h"
#include "event/ask.h"
#include "process/worker.h"

/* One process of a command, so that it is known again in another run of it (arrivals.c). */
struct hd_process {
    const char *program;     /* absolute path */
    bool is_forked;          /* it was forked and makes threads, not started */
    u32 instance;            /* which of these, in the order they come, from 1 */
    u64 started_with;        /* its arguments and forks, as a hash; 0 = not known */
    u32 same_nth;            /* which of those that were started with the same, from 1 */
    bool is_together;        /* others of them are there at the same time, or were in the first run */
};

/* Which of the processes of a command are tested. */
struct hd_children {
    const struct hd_process *meant; /* the one that the runs are about, all of one program and
                                       kind: they take turns */
    u32 n_meant;             /* 1 at least */
    const struct hd_process *beside; /* controlled as well, if they are not meant */
    u32 n_beside;
    const struct hd_replay *record; /* what is replayed, of stand_in.c alone */
    u32 timeout_ms;          /* real time the whole command may take */
    const int *exit_ok;      /* statuses of the command, besides 0, that are fine */
    u32 n_exit_ok;
};

/* The command of l->argv is started for each run; l->children says what is tested of it. */
extern const struct hd_phases hd_children_phases;

#define HD_CHILDREN_BESIDE 16 /* at most; more run freely */
/* For a process that the command left running when it ended, until it asks what it is to be. */
#define HD_CHILDREN_COME_NS 1000000000ll
/* One of the processes beside the one that the last run was about. */
struct hd_beside {
    const struct hd_process *who;
    const struct hd_verdict *verdict;
};
/* Number i of those that came, in the order in which they ended; false: there are fewer. */
bool hd_children_beside(const struct hd_worker *w, u32 i, struct hd_beside *to);
/* With `is_due`: the one beside it that failed takes the place of the one that the worker is about, and
 * back: what is made of the worker's last run is then about that process, and so are replays of it. */
void hd_children_turn(struct hd_worker *w, bool is_due);

/* ---- arrivals.c -------------------------------------------------------------------------------- */

/* The processes of one run that have asked so far. */
struct hd_arrivals {
    HD_VEC(struct hd_arrivals_entry) at;
};
/* Is it one of those who can be controlled? Then *who is what it is; `program` points into `a`. */
bool hd_arrivals_add(struct hd_arrivals *r, const struct hd_ask *a, struct hd_process *who);
void hd_arrivals_release(struct hd_arrivals *r);
/* Is `who` the one of `list` that `p` is? What it was started with counts if anyone of the list
 * was started like that: arguments may be others in each run. */
bool hd_process_is(const struct hd_process *p, const struct hd_process *who,
                   const struct hd_process *list, u32 n);
bool hd_process_is_same(const struct hd_process *a, const struct hd_process *b);
/* Between it and the record of its run. */
void hd_process_to_config(const struct hd_process *p, struct hd_config *cfg);
struct hd_process hd_process_of(const struct hd_config *cfg, const char *program);

/* ---- command.c --------------------------------------------------------------------------- */

struct hd_children_command {
    char *const *argv;
    const char *cwd;         /* NULL = where we are */
    const struct hd_inherited *inherited;
    char *const *more;       /* NAME=value over its environment; NULL = none */
    int in, out, err;
    const char *ask;         /* value of HD_ASK_ENV */
};
/* NULL-terminated, with our library in front; free with hd_launch_env_free. NULL with a sentence. */
char **hd_children_env(const struct hd_children_command *c, struct hd_error *err);
struct hd_script_proc;
/* 0 or negative errno. */
int hd_children_start(struct hd_script_proc *p, const struct hd_children_command *c, char **env);
/* A description of its own of what is to be read; -1 = none. */
int hd_children_input(int stdin_fd);

/* ---- ask.c --------------------------------------------------------------------------------- */

struct hd_listener {
    int fd;
    int connected[64]; /* processes whose question has not come yet, in order */
    u32 n;
};

/* A socket that processes ask at; its name goes to `name`. 0 or negative errno. */
int hd_children_listen(struct hd_listener *l, char name[HD_ASK_NAME]);
void hd_children_listen_end(struct hd_listener *l);
/* Whoever has asked up to now gets no answer: a process of an earlier run, ended by now. */
void hd_children_listen_anew(struct hd_listener *l);
/* One question; the process and the descriptor to answer to. False: there is none yet. */
bool hd_children_asked(struct hd_listener *l, struct hd_ask *a, int *pid, int *to);
/* ... closes `to`. `fds`: HD_ASK_FDS of them for HD_REPLY_CONTROL. False: nobody took it. */
bool hd_children_reply(int to, enum hd_reply_kind kind, const char *runtime, const int *fds);
/* Which library an instrumented process is to have, "" = ours does not fit. */
void hd_children_runtime(const struct hd_ask *a, char *buf, size_t size);

/* ---- stand_in.c ---------------------------------------------------------------------------- */

/* In the process that is to be the program: starts the command, waits for the process of it that
 * is meant, and takes over what that one has: descriptors, folder, limits. Arguments and
 * environment are for execve; a process beside us keeps the command going until we have ended. 0
 * or negative errno with a sentence. */
struct hd_stand_in {
    const char *runtime; /* in: the library for it */
    int status;          /* in: what whoever started it is told at the end, as waitpid gives it */
    char **argv, **env;
};
int hd_children_take_place(struct hd_stand_in *in, const struct hd_children *of,
                           struct hd_children_command *c, struct hd_error *err);

/* ---- seen.c -------------------------------------------------------------------------------- */

struct hd_child_seen {
    char *exe;
    char *args;              /* for people */
    int pid, parent;
    bool is_instrumented, is_forked;
    bool has_threads;        /* known of instrumented ones only */
    struct hd_process who;   /* its program is `exe` */
    u32 number;              /* of those that may be tested, from 1 */
    u32 times;               /* processes of the same program and arguments */
    const char *why;         /* it cannot be tested; NULL = nothing stands against it */
};

/* Processes that run the same file, or that it forked. */
struct hd_child_program {
    char *exe;
    bool is_forked;
    u32 n;                   /* of them; with threads: */
    HD_VEC(struct hd_process) threaded; /* in the order they came */
};

struct hd_children_seen {
    HD_VEC(struct hd_child_seen) at;
    HD_VEC(struct hd_child_program) program; /* that are instrumented */
    HD_VEC(struct { u32 a; u32 b; }) together; /* numbers of two that were there at the same time */
    int status;              /* of the command, as waitpid gives it */
    bool is_late;            /* it was ended because it took too long */
    double seconds;
    char last_words[300];    /* the end of what it printed on stderr, in one line */
};

/* 0 or negative errno with a sentence. Release it in either case. */
int hd_children_survey(struct hd_children_seen *s, char *const *argv, int stdin_fd, u32 timeout_ms,
                     struct hd_error *err);
void hd_children_seen_release(struct hd_children_seen *s);

#endif
