/* TCP over the loop: listen, accept, connect, errors
 * text:   connect to a port nobody listens on is ECONNREFUSED; accept on a socket that does not
 *         listen is EINVAL, non-blocking without a connection EAGAIN
 * expect: exit 0
 */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static struct sockaddr_in addr;

static void *client(void *arg)
{
    char c;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    OK(connect(s, (void *)&addr, sizeof addr));
    FAILS(connect(s, (void *)&addr, sizeof addr), EISCONN);
    IS(write(s, "q", 1), 1);
    IS(read(s, &c, 1), 1);
    IS(c, 'r');
    IS(read(s, &c, 1), 0);
    OK(close(s));
    return NULL;
}

int main(void)
{
    struct sockaddr_in peer;
    socklen_t n = sizeof addr;
    char c;
    int s = socket(AF_INET, SOCK_STREAM, 0), fresh = socket(AF_INET, SOCK_STREAM, 0);
    addr.sin_family = AF_INET;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    OK(bind(s, (void *)&addr, sizeof addr));
    OK(getsockname(s, (void *)&addr, &n));
    FAILS(connect(fresh, (void *)&addr, sizeof addr), ECONNREFUSED); /* not listening yet */
    FAILS(accept(s, NULL, NULL), EINVAL);
    OK(listen(s, 4));
    int again = socket(AF_INET, SOCK_STREAM, 0);
    FAILS(bind(again, (void *)&addr, sizeof addr), EADDRINUSE);
    pthread_t t = start(client, NULL);
    n = sizeof peer;
    int a = accept(s, (void *)&peer, &n);
    TRUE(a >= 0);
    IS(peer.sin_family, AF_INET);
    IS(read(a, &c, 1), 1);
    IS(write(a, "r", 1), 1);
    OK(close(a));
    join(t);
    FAILS(accept4(s, NULL, NULL, 0x1234567), EINVAL);
    FAILS(socket(999, SOCK_STREAM, 0), EAFNOSUPPORT);
    OK(close(s));
    return 0;
}
