/* verdict.h: how a run ends; see die.c. */
#ifndef HD_VERDICT_H
#define HD_VERDICT_H

#include "runtime/core/rt.h"

/* Installs the handlers for fatal signals. */
void hd_verdict_init(void);
/* A stack for them, so that stack overflow is seen: made by the holder of the
 * baton, installed by the new thread itself. */
void *hd_verdict_stack(void);
void hd_verdict_thread(void *stack);
/* The program is about to end itself by this signal, and no handler will see it. */
void hd_verdict_signal(int signo);
/* A signal that somebody sent ends the program. */
_Noreturn void hd_verdict_sent(int signo, const siginfo_t *info);
/* The process whose verdict this is: each run has its own (server.c). A child that
 * has not released control yet is another one. */
extern s32 hd_verdict_pid;
/* ... or a copy that only tells how it ended (attempt.c): if it waits for ever, by this status. */
extern bool hd_verdict_is_copy;
#define HD_COPY_WAITS 67
/* exit() was called: by whom and where, should the status be a failure's. */
void hd_verdict_exit(u64 site);
/* Brings the run's numbers in shared memory up to date. */
void hd_stats_publish(void);
/* For sigaction(): is this one of the signals whose real handler stays ours? */
bool hd_verdict_owns(int signo);

#endif
