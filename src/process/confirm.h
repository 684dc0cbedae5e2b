/* confirm.h: does the same schedule give the same failure? See confirm.c. */
#ifndef HD_PROCESS_CONFIRM_H
#define HD_PROCESS_CONFIRM_H

#include "event/replay/replay.h"
#include "process/worker.h"

#define HD_CONFIRM_TIMES 5

/* Replays r up to *times times on a worker, fewer if it is time to stop; *times is then
 * how often. Returns how often verdict and event hash were the same. A server that dies
 * is started again and the replay it owes repeated; if it does so again and again the
 * worker is left dead. The last run is left in the worker's shared memory; the site table
 * and the configuration are as before. */
u32 hd_confirm(struct hd_worker *w, const struct hd_replay *r, u32 *times, u32 timeout_ms);

/* What replays change in a worker's shared memory and the campaign needs back. */
struct hd_worker_state {
    struct hd_config cfg;
    struct hd_learned learned;
    u32 n_sites;
    struct hd_site *sites; /* those of the table */
};
/* 0 or negative errno; put_back gives the memory back as well. */
int hd_worker_remember(struct hd_worker_state *b, struct hd_worker *w);
void hd_worker_put_back(struct hd_worker_state *b, struct hd_worker *w);

#endif
