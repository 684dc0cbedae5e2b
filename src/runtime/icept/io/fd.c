/* fd.c: descriptors come and go: open, close, dup, pipe & co. We follow
 * which ones only this process knows (fdinfo.c), hide our own, and recognise
 * the random devices. */
#include "runtime/icept/io/fifo.h"
#include "runtime/icept/io/transfer.h"

#include "runtime/libc/sys.h"
#include "runtime/icept/time/timers.h"
#include "runtime/icept/time/uptime.h"

/* ---- close ---------------------------------------------------------------- */

HD_EXPORT int close(int fd)
{
    if (!hd_on())
        return HD_REAL(close)(fd);
    if (hd_fd_is_ours(fd))
        return (int)hd_fail(EBADF);
    hd_io_close_step(fd, HD_SITE(), false);
    hd_timer_forget_fd(fd);
    hd_fd_forget(fd);
    hd_io_dirty = true;
    return HD_REAL(close)(fd);
}
HD_ALIAS(__close, close);

HD_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!HD_REAL(close_range))
        return (int)hd_fail(ENOSYS);
    if (!hd_on())
        return HD_REAL(close_range)(first, last, flags);
    hd_io_quiet_step((int)first, HD_SITE());
    hd_io_dirty = true;
    if (!(flags & CLOSE_RANGE_CLOEXEC))
        for (unsigned fd = first; fd <= last && fd < HD_SHM_FD; fd++)
            hd_fd_forget((int)fd);
    if (first > last || last < HD_SHM_FD || first > HD_LAST_FD)
        return HD_REAL(close_range)(first, last, flags);
    int r = 0;
    if (first < HD_SHM_FD)
        r = HD_REAL(close_range)(first, HD_SHM_FD - 1, flags);
    if (!r && last > HD_LAST_FD)
        r = HD_REAL(close_range)(HD_LAST_FD + 1, last, flags);
    return r;
}

HD_EXPORT void closefrom(int first)
{
    if (!hd_on() && HD_REAL(closefrom)) {
        HD_REAL(closefrom)(first);
        return;
    }
    close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

/* ---- copies ----------------------------------------------------------------- */

HD_EXPORT int dup(int fd)
{
    if (!hd_on())
        return HD_REAL(dup)(fd);
    if (hd_fd_is_ours(fd))
        return (int)hd_fail(EBADF);
    int r = HD_REAL(dup)(fd);
    hd_fd_copy(fd, r);
    return r;
}

static int do_dup(int from, int to, int flags, bool is_dup2, u64 site)
{
    if (hd_fd_is_ours(from) || hd_fd_is_ours(to))
        return (int)hd_fail(EBADF);
    hd_io_close_step(to, site, true); /* what was open there */
    int r = is_dup2 ? HD_REAL(dup2)(from, to) : HD_REAL(dup3)(from, to, flags);
    hd_io_dirty = true;
    if (r >= 0 && from != to)
        hd_fd_copy(from, to);
    return r;
}

HD_EXPORT int dup2(int from, int to)
{
    return hd_on() ? do_dup(from, to, 0, true, HD_SITE()) : HD_REAL(dup2)(from, to);
}
HD_ALIAS(__dup2, dup2);

HD_EXPORT int dup3(int from, int to, int flags)
{
    return hd_on() ? do_dup(from, to, flags, false, HD_SITE()) : HD_REAL(dup3)(from, to, flags);
}

/* ---- fcntl -------------------------------------------------------------------- */

static int do_fcntl(int fd, int cmd, void *arg, u64 site)
{
    if (hd_fd_is_ours(fd))
        return (int)hd_fail(EBADF);
    int r;
    switch (cmd) {
    case F_SETLKW:
    case F_OFD_SETLKW:
        if (((struct flock *)arg)->l_type != F_UNLCK)
            return hd_lock_and_wait(fd, cmd, arg, site);
        /* fall through */
    case F_SETLK:
    case F_OFD_SETLK:
        hd_io_quiet_step(fd, site);
        return (int)hd_after_out(HD_REAL(fcntl)(fd, cmd, arg), site);
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        r = HD_REAL(fcntl)(fd, cmd, arg);
        hd_fd_copy(fd, r);
        return r;
    default:
        hd_io_dirty = true;
        return HD_REAL(fcntl)(fd, cmd, arg);
    }
}

HD_EXPORT int fcntl(int fd, int cmd, ...)
{
    va_list ap;
    va_start(ap, cmd);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    return hd_on() ? do_fcntl(fd, cmd, arg, HD_SITE()) : HD_REAL(fcntl)(fd, cmd, arg);
}
HD_ALIAS(fcntl64, fcntl);
HD_ALIAS(__fcntl, fcntl);

/* ---- descriptors that only this process knows ----------------------------------- */

HD_EXPORT int pipe(int fd[2])
{
    int r = HD_REAL(pipe)(fd);
    if (r == 0 && hd_on()) {
        hd_fd_mark(fd[0], HD_FD_INTERNAL);
        hd_fd_mark(fd[1], HD_FD_INTERNAL);
        hd_access(fd, 2 * sizeof *fd, true, HD_SITE());
    }
    return r;
}

HD_EXPORT int pipe2(int fd[2], int flags)
{
    int r = HD_REAL(pipe2)(fd, flags);
    if (r == 0 && hd_on()) {
        hd_fd_mark(fd[0], HD_FD_INTERNAL);
        hd_fd_mark(fd[1], HD_FD_INTERNAL);
        hd_access(fd, 2 * sizeof *fd, true, HD_SITE());
    }
    return r;
}

HD_EXPORT int socketpair(int domain, int type, int protocol, int fd[2])
{
    int r = HD_REAL(socketpair)(domain, type, protocol, fd);
    if (r == 0 && hd_on()) {
        hd_fd_mark(fd[0], HD_FD_INTERNAL);
        hd_fd_mark(fd[1], HD_FD_INTERNAL);
        hd_access(fd, 2 * sizeof *fd, true, HD_SITE());
    }
    return r;
}

HD_EXPORT int eventfd(unsigned value, int flags)
{
    int r = HD_REAL(eventfd)(value, flags);
    if (r >= 0 && hd_on())
        hd_fd_mark(r, HD_FD_INTERNAL);
    return r;
}

/* libc's own read and write inside these are not ours. */
HD_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    if (!hd_on())
        return HD_REAL(eventfd_read)(fd, value);
    u64 site = HD_SITE();
    int err = hd_before_in(fd, site);
    if (err)
        return (int)hd_fail(err);
    int r = HD_REAL(eventfd_read)(fd, value);
    hd_after_in(r == 0 ? (ssize_t)sizeof *value : -1, value, site);
    return r;
}

HD_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    if (!hd_on())
        return HD_REAL(eventfd_write)(fd, value);
    u64 site = HD_SITE();
    int err = hd_before_out(fd, site);
    if (err)
        return (int)hd_fail(err);
    return (int)hd_after_out(HD_REAL(eventfd_write)(fd, value), site);
}

/* ---- open ------------------------------------------------------------------------ */

static bool is_random_path(const char *path)
{
    return path && (!hd_strcmp(path, "/dev/urandom") || !hd_strcmp(path, "/dev/random"));
}

/* A file about the process of Heddle itself in /proc? Test frameworks go from parent to parent to see
 * whether one of them is a debugger. How many there are depends on where Heddle was started from, and
 * must not change the run; so the program does not find Heddle's own, as if that had ended. */
static bool is_of_host(const char *path)
{
    u64 pid = 0;
    const char *p = path;
    for (const char *proc = "/proc/"; *proc; proc++)
        if (!p || *p++ != *proc)
            return false;
    for (; *p >= '0' && *p <= '9' && pid < 1u << 30; p++)
        pid = pid * 10 + (u64)(*p - '0');
    return pid && pid == hd_rt.host->pid && (!*p || *p == '/');
}

static int opened(int fd, const char *path)
{
    if (fd >= 0)
        hd_fd_mark(fd, is_random_path(path) ? HD_FD_RANDOM : 0);
    return fd;
}

static int open_uptime(int flags, u64 site)
{
    int fd = hd_uptime_open(flags, site);
    if (fd < 0)
        return (int)hd_fail(-fd);
    hd_fd_mark(fd, HD_FD_UPTIME);
    return fd;
}

/* Creating a file is visible to other threads (lock files), and they may remove it before it is opened. */
static void open_step(int flags, u8 op_flags, u64 site)
{
    if (flags & (O_CREAT | O_TRUNC))
        hd_io_change(-1, site, op_flags);
    else
        hd_io_look(-1, site);
}

static int do_open(int dir, const char *path, int flags, mode_t mode, u64 site)
{
    if (HD_UNLIKELY(hd_fifo_blocks(dir, path, flags)))
        return opened(hd_fifo_open(dir, path, flags, site), path);
    open_step(flags, HD_OP_CANCEL, site);
    int fd = HD_REAL(openat)(dir, path, flags, mode); /* from here on: the path can be read */
    if (fd >= 0 && HD_UNLIKELY(hd_is_uptime_path(path)) && (flags & O_ACCMODE) == O_RDONLY) {
        HD_REAL(close)(fd);
        return open_uptime(flags, site);
    }
    if (fd >= 0 && HD_UNLIKELY(is_of_host(path))) {
        HD_REAL(close)(fd);
        fd = (int)hd_fail(ENOENT);
    }
    return opened(fd, path);
}

#define OPEN_MODE(mode, flags)                                                                     \
    mode_t mode = 0;                                                                               \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                           \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode = va_arg(ap, mode_t);                                                                 \
        va_end(ap);                                                                                \
    }

HD_EXPORT int open(const char *path, int flags, ...)
{
    OPEN_MODE(mode, flags)
    return hd_on() ? do_open(AT_FDCWD, path, flags, mode, HD_SITE())
                   : HD_REAL(open)(path, flags, mode);
}
HD_ALIAS(open64, open);
HD_ALIAS(__open, open);
HD_ALIAS(__open64, open);

HD_EXPORT int openat(int dir, const char *path, int flags, ...)
{
    OPEN_MODE(mode, flags)
    return hd_on() ? do_open(dir, path, flags, mode, HD_SITE())
                   : HD_REAL(openat)(dir, path, flags, mode);
}
HD_ALIAS(openat64, openat);

HD_EXPORT int creat(const char *path, mode_t mode)
{
    if (!hd_on())
        return HD_REAL(creat)(path, mode);
    return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, HD_SITE());
}
HD_ALIAS(creat64, creat);

HD_EXPORT int __open_2(const char *path, int flags);
HD_EXPORT int __open_2(const char *path, int flags)
{
    if (flags & (O_CREAT | O_TMPFILE) & ~O_DIRECTORY)
        __chk_fail();
    return hd_on() ? do_open(AT_FDCWD, path, flags, 0, HD_SITE()) : HD_REAL(open)(path, flags);
}
HD_ALIAS(__open64_2, __open_2);

HD_EXPORT int __openat_2(int dir, const char *path, int flags);
HD_EXPORT int __openat_2(int dir, const char *path, int flags)
{
    if (flags & (O_CREAT | O_TMPFILE) & ~O_DIRECTORY)
        __chk_fail();
    return hd_on() ? do_open(dir, path, flags, 0, HD_SITE()) : HD_REAL(openat)(dir, path, flags);
}
HD_ALIAS(__openat64_2, __openat_2);

/* libc reads a FILE's descriptor itself, so the stream's source must be ours. */
static ssize_t random_cookie_read(void *cookie, char *buf, size_t n)
{
    hd_random_fill(buf, n);
    return (ssize_t)n;
}

HD_EXPORT FILE *fopen(const char *path, const char *mode)
{
    if (hd_on() && hd_fifo_blocks(AT_FDCWD, path, hd_fifo_mode_flags(mode))) {
        int fd = hd_fifo_open(AT_FDCWD, path, hd_fifo_mode_flags(mode), HD_SITE());
        return fd < 0 ? NULL : fdopen(opened(fd, path), mode);
    }
    if (hd_on())
        open_step(hd_fifo_mode_flags(mode), 0, HD_SITE());
    FILE *f = HD_REAL(fopen)(path, mode); /* from here on: the path can be read */
    if (hd_on() && (f || errno != EFAULT)) {
        int err = errno;
        hd_access(path, hd_strlen(path) + 1, false, HD_SITE());
        errno = err;
    }
    if (f && hd_on() && is_random_path(path) && mode[0] == 'r') {
        HD_REAL(fclose)(f);
        return fopencookie(NULL, "r", (cookie_io_functions_t){.read = random_cookie_read});
    }
    if (f && hd_on() && hd_is_uptime_path(path) && mode[0] == 'r') {
        HD_REAL(fclose)(f);
        int fd = open_uptime(hd_fifo_mode_flags(mode), HD_SITE());
        return fd < 0 ? NULL : fdopen(fd, mode);
    }
    if (f && hd_on() && is_of_host(path)) {
        HD_REAL(fclose)(f);
        hd_fail(ENOENT);
        f = NULL;
    }
    return f;
}
HD_ALIAS(fopen64, fopen);
