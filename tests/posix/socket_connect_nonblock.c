/* Non-blocking connect: EINPROGRESS, then writable with SO_ERROR
 * text:   the connection is made in the background; poll reports POLLOUT; SO_ERROR is the result
 * expect: exit 0
 */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t n = sizeof addr;
    int l = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), e = -1;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    OK(bind(l, (void *)&addr, sizeof addr));
    OK(getsockname(l, (void *)&addr, &n));
    OK(listen(l, 1));
    int r = connect(s, (void *)&addr, sizeof addr);
    TRUE(r == 0 || errno == EINPROGRESS);
    struct pollfd p = {.fd = s, .events = POLLOUT};
    IS(poll(&p, 1, -1), 1);
    IS(p.revents, POLLOUT);
    n = sizeof e;
    OK(getsockopt(s, SOL_SOCKET, SO_ERROR, &e, &n));
    IS(e, 0);
    char c;
    FAILS(recv(s, &c, 1, 0), EAGAIN);
    int a = accept(l, NULL, NULL);
    TRUE(a >= 0);
    IS(send(a, "x", 1, 0), 1);
    p.events = POLLIN;
    IS(poll(&p, 1, -1), 1);
    IS(recv(s, &c, 1, 0), 1);
    return 0;
}
