/* file.c: calls that change files and folders, which other threads can see
 * (lock files, rotated logs): a step each. Looking at names and states is one, as
 * opening is one (fd.c), while there are other threads: between a look and what is done
 * because of it they may change the file. The sync family is cancellable, too. */
#include "runtime/filter/fill.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/string_access.h"

/* ---- names ------------------------------------------------------------------- */

#define NO_FD (-1) /* paths lead where they lead: all are taken for one */

#define HD_STEP_CALL(fd, name, ...)                                                                \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_io_change(fd, HD_SITE(), 0);                                                        \
        return HD_REAL(name)(__VA_ARGS__);                                                         \
    } while (0)

HD_EXPORT int rename(const char *from, const char *to) { HD_STEP_CALL(NO_FD, rename, from, to); }

HD_EXPORT int renameat(int a, const char *from, int b, const char *to)
{
    HD_STEP_CALL(NO_FD, renameat, a, from, b, to);
}

HD_EXPORT int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    HD_STEP_CALL(NO_FD, renameat2, a, from, b, to, flags);
}

HD_EXPORT int unlink(const char *path) { HD_STEP_CALL(NO_FD, unlink, path); }

HD_EXPORT int unlinkat(int dir, const char *path, int flags)
{
    HD_STEP_CALL(NO_FD, unlinkat, dir, path, flags);
}

HD_EXPORT int remove(const char *path) { HD_STEP_CALL(NO_FD, remove, path); }

HD_EXPORT int rmdir(const char *path) { HD_STEP_CALL(NO_FD, rmdir, path); }

HD_EXPORT int mkdir(const char *path, mode_t mode) { HD_STEP_CALL(NO_FD, mkdir, path, mode); }

HD_EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
    HD_STEP_CALL(NO_FD, mkdirat, dir, path, mode);
}

HD_EXPORT int link(const char *from, const char *to) { HD_STEP_CALL(NO_FD, link, from, to); }

HD_EXPORT int linkat(int a, const char *from, int b, const char *to, int flags)
{
    HD_STEP_CALL(NO_FD, linkat, a, from, b, to, flags);
}

HD_EXPORT int symlink(const char *to, const char *path) { HD_STEP_CALL(NO_FD, symlink, to, path); }

HD_EXPORT int symlinkat(const char *to, int dir, const char *path)
{
    HD_STEP_CALL(NO_FD, symlinkat, to, dir, path);
}

/* ---- looking ------------------------------------------------------------------- */

#define HD_LOOK_CALL(name, ...)                                                                    \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_io_look(NO_FD, HD_SITE());                                                          \
        return HD_REAL(name)(__VA_ARGS__);                                                         \
    } while (0)

/* `st` is filled if the call succeeds. */
#define HD_STAT_CALL(fd, st, name, ...)                                                            \
    do {                                                                                           \
        if (!hd_on())                                                                              \
            return HD_REAL(name)(__VA_ARGS__);                                                     \
        hd_io_look(fd, HD_SITE());                                                                 \
        hd_fill_keep(st, sizeof *(st), HD_SITE());                                                 \
        int r_ = HD_REAL(name)(__VA_ARGS__);                                                       \
        if (!r_ && !hd_is_own_stack(st))                                                           \
            hd_fill_state(st, sizeof *(st), HD_SITE());                                            \
        return r_;                                                                                 \
    } while (0)

HD_EXPORT int access(const char *path, int how) { HD_LOOK_CALL(access, path, how); }

HD_EXPORT int faccessat(int dir, const char *path, int how, int flags)
{
    HD_LOOK_CALL(faccessat, dir, path, how, flags);
}

HD_EXPORT int stat(const char *path, struct stat *st) { HD_STAT_CALL(NO_FD, st, stat, path, st); }
HD_ALIAS(hd_stat64 __asm__("stat64"), stat); /* the same struct by another name */

HD_EXPORT int lstat(const char *path, struct stat *st) { HD_STAT_CALL(NO_FD, st, lstat, path, st); }
HD_ALIAS(hd_lstat64 __asm__("lstat64"), lstat);

HD_EXPORT int fstat(int fd, struct stat *st) { HD_STAT_CALL(fd, st, fstat, fd, st); }
HD_ALIAS(hd_fstat64 __asm__("fstat64"), fstat);

HD_EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    HD_STAT_CALL(NO_FD, st, fstatat, dir, path, st, flags);
}
HD_ALIAS(hd_fstatat64 __asm__("fstatat64"), fstatat);

HD_EXPORT int statx(int dir, const char *restrict path, int flags, unsigned mask,
                    struct statx *restrict st)
{
    HD_STAT_CALL(NO_FD, st, statx, dir, path, flags, mask, st);
}

/* FIONREAD above all. */
HD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    if (!hd_on())
        return HD_REAL(ioctl)(fd, request, arg);
    if (hd_fd_is_ours(fd))
        return (int)hd_fail(EBADF);
    hd_io_query(HD_SITE());
    return HD_REAL(ioctl)(fd, request, arg);
}

/* ---- sizes --------------------------------------------------------------------- */

HD_EXPORT int truncate(const char *path, off_t n) { HD_STEP_CALL(NO_FD, truncate, path, n); }
HD_ALIAS(truncate64, truncate);

HD_EXPORT int ftruncate(int fd, off_t n) { HD_STEP_CALL(fd, ftruncate, fd, n); }
HD_ALIAS(ftruncate64, ftruncate);

/* ---- until it is on the disk ------------------------------------------------------ */

#define HD_SYNC_CALL(fd, name, ...)                                                                \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_io_step(fd, HD_SITE());                                                             \
        return HD_REAL(name)(__VA_ARGS__);                                                         \
    } while (0)

HD_EXPORT int fsync(int fd) { HD_SYNC_CALL(fd, fsync, fd); }
HD_EXPORT int fdatasync(int fd) { HD_SYNC_CALL(fd, fdatasync, fd); }
HD_EXPORT int tcdrain(int fd) { HD_SYNC_CALL(fd, tcdrain, fd); }
HD_EXPORT int msync(void *at, size_t n, int flags) { HD_SYNC_CALL(NO_FD, msync, at, n, flags); }

HD_EXPORT int sync_file_range(int fd, off64_t at, off64_t n, unsigned flags)
{
    HD_SYNC_CALL(fd, sync_file_range, fd, at, n, flags);
}
