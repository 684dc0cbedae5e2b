/* ask.c: the socket at which processes of a command ask what they are to be (event/ask.h). Its
 * name is in the abstract namespace: there is no file, and nothing is left behind. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "children/children.h"

#define PATIENCE_US 200000 /* for a process that was stopped between connect and send */

int hd_children_listen(char name[HD_ASK_NAME])
{
    static u32 count;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int n = snprintf(name, HD_ASK_NAME, "heddle-%d-%u-%llx", (int)getpid(), count++,
                     (unsigned long long)hd_monotonic_ns());
    memcpy(at.sun_path + 1, name, (size_t)n);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ||
        listen(fd, 128)) {
        int e = -errno;
        close(fd);
        return e;
    }
    return fd;
}

bool hd_children_asked(int fd, struct hd_ask *a, int *pid, int *to)
{
    for (;;) {
        struct ucred who;
        socklen_t size = sizeof who;
        struct timeval patience = {0, PATIENCE_US};
        *to = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (*to < 0 && errno == EINTR)
            continue;
        if (*to < 0)
            return false;
        setsockopt(*to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        bool is_ours = !getsockopt(*to, SOL_SOCKET, SO_PEERCRED, &who, &size) &&
                       who.uid == geteuid() && recv(*to, a, sizeof *a, 0) == sizeof *a &&
                       a->magic == HD_ASK_MAGIC;
        if (is_ours) {
            *pid = who.pid;
            a->library[sizeof a->library - 1] = a->exe[sizeof a->exe - 1] = '\0';
            a->args[sizeof a->args - 1] = '\0';
            a->n_args = HD_MIN(a->n_args, (u32)sizeof a->args);
            return true;
        }
        close(*to); /* the process goes on without us */
    }
}

bool hd_children_reply(int to, enum hd_reply_kind kind, const char *runtime, const int *fds)
{
    struct hd_reply reply = {.magic = HD_ASK_MAGIC, .kind = kind};
    union {
        char bytes[CMSG_SPACE(sizeof(int) * HD_ASK_FDS)];
        struct cmsghdr align;
    } room = {{0}};
    struct iovec part = {&reply, sizeof reply};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    snprintf(reply.runtime, sizeof reply.runtime, "%s", runtime);
    if (fds) {
        m.msg_control = room.bytes;
        m.msg_controllen = sizeof room.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){CMSG_LEN(sizeof(int) * HD_ASK_FDS), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(c), fds, sizeof(int) * HD_ASK_FDS);
    }
    bool is_sent = sendmsg(to, &m, MSG_NOSIGNAL) == sizeof reply;
    close(to);
    return is_sent;
}

void hd_children_runtime(const struct hd_ask *a, char *buf, size_t size)
{
    struct hd_error err;
    buf[0] = '\0';
    if (strchr(a->library, '/') || hd_target_runtime(a->library, buf, size, &err))
        buf[0] = '\0';
}
