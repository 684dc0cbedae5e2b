/* io.c: read, write and their vector and positioned forms. Descriptors
 * that may block wait in wait_io.c first, then the real call does not block;
 * everything else is a step and the real call. */
#include "runtime/icept/io/transfer.h"

#include <sys/sendfile.h>

#include "runtime/filter/fill.h"
#include "runtime/icept/time/uptime.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

static ssize_t do_read(int fd, void *buf, size_t n, u64 site)
{
    if (hd_fd_is_random(fd)) {
        if (n)
            hd_io_step(fd, site);
        hd_fill_keep(buf, n, site);
        hd_random_fill(buf, n);
        return hd_after_in((ssize_t)n, buf, site);
    }
    if (HD_UNLIKELY(hd_fd_is_uptime(fd)))
        hd_uptime_read(fd, site);
    bool is_recorded = false;
    int err = n ? hd_before_external(fd, &n, &is_recorded, site) : 0;
    if (err)
        return hd_fail(err);
    hd_fill_keep(buf, n, site);
    ssize_t r = hd_after_external(fd, HD_REAL(read)(fd, buf, n), is_recorded,
                                 &(struct iovec){buf, n}, 1);
    return hd_after_in(r, buf, site);
}

HD_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    if (!hd_on())
        return HD_REAL(read)(fd, buf, n);
    return do_read(fd, buf, n, HD_SITE());
}
HD_ALIAS(__read, read);

HD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t size);
HD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t size)
{
    if (n > size)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(read)(fd, buf, n);
    return do_read(fd, buf, n, HD_SITE());
}

HD_EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
    if (!hd_on() || !hd_user_can_read(iov, n > 0 ? (size_t)n * sizeof *iov : 0))
        return HD_REAL(readv)(fd, iov, n);
    u64 site = HD_SITE();
    if (hd_fd_is_random(fd)) {
        hd_io_step(fd, site);
        for (int i = 0; i < n; i++)
            hd_random_fill(iov[i].iov_base, iov[i].iov_len);
        return hd_after_iov((ssize_t)hd_iov_bytes(iov, n), iov, n, site);
    }
    if (n <= 0 || n > IOV_MAX)
        return HD_REAL(readv)(fd, iov, n); /* fails, or reads nothing */
    struct iovec part[n];
    size_t max = hd_iov_bytes(iov, n);
    bool is_recorded;
    int err = hd_before_external(fd, &max, &is_recorded, site);
    if (err)
        return hd_fail(err);
    int parts = hd_iov_cut(part, iov, n, 0, max);
    hd_fill_keep_iov(part, parts, site);
    ssize_t r =
        hd_after_external(fd, HD_REAL(readv)(fd, part, parts), is_recorded, part, parts);
    return hd_after_iov(r, iov, n, site);
}

HD_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    if (!hd_on())
        return HD_REAL(write)(fd, buf, n);
    struct iovec iov = {(void *)buf, n};
    return hd_write_all(fd, &iov, 1, HD_SITE());
}
HD_ALIAS(__write, write);

HD_EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
    if (!hd_on())
        return HD_REAL(writev)(fd, iov, n);
    return hd_write_all(fd, iov, n, HD_SITE());
}

/* An array of parts that the kernel may refuse. */
static void keep(const struct iovec *iov, int n, u64 site)
{
    if (n > 0 && hd_user_can_read(iov, (size_t)n * sizeof *iov))
        hd_fill_keep_iov(iov, n, site);
}

/* ---- positioned: only files have positions, and files do not block ---------- */

HD_EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    if (!hd_on())
        return HD_REAL(pread)(fd, buf, n, at);
    u64 site = HD_SITE();
    hd_io_step(fd, site);
    hd_fill_keep(buf, n, site);
    return hd_after_in(HD_REAL(pread)(fd, buf, n, at), buf, site);
}
HD_ALIAS(pread64, pread);
HD_ALIAS(__pread64, pread);

HD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t size);
HD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t size)
{
    if (n > size)
        __chk_fail();
    if (!hd_on())
        return HD_REAL(pread)(fd, buf, n, at);
    u64 site = HD_SITE();
    hd_io_step(fd, site);
    hd_fill_keep(buf, n, site);
    return hd_after_in(HD_REAL(pread)(fd, buf, n, at), buf, site);
}
HD_ALIAS(__pread64_chk, __pread_chk);

HD_EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    if (!hd_on())
        return HD_REAL(pwrite)(fd, buf, n, at);
    u64 site = HD_SITE();
    hd_access(buf, n, false, site);
    hd_io_step(fd, site);
    return hd_after_out(HD_REAL(pwrite)(fd, buf, n, at), site);
}
HD_ALIAS(pwrite64, pwrite);
HD_ALIAS(__pwrite64, pwrite);

HD_EXPORT ssize_t preadv(int fd, const struct iovec *iov, int n, off_t at)
{
    if (!hd_on())
        return HD_REAL(preadv)(fd, iov, n, at);
    u64 site = HD_SITE();
    hd_io_step(fd, site);
    keep(iov, n, site);
    return hd_after_iov(HD_REAL(preadv)(fd, iov, n, at), iov, n, site);
}
HD_ALIAS(preadv64, preadv);

HD_EXPORT ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t at)
{
    if (!hd_on())
        return HD_REAL(pwritev)(fd, iov, n, at);
    u64 site = HD_SITE();
    hd_access_iov(iov, n, SIZE_MAX, false, site);
    hd_io_step(fd, site);
    return hd_after_out(HD_REAL(pwritev)(fd, iov, n, at), site);
}
HD_ALIAS(pwritev64, pwritev);

/* Offset -1 means "at the current position", so these may meet a pipe. */
HD_EXPORT ssize_t preadv2(int fd, const struct iovec *iov, int n, off_t at, int flags)
{
    if (!hd_on())
        return HD_REAL(preadv2)(fd, iov, n, at, flags);
    u64 site = HD_SITE();
    int err = 0;
    if (at == -1)
        err = hd_before_in(fd, site);
    else
        hd_io_step(fd, site);
    if (err)
        return hd_fail(err);
    keep(iov, n, site);
    return hd_after_iov(HD_REAL(preadv2)(fd, iov, n, at, flags), iov, n, site);
}
HD_ALIAS(preadv64v2, preadv2);

HD_EXPORT ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t at, int flags)
{
    if (!hd_on())
        return HD_REAL(pwritev2)(fd, iov, n, at, flags);
    u64 site = HD_SITE();
    if (at == -1 && !flags)
        return hd_write_all(fd, iov, n, site);
    hd_access_iov(iov, n, SIZE_MAX, false, site);
    hd_io_step(fd, site);
    return hd_after_out(HD_REAL(pwritev2)(fd, iov, n, at, flags), site);
}
HD_ALIAS(pwritev64v2, pwritev2);

/* ---- from descriptor to descriptor ------------------------------------------- */

/* Waits for both sides; the kernel then moves what it can without blocking. */
static int before_move(int in, int out, bool is_nonblocking, u64 site)
{
    if (is_nonblocking) {
        hd_io_step(out, site);
        return 0;
    }
    int err = hd_before_in(in, site);
    return err ? err : hd_before_out(out, site);
}

/* In pieces, as other blocking writes. */
static ssize_t do_sendfile(int out, int in, off_t *at, size_t n, u64 site)
{
    u32 kind = hd_fd_kind(out);
    size_t piece = kind == S_IFIFO || kind == S_IFSOCK ? PIPE_BUF : n, done = 0;
    do {
        int err = before_move(in, out, false, site);
        if (err)
            return done ? (ssize_t)done : hd_fail(err);
        long r = hd_sys(SYS_sendfile, out, in, at, HD_MIN(piece, n - done));
        if (r <= 0)
            return done ? (ssize_t)done : hd_after_out(r < 0 ? hd_fail((int)-r) : 0, site);
        hd_io_dirty = true;
        done += (size_t)r;
    } while (done < n);
    return (ssize_t)done;
}

HD_EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
    if (hd_on())
        return do_sendfile(out, in, at, n, HD_SITE());
    long r = hd_sys(SYS_sendfile, out, in, at, n);
    return r < 0 ? hd_fail((int)-r) : r;
}
HD_ALIAS(sendfile64, sendfile);

HD_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags)
{
    if (!hd_on())
        return HD_REAL(splice)(in, in_at, out, out_at, n, flags);
    u64 site = HD_SITE();
    int err = before_move(in, out, flags & SPLICE_F_NONBLOCK, site);
    if (err)
        return hd_fail(err);
    return hd_after_out(HD_REAL(splice)(in, in_at, out, out_at, n, flags), site);
}

HD_EXPORT ssize_t tee(int in, int out, size_t n, unsigned flags)
{
    if (!hd_on())
        return HD_REAL(tee)(in, out, n, flags);
    u64 site = HD_SITE();
    int err = before_move(in, out, flags & SPLICE_F_NONBLOCK, site);
    if (err)
        return hd_fail(err);
    return hd_after_out(HD_REAL(tee)(in, out, n, flags), site);
}

HD_EXPORT ssize_t vmsplice(int fd, const struct iovec *iov, size_t n, unsigned flags)
{
    if (!hd_on())
        return HD_REAL(vmsplice)(fd, iov, n, flags);
    u64 site = HD_SITE();
    int err = hd_before_out(fd, site);
    if (err)
        return hd_fail(err);
    hd_access_iov(iov, (int)n, SIZE_MAX, false, site);
    return hd_after_out(HD_REAL(vmsplice)(fd, iov, n, flags), site);
}

HD_EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                                  unsigned flags)
{
    if (!hd_on())
        return HD_REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
    u64 site = HD_SITE();
    hd_io_step(out, site);
    return hd_after_out(HD_REAL(copy_file_range)(in, in_at, out, out_at, n, flags), site);
}
