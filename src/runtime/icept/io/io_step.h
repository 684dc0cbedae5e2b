/* io_step.h: calls for input and output that do not wait. hd_io_step itself is in rt.h: hooks
 * outside of icept/io use it, too. All with the baton held.
 */
#ifndef HD_IO_STEP_H
#define HD_IO_STEP_H

#include "runtime/core/rt.h"

/* hd_io_step for a call that is no cancellation point. */
void hd_io_quiet_step(int fd, u64 site);
/* ... for a call that closes the descriptor. */
void hd_io_close_step(int fd, u64 site, bool is_quiet);
/* The calling thread's non-blocking call at `site` found nothing to do: if the
 * next one is there again, it is a spin loop. */
void hd_io_no_progress(u64 site);
/* Thread t waited since. */
void hd_io_progress(u16 t);

/* A call that looks at what others may change, and is no step. Many in a row are a
 * loop that waits: others get a turn. */
void hd_io_query(u64 site);
/* ... at a file or a folder (`fd`, or -1: by name). What it tells need not be true any more when
 * the thread acts on it: a step, if there are other threads. */
void hd_io_look(int fd, u64 site);
/* A call that changes a file or a folder; `op_flags`: 0 or HD_OP_CANCEL. */
void hd_io_change(int fd, u64 site, u8 op_flags);

#endif
