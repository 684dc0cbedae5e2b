/* epoll.c: epoll; see poll_wait.h. */
#include "runtime/icept/io/wait/poll_wait.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define MAX_WATCHED 4096 /* of which a replay knows */
#define POLLABLE (POLLIN | POLLPRI | POLLOUT | POLLERR | POLLHUP | POLLRDHUP)

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

/* Which descriptor is meant by the data of an event. */
static struct watched {
    int epfd, fd;
    u64 data;
} watched[MAX_WATCHED];
static u32 n_watched;

/* By fd, or if that is -1 by data. The latest counts: descriptors are closed silently. */
static struct watched *find_watched(int epfd, int fd, u64 data)
{
    for (u32 i = n_watched; i-- > 0;)
        if (watched[i].epfd == epfd && (fd < 0 ? watched[i].data == data : watched[i].fd == fd))
            return &watched[i];
    return NULL;
}

static void note_watched(int epfd, int op, int fd, const struct epoll_event *ev)
{
    struct watched *w = find_watched(epfd, fd, 0);
    if (w) { /* the order is that of the latest changes */
        for (; w + 1 < watched + n_watched; w++)
            *w = w[1];
        n_watched--;
    }
    if (op != EPOLL_CTL_DEL && n_watched < MAX_WATCHED)
        watched[n_watched++] = (struct watched){epfd, fd, ev->data.u64};
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
    if (r == 0)
        note_watched(epfd, op, fd, ev);
    if (r == 0 && op == EPOLL_CTL_ADD)
        hd_fd_epoll_watches(epfd, fd);
    return r;
}

struct epolling {
    const struct hd_io_result *result;
    int epfd;
};

/* By the descriptors themselves: what came in two pieces then and in one now is one
 * edge, which the kernel would tell of once. */
static bool has_happened(void *arg)
{
    const struct epolling *p = arg;
    const struct hd_io_result *e;
    for (u32 i = 0; (e = hd_io_result_more(p->result, i)); i++) {
        const struct watched *w = find_watched(p->epfd, -1, (u64)e->value);
        struct pollfd f = {.fd = w ? w->fd : -1, .events = (short)e->what};
        hd_sys(SYS_poll, &f, 1, 0);
        if (e->what & ~(s32)f.revents & POLLABLE)
            return false;
    }
    return true;
}

static int epoll_as_recorded(const struct hd_io_result *a, int epfd, struct epoll_event *ev,
                             int max)
{
    struct epolling p = {a, epfd};
    const struct hd_io_result *e;
    int n = 0;
    bool is_error = a->value < 0 && !hd_io_result_is_none(a);
    if (is_error || (a->value > 0 && !hd_io_result_until(has_happened, &p)))
        return HD_REAL(epoll_wait)(epfd, ev, max, 0);
    for (u32 i = 0; a->value > 0 && n < max && (e = hd_io_result_more(a, i)); i++) {
        ev[n].events = (u32)e->what;
        ev[n++].data.u64 = (u64)e->value;
    }
    return n;
}

static int do_epoll(int epfd, struct epoll_event *ev, int max, s64 deadline, const sigset_t *mask,
                    u64 site)
{
    struct pollfd p = {.fd = epfd, .events = POLLIN};
    struct hd_wait w = {.fds = &p, .n = 1};
    if (!hd_poll_is_readable(NULL, mask))
        return (int)hd_fail(EFAULT);
    u64 before = hd_sig_enter_mask(mask);
    bool is_recorded = hd_io_is_shared || !hd_fd_is_internal(epfd);
    int r, err;
    do { /* an edge-triggered event may be gone when we look */
        err = hd_poll_wait(&w, deadline, epfd, site, is_recorded);
        const struct hd_io_result *a = is_recorded ? hd_io_result_now(epfd) : NULL;
        r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? epoll_as_recorded(a, epfd, ev, max)
                         : HD_REAL(epoll_wait)(epfd, ev, max, 0);
        if (is_recorded) {
            hd_io_result_note(epfd, hd_poll_result(r, err));
            for (int i = 0; i < r; i++)
                hd_io_result_note_more((s32)ev[i].events, (s64)ev[i].data.u64);
        }
        hd_io_dirty = true;
    } while (r == 0 && !err && deadline > hd_rt.sched.now);
    if (r == 0)
        hd_io_no_progress(site);
    hd_sig_leave_mask(mask, before);
    if (r > 0)
        hd_access(ev, (size_t)r * sizeof *ev, true, site);
    return r;
}

HD_EXPORT int epoll_wait(int epfd, struct epoll_event *ev, int max, int timeout)
{
    if (!hd_on())
        return HD_REAL(epoll_wait)(epfd, ev, max, timeout);
    return do_epoll(epfd, ev, max, hd_poll_deadline_ms(timeout), NULL, HD_SITE());
}

HD_EXPORT int epoll_pwait(int epfd, struct epoll_event *ev, int max, int timeout,
                          const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(epoll_pwait)(epfd, ev, max, timeout, mask);
    return do_epoll(epfd, ev, max, hd_poll_deadline_ms(timeout), mask, HD_SITE());
}

HD_EXPORT int epoll_pwait2(int epfd, struct epoll_event *ev, int max,
                           const struct timespec *timeout, const sigset_t *mask)
{
    if (!hd_on())
        return HD_REAL(epoll_pwait2) ? HD_REAL(epoll_pwait2)(epfd, ev, max, timeout, mask)
                                     : (int)hd_fail(ENOSYS);
    if (!hd_poll_is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
    if (hd_poll_is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    return do_epoll(epfd, ev, max, hd_poll_deadline_ts(timeout), mask, HD_SITE());
}
