/* A descriptor goes through a socket with the message that data is ready; another one is made by dup and closed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "threads.h"

static int s[2], data, seen;

static void *sender(void *arg)
{
    char c = 'x', control[CMSG_SPACE(sizeof(int))] = {0};
    int fd = memfd_create("a", 0);
    struct iovec i = {&c, 1};
    struct msghdr m = {.msg_iov = &i, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET, h->cmsg_type = SCM_RIGHTS, h->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    if (write(fd, "abc", 3) != 3)
        abort();
    data = 5;
    if (sendmsg(s[0], &m, 0) != 1)
        abort();
    close(fd);
    return arg;
}

static void *receiver(void *arg)
{
    char c, text[4] = "", control[CMSG_SPACE(sizeof(int))];
    int fd;
    struct iovec i = {&c, 1};
    struct msghdr m = {.msg_iov = &i, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(s[1], &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
        abort();
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    seen = data;
    if (pread(fd, text, 3, 0) != 3 || strcmp(text, "abc"))
        abort();
    close(fd);
    return arg;
}

int main(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
        return 1;
    run_both(sender, receiver);
    return seen != 5;
}
