/* altstack.h: the program's alternate signal stacks. */
#ifndef HD_ALTSTACK_H
#define HD_ALTSTACK_H

#include "runtime/core/rt.h"

/* Gives the calling thread the runtime's own one, for fatal signals. */
void hd_altstack_begin(void *stack, size_t bytes);
/* The calling process is a child that is not controlled: only the program's stays. */
void hd_altstack_release(void);

/* Calls a handler as the kernel would: on the alternate stack of the calling thread if
 * there is one, it is not on it already, and `flags` (sa_flags) say so. */
void hd_altstack_call(void (*handler)(int, siginfo_t *, void *), u64 flags, int signo,
                      siginfo_t *info, void *context);

/* Is this address on the calling thread's alternate stack? */
bool hd_altstack_has(u64 sp);

#endif
