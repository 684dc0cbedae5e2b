/* dispatch.h: system calls that pass no function of libc; see dispatch.c. */
#ifndef HD_DISPATCH_H
#define HD_DISPATCH_H

#include "runtime/core/rt.h"

/* Is there code with futex calls of its own? Once, before runs are forked. */
void hd_dispatch_find(void);
/* The calling thread hands its own calls to us from now on, if there is such code. */
void hd_dispatch_thread(void);
/* SIGSYS: true if it was such a call, which is done then. */
bool hd_dispatch_take(const siginfo_t *info, ucontext_t *uc);

#endif
