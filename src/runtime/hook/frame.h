/* frame.h: whose local variable is at an address on a stack? See frame.c. */
#ifndef HD_RT_FRAME_H
#define HD_RT_FRAME_H

#include "runtime/core/rt.h"

/* The call of an instrumented function whose frame holds `addr`; .pc is 0 if there is none.
 * Reads stacks of threads that do not run by a system call. Baton held. */
struct hd_detail_frame hd_frame_around(u64 addr);

#endif
