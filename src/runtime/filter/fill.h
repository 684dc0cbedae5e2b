/* fill.h: memory that a call of the system fills for the program (read, recv, fread). How many
 * bytes it will be is known afterwards only, so the call is made first, and its access is stated
 * then. At a scheduling point another thread may run there, before the access: it must find what
 * was there before. So the bytes are taken out again while the access waits for its turn.
 *
 *   hd_fill_keep(buf, n, site)   right before the call: no scheduling point in between
 *   r = HD_REAL(read)(fd, buf, n)
 *   hd_fill_state(buf, r, site)  states the access, and lets the bytes in
 */
#ifndef HD_FILL_H
#define HD_FILL_H

#include "runtime/core/rt.h"

#include <sys/uio.h>

/* Nothing, unless the site is a scheduling point. Pre: hd_on(). */
void hd_fill_keep(const void *buf, size_t n, u64 site);
void hd_fill_keep_iov(const struct iovec *iov, int n, u64 site);
/* `bytes` of it were filled. */
void hd_fill_state(const void *buf, size_t bytes, u64 site);
void hd_fill_state_iov(const struct iovec *iov, int n, size_t bytes, u64 site);

#endif
