/* ask.c: see ask.h. Runs before libc is set up, or in a program that just runs: raw calls only,
 * nothing is left behind. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/started/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "event/shm.h"
#include "runtime/libc/sys.h"

#define FDS_NEEDED (HD_LAST_FD + 1)

void hd_ask_init(struct hd_ask *a, enum hd_ask_kind kind, const char *library, int argc,
                 char *const *argv)
{
    hd_memset(a, 0, sizeof *a);
    a->magic = HD_ASK_MAGIC;
    a->kind = kind;
    hd_memcpy(a->library, library, HD_MIN(hd_strlen(library), sizeof a->library - 1));
    long n = hd_sys(SYS_readlink, "/proc/self/exe", a->exe, sizeof a->exe - 1);
    a->exe[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < argc && a->n_args < sizeof a->args; i++) {
        size_t k = HD_MIN(hd_strlen(argv[i]) + 1, sizeof a->args - a->n_args);
        hd_memcpy(a->args + a->n_args, argv[i], k);
        a->n_args += (u32)k;
    }
    a->args[sizeof a->args - 1] = '\0';
}

static long ask_socket(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = HD_MIN(hd_strlen(name), sizeof to.sun_path - 1);
    hd_memcpy(to.sun_path + 1, name, n); /* sun_path[0] stays 0: no file */
    long fd = hd_sys(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    long e = hd_sys(SYS_connect, fd, &to, offsetof(struct sockaddr_un, sun_path) + 1 + n);
    if (e < 0) {
        hd_sys(SYS_close, fd);
        return e;
    }
    return fd;
}

/* The limit is the program's own again, as it would see it: descriptors above it stay open. */
static bool place(const int *fds)
{
    static const int to[HD_ASK_FDS] = {HD_SHM_FD, HD_CMD_FD, HD_REPLY_FD, HD_HOST_FD,
                                       HD_CLOCK_FD, HD_LOG_FD, HD_SCRIPT_FD};
    struct rlimit was, more;
    bool is_raised = false, is_done = true;
    if (!hd_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &was) && was.rlim_cur < FDS_NEEDED) {
        more = (struct rlimit){HD_MIN((rlim_t)FDS_NEEDED, was.rlim_max), was.rlim_max};
        is_raised = !hd_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, 0);
    }
    for (u32 i = 0; i < HD_ASK_FDS; i++)
        is_done &= hd_sys(SYS_dup2, fds[i], to[i]) >= 0;
    if (is_raised)
        hd_sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &was, 0);
    return is_done;
}

static void receive(long fd, struct hd_reply *reply)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * HD_ASK_FDS)];
        struct cmsghdr align;
    } room;
    int fds[HD_ASK_FDS];
    u32 n_fds = 0;
    struct iovec part = {reply, sizeof *reply};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes,
                       .msg_controllen = sizeof room.bytes};
    long n;
    do
        n = hd_sys(SYS_recvmsg, fd, &m, MSG_CMSG_CLOEXEC);
    while (n == -EINTR);
    struct cmsghdr *c = n == (long)sizeof *reply ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        n_fds = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        hd_memcpy(fds, CMSG_DATA(c), HD_MIN(n_fds, (u32)HD_ASK_FDS) * sizeof(int));
    }
    bool is_bad = n != (long)sizeof *reply || reply->magic != HD_ASK_MAGIC;
    reply->runtime[sizeof reply->runtime - 1] = '\0';
    if (!is_bad && reply->kind == HD_REPLY_CONTROL)
        is_bad = n_fds != HD_ASK_FDS || !place(fds);
    for (u32 i = 0; i < HD_MIN(n_fds, (u32)HD_ASK_FDS); i++)
        hd_sys(SYS_close, fds[i]);
    if (is_bad)
        reply->kind = HD_REPLY_FREE;
}

/* Nothing of the program runs in this process. */
static _Noreturn void stand_in(long fd)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        u64 mask;
    } dfl = {0};
    struct rlimit none = {0, 0};
    s32 status = 0;
    long n;
    hd_sys(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* whoever takes our descriptors */
    hd_sys(SYS_sendto, fd, "", 1, MSG_NOSIGNAL, 0, 0);
    do
        n = hd_sys(SYS_recvfrom, fd, &status, sizeof status, 0, 0, 0);
    while (n == -EINTR);
    if (n != (long)sizeof status)
        status = SIGKILL; /* nobody is left who could tell */
    if (WIFSIGNALED(status)) {
        hd_sys(SYS_prlimit64, 0, RLIMIT_CORE, &none, 0);
        hd_sys(SYS_rt_sigaction, WTERMSIG(status), &dfl, 0, 8);
        hd_sys(SYS_kill, hd_sys(SYS_getpid, 0), WTERMSIG(status));
    }
    for (;;)
        hd_sys(SYS_exit_group, WEXITSTATUS(status));
}

void hd_ask(const char *name, const struct hd_ask *a, struct hd_reply *reply)
{
    reply->kind = HD_REPLY_FREE;
    long fd = ask_socket(name), n;
    if (fd < 0)
        return;
    do
        n = hd_sys(SYS_sendto, fd, a, sizeof *a, MSG_NOSIGNAL, 0, 0);
    while (n == -EINTR);
    if (n == (long)sizeof *a)
        receive(fd, reply);
    if (reply->kind == HD_REPLY_STAND_IN)
        stand_in(fd);
    hd_sys(SYS_close, fd);
}
