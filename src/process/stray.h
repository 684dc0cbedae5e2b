/* stray.h: no process of the target outlives heddle; see stray.c. */
#ifndef HD_PROCESS_STRAY_H
#define HD_PROCESS_STRAY_H

#include "process/worker.h"

/* Orphans of the target come to us, not to init. */
void hd_stray_adopt(void);
/* Kills and reaps every child of ours that is none of the workers' servers.
 * `group` != 0: only those of that process group. Returns how many. */
u32 hd_stray_kill(const struct hd_worker *w, u32 n, int group);
/* Has it a child that still runs? */
bool hd_stray_has_child(int pid);
/* Parent of a process, or -1. */
int hd_stray_parent(int pid);

#endif
