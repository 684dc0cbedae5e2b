/* fdinfo.c: a small table over descriptor numbers.
 *
 * libc closes descriptors behind our back (fclose), so an entry carries the
 * inode number it was made for and is believed only if that still fits.
 */
#include "runtime/fdinfo.h"

#include "runtime/sys.h"

#define MAX_FD 4096 /* higher numbers count as known to others */

static struct fd_entry {
    u64 inode;
    u8 flags;
} table[MAX_FD];

static bool stat_fd(int fd, struct stat *st) { return hd_sys(SYS_fstat, fd, st) == 0; }

/* Flags that still belong to what is open under this number. */
static u8 flags_of(int fd)
{
    struct stat st;
    if (fd < 0 || fd >= MAX_FD || !table[fd].flags)
        return 0;
    if (!stat_fd(fd, &st) || st.st_ino != table[fd].inode)
        table[fd].flags = 0;
    return table[fd].flags;
}

void hd_fd_mark(int fd, u8 flags)
{
    struct stat st;
    if (fd < 0 || fd >= MAX_FD)
        return;
    table[fd].flags = stat_fd(fd, &st) ? flags : 0;
    table[fd].inode = table[fd].flags ? st.st_ino : 0;
}

void hd_fd_copy(int from, int to) { hd_fd_mark(to, flags_of(from)); }

void hd_fd_forget(int fd)
{
    if (fd >= 0 && fd < MAX_FD)
        table[fd].flags = 0;
}

bool hd_fd_is_internal(int fd) { return flags_of(fd) & HD_FD_INTERNAL; }
bool hd_fd_is_random(int fd) { return flags_of(fd) & HD_FD_RANDOM; }

void hd_fd_epoll_watches(int epfd, int fd)
{
    if (epfd >= 0 && epfd < MAX_FD && (table[epfd].flags & HD_FD_EPOLL) && !hd_fd_is_internal(fd))
        table[epfd].flags &= ~HD_FD_INTERNAL;
}

u32 hd_fd_kind(int fd)
{
    struct stat st;
    return stat_fd(fd, &st) ? st.st_mode & S_IFMT : 0;
}

bool hd_fd_blocks(int fd, int mode)
{
    long fl = hd_sys(SYS_fcntl, fd, F_GETFL);
    if (fl < 0 || (fl & O_NONBLOCK))
        return false;
    return (fl & O_ACCMODE) == O_RDWR || (fl & O_ACCMODE) == mode;
}

bool hd_fd_is_ours(int fd) { return fd >= HD_SHM_FD && fd <= HD_IN_FD; }
