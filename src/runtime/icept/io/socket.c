/* socket.c: sockets. Calls that may block wait first and then use
 * MSG_DONTWAIT: readiness that turns out to be wrong (a bad checksum, another
 * process that was faster) leads back to waiting, not into the kernel. */
#include "runtime/filter/fill.h"
#include "runtime/icept/io/transfer.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

/* ---- connections ------------------------------------------------------------ */

static int before_accept(int fd, bool *is_recorded, u64 site)
{
    if (hd_socket_role(fd) == HD_SOCKET_LISTENS)
        return hd_before_external(fd, NULL, is_recorded, site);
    *is_recorded = false;
    hd_io_step(fd, site);
    return 0;
}

HD_EXPORT int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
    if (!hd_on() || (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC))) /* EINVAL */
        return HD_REAL(accept4)(fd, addr, len, flags);
    u64 site = HD_SITE();
    bool is_recorded;
    int err = before_accept(fd, &is_recorded, site);
    if (err)
        return (int)hd_fail(err);
    socklen_t room = addr && len ? *len : 0;
    int r = (int)hd_after_out(HD_REAL(accept4)(fd, addr, len, flags), site);
    if (r >= 0 && room)
        hd_access(addr, HD_MIN(room, *len), true, site);
    hd_after_external(fd, r, is_recorded, NULL, 0);
    hd_fd_forget(r);
    return r;
}

HD_EXPORT int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
    if (!hd_on())
        return HD_REAL(accept)(fd, addr, len);
    u64 site = HD_SITE();
    bool is_recorded;
    int err = before_accept(fd, &is_recorded, site);
    if (err)
        return (int)hd_fail(err);
    socklen_t room = addr && len ? *len : 0;
    int r = (int)hd_after_out(HD_REAL(accept)(fd, addr, len), site);
    if (r >= 0 && room)
        hd_access(addr, HD_MIN(room, *len), true, site);
    hd_after_external(fd, r, is_recorded, NULL, 0);
    hd_fd_forget(r);
    return r;
}

struct connecting {
    int fd, err;
    const struct sockaddr *addr;
    socklen_t len;
};

/* One try without blocking. O_NONBLOCK is on for the moment of the call only,
 * while nobody else of this process runs. */
static int try_connect(void *arg)
{
    struct connecting *c = arg;
    if (c->err != EAGAIN)
        return 1;
    long fl = hd_sys(SYS_fcntl, c->fd, F_GETFL);
    hd_sys(SYS_fcntl, c->fd, F_SETFL, fl | O_NONBLOCK);
    long r = hd_sys(SYS_connect, c->fd, c->addr, c->len);
    hd_sys(SYS_fcntl, c->fd, F_SETFL, fl);
    c->err = (int)-r;
    return c->err != EAGAIN;
}

static int do_connect(int fd, const struct sockaddr *addr, socklen_t len, u64 site)
{
    hd_access(addr, len, false, site);
    hd_io_step(fd, site);
    hd_io_dirty = true;
    if (!hd_fd_blocks(fd, O_WRONLY))
        return HD_REAL(connect)(fd, addr, len);
    struct connecting c = {fd, EAGAIN, addr, len};
    if (!try_connect(&c)) { /* Unix socket whose queue of connections is full */
        struct hd_wait w = {.probe = try_connect, .arg = &c};
        int err = hd_wait_io(&w, HD_NEVER, fd, site, HD_OP_INTERRUPTIBLE);
        if (err && c.err == EAGAIN)
            return (int)hd_fail(err);
    }
    hd_io_dirty = true;
    if (c.err == EINPROGRESS) {
        int err = hd_fd_wait(fd, POLLOUT, SO_SNDTIMEO, site, HD_OP_INTERRUPTIBLE, 0);
        if (err)
            return (int)hd_fail(err == EAGAIN ? EINPROGRESS : err);
        c.err = EAGAIN; /* the second call gives the result and makes it known to the socket */
        try_connect(&c);
    }
    return c.err ? (int)hd_fail(c.err) : 0;
}

HD_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
    return hd_on() ? do_connect(fd, addr, len, HD_SITE()) : HD_REAL(connect)(fd, addr, len);
}
HD_ALIAS(__connect, connect);

HD_EXPORT int shutdown(int fd, int how)
{
    if (!hd_on())
        return HD_REAL(shutdown)(fd, how);
    hd_io_quiet_step(fd, HD_SITE());
    hd_io_dirty = true;
    return HD_REAL(shutdown)(fd, how);
}

/* ---- receive ------------------------------------------------------------------- */

/* One recvmsg; in a replay of as much as was there. */
static ssize_t receive_now(int fd, struct msghdr *m, int flags, bool is_recorded)
{
    int n = (int)m->msg_iovlen;
    if (!is_recorded || n < 0 || n > IOV_MAX)
        return HD_REAL(recvmsg)(fd, m, flags);
    struct iovec part[n ? n : 1], *whole = m->msg_iov;
    size_t all = hd_iov_bytes(whole, n), max = all;
    int err = hd_io_result_await(fd, &max);
    if (max < all) {
        m->msg_iov = part;
        m->msg_iovlen = (size_t)hd_iov_cut(part, whole, n, 0, max);
    }
    ssize_t r = err ? hd_fail(err) : HD_REAL(recvmsg)(fd, m, flags);
    m->msg_iov = whole;
    m->msg_iovlen = (size_t)n;
    return hd_after_external(fd, r, true, whole, n);
}

static s64 needed(int fd, const struct msghdr *m, int flags)
{
    s64 total = (s64)hd_iov_bytes(m->msg_iov, (int)m->msg_iovlen);
    bool peeks_all = flags & MSG_PEEK && flags & MSG_WAITALL;
    if (total < 2 || (flags & (MSG_OOB | MSG_ERRQUEUE)))
        return 1;
    s64 by_mark = hd_need_by_mark(fd, total);
    bool is_tcp = peeks_all && hd_socket_option(fd, SO_DOMAIN) != AF_UNIX &&
                  hd_socket_option(fd, SO_TYPE) == SOCK_STREAM;
    return is_tcp ? total : by_mark;
}

/* Waits (unless the call is non-blocking), then one real recvmsg without
 * blocking. MSG_WAITALL is the callers'. */
static ssize_t receive_some(int fd, struct msghdr *m, int flags, u64 site, u8 op_flags)
{
    bool is_recorded = !(flags & (MSG_OOB | MSG_ERRQUEUE)) && hd_io_result_concerns(fd);
    if ((flags & MSG_DONTWAIT) || !hd_fd_blocks(fd, O_RDONLY) || hd_socket_role(fd) != HD_SOCKET_TALKS) {
        hd_io_step(fd, site);
        hd_fill_keep_iov(m->msg_iov, (int)m->msg_iovlen, site);
        return hd_after_out(receive_now(fd, m, flags, is_recorded), site);
    }
    short events = flags & MSG_OOB ? POLLPRI : flags & MSG_ERRQUEUE ? 0 : POLLIN;
    struct hd_need need = {fd, needed(fd, m, flags)};
    for (;;) {
        u8 how = is_recorded ? HD_WAIT_RECORDED : 0;
        int err = need.bytes > 1 ? hd_fd_wait_until(fd, hd_need_is_met, &need, site, op_flags, how)
                                 : hd_fd_wait(fd, events, SO_RCVTIMEO, site, op_flags, how);
        if (err) {
            if (is_recorded)
                hd_io_result_note(fd, err == EINTR ? -EINTR : -ETIMEDOUT);
            return hd_fail(err);
        }
        struct msghdr now = *m;
        hd_fill_keep_iov(m->msg_iov, (int)m->msg_iovlen, site);
        ssize_t r =
            receive_now(fd, &now, (flags & ~MSG_WAITALL) | MSG_DONTWAIT, is_recorded);
        hd_io_dirty = true;
        if (r < 0 && errno == EAGAIN)
            continue;
        if (r >= 0) {
            m->msg_namelen = now.msg_namelen;
            m->msg_controllen = now.msg_controllen;
            m->msg_flags = now.msg_flags;
        }
        return r;
    }
}

static ssize_t receive(int fd, struct msghdr *m, int flags, u64 site)
{
    if (!hd_user_can_read(m, sizeof *m) ||
        !hd_user_can_read(m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov))
        return HD_REAL(recvmsg)(fd, m, flags | MSG_DONTWAIT); /* EFAULT, or what comes first */
    ssize_t r = receive_some(fd, m, flags, site, HD_IO_FLAGS);
    int n = (int)m->msg_iovlen, type = 0;
    socklen_t len = sizeof type;
    size_t total = hd_iov_bytes(m->msg_iov, n);
    if (r > 0 && (size_t)r < total && (flags & MSG_WAITALL) &&
        !(flags & (MSG_DONTWAIT | MSG_PEEK)) &&
        hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM) {
        struct iovec part[n];
        while ((size_t)r < total) { /* until full, end of data, error or signal */
            struct msghdr more = {.msg_iov = part};
            more.msg_iovlen = (size_t)hd_iov_cut(part, m->msg_iov, n, (size_t)r, SIZE_MAX);
            ssize_t k = receive_some(fd, &more, flags, site, HD_OP_INTERRUPTIBLE);
            if (k <= 0)
                break;
            r += k;
        }
    }
    if (r > 0) /* MSG_TRUNC may report more than was stored */
        hd_fill_state_iov(m->msg_iov, n, HD_MIN((size_t)r, total), site);
    if (r >= 0)
        hd_writes(&m->msg_flags, sizeof m->msg_flags, site);
    return r;
}

static ssize_t receive_from(int fd, void *buf, size_t n, int flags, struct sockaddr *addr,
                            socklen_t *len, u64 site)
{
    struct iovec iov = {buf, n};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (addr && len) {
        m.msg_name = addr;
        m.msg_namelen = *len;
    }
    ssize_t r = receive(fd, &m, flags, site);
    if (r >= 0 && addr && len)
        *len = m.msg_namelen;
    return r;
}

HD_EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
    if (!hd_on())
        return HD_REAL(recv)(fd, buf, n, flags);
    return receive_from(fd, buf, n, flags, NULL, NULL, HD_SITE());
}

HD_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t size, int flags);
HD_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t size, int flags)
{
    if (n > size)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(recv)(fd, buf, n, flags);
    return receive_from(fd, buf, n, flags, NULL, NULL, HD_SITE());
}

HD_EXPORT ssize_t recvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *addr,
                           socklen_t *len)
{
    if (!hd_on())
        return HD_REAL(recvfrom)(fd, buf, n, flags, addr, len);
    return receive_from(fd, buf, n, flags, addr, len, HD_SITE());
}

HD_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t size, int flags,
                                 struct sockaddr *addr, socklen_t *len);
HD_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t size, int flags,
                                 struct sockaddr *addr, socklen_t *len)
{
    if (n > size)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(recvfrom)(fd, buf, n, flags, addr, len);
    return receive_from(fd, buf, n, flags, addr, len, HD_SITE());
}

HD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    return hd_on() ? receive(fd, m, flags, HD_SITE()) : HD_REAL(recvmsg)(fd, m, flags);
}

HD_EXPORT int recvmmsg(int fd, struct mmsghdr *v, unsigned n, int flags, struct timespec *timeout)
{
    if (!hd_on() || (timeout && !hd_user_can_read(timeout, sizeof *timeout)) ||
        !hd_user_can_read(v, n * sizeof *v))
        return HD_REAL(recvmmsg)(fd, v, n, flags, timeout);
    u64 site = HD_SITE();
    s64 deadline = HD_NEVER;
    if (timeout)
        deadline = hd_deadline_rel(hd_ns_of(timeout->tv_sec, timeout->tv_nsec));
    unsigned done = 0;
    while (done < n) {
        ssize_t r = receive(fd, &v[done].msg_hdr, flags & ~MSG_WAITFORONE, site);
        if (r < 0)
            return done ? (int)done : -1;
        v[done++].msg_len = (unsigned)r;
        if (flags & MSG_WAITFORONE)
            flags |= MSG_DONTWAIT;
        if (hd_rt.sched.now >= deadline) /* looked at after each message only, as Linux does */
            break;
    }
    return (int)done;
}

/* ---- send ------------------------------------------------------------------------- */

static ssize_t send_to(int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr,
                       socklen_t len, u64 site)
{
    struct iovec iov = {(void *)buf, n};
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_name = (void *)addr, .msg_namelen = len};
    return hd_send_message(fd, &m, flags, site);
}

HD_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    if (!hd_on())
        return HD_REAL(send)(fd, buf, n, flags);
    return send_to(fd, buf, n, flags, NULL, 0, HD_SITE());
}
HD_ALIAS(__send, send);

HD_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr,
                         socklen_t len)
{
    if (!hd_on())
        return HD_REAL(sendto)(fd, buf, n, flags, addr, len);
    return send_to(fd, buf, n, flags, addr, len, HD_SITE());
}

HD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    return hd_on() ? hd_send_message(fd, m, flags, HD_SITE()) : HD_REAL(sendmsg)(fd, m, flags);
}

HD_EXPORT int sendmmsg(int fd, struct mmsghdr *v, unsigned n, int flags)
{
    if (!hd_on() || !hd_user_can_read(v, n * sizeof *v))
        return HD_REAL(sendmmsg)(fd, v, n, flags);
    u64 site = HD_SITE();
    for (unsigned done = 0; done < n; done++) {
        ssize_t r = hd_send_message(fd, &v[done].msg_hdr, flags, site);
        if (r < 0)
            return done ? (int)done : -1;
        v[done].msg_len = (unsigned)r;
    }
    return (int)n;
}
