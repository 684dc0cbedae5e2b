/* process.h: child processes. They are not controlled: a fork'd child becomes a
 * plain process again, a new program never was one of ours. */
#ifndef HD_PROCESS_H
#define HD_PROCESS_H

#include "runtime/core/rt.h"

/* Around a call that makes a child or becomes another program: such a program
 * must see neither our descriptors nor our pinning. */
struct hd_child_call {
    cpu_set_t pinned;
    bool is_pinned;
};
void hd_child_call_begin(struct hd_child_call *o, const char *call, u64 site);
void hd_child_call_end(const struct hd_child_call *o);

/* In a forked child, first thing: gives up control. */
void hd_process_release_child(void);

/* Around making a child: no signal may reach it while it still shares our state and
 * has our handlers. The second restores the mask of the program, in the parent. */
void hd_process_hold_signals(void);
void hd_process_let_signals(void);
/* vfork() as a fork whose parent waits; and clone by syscall(): result or -errno. */
pid_t hd_process_vfork(void);
long hd_process_clone(long number, const long a[6], u64 site);

/* A controlled wait4(). */
pid_t hd_process_wait(pid_t pid, int *status, int options, struct rusage *usage, u64 site,
                      u8 op_flags);

/* Starts "/bin/sh -c command" with descriptor `from`, if >= 0, as its `to`; signal mask and
 * SIGINT, SIGQUIT as given. Returns pid or -errno. */
struct hd_shell {
    const char *command;
    int from, to;
    bool is_popen;       /* what popen has opened is not inherited */
    u64 mask;
    u64 default_signals; /* bits: reset in the child */
};
long hd_process_shell(const struct hd_shell *sh, u64 site, const char *call);

/* A child process is about to be made that will have all our shared memory
 * (pshared.c). */
void hd_shared_before_fork(void);

#endif
