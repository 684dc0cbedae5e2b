/* tmp.c: see tmp.h. */
#include "process/tmp.h"
#include "text/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWNER "owner"
#define MARK "A temporary folder of heddle"
#define RANDOM 6 /* characters that mkdtemp chooses */
#define DEPTH 256

/* ---- removing ---------------------------------------------------------------------------- */

/* A folder in `at`, not through a link, not on another file system. */
static int open_below(int at, const char *name)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                           .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    int fd = (int)syscall(SYS_openat2, at, name, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd < 0 ? -errno : fd;
    struct stat above, own; /* before Linux 5.6, or forbidden by a filter */
    fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (!fstat(at, &above) && !fstat(fd, &own) && above.st_dev == own.st_dev)
        return fd;
    close(fd);
    return -EXDEV;
}

static int remove_contents(int fd, const char *last, u32 depth);

static int remove_entry(int at, const char *name, u32 depth)
{
    struct stat st;
    if (!unlinkat(at, name, 0) || errno == ENOENT)
        return 0;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
        return -errno;
    int fd = open_below(at, name);
    if (fd == -EACCES && st.st_uid == geteuid() && !fchmodat(at, name, 0700, 0))
        fd = open_below(at, name);
    if (fd < 0)
        return fd;
    if (st.st_uid == geteuid() && (st.st_mode & 0700) != 0700)
        fchmod(fd, 0700);
    int e = depth ? remove_contents(fd, NULL, depth - 1) : -ELOOP;
    close(fd);
    if (unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT && !e)
        e = -errno;
    return e;
}

/* All that can be removed, `last` when the rest is gone; the first error. */
static int remove_contents(int fd, const char *last, u32 depth)
{
    int e = 0, copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    if (!d) {
        e = -errno;
        if (copy >= 0)
            close(copy);
        return e;
    }
    rewinddir(d); /* the position is shared with fd */
    while ((entry = readdir(d))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            (last && !strcmp(entry->d_name, last)))
            continue;
        int one = remove_entry(fd, entry->d_name, depth);
        e = e ? e : one;
    }
    closedir(d);
    if (last && !e && unlinkat(fd, last, 0) && errno != ENOENT)
        e = -errno;
    return e;
}

/* ---- the mark ------------------------------------------------------------------------------ */

static int mark_text(char *buf, size_t size, const struct stat *folder)
{
    return snprintf(buf, size, MARK "\ndevice %llx inode %llu\n",
                    (unsigned long long)folder->st_dev, (unsigned long long)folder->st_ino);
}

static int put_mark(struct hd_tmp *t)
{
    struct stat st;
    char text[160];
    if (fstat(t->dir_fd, &st))
        return -errno;
    int n = mark_text(text, sizeof text, &st);
    n += snprintf(text + n, sizeof text - (size_t)n, "process %d\n", (int)getpid());
    t->lock_fd = openat(t->dir_fd, OWNER, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (t->lock_fd < 0)
        return -errno;
    if (flock(t->lock_fd, LOCK_EX | LOCK_NB))
        return -errno;
    ssize_t k = write(t->lock_fd, text, (size_t)n);
    return k == n ? 0 : k < 0 ? -errno : -ENOSPC;
}

static bool is_name(const char *name, const char *prefix)
{
    static const char chosen[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t n = strlen(prefix);
    return !strncmp(name, prefix, n) && strlen(name) == n + RANDOM &&
           strspn(name + n, chosen) == RANDOM;
}

/* A folder that a heddle of this user made and that no process uses any more? Its
 * descriptor, or negative errno. */
static int open_leftover(int base, const char *name)
{
    struct stat st, mark;
    char want[160], got[160];
    int fd = open_below(base, name);
    if (fd < 0)
        return fd;
    int owner = openat(fd, OWNER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is = owner >= 0 && !fstat(fd, &st) && !fstat(owner, &mark) && st.st_uid == geteuid() &&
              !(st.st_mode & 077) && S_ISREG(mark.st_mode) && mark.st_uid == geteuid() &&
              mark.st_nlink == 1;
    if (is) {
        size_t n = (size_t)mark_text(want, sizeof want, &st);
        is = read(owner, got, sizeof got) >= (ssize_t)n && !memcmp(want, got, n) &&
             !flock(owner, LOCK_EX | LOCK_NB);
    }
    if (owner >= 0)
        close(owner);
    if (is)
        return fd;
    close(fd);
    return -EEXIST;
}

static bool remove_leftover(int base, const char *name)
{
    int fd = open_leftover(base, name);
    if (fd < 0)
        return false;
    remove_contents(fd, OWNER, DEPTH);
    close(fd);
    return !unlinkat(base, name, AT_REMOVEDIR);
}

u32 hd_tmp_sweep(const char *base, const char *prefix)
{
    u32 n = 0;
    DIR *d = opendir(base);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (is_name(e->d_name, prefix))
            n += remove_leftover(dirfd(d), e->d_name);
    if (d)
        closedir(d);
    return n;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int take(struct hd_tmp *t)
{
    int e;
    t->lock_fd = -1;
    t->dir_fd = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (t->dir_fd >= 0 && !(e = put_mark(t)))
        return 0;
    e = t->dir_fd < 0 ? -errno : e;
    if (t->lock_fd >= 0)
        unlinkat(t->dir_fd, OWNER, 0);
    rmdir(t->path); /* made just now, by us */
    if (t->lock_fd >= 0)
        close(t->lock_fd);
    if (t->dir_fd >= 0)
        close(t->dir_fd);
    t->path[0] = '\0';
    return e;
}

int hd_tmp_make(struct hd_tmp *t, const char *base, const char *prefix)
{
    hd_tmp_sweep(base, prefix);
    *t = (struct hd_tmp){.dir_fd = -1, .lock_fd = -1};
    if (snprintf(t->path, sizeof t->path, "%s/%sXXXXXX", base, prefix) >= (int)sizeof t->path) {
        t->path[0] = '\0';
        return -ENAMETOOLONG;
    }
    if (!mkdtemp(t->path)) {
        t->path[0] = '\0';
        return -errno;
    }
    return take(t);
}

int hd_tmp_make_at(struct hd_tmp *t, const char *base, const char *prefix, const char *path)
{
    size_t n = strlen(base);
    *t = (struct hd_tmp){.dir_fd = -1, .lock_fd = -1};
    if (strncmp(path, base, n) || path[n] != '/' || !is_name(path + n + 1, prefix) ||
        strlen(path) >= sizeof t->path)
        return -EINVAL;
    if (mkdir(path, 0700)) {
        int at = errno == EEXIST ? open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        bool is_gone = at >= 0 && remove_leftover(at, path + n + 1);
        if (at >= 0)
            close(at);
        if (at < 0 && errno != EEXIST)
            return -errno;
        if (!is_gone || mkdir(path, 0700))
            return -EEXIST;
    }
    snprintf(t->path, sizeof t->path, "%s", path);
    return take(t);
}

int hd_tmp_folder(const struct hd_tmp *t, const char *name)
{
    int fd = open_below(t->dir_fd, name);
    if (fd < 0) { /* not there, or what the program put in its place */
        if (fd != -ENOENT)
            remove_entry(t->dir_fd, name, DEPTH);
        return mkdirat(t->dir_fd, name, 0700) ? -errno : 0;
    }
    int e = remove_contents(fd, NULL, DEPTH);
    close(fd);
    return e;
}

void hd_tmp_remove(struct hd_tmp *t)
{
    struct stat named, ours;
    if (!t->path[0])
        return;
    remove_contents(t->dir_fd, OWNER, DEPTH);
    if (!lstat(t->path, &named) && !fstat(t->dir_fd, &ours) && named.st_ino == ours.st_ino &&
        named.st_dev == ours.st_dev)
        rmdir(t->path);
    close(t->lock_fd);
    close(t->dir_fd);
    *t = (struct hd_tmp){.dir_fd = -1, .lock_fd = -1};
}

void hd_tmp_hand_on(const struct hd_tmp *t)
{
    if (t->path[0])
        fcntl(t->lock_fd, F_SETFD, 0);
}

int hd_tmp_base(char out[PATH_MAX])
{
    const char *base = getenv("TMPDIR");
    return realpath(base && *base ? base : "/tmp", out) ? 0 : -errno;
}

static int is_folder(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return -errno;
    return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int hd_folder_make(const char *path)
{
    return mkdir(path, 0777) && errno != EEXIST ? -errno : is_folder(path);
}

int hd_folder_make_own(const char *path)
{
    int e = hd_folder_begin(path);
    return e && e != -EEXIST ? e : is_folder(path);
}
