/* fdinfo.c: a small table over descriptor numbers.
 *
 * libc closes descriptors behind our back (fclose), so an entry carries the
 * inode number it was made for and is believed only if that still fits.
 */
#include "runtime/icept/io/fdinfo.h"

#include "runtime/core/gate.h"
#include "runtime/libc/sys.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#define MAX_FD 4096 /* higher numbers count as known to others */
#define SCANNED 256 /* descriptors that are looked at for the other end of a connection */

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
bool hd_fd_is_uptime(int fd) { return flags_of(fd) & HD_FD_UPTIME; }

void hd_fd_epoll_watches(int epfd, int fd)
{
    if (epfd < 0 || epfd >= MAX_FD || !(table[epfd].flags & HD_FD_EPOLL) || hd_fd_is_internal(fd))
        return;
    table[epfd].flags &= (u8)~HD_FD_INTERNAL;
    if (hd_fd_has_peer(fd))
        table[epfd].flags |= HD_FD_PEERS;
}

/* ---- who is at the other end ------------------------------------------------ */

static bool name_of(int fd, bool is_peer, struct sockaddr_storage *name)
{
    socklen_t len = sizeof *name;
    hd_memset(name, 0, sizeof *name);
    return hd_sys(is_peer ? SYS_getpeername : SYS_getsockname, fd, name, &len) == 0 &&
           (name->ss_family == AF_INET || name->ss_family == AF_INET6);
}

/* Is the other end of this connection among our own descriptors? */
static bool is_own_inet(int fd)
{
    struct sockaddr_storage here, there, name;
    if (!name_of(fd, false, &here) || !name_of(fd, true, &there))
        return false;
    for (int other = 0; other < SCANNED; other++)
        if (other != fd && name_of(other, false, &name) &&
            !hd_memcmp(&name, &there, sizeof name) && name_of(other, true, &name) &&
            !hd_memcmp(&name, &here, sizeof name)) {
            hd_fd_mark(fd, HD_FD_OWN_PEER);
            hd_fd_mark(other, HD_FD_OWN_PEER);
            return true;
        }
    return false;
}

static bool is_listening(int fd)
{
    int is = 0;
    socklen_t len = sizeof is;
    return hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &is, &len) == 0 && is;
}

static bool is_own_unix(int fd)
{
    struct ucred who = {0};
    socklen_t len = sizeof who;
    return hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
           who.pid == (pid_t)hd_sys(SYS_getpid, 0);
}

bool hd_fd_has_peer(int fd)
{
    u8 flags = flags_of(fd);
    if (flags & HD_FD_EPOLL)
        return flags & HD_FD_PEERS;
    if (flags & (HD_FD_INTERNAL | HD_FD_OWN_PEER))
        return false;
    return hd_fd_kind(fd) != S_IFSOCK || !(is_listening(fd) || is_own_unix(fd) || is_own_inet(fd));
}

/* The kernel's list of what is watched, a line "tfd: NUMBER ..." each; true: it does not fit, or
 * one of them has a peer. */
static bool watches_peer(int list)
{
    static char text[8192]; /* baton held */
    long n = hd_sys(SYS_read, list, text, sizeof text);
    if (n <= 0 || n == sizeof text)
        return true;
    for (long i = 0; i + 5 < n; i++) {
        if (hd_memcmp(text + i, "tfd:", 4) || (i && text[i - 1] != '\n'))
            continue;
        int fd = 0;
        for (i += 4; i < n && text[i] == ' '; i++)
            ;
        for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
            fd = 10 * fd + (text[i] - '0');
        if (!hd_fd_is_internal(fd) && hd_fd_has_peer(fd))
            return true;
    }
    return false;
}

bool hd_fd_is_connected(int fd)
{
    char path[40] = "/proc/self/fdinfo/";
    if (!hd_fd_has_peer(fd))
        return false;
    if (!(flags_of(fd) & HD_FD_EPOLL))
        return !hd_fd_is_internal(fd);
    path[18 + hd_put_u64(path + 18, (u64)fd)] = 0;
    long list = hd_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (list < 0)
        return true;
    bool is = watches_peer((int)list);
    hd_sys(SYS_close, list);
    return is;
}

static bool is_kernel_text(int fd)
{
    struct statfs fs;
    if (fd < 0 || hd_sys(SYS_fstatfs, fd, &fs) < 0)
        return false;
    return (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC) && hd_fd_kind(fd) == S_IFREG;
}

bool hd_fd_is_no_step(int fd, u64 site, u8 op_flags)
{
    if (hd_rt.sched.n_live != 1 || !is_kernel_text(fd))
        return false;
    if (op_flags & HD_OP_CANCEL)
        hd_testcancel(site);
    return true;
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

bool hd_fd_is_ours(int fd) { return fd >= HD_SHM_FD && fd <= HD_LAST_FD; }
