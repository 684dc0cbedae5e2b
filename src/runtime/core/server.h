/* server.h: the fork server; see server.c. */
#ifndef HD_SERVER_H
#define HD_SERVER_H

#include "runtime/core/rt.h"

/* Before all else: the server's part of shared memory, where it can be written. */
void hd_server_init(struct hd_shm_server *part);
/* The log of choices is empty, and where it belongs. */
void hd_server_log(void);

/* Fills the scheduler configuration from what the host wrote. */
void hd_server_config(struct hd_sched_config *cfg);

/* Serves runs from here on; returns in the child that is to do a run (every
 * time), never in the server. Does nothing when called again in that child. */
void hd_server_start(void);

#endif
