/* server.h: the fork server; see server.c. */
#ifndef HD_SERVER_H
#define HD_SERVER_H

#include "runtime/core/rt.h"

/* Before all else: the server's part of shared memory, where it can be written. */
void hd_server_init(struct hd_shm_server *part);
/* The log of choices is empty, and where it belongs. */
void hd_server_log(void);

/* Scheduler callbacks (struct hd_sched_env): the files of long logs and scripts. */
bool hd_server_spill(void *self, u64 at, const u8 *bytes, u32 n);
u32 hd_server_script(void *self, u64 at, u8 *to, u32 n);

/* Fills the scheduler configuration from what the host wrote. */
void hd_server_config(struct hd_sched_config *cfg);

/* Serves runs from here on; returns in the child that is to do a run (every
 * time), never in the server. Does nothing when called again in that child. */
void hd_server_start(void);

#endif
