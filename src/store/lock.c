/* lock.c: one writer per directory.
 *
 * SQLite would keep two writers from damaging the file, but not from mixing two
 * campaigns that wait for each other at every batch. The lock is on a file of
 * its own (DIR/lock) that says who holds it; the kernel gives it back however
 * the holder ends, and the file stays, so nobody ever removes a lock in use.
 */
#include "store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 20000000

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long holder(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

static int busy(int fd, const char *dir, double wait, struct hd_error *err)
{
    long pid = holder(fd);
    char who[48] = "another heddle";
    if (pid > 0)
        snprintf(who, sizeof who, "another heddle (process %ld)", pid);
    if (wait > 0)
        return hd_error_set(err, -EBUSY,
                            "%s is in use by %s, still after %g seconds. Wait for it to end, or "
                            "choose another place with --dir.",
                            dir, who, wait);
    return hd_error_set(err, -EBUSY,
                        "%s is in use by %s. Wait for it to end (--wait SECONDS), or choose "
                        "another place with --dir.",
                        dir, who);
}

int hd_store_lock(const char *dir, double wait, struct hd_error *err)
{
    char path[PATH_MAX], pid[24];
    if (snprintf(path, sizeof path, "%s/lock", dir) >= (int)sizeof path)
        return hd_error_set(err, -ENAMETOOLONG, "%.64s...: too long for the name of a folder.",
                            dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666), e = 0;
    if (fd < 0) {
        e = -errno;
        return hd_error_set(err, e,
                            "%s: cannot be written (%s). Check the permissions, or choose another "
                            "place with --dir.",
                            path, strerror(-e));
    }
    double until = now() + wait;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        e = -errno;
        if (e == -EWOULDBLOCK && now() < until) {
            struct timespec pause = {0, POLL_NS};
            if (!nanosleep(&pause, NULL))
                continue;
            e = hd_error_set(err, -EINTR, "interrupted while waiting for %s.", path);
        } else if (e == -EWOULDBLOCK) {
            e = busy(fd, dir, wait, err);
        } else {
            hd_error_set(err, e,
                         "%s: cannot be locked (%s). Choose a place on a local disk with "
                         "--dir.",
                         path, strerror(-e));
        }
        close(fd);
        return e;
    }
    /* Only for the message of the next one: that it fails (disk full) is no harm. */
    int n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)n, 0) != n)
        errno = 0;
    return fd;
}
