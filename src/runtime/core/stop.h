/* stop.h: stopping a thread that runs for long without a scheduling point; see stop.c. */
#ifndef HD_STOP_H
#define HD_STOP_H

#include "runtime/core/rt.h"

/* Processor time of a kernel thread so far, in ns. */
s64 hd_stop_cpu_ns(s32 kernel_tid);

/* A thread had to be stopped, in this run or an earlier one. */
HD_INLINE bool hd_stop_is_known(void)
{
    u32 seen = hd_rt.run->stats.uncontrolled | hd_rt.server->totals.uncontrolled;
    return seen & 1u << HD_UNC_SPIN;
}

/* By a parked thread, which has seen that `holder` ran for `ns` of processor time since
 * the given step: asks it to stop, more firmly each time it is called. */
void hd_stop_ask(u16 holder, u64 step, s64 ns);

/* The program sets a timer or makes a child, so a signal may come: if it has one thread
 * only, the kernel watches that. */
void hd_stop_watch_single(void);

/* By a hook that finds HD_SITE_POLL set: stops the calling thread if it was asked. */
void hd_stop_poll(void);

/* At the gate, while a script is followed that has a stop here: yields first. */
void hd_stop_scripted(void);

#endif
