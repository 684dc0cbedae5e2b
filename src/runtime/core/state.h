/* state.h: the program's state as a hash, for sched/livelock.c. See state.c. */
#ifndef HD_STATE_H
#define HD_STATE_H

#include "runtime/core/rt.h"

/* Scheduler callbacks (struct hd_sched_env). */
u64 hd_state_local(void *self, u16 tid);
u64 hd_state_memory(void *self, u16 except, bool is_first);
/* A new run has all its budget. */
void hd_state_begin(void);

#endif
