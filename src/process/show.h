/* show.h: what the target prints, copied to our own output; see show.c. */
#ifndef HD_PROCESS_SHOW_H
#define HD_PROCESS_SHOW_H

#include "process/worker.h"

/* Before a run is sent: what the last one printed is not shown again. */
void hd_show_begin(struct hd_worker *w);
/* Copies what the run has printed since the last call, if w->is_visible. */
void hd_show(struct hd_worker *w);
/* The same by a process of its own, as long as this process lives: for gdb, which takes our
 * place. 0 or negative errno. */
int hd_show_beside(struct hd_worker *w);

#endif
