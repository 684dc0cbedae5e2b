/* transfer.c: see transfer.h.
 *
 * A blocking write of more than fits must not block in the kernel, yet must
 * write all of it. So it goes in pieces: to a pipe PIPE_BUF bytes at a time
 * (when poll says writable, that much fits; and such a piece is as atomic as
 * POSIX asks), to a socket with MSG_DONTWAIT, as much as it takes.
 */
#include "runtime/icept/io/transfer.h"

#include "runtime/filter/fill.h"
#include "runtime/icept/io/io_result.h"
#include "runtime/icept/signal/sig_descriptor.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"

#define SUMMED 4096 /* bytes of a read that are compared */
#include "runtime/libc/user_mem.h"

#define MAX_PARTS 1024 /* UIO_MAXIOV */

/* ---- memory --------------------------------------------------------------- */

size_t hd_iov_bytes(const struct iovec *iov, int n)
{
    if (!hd_user_can_read(iov, n > 0 ? (size_t)n * sizeof *iov : 0))
        return 0; /* the call itself says so */
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += iov[i].iov_len;
    return sum;
}

void hd_access_iov(const struct iovec *iov, int n, size_t bytes, bool is_write, u64 site)
{
    if (!hd_user_can_read(iov, n > 0 ? (size_t)n * sizeof *iov : 0))
        return; /* the call itself says so */
    for (int i = 0; i < n && bytes; i++) {
        size_t k = HD_MIN(iov[i].iov_len, bytes);
        if (k)
            hd_access(iov[i].iov_base, k, is_write, site);
        bytes -= k;
    }
}

int hd_iov_cut(struct iovec *to, const struct iovec *iov, int n, size_t skip, size_t max)
{
    int parts = 0;
    for (int i = 0; i < n && max; i++) {
        if (skip >= iov[i].iov_len) {
            skip -= iov[i].iov_len;
            continue;
        }
        size_t k = HD_MIN(iov[i].iov_len - skip, max);
        to[parts++] = (struct iovec){(char *)iov[i].iov_base + skip, k};
        max -= k;
        skip = 0;
    }
    return parts;
}

/* ---- before and after -------------------------------------------------------- */

/* Timeout of a socket as a deadline; HD_NEVER for anything else. */
static s64 socket_deadline(int fd, int opt)
{
    struct timeval tv;
    socklen_t len = sizeof tv;
    if (hd_sys(SYS_getsockopt, fd, SOL_SOCKET, opt, &tv, &len) < 0 || (!tv.tv_sec && !tv.tv_usec))
        return HD_NEVER;
    return hd_deadline_rel(hd_ns_of(tv.tv_sec, tv.tv_usec * 1000ll));
}

int hd_socket_option(int fd, int option)
{
    int value = 0;
    socklen_t n = sizeof value;
    return hd_sys(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &n) < 0 ? -1 : value;
}

/* Of a Unix socket that is full, poll does not tell that it was shut down for sending; a write of
 * nothing does. */
static int can_send(void *arg)
{
    struct pollfd p = {.fd = *(int *)arg, .events = POLLOUT};
    return hd_sys(SYS_poll, &p, 1, 0) > 0 ||
           hd_sys(SYS_sendto, p.fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0) == -EPIPE;
}

static bool is_unix_stream(int fd)
{
    return hd_socket_option(fd, SO_DOMAIN) == AF_UNIX && hd_socket_option(fd, SO_TYPE) == SOCK_STREAM;
}

/* A terminal that is read byte by byte may end the wait by time: VMIN is 0. HD_NEVER if not. */
static s64 terminal_deadline(int fd)
{
    struct { u32 input, output, control, local; u8 line, cc[19]; } t; /* as the kernel has it */
    if (hd_fd_kind(fd) != S_IFCHR || hd_sys(SYS_ioctl, fd, TCGETS, &t) < 0 || (t.local & ICANON) ||
        t.cc[VMIN])
        return HD_NEVER;
    return hd_deadline_rel(t.cc[VTIME] * 100000000ll);
}

int hd_fd_wait(int fd, short events, int timeout_opt, u64 site, u8 op_flags, u8 how)
{
    struct pollfd p = {.fd = fd, .events = events};
    struct hd_wait w = {.fds = &p, .n = 1};
    s64 deadline = HD_NEVER, terminal = HD_NEVER;
    if (hd_fd_is_no_step(fd, site, op_flags))
        return 0;
    if (hd_sys(SYS_poll, &p, 1, 0) == 0) {
        deadline = socket_deadline(fd, timeout_opt);
        terminal = events == POLLIN ? terminal_deadline(fd) : HD_NEVER;
        if (events == POLLOUT && is_unix_stream(fd)) {
            w.probe = can_send;
            w.arg = &p.fd;
        }
    }
    if (deadline != HD_NEVER)
        how |= HD_WAIT_NO_RESTART; /* see signal(7) */
    int err = hd_wait_full(&w, HD_MIN(deadline, terminal), fd, site, op_flags, how);
    return err != ETIMEDOUT ? err : terminal != HD_NEVER ? 0 : EAGAIN;
}

int hd_fd_wait_until(int fd, int (*is_ready)(void *arg), void *arg, u64 site, u8 op_flags, u8 how)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct hd_wait w = {.fds = &p, .n = 1, .probe = is_ready, .arg = arg};
    s64 deadline = is_ready(arg) ? HD_NEVER : socket_deadline(fd, SO_RCVTIMEO);
    if (deadline != HD_NEVER)
        how |= HD_WAIT_NO_RESTART;
    int err = hd_wait_full(&w, deadline, fd, site, op_flags, how);
    return err == ETIMEDOUT ? EAGAIN : err;
}

int hd_socket_role(int fd)
{
    int is_listening = 0;
    socklen_t n = sizeof is_listening;
    if (hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &n) < 0)
        return HD_SOCKET_NONE;
    return is_listening ? HD_SOCKET_LISTENS : HD_SOCKET_TALKS;
}

int hd_need_is_met(void *arg)
{
    const struct hd_need *need = arg;
    struct pollfd p = {.fd = need->fd, .events = POLLIN | POLLRDHUP};
    int n = 0;
    if (hd_sys(SYS_poll, &p, 1, 0) <= 0)
        return 0;
    return (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) ||
           hd_sys(SYS_ioctl, need->fd, FIONREAD, &n) < 0 || n >= need->bytes;
}

s64 hd_need_by_mark(int fd, s64 total)
{
    int mark = total > 1 ? hd_socket_option(fd, SO_RCVLOWAT) : 1;
    bool counts = mark > 1 && hd_socket_option(fd, SO_DOMAIN) == AF_UNIX &&
                  hd_socket_option(fd, SO_TYPE) == SOCK_STREAM;
    return counts ? HD_MIN(total, (s64)mark) : 1;
}

/* Before a read of `n` bytes that may block. */
static int wait_for_bytes(int fd, size_t n, u64 site, u8 how)
{
    struct hd_need need = {fd, hd_need_by_mark(fd, (s64)HD_MIN(n, (size_t)INT_MAX))};
    return need.bytes > 1 ? hd_fd_wait_until(fd, hd_need_is_met, &need, site, HD_IO_FLAGS, how)
                          : hd_fd_wait(fd, POLLIN, SO_RCVTIMEO, site, HD_IO_FLAGS, how);
}

int hd_before_in(int fd, u64 site)
{
    if (hd_fd_is_ours(fd))
        return EBADF;
    if (hd_fd_blocks(fd, O_RDONLY))
        return hd_fd_wait(fd, POLLIN, SO_RCVTIMEO, site, HD_IO_FLAGS, 0);
    hd_io_step(fd, site);
    return 0;
}

int hd_before_external(int fd, size_t *n, bool *is_recorded, u64 site)
{
    *is_recorded = hd_io_result_concerns(fd);
    if (hd_fd_is_ours(fd))
        return EBADF;
    int err = 0;
    if (hd_fd_blocks(fd, O_RDONLY)) {
        err = wait_for_bytes(fd, n ? *n : 0, site, *is_recorded ? HD_WAIT_RECORDED : 0);
        if (err && *is_recorded)
            hd_io_result_note(fd, err == EINTR ? -EINTR : -ETIMEDOUT);
    } else {
        hd_io_step(fd, site);
    }
    if (!err && *is_recorded && (err = hd_io_result_await(fd, n)))
        hd_io_result_note(fd, -err);
    return err;
}

/* Of the first bytes that were read, to be compared in a replay; never 0. */
static u16 sum_of(const struct iovec *iov, int n, ssize_t bytes)
{
    u32 h = 2166136261u;
    s64 left = HD_MIN(bytes, (ssize_t)SUMMED);
    for (int i = 0; i < n && left > 0; i++) {
        const u8 *p = iov[i].iov_base;
        s64 k = HD_MIN(left, (s64)iov[i].iov_len);
        for (s64 j = 0; j < k; j++)
            h = (h ^ p[j]) * 16777619u;
        left -= k;
    }
    return (u16)(h ^ h >> 16) | 1;
}

ssize_t hd_after_external(int fd, ssize_t r, bool is_recorded, const struct iovec *iov, int n)
{
    u16 sum = is_recorded && r > 0 && n ? sum_of(iov, n, r) : 0;
    const struct hd_io_result *a = sum ? hd_io_result_now(fd) : NULL;
    if (a && a->sum && a->sum != sum)
        hd_io_result_differs(fd);

    if (HD_UNLIKELY(hd_sig_descriptors) && r > 0)
        hd_sig_descriptor_read();
    if (is_recorded)
        hd_io_result_note_read(fd, r < 0 ? -errno : r, sum);
    return r;
}

int hd_before_out(int fd, u64 site)
{
    if (hd_fd_is_ours(fd))
        return EBADF;
    if (hd_fd_blocks(fd, O_WRONLY))
        return hd_fd_wait(fd, POLLOUT, SO_SNDTIMEO, site, HD_IO_FLAGS, 0);
    hd_io_step(fd, site);
    return 0;
}

ssize_t hd_after_out(ssize_t r, u64 site)
{
    hd_io_dirty = true;
    if (r < 0 && errno == EAGAIN)
        hd_io_no_progress(site);
    if (HD_UNLIKELY(r < 0 && (errno == EPIPE || errno == EFBIG))) {
        int err = errno; /* the handler of SIGPIPE, SIGXFSZ runs before the call returns */
        hd_sig_deliver_now();
        errno = err;
    }
    return r;
}

ssize_t hd_after_in(ssize_t r, void *buf, u64 site)
{
    hd_after_out(r, site);
    if (r > 0)
        hd_fill_state(buf, (size_t)r, site);
    return r;
}

ssize_t hd_after_iov(ssize_t r, const struct iovec *iov, int n, u64 site)
{
    hd_after_out(r, site);
    if (r > 0 && hd_user_can_read(iov, n > 0 ? (size_t)n * sizeof *iov : 0))
        hd_fill_state_iov(iov, n, (size_t)r, site);
    return r;
}

/* ---- blocking writes ------------------------------------------------------------ */

/* One datagram to a socket whose receiver is full though poll says writable
 * (an unconnected Unix socket): only trying tells. */
struct attempt {
    int fd, flags;
    const struct msghdr *m;
    ssize_t r;
    int err;
};

static int try_send(void *arg)
{
    struct attempt *a = arg;
    if (a->r >= 0 || a->err != EAGAIN)
        return 1;
    long r = hd_sys(SYS_sendmsg, a->fd, a->m, a->flags | MSG_DONTWAIT);
    a->r = r < 0 ? -1 : r;
    a->err = r < 0 ? (int)-r : 0;
    return a->err != EAGAIN;
}

static ssize_t send_stubbornly(int fd, const struct msghdr *m, int flags, u64 site)
{
    struct attempt a = {.fd = fd, .flags = flags, .m = m, .r = -1, .err = EAGAIN};
    struct hd_wait w = {.probe = try_send, .arg = &a};
    int err = hd_wait_full(&w, socket_deadline(fd, SO_SNDTIMEO), fd, site, HD_OP_INTERRUPTIBLE,
                           hd_io_is_shared ? HD_WAIT_EXTERNAL : 0);
    hd_io_dirty = true;
    if (a.r >= 0)
        return a.r;
    return hd_fail(a.err != EAGAIN ? a.err : err == EINTR ? EINTR : EAGAIN);
}

ssize_t hd_send_message(int fd, const struct msghdr *m, int flags, u64 site)
{
    if (!hd_user_can_read(m, sizeof *m) ||
        !hd_user_can_read(m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov))
        return HD_REAL(sendmsg)(fd, m, flags | MSG_DONTWAIT); /* EFAULT, or what comes first */
    if (m->msg_iovlen > MAX_PARTS)
        return HD_REAL(sendmsg)(fd, m, flags); /* fails */
    int n = (int)m->msg_iovlen;
    size_t total = hd_iov_bytes(m->msg_iov, n), done = 0;
    hd_access_iov(m->msg_iov, n, total, false, site);
    if ((flags & MSG_DONTWAIT) || !hd_fd_blocks(fd, O_WRONLY) ||
        hd_socket_role(fd) != HD_SOCKET_TALKS) {
        hd_io_step(fd, site);
        return hd_after_out(HD_REAL(sendmsg)(fd, m, flags), site);
    }
    int type = 0;
    socklen_t len = sizeof type;
    hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len);
    struct iovec part[n ? n : 1];
    do {
        int err =
            hd_fd_wait(fd, POLLOUT, SO_SNDTIMEO, site, done ? HD_OP_INTERRUPTIBLE : HD_IO_FLAGS, 0);
        if (err)
            return done ? (ssize_t)done : hd_fail(err);
        struct msghdr now = *m;
        if (done) {
            now.msg_control = NULL;
            now.msg_controllen = 0;
        }
        now.msg_iov = part;
        now.msg_iovlen = (size_t)hd_iov_cut(part, m->msg_iov, n, done, SIZE_MAX);
        ssize_t r = HD_REAL(sendmsg)(fd, &now, flags | MSG_DONTWAIT);
        hd_io_dirty = true;
        if (r < 0 && errno == EAGAIN && type != SOCK_STREAM)
            return send_stubbornly(fd, m, flags, site);
        if (r < 0 && errno != EAGAIN)
            return done ? (ssize_t)done : hd_after_out(r, site);
        if (r >= 0)
            done += (size_t)r;
        if (type != SOCK_STREAM)
            break;
    } while (done < total);
    return (ssize_t)done;
}

static ssize_t write_to_pipe(int fd, const struct iovec *iov, int n, u64 site)
{
    size_t total = hd_iov_bytes(iov, n), done = 0;
    struct iovec part[n ? n : 1];
    do {
        int err =
            hd_fd_wait(fd, POLLOUT, SO_SNDTIMEO, site, done ? HD_OP_INTERRUPTIBLE : HD_IO_FLAGS, 0);
        if (err)
            return done ? (ssize_t)done : hd_fail(err);
        int parts = hd_iov_cut(part, iov, n, done, PIPE_BUF);
        ssize_t r = HD_REAL(writev)(fd, part, parts);
        hd_io_dirty = true;
        if (r < 0)
            return done ? (ssize_t)done : hd_after_out(r, site);
        done += (size_t)r;
    } while (done < total);
    return (ssize_t)done;
}

ssize_t hd_write_all(int fd, const struct iovec *iov, int n, u64 site)
{
    if (hd_fd_is_ours(fd))
        return hd_fail(EBADF);
    if (n < 0 || n > MAX_PARTS)
        return HD_REAL(writev)(fd, iov, n);
    if (!hd_user_can_read(iov, (size_t)n * sizeof *iov))
        return hd_fail(EFAULT);
    u32 kind = hd_fd_kind(fd);
    if (kind == S_IFSOCK) {
        struct msghdr m = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)n};
        return hd_send_message(fd, &m, 0, site);
    }
    hd_access_iov(iov, n, SIZE_MAX, false, site);
    if (kind == S_IFIFO && hd_fd_blocks(fd, O_WRONLY))
        return write_to_pipe(fd, iov, n, site);
    int err = hd_before_out(fd, site);
    if (err)
        return hd_fail(err);
    return hd_after_out(HD_REAL(writev)(fd, iov, n), site);
}
