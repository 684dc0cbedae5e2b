/* poll.c: poll, select, epoll. They wait in wait_io.c with timeouts in
 * virtual time; the real call, with timeout 0, then fills in the results. */
#include "runtime/icept/io/transfer.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define STACK_FDS 1024   /* copies of more are mapped */
#define MAX_WATCHED 4096 /* by epoll, of which a replay knows */
#define POLLABLE (POLLIN | POLLPRI | POLLOUT | POLLERR | POLLHUP | POLLRDHUP)
#define SELECT_MAX 8192 /* descriptors in a select() we follow */

/* ---- shared ------------------------------------------------------------------- */

static s64 deadline_ms(int ms) { return ms < 0 ? HD_NEVER : hd_deadline_rel(ms * 1000000ll); }

static s64 deadline_ts(const struct timespec *ts)
{
    return ts ? hd_deadline_rel(ts->tv_sec * 1000000000ll + ts->tv_nsec) : HD_NEVER;
}

/* The wait of all calls here; a passed deadline is just a step. 0 (look what is
 * ready), ETIMEDOUT or EINTR. */
static int wait_for(const struct hd_wait *w, s64 deadline, int fd, u64 site, bool is_outside)
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
                        HD_WAIT_NO_RESTART | (is_outside ? HD_WAIT_ANSWERED : 0));
}

static bool is_any_outside(const struct pollfd *fds, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (fds[i].fd >= 0 && hd_answer_concerns(fds[i].fd))
            return true;
    return false;
}

/* What a list of results is recorded under: nothing was ready before the time was
 * over is not the same as a call that did not wait. */
static s64 answer_of(int r, int err)
{
    return err == EINTR ? -EINTR : err == ETIMEDOUT && r == 0 ? -ETIMEDOUT : r < 0 ? -errno : r;
}

/* The arguments that several calls have. */
static bool is_readable(const struct timespec *timeout, const sigset_t *mask)
{
    return (!timeout || hd_user_can_read(timeout, sizeof *timeout)) &&
           (!mask || hd_user_can_read(mask, sizeof(u64)));
}

static bool is_bad_time(const struct timespec *ts)
{
    return ts && (ts->tv_sec < 0 || ts->tv_nsec < 0 || ts->tv_nsec > 999999999);
}

/* ---- poll ------------------------------------------------------------------------ */

struct polling {
    const struct hd_answer *answer;
    struct pollfd *fds;
    nfds_t n;
};

/* Is everything ready that was? Then that, and no more, is the result. */
static bool is_as_recorded(void *arg)
{
    struct polling *p = arg;
    const struct hd_answer *e;
    hd_sys(SYS_poll, p->fds, p->n, 0);
    for (u32 i = 0; (e = hd_answer_more(p->answer, i)); i++)
        if ((u64)e->what >= p->n || (e->value & ~(s64)p->fds[e->what].revents))
            return false;
    return true;
}

static int poll_as_recorded(const struct hd_answer *a, struct pollfd *fds, nfds_t n)
{
    struct polling p = {a, fds, n};
    const struct hd_answer *e;
    bool is_error = a->value < 0 && !hd_answer_is_none(a);
    if (is_error || (a->value > 0 && !hd_answer_until(is_as_recorded, &p)))
        return HD_REAL(poll)(fds, n, 0);
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = 0;
    for (u32 i = 0; a->value > 0 && (e = hd_answer_more(a, i)); i++)
        fds[e->what].revents = (short)e->value;
    return a->value > 0 ? (int)a->value : 0;
}

static int poll_with(struct pollfd *copy, struct pollfd *fds, nfds_t n, s64 deadline, u64 site)
{
    hd_memcpy(copy, fds, n * sizeof *fds);
    struct hd_wait w = {.fds = copy, .n = (u32)n};
    int only = n == 1 ? fds[0].fd : -1;
    bool is_outside = is_any_outside(fds, (u32)n);
    int err = wait_for(&w, deadline, only, site, is_outside);
    const struct hd_answer *a = is_outside ? hd_answer_now(only) : NULL;
    int r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? poll_as_recorded(a, fds, n)
                         : HD_REAL(poll)(fds, n, 0);
    if (is_outside) {
        hd_answer_note(only, answer_of(r, err));
        for (nfds_t i = 0; i < n && r > 0; i++)
            if (fds[i].revents)
                hd_answer_note_more((s32)i, fds[i].revents);
    }
    if (r == 0)
        hd_io_fruitless(site);
    return r;
}

static int do_poll(struct pollfd *fds, nfds_t n, s64 deadline, u64 site)
{
    if (n > INT_MAX / sizeof *fds)
        return (int)hd_fail(EINVAL);
    if (!hd_user_can_read(fds, n * sizeof *fds))
        return (int)hd_fail(EFAULT);
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
    if (!is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
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

struct selecting_again {
    const struct hd_answer *answer;
    struct selecting *s;
};

/* As is_as_recorded, but by select's own notion of ready. */
static bool is_selected(void *arg)
{
    struct selecting_again *g = arg;
    u64 copy[3][SELECT_MAX / 64];
    struct selecting got = {g->s->n, {copy[0], copy[1], copy[2]}};
    struct timespec zero = {0, 0};
    size_t bytes = (size_t)(g->s->n + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        if (g->s->set[i])
            hd_memcpy(copy[i], g->s->set[i], bytes);
        else
            hd_memset(copy[i], 0, bytes);
    }
    hd_sys(SYS_pselect6, got.n, copy[0], copy[1], copy[2], &zero, 0);
    const struct hd_answer *e;
    for (u32 i = 0; (e = hd_answer_more(g->answer, i)); i++)
        if (e->what < 0 || e->what >= got.n || (e->value & ~(s64)events_of(&got, e->what)))
            return false;
    return true;
}

static int select_as_recorded(const struct hd_answer *a, struct selecting *s,
                              const struct pollfd *fds, u32 n)
{
    static const short event[3] = {POLLIN, POLLOUT, POLLPRI};
    struct selecting_again g = {a, s};
    const struct hd_answer *e;
    bool is_error = a->value < 0 && !hd_answer_is_none(a);
    if (is_error || (a->value > 0 && !hd_answer_until(is_selected, &g))) {
        struct timespec zero = {0, 0};
        long r = hd_sys(SYS_pselect6, s->n, s->set[0], s->set[1], s->set[2], &zero, 0);
        return r < 0 ? (int)hd_fail((int)-r) : (int)r;
    }
    for (u32 k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            if (s->set[i])
                hd_bit_clear((u64 *)s->set[i], (u32)fds[k].fd);
    for (u32 k = 0; a->value > 0 && (e = hd_answer_more(a, k)); k++)
        for (int i = 0; i < 3; i++)
            if (s->set[i] && (e->value & event[i]))
                hd_bit_set((u64 *)s->set[i], (u32)e->what);
    return a->value > 0 ? (int)a->value : 0;
}

static int do_select(int n, fd_set *in, fd_set *out, fd_set *ex, s64 deadline, u64 site)
{
    if (n < 0 || n > SELECT_MAX)
        return (int)hd_fail(EINVAL);
    struct selecting s = {n, {(u64 *)in, (u64 *)out, (u64 *)ex}};
    for (int i = 0; i < 3; i++)
        if (s.set[i] && !hd_user_can_read(s.set[i], (size_t)(n + 63) / 64 * 8))
            return (int)hd_fail(EFAULT);
    u32 members = 0;
    for (int fd = 0; fd < n; fd++)
        members += events_of(&s, fd) != 0;
    struct pollfd fds[members + 1];
    struct hd_wait w = {.fds = fds, .probe = select_is_ready, .arg = &s};
    for (int fd = 0; fd < n; fd++)
        if (events_of(&s, fd))
            fds[w.n++] = (struct pollfd){.fd = fd, .events = events_of(&s, fd)};
    int only = w.n == 1 ? fds[0].fd : -1;
    bool is_outside = is_any_outside(fds, w.n);
    int err = wait_for(&w, deadline, only, site, is_outside);
    const struct hd_answer *a = is_outside ? hd_answer_now(only) : NULL;
    struct timeval zero = {0, 0};
    int r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? select_as_recorded(a, &s, fds, w.n)
                         : HD_REAL(select)(n, in, out, ex, &zero);
    if (is_outside) {
        hd_answer_note(only, answer_of(r, err));
        for (u32 i = 0; i < w.n && r > 0; i++)
            if (events_of(&s, fds[i].fd))
                hd_answer_note_more(fds[i].fd, events_of(&s, fds[i].fd));
    }
    if (err == EINTR)
        return r;
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
        if (!hd_user_can_read(timeout, sizeof *timeout))
            return (int)hd_fail(EFAULT);
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
    if (!is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
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
    const struct hd_answer *answer;
    int epfd;
};

/* By the descriptors themselves: what came in two pieces then and in one now is one
 * edge, which the kernel would tell of once. */
static bool has_happened(void *arg)
{
    const struct epolling *p = arg;
    const struct hd_answer *e;
    for (u32 i = 0; (e = hd_answer_more(p->answer, i)); i++) {
        const struct watched *w = find_watched(p->epfd, -1, (u64)e->value);
        struct pollfd f = {.fd = w ? w->fd : -1, .events = (short)e->what};
        hd_sys(SYS_poll, &f, 1, 0);
        if (e->what & ~(s32)f.revents & POLLABLE)
            return false;
    }
    return true;
}

static int epoll_as_recorded(const struct hd_answer *a, int epfd, struct epoll_event *ev, int max)
{
    struct epolling p = {a, epfd};
    const struct hd_answer *e;
    int n = 0;
    bool is_error = a->value < 0 && !hd_answer_is_none(a);
    if (is_error || (a->value > 0 && !hd_answer_until(has_happened, &p)))
        return HD_REAL(epoll_wait)(epfd, ev, max, 0);
    for (u32 i = 0; a->value > 0 && n < max && (e = hd_answer_more(a, i)); i++) {
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
    if (!is_readable(NULL, mask))
        return (int)hd_fail(EFAULT);
    u64 before = hd_sig_enter_mask(mask);
    bool is_outside = hd_io_is_shared || !hd_fd_is_internal(epfd);
    int r, err;
    do { /* an edge-triggered event may be gone when we look */
        err = wait_for(&w, deadline, epfd, site, is_outside);
        const struct hd_answer *a = is_outside ? hd_answer_now(epfd) : NULL;
        r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? epoll_as_recorded(a, epfd, ev, max)
                         : HD_REAL(epoll_wait)(epfd, ev, max, 0);
        if (is_outside) {
            hd_answer_note(epfd, answer_of(r, err));
            for (int i = 0; i < r; i++)
                hd_answer_note_more((s32)ev[i].events, (s64)ev[i].data.u64);
        }
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
    if (!is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
    if (is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    return do_epoll(epfd, ev, max, deadline_ts(timeout), mask, HD_SITE());
}
