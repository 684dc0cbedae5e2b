/* trap.h: atomic instructions and waiting loops that were written in assembly are scheduling
 * points, as those are that the compiler tells of. */
#ifndef HD_TRAP_H
#define HD_TRAP_H

#include "runtime/core/rt.h"
#include <ucontext.h>

/* Once, before the first run: looks through the code that is loaded. */
void hd_trap_init(void);
/* SIGILL: true if it was such an instruction; the program goes on with it. */
bool hd_trap_take(ucontext_t *uc);
/* A fault while such an instruction was carried out is one of the instruction itself. */
void hd_trap_blame(ucontext_t *uc);

#endif
