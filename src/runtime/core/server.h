/* server.h: the fork server; see server.c. */
#ifndef HD_SERVER_H
#define HD_SERVER_H

#include "runtime/core/rt.h"

/* Fills the scheduler configuration from what the host wrote. */
void hd_server_config(struct hd_sched_config *cfg);

/* Serves runs from here on; returns in the child that is to do a run (every
 * time), never in the server. Does nothing when called again in that child. */
void hd_server_start(void);

#endif
