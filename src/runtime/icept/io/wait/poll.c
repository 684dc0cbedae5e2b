/* poll.c: poll and ppoll; see poll_wait.h. */
#include "runtime/icept/io/wait/poll_wait.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define STACK_FDS 1024 /* copies of more are mapped */

struct polling {
    const struct hd_io_result *result;
    struct pollfd *fds;
    nfds_t n;
};

/* Is everything ready that was? Then that, and no more, is the result. */
static bool is_as_recorded(void *arg)
{
    struct polling *p = arg;
    const struct hd_io_result *e;
    hd_sys(SYS_poll, p->fds, p->n, 0);
    for (u32 i = 0; (e = hd_io_result_more(p->result, i)); i++)
        if ((u64)e->what >= p->n || (e->value & ~(s64)p->fds[e->what].revents))
            return false;
    return true;
}

static int poll_as_recorded(const struct hd_io_result *a, struct pollfd *fds, nfds_t n)
{
    struct polling p = {a, fds, n};
    const struct hd_io_result *e;
    bool is_error = a->value < 0 && !hd_io_result_is_none(a);
    if (is_error || (a->value > 0 && !hd_io_result_until(is_as_recorded, &p)))
        return HD_REAL(poll)(fds, n, 0);
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = 0;
    for (u32 i = 0; a->value > 0 && (e = hd_io_result_more(a, i)); i++)
        fds[e->what].revents = (short)e->value;
    return a->value > 0 ? (int)a->value : 0;
}

static int poll_with(struct pollfd *copy, struct pollfd *fds, nfds_t n, s64 deadline, u64 site)
{
    hd_memcpy(copy, fds, n * sizeof *fds);
    struct hd_wait w = {.fds = copy, .n = (u32)n};
    int only = n == 1 ? fds[0].fd : -1;
    bool is_recorded = hd_poll_is_external(fds, (u32)n);
    int err = hd_poll_wait(&w, deadline, only, site, is_recorded);
    const struct hd_io_result *a = is_recorded ? hd_io_result_now(only) : NULL;
    int r = err == EINTR ? (int)hd_fail(EINTR)
            : a          ? poll_as_recorded(a, fds, n)
                         : HD_REAL(poll)(fds, n, 0);
    if (is_recorded) {
        hd_io_result_note(only, hd_poll_result(r, err));
        for (nfds_t i = 0; i < n && r > 0; i++)
            if (fds[i].revents)
                hd_io_result_note_more((s32)i, fds[i].revents);
    }
    if (r == 0)
        hd_io_no_progress(site);
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
    return do_poll(fds, n, hd_poll_deadline_ms(timeout), HD_SITE());
}
HD_ALIAS(__poll, poll);

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
    if (size / sizeof *fds < n)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(poll)(fds, n, timeout);
    return do_poll(fds, n, hd_poll_deadline_ms(timeout), HD_SITE());
}

static int do_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask, u64 site)
{
    if (!hd_poll_is_readable(timeout, mask))
        return (int)hd_fail(EFAULT);
    if (hd_poll_is_bad_time(timeout))
        return (int)hd_fail(EINVAL);
    u64 before = hd_sig_enter_mask(mask);
    int r = do_poll(fds, n, hd_poll_deadline_ts(timeout), site);
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
