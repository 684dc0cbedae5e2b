/* script.h: tests of servers and of several processes: what a test.toml says, and
 * carrying it out around each run. docs/script.md
 *
 *   test.toml --script_toml.cc--> tree --script.c, read.c--> struct hd_script_file
 *   vars.c   ${port} and the other names
 *   proc.c   a command: started, watched, ended with all it left behind
 *   phase.c  a phase's command: its environment, what its end means
 *   busy.c   was the program at work while somebody waited for it?
 *   ready.c  does the server take connections?
 *   attach.c what a worker needs for it: a port, a folder, arguments
 *   run.c    one worker's runs: the phases, as a state machine that the
 *                   worker's wait loop moves on
 *   persist.c   what is saved with a finding, and found again by a replay
 *
 * Only the program is under control. What the phases start are processes like
 * any other, outside of every schedule.
 */
#ifndef HD_SCRIPT_H
#define HD_SCRIPT_H

#include <regex.h>

#include "base/vec.h"
#include "error/error.h"
#include "process/worker.h"

#define HD_SCRIPT_STATUSES 32

struct hd_script_command {
    char *text;  /* as in the file: for people, and the same in every run */
    char **argv; /* not expanded; with is_shell: the text alone */
    bool is_shell;
    u32 line;
};

struct hd_script_phase {
    struct hd_script_command *command; /* all at the same time */
    u32 n;                             /* 0 = no such phase */
    u32 timeout_ms;
    int exit_ok[HD_SCRIPT_STATUSES]; /* besides 0 */
    u32 n_exit_ok;
    u32 line;
};

enum hd_ready_kind {
    HD_READY_NONE, /* no waiting */
    HD_READY_TCP,
    HD_READY_UNIX,
    HD_READY_FILE,
    HD_READY_OUTPUT,
    HD_READY_COMMAND
};

struct hd_script_ready {
    enum hd_ready_kind kind;
    const char *what; /* port, path or pattern; not expanded */
    regex_t pattern;
    struct hd_script_phase phase; /* its timeout; COMMAND: its command */
};

struct hd_script_stop {
    int signo;                    /* 0 = none is sent */
    const char *name;             /* "SIGTERM" */
    struct hd_script_phase phase; /* its timeout, statuses, and the command, if any */
};

struct hd_script_file;

/* One input: the program with these arguments, driven and checked like this. */
struct hd_script_input {
    const struct hd_script_file *script;
    const char *name;
    HD_VEC(const char *) argv; /* not expanded; [0] is the program as given */
    const char *text, *file;   /* of stdin; both NULL = nothing */
    struct hd_script_phase drive, check;
    bool is_checked_late; /* when the program has ended */
    u32 line;
};

struct hd_script_option {
    const char *name; /* of an option of `heddle test` */
    char *value;
    u32 line;
};

struct hd_script_file {
    char *path; /* as given */
    char *dir;  /* absolute: what everything relative is relative to */
    char *text; /* the whole file */
    size_t n_text;
    char *program; /* resolved against dir, if it is a path */
    u32 program_line;
    HD_VEC(char *) env; /* NAME=value, not expanded */
    char *cwd;          /* absolute */
    struct hd_script_phase setup, teardown;
    struct hd_script_ready ready;
    struct hd_script_stop stop;
    HD_VEC(struct hd_script_input) input; /* one at least */
    HD_VEC(struct hd_script_option) option;
    const int *exit_ok; /* statuses of the program that are fine besides stop's */
    u32 n_exit_ok;
    struct hd_toml *tree; /* owns most texts */
    HD_VEC(void *) own;   /* the others */
};

/* 0, or negative errno with "file:line: what is wrong" in err. `dir` NULL: the
 * folder the file is in. Release it in either case. */
int hd_script_load(struct hd_script_file *s, const char *path, const char *dir,
                   struct hd_error *err);
void hd_script_release(struct hd_script_file *s);
const struct hd_script_input *hd_script_find(const struct hd_script_file *s, const char *name);
/* Memory that lives as long as the script. */
void *hd_script_alloc(struct hd_script_file *s, size_t n);

/* Time a whole run may need if each phase takes all it may. */
u32 hd_script_longest_ms(const struct hd_script_input *in);
/* A memfd with the input's stdin, -1 = nothing to read, else negative errno - 1
 * with a sentence. */
int hd_script_stdin(const struct hd_script_input *in, struct hd_error *err);

/* ---- vars.c ------------------------------------------------------------- */

struct hd_script_vars {
    u32 port, worker;
    u64 run;
    bool has_run; /* false: ${run} is not known here */
    const char *tmp, *input;
};

/* `text` with ${...} replaced, malloced. In a shell's text only our own names
 * are, elsewhere also ${NAME} and ${NAME:-default} of the environment. NULL with
 * a sentence in err if a name means nothing. */
char *hd_script_expand(const char *text, const struct hd_script_vars *v, bool is_shell,
                       struct hd_error *err);
/* A TCP port nobody uses; `index` keeps workers apart. 0 = none found. */
u32 hd_script_free_port(u32 index);
bool hd_script_is_port_free(u32 port);

/* ---- proc.c --------------------------------------------------------------- */

/* A command under way. A process of ours stands between (proc.c): when it
 * is told to, or when heddle is gone, everything the command left behind dies. */
struct hd_script_proc {
    int pid; /* of the one between; 0 = none */
    int fd;  /* readable when it has something to say */
    int out; /* memfd: what the command printed */
    bool is_over;
    int status; /* of waitpid, once is_over */
};

/* Environment for commands: `extra` entries (NAME=value) go over ours. 0 or
 * negative errno. */
int hd_script_proc_start(struct hd_script_proc *p, char *const *argv, bool is_shell,
                         char *const *extra, const char *cwd);
/* The same for a process that calls `become`, which does not return, in a process group of its
 * own with all of our descriptors that exec keeps; its output is the caller's business. */
int hd_script_proc_become(struct hd_script_proc *p, void (*become)(void *self), void *self);
/* Has it ended? */
bool hd_script_proc_poll(struct hd_script_proc *p);
/* Ends it if it has not, and everything it left behind; the output stays. */
void hd_script_proc_end(struct hd_script_proc *p);
/* ... and the output. Zeroed memory that was never started is fine. */
void hd_script_proc_release(struct hd_script_proc *p);

/* "ended with status 3" */
void hd_script_how(int status, char *buf, size_t size);
/* The last `size` - 1 bytes of what descriptor fd holds, in one line. */
void hd_script_last_words(int fd, char *buf, size_t size);

/* ---- ready.c ----------------------------------------------------------------- */

/* Does somebody listen there? Looks in /proc/net and disturbs nobody. */
bool hd_script_tcp_listens(u32 port);
bool hd_script_unix_listens(const char *path);
/* A line in one of these descriptors that matches. */
bool hd_script_output_matches(const regex_t *pattern, int out, int err);

/* ---- run.c --------------------------------------------------------------------- */

struct hd_script_run;

/* Where a replay is to be like the recorded run. It comes from a file: `tmp` is only a
 * wish, and nothing that exists there is touched but a leftover of ours (tmp.h). */
struct hd_script_again {
    u32 port;
    char *tmp;
};

/* Gives a worker that is about to be started a port and a folder, and the launch the
 * program's arguments, environment and folder; then the phases of each run. */
extern const struct hd_phases hd_script_phases;

/* Ends whatever is under way, after tearing down. */
void hd_script_abort(struct hd_worker *w);
/* Before exec of a debugger: the folder stays until that ends. */
void hd_script_hand_on(const struct hd_worker *w);

/* ---- persist.c -------------------------------------------------------------------- */

/* Files of a finding's folder. */
#define HD_SCRIPT_FILE "script.toml" /* the script as it was */
#define HD_SCRIPT_INPUT "script.run" /* which input, port and folders it ran with */
#define HD_SCRIPT_LOG "script.log"   /* what the commands printed in the failing run */

/* Copies of the last run's; {0} = none. */
struct hd_script_saved {
    char *toml, *input, *log;
    size_t n_toml, n_input, n_log;
};
void hd_script_save(struct hd_script_saved *k, const struct hd_worker *w);
void hd_script_saved_release(struct hd_script_saved *k);

/* The script beside a replay file. */
struct hd_script_beside {
    struct hd_script_file script;
    const struct hd_script_input *input; /* NULL = the run was not scripted */
    struct hd_script_again again;
};
/* 0 or negative errno with a sentence. */
int hd_script_beside(struct hd_script_beside *b, const char *replay_file, struct hd_error *err);
void hd_script_beside_release(struct hd_script_beside *b);

#endif
