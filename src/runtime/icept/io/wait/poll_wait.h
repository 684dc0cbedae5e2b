/* poll_wait.h: what poll, select and epoll share. They wait in wait_io.c with timeouts in
 * virtual time; the real call, with timeout 0, then fills in the results. */
#ifndef HD_POLL_WAIT_H
#define HD_POLL_WAIT_H

#include "runtime/core/rt.h"

/* Virtual time at which a relative timeout is over. */
s64 hd_poll_deadline_ms(int ms);
s64 hd_poll_deadline_ts(const struct timespec *ts);

/* The wait of all of them; a passed deadline is just a step. 0 (look what is ready),
 * ETIMEDOUT or EINTR. is_recorded: its result is recorded. */
int hd_poll_wait(const struct hd_wait *w, s64 deadline, int fd, u64 site, bool is_recorded);

/* May another process have a say in what is ready? */
bool hd_poll_is_external(const struct pollfd *fds, u32 n);

/* What the result is recorded under: that nothing was ready before the time was over is
 * not the same as a call that did not wait. */
s64 hd_poll_result(int r, int err);

/* The arguments that several calls have: EFAULT if not, EINVAL if so. */
bool hd_poll_is_readable(const struct timespec *timeout, const sigset_t *mask);
bool hd_poll_is_bad_time(const struct timespec *ts);

#endif
