/* memory.c: see memory.h and docs/design/boundary.md. */
#include "process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1 */
#endif

/* Shared memory is a file to the kernel: a limit for files that can be lifted does not
 * hold for it. The target gets the limit as it was. */
static int size_file(int fd, size_t bytes)
{
    struct rlimit was, open;
    bool is_lifted = !getrlimit(RLIMIT_FSIZE, &was) && was.rlim_cur < (rlim_t)bytes;
    open = (struct rlimit){was.rlim_max, was.rlim_max};
    if (is_lifted)
        setrlimit(RLIMIT_FSIZE, &open);
    int e = ftruncate(fd, (off_t)bytes) ? -errno : 0;
    if (is_lifted)
        setrlimit(RLIMIT_FSIZE, &was);
    return e;
}

static void *map(int fd, size_t bytes, int prot)
{
    void *p = mmap(NULL, bytes, prot, MAP_SHARED | MAP_NORESERVE, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool map_shared(struct hd_shm *m, int fd)
{
    const char *p = map(fd, hd_shm_shared_bytes(), PROT_READ);
    m->server = (const void *)p;
    m->run = p ? (const void *)(p + hd_shm_server_bytes()) : NULL;
    return p;
}

/* Of log and script, if they are long. */
static int make_files(struct hd_shm *m, int *script_fd)
{
    char path[40];
    m->log_fd = HD_MAX(hd_tail_file(), 0);
    m->script_fd = HD_MAX(hd_tail_file(), 0);
    if (!m->log_fd || !m->script_fd)
        return -EIO;
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->script_fd);
    *script_fd = open(path, O_RDONLY | O_CLOEXEC);
    return *script_fd < 0 ? -errno : 0;
}

int hd_memory_make(struct hd_shm *m, int *host_fd, int *shared_fd, int *script_fd,
                   struct hd_error *err)
{
    /* Whoever has the descriptor could take the memory away from under us. */
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    memset(m, 0, sizeof *m);
    *host_fd = memfd_create("heddle-host", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    *shared_fd = memfd_create("heddle-shm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int e = *host_fd < 0 || *shared_fd < 0 ? -errno : size_file(*host_fd, hd_shm_host_bytes());
    if (!e)
        e = size_file(*shared_fd, hd_shm_shared_bytes());
    if (e)
        return hd_error_set(err, e, "cannot set up shared memory of %llu MiB: %s%s",
                            (unsigned long long)(hd_shm_host_bytes() + hd_shm_shared_bytes()) >> 20,
                            strerror(-e),
                            e == -EFBIG ? " (raise the limit with 'ulimit -f unlimited')" : "");
    e = make_files(m, script_fd);
    if (e)
        return hd_error_set(err, e, "cannot make a temporary file: %s", strerror(-e));
    m->host = map(*host_fd, hd_shm_host_bytes(), PROT_READ | PROT_WRITE);
    if (!m->host || !map_shared(m, *shared_fd) || fcntl(*shared_fd, F_ADD_SEALS, seals) ||
        fcntl(*host_fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE))
        return hd_error_set(err, -errno, "cannot map shared memory: %s", strerror(errno));
    m->host->magic = HD_SHM_MAGIC;
    m->host->version = HD_SHM_VERSION;
    m->host->pid = (u32)getpid();
    m->host->bytes = hd_shm_host_bytes();
    m->host->shared_bytes = hd_shm_shared_bytes();
    return 0;
}

void hd_memory_release(struct hd_shm *m)
{
    if (m->host)
        munmap(m->host, hd_shm_host_bytes());
    if (m->server)
        munmap((void *)m->server, hd_shm_shared_bytes());
    if (m->log_fd > 0)
        close(m->log_fd);
    if (m->script_fd > 0)
        close(m->script_fd);
    memset(m, 0, sizeof *m);
}

int hd_memory_renew(struct hd_shm *m)
{
    memset(m, 0, sizeof *m);
    struct hd_shm_host *was = map(HD_HOST_FD, hd_shm_host_bytes(), PROT_READ);
    int fd = memfd_create("heddle-host", MFD_CLOEXEC);
    if (!was || fd < 0 || size_file(fd, hd_shm_host_bytes()))
        return -errno;
    m->host = map(fd, hd_shm_host_bytes(), PROT_READ | PROT_WRITE);
    m->script_fd = HD_MAX(hd_tail_file(), 0);
    if (!m->host || !map_shared(m, HD_SHM_FD) || dup2(fd, HD_HOST_FD) < 0 ||
        (m->script_fd && dup2(m->script_fd, HD_SCRIPT_FD) < 0))
        return -errno;
    *m->host = *was; /* its tables are what a script is about to fill */
    munmap(was, hd_shm_host_bytes());
    close(fd);
    return 0;
}
