/* select.c: select and pselect; see poll_wait.h. */
#include "runtime/icept/io/wait/poll_wait.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define SELECT_MAX 8192 /* descriptors in a select() we follow */

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
    const struct hd_io_result *result;
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
    const struct hd_io_result *e;
    for (u32 i = 0; (e = hd_io_result_more(g->result, i)); i++)
        if (e->what < 0 || e->what >= got.n || (e->value & ~(s64)events_of(&got, e->what)))
            return false;
    return true;
}

static int select_as_recorded(const struct hd_io_result *a, struct selecting *s,
                              const struct pollfd *fds, u32 n)
{
    static const short event[3] = {POLLIN, POLLOUT, POLLPRI};
    struct selecting_again g = {a, s};
    const struct hd_io_result *e;
    bool is_error = a->value < 0 && !hd_io_result_is_none(a);
    if (is_error || (a->value > 0 && !hd_io_result_until(is_selected, &g))) {
        struct timespec zero = {0, 0};
        long r = hd_sys(SYS_pselect6, s->n, s->set[0], s->set[1], s->set[2], &zero, 0);
        return r < 0 ? (int)hd_fail((int)-r) : (int)r;
    }
    for (u32 k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            if (s->set[i])
                hd_bit_clear((u64 *)s->set[i], (u32)fds[k].fd);
    for (u32 k = 0; a->value > 0 && (e = hd_io_result_more(a, k)); k++)
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
    bool is_recorded = hd_poll_is_external(fds, w.n);
    int err = hd_poll_wait(&w, deadline, only, site, is_recorded);
    const struct hd_io_result *a = is_recorded ? hd_io_result_now(only) : NULL;
    struct timeval zero = {0, 0};
    int r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? select_as_recorded(a, &s, fds, w.n)
                         : HD_REAL(select)(n, in, out, ex, &zero);
    if (is_recorded) {
        hd_io_result_note(only, hd_poll_result(r, err));
        for (u32 i = 0; i < w.n && r > 0; i++)
            if (events_of(&s, fds[i].fd))
                hd_io_result_note_more(fds[i].fd, events_of(&s, fds[i].fd));
    }
    if (err == EINTR)
        return r;
    if (r == 0)
        hd_io_no_progress(site);
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
        deadline = hd_deadline_rel(hd_ns_of(timeout->tv_sec, timeout->tv_usec * 1000ll));
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
    if (!hd_poll_is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
    if (hd_poll_is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    u64 before = hd_sig_enter_mask(mask);
    int r = do_select(n, in, out, ex, hd_poll_deadline_ts(timeout), HD_SITE());
    hd_sig_leave_mask(mask, before);
    return r;
}
