/* uptime.c: /proc/uptime, the time since start-up as text. It goes with the other clocks, so the
 * program gets a file in memory in its place: the first number is the virtual time, the second
 * one (idle time of all processors) is the kernel's. Written when it is opened, and when it is read
 * from its beginning again; a stream (FILE) that is rewound tells what it told before.
 */
#include "runtime/icept/time/uptime.h"

#include "runtime/core/gate.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"

#include <fcntl.h>
#include <sys/mman.h>

static const char path_of[] = "/proc/uptime";

bool hd_is_uptime_path(const char *path) { return path && !hd_strcmp(path, path_of); }

/* What follows the first number in the kernel's own. */
static size_t put_rest(char *to, size_t size)
{
    char text[64];
    size_t from = 0;
    long fd = hd_sys(SYS_openat, AT_FDCWD, path_of, O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : hd_sys(SYS_read, fd, text, sizeof text);
    if (fd >= 0)
        hd_sys(SYS_close, fd);
    while ((long)from < n && text[from] != ' ')
        from++;
    size_t rest = n > (long)from ? HD_MIN((size_t)n - from, size) : 0;
    hd_memcpy(to, text + from, rest);
    return rest;
}

static void write_now(int fd, u64 site)
{
    char text[128];
    s64 ns = 0;
    hd_clock_read(CLOCK_BOOTTIME, &ns, site);
    u64 hundredths = (u64)ns / 10000000;
    size_t n = hd_put_u64(text, hundredths / 100);
    text[n++] = '.';
    text[n++] = (char)('0' + hundredths / 10 % 10);
    text[n++] = (char)('0' + hundredths % 10);
    n += put_rest(text + n, 64);
    hd_sys(SYS_ftruncate, fd, 0);
    hd_sys(SYS_pwrite64, fd, text, n, 0);
}

int hd_uptime_open(int flags, u64 site)
{
    long fd = hd_sys(SYS_memfd_create, "uptime", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (fd >= 0)
        write_now((int)fd, site);
    return (int)fd;
}

void hd_uptime_read(int fd, u64 site)
{
    if (hd_sys(SYS_lseek, fd, 0, SEEK_CUR) == 0)
        write_now(fd, site);
}
