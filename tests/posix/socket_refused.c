/* Socket calls that are refused at once and never wait
 * text:   accept on a socket that does not listen is EINVAL or EOPNOTSUPP; sending and receiving on a
 *         listening one is EPIPE or ENOTCONN; calls on what is no socket are ENOTSOCK
 * expect: exit 0
 */
#include "check.h"
#include <netinet/in.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
    char c = 0;
    int p[2], u = socket(AF_INET, SOCK_DGRAM, 0), l = socket(AF_INET, SOCK_STREAM, 0);
    OK(pipe(p));
    OK(bind(l, (void *)&addr, sizeof addr));
    OK(listen(l, 1));
    FAILS(accept(u, NULL, NULL), EOPNOTSUPP);
    FAILS(accept(p[0], NULL, NULL), ENOTSOCK);
    FAILS(accept4(p[0], NULL, NULL, 0), ENOTSOCK);
    FAILS(recv(l, &c, 1, 0), ENOTCONN);
    FAILS(send(l, &c, 1, MSG_NOSIGNAL), EPIPE);
    FAILS(recv(p[0], &c, 1, 0), ENOTSOCK);
    FAILS(recvfrom(p[0], &c, 1, 0, NULL, NULL), ENOTSOCK);
    FAILS(send(p[1], &c, 1, 0), ENOTSOCK);
    FAILS(sendto(p[1], &c, 1, 0, NULL, 0), ENOTSOCK);
    FAILS(connect(p[0], (void *)&addr, sizeof addr), ENOTSOCK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    FAILS(recv(s, &c, 1, 0), ENOTCONN);
    FAILS(send(s, &c, 1, MSG_NOSIGNAL), EPIPE);
    FAILS(shutdown(s, SHUT_RD), ENOTCONN);
    FAILS(connect(s, (void *)&addr, 1), EINVAL);
    return 0;
}
