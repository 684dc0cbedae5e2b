/* companion.h: the processes of a command that are controlled in the same run as the one the run is
 * about; see companion.c. Of src/children alone. */
#ifndef HD_COMPANION_H
#define HD_COMPANION_H

#include "children/children.h"
#include "process/confirm.h"

/* What the process gets: the other ends of the worker's pipes. */
struct hd_pipe_ends {
    int cmd_read, reply_write;
};

struct hd_companion {
    struct hd_process who;
    char program[512];     /* its path, if `who` came from elsewhere than the caller */
    struct hd_worker w;    /* its shared memory and pipes; starts nothing itself */
    struct hd_pipe_ends ends;
    u64 runs;              /* it took part in */
    /* of the present run */
    bool is_wanted, is_attached, has_ended, is_lost, is_cut;
    u32 place;             /* in the order in which they ended, from 1 */
    bool is_aside;         /* a replay took the place of what it had learned: */
    struct hd_worker_state before;
};

struct hd_companions {
    struct hd_companion *at;
    u32 n;
    u32 ended;             /* so far, in this run */
    int epoll;             /* that tells of them */
    struct hd_shm_clock *clock; /* of all processes of a run */
    int clock_fd;
};

/* `l`: how the worker they are beside is started. 0 or negative errno with a sentence; release in
 * either case. */
int hd_companions_make(struct hd_companions *c, const struct hd_children *of,
                       const struct hd_launch *l, int epoll, struct hd_error *err);
void hd_companions_release(struct hd_companions *c);
/* A run of `w`, which is about `meant`, begins: those that take part wait for their processes. */
int hd_companions_begin(struct hd_companions *c, struct hd_worker *w, const struct hd_process *meant);
/* The process asked, and is `k`. */
void hd_companion_attach(struct hd_companions *c, struct hd_companion *k, int to, int pid,
                         const char *runtime);
/* Each is told how many others there are now, or are to come while it is there. `meant`: the one that
 * the run is about, whose worker is `w`. */
void hd_companions_tell(struct hd_companions *c, struct hd_worker *w, const struct hd_process *meant,
                        bool is_meant_to_come, bool is_meant_there);
/* Is one that is to follow a record yet to come? */
bool hd_companions_miss(const struct hd_companions *c);
/* Takes note of those that have ended; true: nobody is left. */
bool hd_companions_step(struct hd_companions *c);
/* Those that are left are to end: with `signo`. */
void hd_companions_cut(struct hd_companions *c, int signo);
/* What is to be known of those that never said that they ended. */
void hd_companions_end(struct hd_companions *c);
/* The first that ended otherwise than well, NULL = none. `is_exit`: by its status, too. */
struct hd_companion *hd_companions_failed(struct hd_companions *c, bool is_exit, int cut_signal);
/* What the worker is about and what the companion is change places; `ends`: the worker's. */
void hd_companion_turn(struct hd_companion *k, struct hd_worker *w, struct hd_process *who,
                       struct hd_pipe_ends *ends);
/* Replays are over: gives back what they had learned before. */
void hd_companions_put_back(struct hd_companions *c);
/* Their records of this run, into r->others. 0 or negative errno. */
int hd_companions_records(struct hd_companions *c, struct hd_replay *r, char *const *argv);

/* Pipes of a worker whose process is started by somebody else. 0 or negative errno. */
int hd_pipe_ends_make(struct hd_pipe_ends *ends, struct hd_worker *w);
void hd_pipe_ends_close(struct hd_pipe_ends *ends);
/* A command for a process that never came. */
void hd_pipe_ends_empty(const struct hd_pipe_ends *ends);
/* In a replay others may need longer to come than they did. */
void hd_children_be_patient(struct hd_config *cfg);

#endif
