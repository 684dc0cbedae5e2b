/* Datagrams carry the number of the slot that is ready; a descriptor goes along (SCM_RIGHTS)
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "threads.h"

static int fd[2], slot[3];

static void *sender(void *arg)
{
    for (char i = 0; i < 3; i++) {
        slot[(int)i] = i + 7;
        union {
            struct cmsghdr h;
            char room[CMSG_SPACE(sizeof(int))];
        } u;
        struct iovec v = {&i, 1};
        struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = u.room, .msg_controllen = sizeof u.room};
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd[0], sizeof(int));
        if (sendmsg(fd[0], &m, 0) != 1)
            abort();
    }
    return arg;
}

static void *receiver(void *arg)
{
    for (int k = 0; k < 3; k++) {
        char i, room[CMSG_SPACE(sizeof(int))];
        struct iovec v = {&i, 1};
        struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        int got;
        if (recvmsg(fd[1], &m, 0) != 1 || slot[(int)i] != i + 7)
            abort();
        memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof got);
        close(got);
        slot[(int)i] = 0;
    }
    return arg;
}

int main(void)
{
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd))
        return 1;
    run_both(sender, receiver);
    return slot[0] + slot[1] + slot[2];
}
