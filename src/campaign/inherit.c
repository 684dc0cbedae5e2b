/* inherit.c: the descriptors the target is started with, besides 0..2 and ours.
 *
 * Numbers of descriptors are part of a run. While testing, the program has what
 * heddle's caller left open, as it would have without heddle, and nothing that
 * heddle or its libraries opened; which ones these were is part of the replay
 * file. A replay gives it the same numbers: what is open now and was not then
 * is closed, and /dev/null stands in for what is missing.
 */
#include "campaign/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static u64 caller[HD_INHERIT_WORDS];

void hd_inherit_note(void)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        int fd = atoi(e->d_name);
        if (fd > STDERR_FILENO && fd < HD_SHM_FD && fd != dirfd(d))
            hd_bit_set(caller, (u32)fd);
    }
    if (d)
        closedir(d);
}

void hd_inherit_get(u64 *set) { memcpy(set, caller, sizeof caller); }

/* Ends at exec. */
static void drop(u32 from, u32 to)
{
    if (from > to || !syscall(SYS_close_range, from, to, CLOSE_RANGE_CLOEXEC))
        return;
    for (u32 fd = from; fd <= HD_MIN(to, (u32)HD_IN_FD); fd++) /* before Linux 5.11 */
        fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

/* Workers and runs must not share the position in a file they read. */
static void part(int fd)
{
    struct stat st;
    char path[40];
    int flags = fcntl(fd, F_GETFL);
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (flags < 0 || at < 0 || (flags & O_ACCMODE) != O_RDONLY || fstat(fd, &st) ||
        !S_ISREG(st.st_mode))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDONLY | O_CLOEXEC | (flags & O_NONBLOCK));
    if (own < 0)
        return;
    if (lseek(own, at, SEEK_SET) == at)
        dup2(own, fd);
    close(own);
}

int hd_inherit_apply(const u64 *set)
{
    u32 next = STDERR_FILENO + 1;
    HD_BITS_EACH(fd, set, HD_INHERIT_WORDS)
    {
        drop(next, fd - 1);
        next = fd + 1;
        if (hd_bit_is_set(caller, fd)) {
            part((int)fd);
            continue;
        }
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (null < 0 || dup2(null, (int)fd) < 0 || fcntl((int)fd, F_SETFD, 0))
            return -errno;
        if (null != (int)fd)
            close(null);
    }
    drop(next, HD_SHM_FD - 1);
    drop(HD_IN_FD + 1, ~0u);
    return 0;
}
