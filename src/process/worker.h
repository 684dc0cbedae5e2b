/* worker.h: one target under control: its start (launch.c) and the conversation with its
 * fork server (worker.c).
 *
 *   hd_worker_start -> { hd_worker_send -> hd_workers_wait }... -> hd_worker_stop */
#ifndef HD_PROCESS_WORKER_H
#define HD_PROCESS_WORKER_H

#include "base/vec.h"
#include "error/error.h"
#include "event/replay/replay.h"
#include "event/snapshot.h"
#include "process/target.h"

struct hd_worker;
struct hd_launch;

/* What goes on around each of a worker's runs besides the program: the phases of a
 * script (script/run.c). */
struct hd_phases {
    /* Before the target is started: may change what l says of it. 0 or negative errno. */
    int (*attach)(struct hd_worker *w, struct hd_launch *l, struct hd_error *err);
    void (*detach)(struct hd_worker *w);
    /* A run is to begin; calls hd_worker_go when it may. 0 or negative errno. */
    int (*begin)(struct hd_worker *w);
    /* The program's run has ended, its verdict is in shared memory. */
    void (*ended)(struct hd_worker *w);
    /* Moves on. True: everything is over and the verdict is final. */
    bool (*step)(struct hd_worker *w);
    /* Is the program's clock running? */
    bool (*is_timed)(const struct hd_worker *w);
    /* Descriptor to wait for between steps (-1 = none), and for how long at most. */
    int (*fd)(const struct hd_worker *w);
    s64 (*poll_ms)(const struct hd_worker *w, s64 at_most);
    /* The target is started in each run, by somebody else (children/run.c); pid and pidfd are
     * there while it lives. Its end is no reason to give up: */
    bool is_started_by_run;
    void (*gone)(struct hd_worker *w);
    /* The records of other processes that were controlled in the last run go to `r`. May be NULL.
     * 0 or negative errno. */
    int (*others)(struct hd_worker *w, struct hd_replay *r);
};

/* Code of the program that is left out (event/shm.h: ranges): ELF addresses, sorted. */
struct hd_scope {
    HD_VEC(struct hd_range) out;
};

struct hd_launch {
    const struct hd_target *target;
    char *const *argv;
    const struct hd_config *cfg;
    int stdin_fd;         /* memfd with the whole of stdin, or -1 for /dev/null */
    u32 index;            /* worker number, also the core it is pinned to */
    const char *cwd;      /* NULL = where we are */
    const struct hd_inherited *inherited; /* NULL = what our caller has; must outlive the worker */
    const struct hd_oracle *oracle; /* see struct hd_worker */
    const struct hd_around *around; /* likewise; NULL = none */
    bool is_visible;      /* likewise */
    const struct hd_scope *scope; /* NULL = all of it is looked at */
    char *const *env;     /* NAME=value, over those of our environment; NULL = none */
    const struct hd_phases *phases; /* NULL = none; else the script's, with: */
    const struct hd_script_input *script;        /* NULL = none; then argv, env, cwd are its */
    const struct hd_script_again *script_again;  /* ... but for a replay */
    const struct hd_children *children; /* NULL = none; then argv is a command that starts it */
};

struct hd_worker {
    struct hd_shm_host *host; /* what we tell it, in shared memory; NULL = not started */
    struct hd_snapshot run;   /* what it told us: the run that ended last */
    int host_fd, shm_fd, cmd_fd, reply_fd, out_fd, err_fd, in_fd;
    int script_fd;        /* that of w->run.shm, to read only */
    int pid;              /* fork server, leader of its own session and group; 0 = none */
    int pidfd;
    u32 index;
    bool is_busy;
    bool is_dead;         /* the server ended in the middle of a batch */
    bool was_restarted;   /* since whoever uses it looked last */
    bool timed_out;       /* the batch ended because the host killed the child */
    struct hd_config sent_cfg; /* as the batch was sent: the target can write what is shared */
    struct hd_command sent;
    u64 runs_before;      /* runs_done of the server then */
    s64 sent_ns;
    s64 progress_ns;      /* when runs_done was last seen to grow */
    s64 ended_ns;         /* when the last batch was seen to be over */
    u64 progress_runs;
    u32 uncontrolled;     /* HD_UNC_ASLR if addresses could not be fixed */
    const struct hd_inherited *inherited;
    u32 lost;             /* bit i: limit i of it could not be set */
    bool is_visible;      /* what its runs print is copied to our own output (show.c): */
    u64 copied[2];        /* bytes of stdout and stderr of this run so far */
    const struct hd_oracle *oracle; /* judges runs that ended well, or NULL */
    const struct hd_around *around; /* commands before and after each run (command.h) */
    bool is_set_up;       /* the one before has run, the one after has not */
    bool is_refused;      /* the run must not begin: the verdict says why */
    bool is_check_bad;    /* a command beside it could not be run: verdict HD_V_ENV */
    bool is_untested;     /* ... because the program was not started */
    struct hd_totals counted; /* what hd_campaign_count has taken over so far */
    const char *directed_by;  /* the search that chooses its schedules, NULL = cfg.strategy */
    u64 (*drain)(void *self); /* takes events out of the rings, while anybody waits; returns
                                 how many (cover.c). NULL = nobody listens */
    void *drain_self;
    const struct hd_phases *phases; /* around its runs; NULL = none */
    struct hd_script_run *script; /* their state (script/script.h) */
    struct hd_children_run *children; /* ... (children/run.c) */
    char *const *argv;    /* the program's, where a script makes them; NULL = the campaign's */
    const char *program;  /* its last run was of this one; NULL = of the campaign's */
    bool has_failed_beside; /* the last run failed in another process of the command, which
                             hd_children_turn puts in its place (children/children.h) */
    struct hd_launch how; /* it was started; what it points to lives as long */
};

/* Starts the target up to main. 0 or negative errno with a sentence in err. */
int hd_worker_start(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err);
/* Sends a batch; returns at once. */
int hd_worker_send(struct hd_worker *w, u64 first_run, u32 count);
/* ... for phases: what was sent is to begin now. */
int hd_worker_go(struct hd_worker *w);
/* ... it has ended, or whoever did it has: w->run is about it from now on. */
void hd_worker_take_back(struct hd_worker *w);
/* Runs of its server that have ended, ever; ... */
u64 hd_worker_runs(const struct hd_worker *w);
/* ... of what was sent, at most all of them. */
u64 hd_worker_done(const struct hd_worker *w);
/* Waits until one of the workers has finished its batch, killing children that
 * exceed timeout_ms per run; returns its index, -1 on interruption (Ctrl-C),
 * -2 when `until_ns` (monotonic) has passed. Look at is_dead before run. */
int hd_workers_wait(struct hd_worker *w, u32 n, u32 timeout_ms, s64 until_ns);
/* Waits for what was sent to one worker. False: its server died, or was ended because it
 * is late (base/stop.h); either way w->is_dead. */
bool hd_worker_await(struct hd_worker *w, u32 timeout_ms);
/* Process that does the present run, 0 = none. */
int hd_worker_child(const struct hd_worker *w);
/* Starts a dead worker again, as it was started; its shared memory is a new one, and
 * w->was_restarted is set. 0 or negative errno. */
int hd_worker_restart(struct hd_worker *w);
/* Ends the server and its group; shared memory and descriptors stay. */
void hd_worker_end(struct hd_worker *w);
/* ... and gives them back. */
void hd_worker_stop(struct hd_worker *w);

s64 hd_monotonic_ns(void);

/* Shared memory and captured output only, no process (for --gdb). */
int hd_worker_prepare(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err);
/* Puts the descriptors where the runtime expects them, in this process. */
int hd_launch_descriptors(const struct hd_worker *w);
/* The environment of the target: NULL-terminated, entries from *own on are
 * Heddle's. Free with hd_launch_env_free. */
char **hd_launch_env(const struct hd_launch *l, u32 *own);
void hd_launch_env_free(char **env);
/* What the variable is set to; NULL: it is not. */
const char *hd_env_value(char *const *env, const char *name);
/* One more variable, which makes the stack begin at the same place whatever the others are; NULL: no
 * memory. */
char *hd_env_padding(char *const *env, char *const *argv, const char *path);

/* Copies all of descriptor `fd` (regular file or pipe) to a memfd. -1 if there
 * is nothing to read: a terminal, or a pipe that stays silent (then *silent). */
int hd_stdin_copy(int fd, bool *silent);

#endif
