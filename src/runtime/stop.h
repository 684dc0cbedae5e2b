/* stop.h: stopping a thread that runs for long without a scheduling point; see stop.c. */
#ifndef HD_STOP_H
#define HD_STOP_H

#include "runtime/rt.h"

/* Processor time of a kernel thread so far, in ns. */
s64 hd_stop_cpu_ns(s32 kernel_tid);

/* By a parked thread, which has seen that `holder` ran for `ns` of processor time since
 * the given step: asks it to stop, more firmly each time it is called. */
void hd_stop_ask(u16 holder, u64 step, s64 ns);

/* By a hook that finds HD_SITE_POLL set: stops the calling thread if it was asked. */
void hd_stop_poll(void);

/* At the gate, while a script is followed that has a stop here: yields first. */
void hd_stop_scripted(void);

#endif
