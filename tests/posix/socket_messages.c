/* sendmsg, recvmsg: vectors, descriptors, several messages
 * text:   vectors are gathered; SCM_RIGHTS hands an open file over; recvmmsg gives how many came
 * expect: exit 0
 */
#include "check.h"
#include <sys/socket.h>
#include <sys/uio.h>

static int s[2];

static void *receiver(void *arg)
{
    char a[3], b[3], space[CMSG_SPACE(sizeof(int))];
    struct iovec v[2] = {{a, 2}, {b, 3}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2, .msg_control = space, .msg_controllen = sizeof space};
    IS(recvmsg(s[1], &m, 0), 5);
    OK(memcmp(a, "ab", 2));
    OK(memcmp(b, "cde", 3));
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    TRUE(c && c->cmsg_type == SCM_RIGHTS);
    int fd;
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
    IS(write(fd, "!", 1), 1);
    OK(close(fd));
    return NULL;
}

int main(void)
{
    char space[CMSG_SPACE(sizeof(int))] = "", c[2][4];
    struct iovec v[2] = {{"abc", 3}, {"de", 2}}, w[2] = {{c[0], 4}, {c[1], 4}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    int p[2];
    OK(pipe(p));
    OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(h), &p[1], sizeof(int));
    pthread_t t = start(receiver, NULL);
    IS(sendmsg(s[0], &m, 0), 5);
    IS(read(p[0], c[0], 1), 1);
    IS(c[0][0], '!');
    join(t);
    struct mmsghdr out[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
    struct mmsghdr in[2] = {{.msg_hdr = {.msg_iov = &w[0], .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &w[1], .msg_iovlen = 1}}};
    IS(sendmmsg(s[0], out, 2, 0), 2);
    IS(recvmmsg(s[1], in, 2, 0, NULL), 2);
    IS(in[0].msg_len, 3);
    IS(in[1].msg_len, 2);
    FAILS(recvmmsg(s[1], in, 2, MSG_DONTWAIT, NULL), EAGAIN);
    return 0;
}
