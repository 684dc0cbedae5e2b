/* Socket pairs: both directions, datagram limits, shutdown
 * text:   a stream has no message limits, datagrams keep theirs; after SHUT_WR the peer reads the
 *         end; MSG_PEEK leaves the data
 * expect: exit 0
 */
#include "check.h"
#include <sys/socket.h>

static int s[2];

static void *echo(void *arg)
{
    char buf[16];
    ssize_t n;
    while ((n = recv(s[1], buf, sizeof buf, 0)) > 0)
        IS(send(s[1], buf, (size_t)n, 0), n);
    IS(n, 0);
    OK(shutdown(s[1], SHUT_WR));
    return NULL;
}

int main(void)
{
    char buf[16];
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    pthread_t t = start(echo, NULL);
    for (int i = 0; i < 3; i++) {
        IS(send(s[0], "ping", 4, 0), 4);
        IS(recv(s[0], buf, 4, MSG_WAITALL), 4);
        OK(memcmp(buf, "ping", 4));
    }
    OK(shutdown(s[0], SHUT_WR));
    IS(recv(s[0], buf, 4, 0), 0);
    join(t);
    OK(close(s[0]));
    OK(close(s[1]));
    OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    IS(send(s[0], "one", 3, 0), 3);
    IS(send(s[0], "three", 5, 0), 5);
    IS(recv(s[1], buf, 16, MSG_PEEK), 3);
    IS(recv(s[1], buf, 16, 0), 3);
    IS(recv(s[1], buf, 2, MSG_TRUNC), 5);
    FAILS(recv(s[1], buf, 16, MSG_DONTWAIT), EAGAIN);
    FAILS(recv(-1, buf, 1, 0), EBADF);
    FAILS(send(1000, buf, 1, 0), EBADF);
    int p[2];
    OK(pipe(p));
    FAILS(recv(p[0], buf, 1, 0), ENOTSOCK);
    FAILS(shutdown(p[0], SHUT_RD), ENOTSOCK);
    FAILS(shutdown(s[0], 99), EINVAL);
    FAILS(socketpair(AF_INET, SOCK_STREAM, 0, s), EOPNOTSUPP);
    return 0;
}
