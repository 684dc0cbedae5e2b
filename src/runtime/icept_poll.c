/* icept_poll.c: poll, select, epoll. They wait in wait_io.c with timeouts in
 * virtual time; the real call, with timeout 0, then fills in the results. */
#include "runtime/transfer.h"

#include "runtime/signals.h"
#include "runtime/sys.h"

#define STACK_FDS 1024  /* copies of more are mapped */
#define SELECT_MAX 8192 /* descriptors in a select() we follow */

/* ---- shared ------------------------------------------------------------------- */

static s64 deadline_ms(int ms) { return ms < 0 ? HD_NEVER : hd_deadline_rel(ms * 1000000ll); }

static s64 deadline_ts(const struct timespec *ts)
{
    return ts ? hd_deadline_rel(ts->tv_sec * 1000000000ll + ts->tv_nsec) : HD_NEVER;
}

/* The wait of all calls here; a passed deadline is just a step. 0 (look what is
 * ready), ETIMEDOUT or EINTR. */
static int wait_for(const struct hd_wait *w, s64 deadline, int fd, u64 site)
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
    return hd_wait_full(w, deadline, fd, site, HD_IO_FLAGS, HD_WAIT_NO_RESTART);
}

static bool is_bad_time(const struct timespec *ts)
{
    return ts && (ts->tv_sec < 0 || ts->tv_nsec < 0 || ts->tv_nsec > 999999999);
}

/* ---- poll ------------------------------------------------------------------------ */

static int poll_with(struct pollfd *copy, struct pollfd *fds, nfds_t n, s64 deadline, u64 site)
{
    hd_memcpy(copy, fds, n * sizeof *fds);
    struct hd_wait w = {.fds = copy, .n = (u32)n};
    if (wait_for(&w, deadline, n == 1 ? fds[0].fd : -1, site) == EINTR)
        return (int)hd_fail(EINTR);
    int r = HD_REAL(poll)(fds, n, 0);
    if (r == 0)
        hd_io_fruitless(site);
    return r;
}

static int do_poll(struct pollfd *fds, nfds_t n, s64 deadline, u64 site)
{
    if (n > INT_MAX / sizeof *fds)
        return (int)hd_fail(EINVAL);
    if (n)
        hd_access(fds, n * sizeof *fds, false, site);
    int r;
    if (n <= STACK_FDS) {
        struct pollfd copy[n ? n : 1];
        r = poll_with(copy, fds, n, deadline, site);
    } else {
        size_t bytes = HD_ALIGN_UP(n * sizeof *fds, 4096);
        long at =
            hd_sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at < 0)
            return (int)hd_fail(ENOMEM);
        r = poll_with((struct pollfd *)at, fds, n, deadline, site);
        hd_sys(SYS_munmap, at, bytes);
    }
    if (r >= 0 && n)
        hd_access(fds, n * sizeof *fds, true, site);
    return r;
}

HD_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    if (!hd_on())
        return HD_REAL(poll)(fds, n, timeout);
    return do_poll(fds, n, deadline_ms(timeout), HD_SITE());
}
HD_ALIAS(__poll, poll);

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
    if (size / sizeof *fds < n)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(poll)(fds, n, timeout);
    return do_poll(fds, n, deadline_ms(timeout), HD_SITE());
}

static int do_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask, u64 site)
{
    if (is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    u64 before = hd_sig_enter_mask(mask);
    int r = do_poll(fds, n, deadline_ts(timeout), site);
    hd_sig_leave_mask(mask, before);
    return r;
}

HD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(ppoll)(fds, n, timeout, mask);
    return do_ppoll(fds, n, timeout, mask, HD_SITE());
}

HD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                          const sigset_t *mask, size_t size);
HD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                          const sigset_t *mask, size_t size)
{
    if (size / sizeof *fds < n)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(ppoll)(fds, n, timeout, mask);
    return do_ppoll(fds, n, timeout, mask, HD_SITE());
}

/* ---- select ------------------------------------------------------------------------- */

struct selecting {
    int n;
    const u64 *set[3]; /* to read, to write, exceptional; may be NULL */
};

static bool is_member(const u64 *set, int fd) { return set && set[fd / 64] >> (fd % 64) & 1; }

/* poll() and select() differ in what ends a wait (a hang-up makes nothing
 * writable), so select itself is asked; poll's view only tells when. */
static int select_is_ready(void *arg)
{
    struct selecting *s = arg;
    u64 copy[3][SELECT_MAX / 64], *set[3];
    size_t bytes = (size_t)(s->n + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        set[i] = s->set[i] ? copy[i] : NULL;
        if (s->set[i])
            hd_memcpy(copy[i], s->set[i], bytes);
    }
    struct timespec zero = {0, 0};
    return hd_sys(SYS_pselect6, s->n, set[0], set[1], set[2], &zero, 0) != 0;
}

static short events_of(const struct selecting *s, int fd)
{
    return (is_member(s->set[0], fd) ? POLLIN : 0) | (is_member(s->set[1], fd) ? POLLOUT : 0) |
           (is_member(s->set[2], fd) ? POLLPRI : 0);
}

static int do_select(int n, fd_set *in, fd_set *out, fd_set *ex, s64 deadline, u64 site)
{
    if (n < 0 || n > SELECT_MAX)
        return (int)hd_fail(EINVAL);
    struct selecting s = {n, {(u64 *)in, (u64 *)out, (u64 *)ex}};
    u32 members = 0;
    for (int fd = 0; fd < n; fd++)
        members += events_of(&s, fd) != 0;
    struct pollfd fds[members + 1];
    struct hd_wait w = {.fds = fds, .probe = select_is_ready, .arg = &s};
    for (int fd = 0; fd < n; fd++)
        if (events_of(&s, fd))
            fds[w.n++] = (struct pollfd){.fd = fd, .events = events_of(&s, fd)};
    int only = w.n == 1 ? fds[0].fd : -1;
    if (wait_for(&w, deadline, only, site) == EINTR)
        return (int)hd_fail(EINTR);
    struct timeval zero = {0, 0};
    int r = HD_REAL(select)(n, in, out, ex, &zero);
    if (r == 0)
        hd_io_fruitless(site);
    fd_set *set[3] = {in, out, ex};
    for (int i = 0; i < 3 && r >= 0; i++)
        if (set[i] && n)
            hd_access(set[i], (size_t)(n + 7) / 8, true, site);
    return r;
}

HD_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *ex, struct timeval *timeout)
{
    if (!hd_on())
        return HD_REAL(select)(n, in, out, ex, timeout);
    s64 deadline = HD_NEVER;
    if (timeout) {
        if (timeout->tv_sec < 0 || timeout->tv_usec < 0)
            return (int)hd_fail(EINVAL);
        deadline = hd_deadline_rel(timeout->tv_sec * 1000000000ll + timeout->tv_usec * 1000ll);
    }
    int r = do_select(n, in, out, ex, deadline, HD_SITE());
    if (timeout) { /* Linux leaves the time not slept */
        s64 left = HD_MAX(deadline - hd_rt.sched.now, 0);
        *timeout = (struct timeval){left / 1000000000, left % 1000000000 / 1000};
    }
    return r;
}
HD_ALIAS(__select, select);

HD_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *ex, const struct timespec *timeout,
                      const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(pselect)(n, in, out, ex, timeout, mask);
    if (is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    u64 before = hd_sig_enter_mask(mask);
    int r = do_select(n, in, out, ex, deadline_ts(timeout), HD_SITE());
    hd_sig_leave_mask(mask, before);
    return r;
}

/* ---- epoll ---------------------------------------------------------------------------- */

HD_EXPORT int epoll_create(int size)
{
    int r = HD_REAL(epoll_create)(size);
    if (r >= 0 && hd_on())
        hd_fd_mark(r, HD_FD_INTERNAL | HD_FD_EPOLL);
    return r;
}

HD_EXPORT int epoll_create1(int flags)
{
    int r = HD_REAL(epoll_create1)(flags);
    if (r >= 0 && hd_on())
        hd_fd_mark(r, HD_FD_INTERNAL | HD_FD_EPOLL);
    return r;
}

HD_EXPORT int epoll_ctl(int epfd, int op, int fd, struct epoll_event *ev)
{
    if (!hd_on())
        return HD_REAL(epoll_ctl)(epfd, op, fd, ev);
    if (hd_fd_is_ours(fd))
        return (int)hd_fail(EBADF);
    hd_io_quiet_step(epfd, HD_SITE());
    hd_io_dirty = true;
    int r = HD_REAL(epoll_ctl)(epfd, op, fd, ev);
    if (r == 0 && op == EPOLL_CTL_ADD)
        hd_fd_epoll_watches(epfd, fd);
    return r;
}

static int do_epoll(int epfd, struct epoll_event *ev, int max, s64 deadline, const sigset_t *mask,
                    u64 site)
{
    struct pollfd p = {.fd = epfd, .events = POLLIN};
    struct hd_wait w = {.fds = &p, .n = 1};
    u64 before = hd_sig_enter_mask(mask);
    int r, err;
    do { /* an edge-triggered event may be gone when we look */
        err = wait_for(&w, deadline, epfd, site);
        r = err == EINTR ? (int)hd_fail(EINTR) : HD_REAL(epoll_wait)(epfd, ev, max, 0);
        hd_io_dirty = true;
    } while (r == 0 && !err && deadline > hd_rt.sched.now);
    if (r == 0)
        hd_io_fruitless(site);
    hd_sig_leave_mask(mask, before);
    if (r > 0)
        hd_access(ev, (size_t)r * sizeof *ev, true, site);
    return r;
}

HD_EXPORT int epoll_wait(int epfd, struct epoll_event *ev, int max, int timeout)
{
    if (!hd_on())
        return HD_REAL(epoll_wait)(epfd, ev, max, timeout);
    return do_epoll(epfd, ev, max, deadline_ms(timeout), NULL, HD_SITE());
}

HD_EXPORT int epoll_pwait(int epfd, struct epoll_event *ev, int max, int timeout,
                          const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(epoll_pwait)(epfd, ev, max, timeout, mask);
    return do_epoll(epfd, ev, max, deadline_ms(timeout), mask, HD_SITE());
}

HD_EXPORT int epoll_pwait2(int epfd, struct epoll_event *ev, int max,
                           const struct timespec *timeout, const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(epoll_pwait2) ? HD_REAL(epoll_pwait2)(epfd, ev, max, timeout, mask)
                                     : (int)hd_fail(ENOSYS);
    if (is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    return do_epoll(epfd, ev, max, deadline_ts(timeout), mask, HD_SITE());
}
