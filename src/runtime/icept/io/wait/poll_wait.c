/* poll_wait.c: see poll_wait.h. */
#include "runtime/icept/io/wait/poll_wait.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/libc/user_mem.h"

s64 hd_poll_deadline_ms(int ms) { return ms < 0 ? HD_NEVER : hd_deadline_rel(ms * 1000000ll); }

s64 hd_poll_deadline_ts(const struct timespec *ts)
{
    return ts ? hd_deadline_rel(hd_ns_of(ts->tv_sec, ts->tv_nsec)) : HD_NEVER;
}

int hd_poll_wait(const struct hd_wait *w, s64 deadline, int fd, u64 site, bool is_recorded)
{
    if (deadline <= hd_rt.sched.now) {
        hd_io_step(fd, site);
        return 0;
    }
    if (!w->n && deadline != HD_NEVER) { /* a sleep in disguise */
        struct hd_op op = hd_op_make(HD_EV_SLEEP, site, 0);
        op.deadline = deadline;
        op.flags = HD_OP_TIMED | HD_IO_FLAGS;
        return hd_gate(&op).err == EINTR ? EINTR : 0;
    }
    return hd_wait_full(w, deadline, fd, site, HD_IO_FLAGS,
                        HD_WAIT_NO_RESTART | (is_recorded ? HD_WAIT_RECORDED : 0));
}

bool hd_poll_is_external(const struct pollfd *fds, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (fds[i].fd >= 0 && hd_io_result_concerns(fds[i].fd))
            return true;
    return false;
}

s64 hd_poll_result(int r, int err)
{
    return err == EINTR ? -EINTR : err == ETIMEDOUT && r == 0 ? -ETIMEDOUT : r < 0 ? -errno : r;
}

bool hd_poll_is_readable(const struct timespec *timeout, const sigset_t *mask)
{
    return (!timeout || hd_user_can_read(timeout, sizeof *timeout)) &&
           (!mask || hd_user_can_read(mask, sizeof(u64)));
}

bool hd_poll_is_bad_time(const struct timespec *ts)
{
    return ts && (ts->tv_sec < 0 || ts->tv_nsec < 0 || ts->tv_nsec > 999999999);
}
