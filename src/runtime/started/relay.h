/* relay.h: a process that a command of the user's started, and the run it makes; see relay.c. */
#ifndef HD_RELAY_H
#define HD_RELAY_H

#include "runtime/core/rt.h"

/* Forks the run. 0 in it; else its pid or a negative errno, and signals that come from now on
 * are passed on to it. */
long hd_relay_fork(void);
/* The run has ended with this status (of waitpid): so does this process. `kind` and `signo`: its
 * verdict. */
_Noreturn void hd_relay_end(int status, u32 kind, u32 signo);

#endif
