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
 *   seen.c     one run in which nothing is controlled: what is there to be tested?
 *   stand_in.c the process that is meant waits, and a debugger's takes its place
 */
#ifndef HD_CHILDREN_H
#define HD_CHILDREN_H

#include "base/vec.h"
#include "error/error.h"
#include "event/ask.h"
#include "process/worker.h"

/* Which of the processes of a command is tested. */
struct hd_children {
    const char *program;     /* absolute path */
    bool is_forked;          /* a process that was forked and makes threads, not one that was started */
    const u32 *instance;     /* which of these processes, in the order they come, from 1: runs
                                take turns */
    u32 n_instances;         /* 1 at least */
    u32 timeout_ms;          /* real time the whole command may take */
    const int *exit_ok;      /* statuses of the command, besides 0, that are fine */
    u32 n_exit_ok;
};

/* The command of l->argv is started for each run; l->children says what is tested of it. */
extern const struct hd_phases hd_children_phases;

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
    u32 times;               /* processes of the same program and arguments */
    const char *why;         /* it cannot be tested; NULL = nothing stands against it */
};

/* Processes that run the same file, or that it forked. */
struct hd_child_program {
    char *exe;
    bool is_forked;
    u32 n;                   /* of them; with threads: */
    HD_VEC(u32) threaded;    /* their numbers, from 1, in the order they came */
};

struct hd_children_seen {
    HD_VEC(struct hd_child_seen) at;
    HD_VEC(struct hd_child_program) program; /* that are instrumented */
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
