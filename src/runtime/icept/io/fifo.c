/* fifo.c: see fifo.h. The kernel lets both opens wait for each other. Here each is made
 * with O_NONBLOCK and the wait is an HD_EV_IO operation, so that signals, cancellation and
 * other threads have their turn:
 *
 *   reader   opens at once, so that writers find it, and waits until there is a writer
 *   writer   tries again until a reader is there (ENXIO before)
 *
 * Whether an empty FIFO has a writer only a read tells, and tee(), which takes nothing out.
 */
#include "runtime/icept/io/fifo.h"

#include "runtime/icept/io/transfer.h"
#include "runtime/libc/sys.h"

struct opening {
    int dir;
    const char *path;
    int flags;
    int fd; /* -1: not open yet */
    int err;
};

static int half_open[HD_MAX_THREADS]; /* reader that waits for a writer, plus 1; 0 = none */

void hd_fifo_leave(void)
{
    int *fd = &half_open[hd_tls.tid];
    if (*fd)
        hd_sys(SYS_close, *fd - 1);
    *fd = 0;
}

bool hd_fifo_blocks(int dir, const char *path, int flags)
{
    struct stat st;
    int access = flags & O_ACCMODE;
    if (!path || (access != O_RDONLY && access != O_WRONLY) ||
        (flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return false;
    long r = hd_sys(SYS_newfstatat, dir, path, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
    return r == 0 && (st.st_mode & S_IFMT) == S_IFIFO;
}

int hd_fifo_mode_flags(const char *mode)
{
    int flags = *mode == 'r' ? O_RDONLY : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                                       : O_WRONLY | O_CREAT | O_APPEND;
    for (const char *m = mode + 1; *m && *m != ','; m++) {
        if (*m == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        flags |= *m == 'x' ? O_EXCL : *m == 'e' ? O_CLOEXEC : 0;
    }
    return flags;
}

/* A pipe that tee() may fill, out of the way of the program's descriptors. */
static int scratch(int end)
{
    static int fd[2] = {-1, -1};
    if (fd[0] < 0 || hd_sys(SYS_fcntl, fd[0], F_GETFD) < 0 || hd_sys(SYS_fcntl, fd[1], F_GETFD) < 0) {
        int low[2];
        if (hd_sys(SYS_pipe2, low, O_CLOEXEC | O_NONBLOCK) < 0)
            return -1;
        for (int i = 0; i < 2; i++) {
            fd[i] = (int)hd_sys(SYS_fcntl, low[i], F_DUPFD_CLOEXEC, HD_LAST_FD + 1);
            hd_sys(SYS_close, low[i]);
        }
    }
    return fd[end];
}

static int has_writer(void *arg)
{
    const struct opening *o = arg;
    struct pollfd p = {.fd = o->fd, .events = POLLIN};
    char byte;
    if (hd_sys(SYS_poll, &p, 1, 0) > 0)
        return true; /* it has written, or left again */
    long r = hd_sys(SYS_tee, o->fd, scratch(1), 1, SPLICE_F_NONBLOCK);
    if (r > 0)
        hd_sys(SYS_read, scratch(0), &byte, 1);
    return r != 0;
}

static int has_reader(void *arg)
{
    struct opening *o = arg;
    if (o->fd >= 0 || o->err)
        return true;
    long r = hd_sys(SYS_openat, o->dir, o->path, o->flags | O_NONBLOCK, 0);
    if (r >= 0)
        o->fd = (int)r;
    else if (r != -ENXIO)
        o->err = (int)-r;
    return r != -ENXIO;
}

int hd_fifo_open(int dir, const char *path, int flags, u64 site)
{
    struct opening o = {dir, path, flags & ~(O_CREAT | O_TRUNC), -1, 0};
    bool is_reader = (flags & O_ACCMODE) == O_RDONLY;
    struct hd_wait w = {.probe = is_reader ? has_writer : has_reader, .arg = &o};
    if (is_reader) {
        long r = hd_sys(SYS_openat, dir, path, o.flags | O_NONBLOCK, 0);
        if (r < 0)
            return (int)hd_fail((int)-r);
        o.fd = (int)r;
        hd_io_dirty = true;
    }
    int *mine = &half_open[hd_tls.tid], outer = *mine; /* one that a handler has interrupted */
    *mine = is_reader ? o.fd + 1 : 0;
    int err = hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS, HD_WAIT_EXTERNAL);
    *mine = outer;
    hd_io_dirty = true; /* who waited for this end may go on */
    if (err && is_reader)
        hd_sys(SYS_close, o.fd);
    if ((err && (is_reader || o.fd < 0)) || o.err)
        return (int)hd_fail(o.err ? o.err : err);
    long fl = hd_sys(SYS_fcntl, o.fd, F_GETFL);
    hd_sys(SYS_fcntl, o.fd, F_SETFL, fl & ~O_NONBLOCK);
    return o.fd;
}
