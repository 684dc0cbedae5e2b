/* state.h: a worker's scripted runs as data, for script_{run,phase,ready,
 * attach,keep}.c. */
#ifndef HD_SCRIPT_STATE_H
#define HD_SCRIPT_STATE_H

#include "error/error.h"
#include "script/script.h"
#include "process/tmp.h"

enum hd_script_state {
    HD_SCRIPT_DONE, /* nothing is under way */
    HD_SCRIPT_SETUP,
    HD_SCRIPT_START, /* the server was asked to run, the child is not there yet */
    HD_SCRIPT_READY,
    HD_SCRIPT_DRIVE,
    HD_SCRIPT_CHECK,
    HD_SCRIPT_STOP_COMMAND,
    HD_SCRIPT_STOP, /* its end is waited for */
    HD_SCRIPT_CUT,  /* ... because a phase failed */
    HD_SCRIPT_LATE, /* the check when the program has ended */
    HD_SCRIPT_TEARDOWN,
};

struct hd_script_run {
    const struct hd_script_input *in;
    struct hd_script_vars vars;
    struct hd_tmp own;  /* the worker's folder, */
    char *tmp, *ready;  /* ... the one in it for the program; what [ready] waits for */
    char **argv, **env; /* of the program; argv NULL if the caller knows */
    int epoll;
    struct hd_script_proc setup, one, *drive;
    enum hd_script_state state;
    s64 deadline_ns, poll_ns, pause_ns, again_ns;
    bool was_ready;                                /* in any run */
    bool has_begun, has_ended, is_stopped, is_cut; /* in this one */
    enum hd_script_state watched; /* the state that these are of: */
    s64 watched_ns;               /* when it began, */
    u64 ready_ns;                 /* ... and how long the program's threads had been ready to run */
    u32 kind; /* verdict of a phase that failed, 0 = none did */
    char msg[sizeof((struct hd_verdict *)0)->msg];
    HD_VEC(char) log;
};

/* ---- attach.c ----------------------------------------------------------- */

/* Makes or empties the program's folder. 0 or negative errno. */
int hd_script_clean(struct hd_script_run *r);

/* ---- phase.c ------------------------------------------------------------ */

#define HD_SCRIPT_WORDS 300 /* bytes of output in a message */
#define HD_SECONDS(ms) ((ms) / 1e3)

/* A phase has failed with this verdict. The first failure of a run is the one
 * that is reported. */
HD_PRINTF(3, 4) void hd_script_fail(struct hd_script_run *r, u32 kind, const char *format, ...);
/* Starts a command, or fails. */
void hd_script_start(struct hd_worker *w, struct hd_script_proc *p,
                     const struct hd_script_command *c);
/* Command i of a phase has ended, or must. False: that is a failure, whose verdict
 * is `kind`. The first line of its message is the same for the same failure. */
bool hd_script_judge(struct hd_script_run *r, const char *phase, const struct hd_script_phase *ph,
                     u32 i, struct hd_script_proc *p, u32 kind);
bool hd_script_is_fine(const struct hd_script_phase *p, int status);

/* ---- busy.c --------------------------------------------------------------- */

/* To be called after each step: the program is watched from where a state begins. */
void hd_script_watch(struct hd_worker *w);
/* Verdict on what did not come in time: HD_V_CHECK, or HD_V_LIMIT if the program was busy for most of
 * the state. */
u32 hd_script_late_kind(const struct hd_worker *w);

/* ---- ready.c -------------------------------------------------------------- */

bool hd_script_is_there(struct hd_worker *w);
/* The same; a command is tried again and again. */
bool hd_script_is_ready(struct hd_worker *w, s64 now);
/* Fails: a server that has been ready before and is not now is a finding. One that
 * never was is a script or a program that does not work. */
void hd_script_not_ready(struct hd_worker *w, bool is_gone);
/* Fails if something is there before the program is: it would be taken for it. */
bool hd_script_is_taken(struct hd_worker *w);

/* attach.c: see struct hd_phases. */
int hd_script_attach(struct hd_worker *w, struct hd_launch *l, struct hd_error *err);
void hd_script_detach(struct hd_worker *w);

#endif
