/* ask.c: the socket at which processes of a command ask what they are to be (event/ask.h). Its
 * name is in the abstract namespace: there is no file, and nothing is left behind. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "children/children.h"

int hd_children_listen(struct hd_listener *l, char name[HD_ASK_NAME])
{
    static u32 count;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int n = snprintf(name, HD_ASK_NAME, "heddle-%d-%u-%llx", (int)getpid(), count++,
                     (unsigned long long)hd_monotonic_ns());
    memcpy(at.sun_path + 1, name, (size_t)n);
    l->n = 0;
    l->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return -errno;
    if (bind(l->fd, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ||
        listen(l->fd, 128)) {
        int e = -errno;
        hd_children_listen_end(l);
        return e;
    }
    return 0;
}

static void disconnect(struct hd_listener *l)
{
    for (u32 i = 0; i < l->n; i++)
        close(l->connected[i]);
    l->n = 0;
}

void hd_children_listen_end(struct hd_listener *l)
{
    if (l->fd >= 0)
        close(l->fd);
    disconnect(l);
    l->fd = -1;
}

/* A busy machine may stop a process between connect and send for long: it waits, we do not. */
static void take_connections(struct hd_listener *l)
{
    while (l->n < HD_COUNT(l->connected)) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            l->connected[l->n++] = fd;
        else if (errno != EINTR)
            break;
    }
}

void hd_children_listen_anew(struct hd_listener *l)
{
    do {
        disconnect(l);
        take_connections(l);
    } while (l->n);
}

/* 1: a question; 0: nothing yet; -1: none will come. */
static int take_question(int fd, struct hd_ask *a, int *pid)
{
    struct ucred who;
    socklen_t size = sizeof who;
    ssize_t n = recv(fd, a, sizeof *a, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n != sizeof *a || a->magic != HD_ASK_MAGIC ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) || who.uid != geteuid())
        return -1;
    *pid = who.pid;
    a->library[sizeof a->library - 1] = a->exe[sizeof a->exe - 1] = '\0';
    a->args[sizeof a->args - 1] = '\0';
    a->n_args = HD_MIN(a->n_args, (u32)sizeof a->args);
    return 1;
}

bool hd_children_asked(struct hd_listener *l, struct hd_ask *a, int *pid, int *to)
{
    take_connections(l);
    for (u32 i = 0; i < l->n;) {
        int found = take_question(l->connected[i], a, pid);
        if (!found) {
            i++;
            continue;
        }
        *to = l->connected[i];
        l->n--;
        memmove(l->connected + i, l->connected + i + 1, (l->n - i) * sizeof *l->connected);
        if (found > 0)
            return true;
        close(*to); /* the process goes on without us */
    }
    return false;
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
