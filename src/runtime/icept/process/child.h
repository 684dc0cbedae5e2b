/* child.h: the children this run has made, by number: their process numbers differ
 * from run to run. Baton held. */
#ifndef HD_CHILD_H
#define HD_CHILD_H

#include "runtime/core/rt.h"

/* From now on other processes act on this one: descriptors may have a second owner,
 * signals may come from outside. Before the child is made. */
void hd_child_expect(void);
/* It was made; pid <= 0: it was not. */
void hd_child_made(pid_t pid);
/* It was waited for and is no more; -1: there are no children at all. */
void hd_child_reaped(pid_t pid);
/* Does one of them run? Not by the record, but now. */
bool hd_child_runs(void);

/* Number of a child, from 1; 0 = not known. And back. */
u32 hd_child_number(pid_t pid);
pid_t hd_child_pid(u32 number);

/* May a signal still come that the program handles or waits for: is a child alive? */
bool hd_child_may_signal(void);

/* In a replay that waits for a signal: the kernel merges SIGCHLDs that come close to each
 * other, so fewer may come than in the recorded run. True: the missing one was made up. */
bool hd_child_make_up(void);
extern u32 hd_child_signals; /* SIGCHLDs that came from outside */

#endif
