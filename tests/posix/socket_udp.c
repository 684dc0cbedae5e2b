/* UDP over the loop: sendto, recvfrom, addresses, timeouts
 * text:   recvfrom gives the sender's address; SO_RCVTIMEO ends a receive with EAGAIN after the time;
 *         a send without address on an unconnected socket is EDESTADDRREQ
 * expect: exit 0
 */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

static struct sockaddr_in addr[2];
static int s[2];

static void *sender(void *arg)
{
    IS(sendto(s[1], "hello", 5, 0, (void *)&addr[0], sizeof addr[0]), 5);
    return NULL;
}

int main(void)
{
    struct sockaddr_in from;
    struct timeval tv = {0, 10000};
    socklen_t n;
    char buf[16];
    for (int i = 0; i < 2; i++) {
        s[i] = socket(AF_INET, SOCK_DGRAM, 0);
        addr[i].sin_family = AF_INET;
        addr[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        OK(bind(s[i], (void *)&addr[i], sizeof addr[i]));
        n = sizeof addr[i];
        OK(getsockname(s[i], (void *)&addr[i], &n));
    }
    FAILS(send(s[0], "x", 1, 0), EDESTADDRREQ);
    pthread_t t = start(sender, NULL);
    n = sizeof from;
    IS(recvfrom(s[0], buf, sizeof buf, 0, (void *)&from, &n), 5);
    IS(from.sin_port, addr[1].sin_port);
    join(t);
    FAILS(recv(s[0], buf, 1, MSG_DONTWAIT), EAGAIN);
    OK(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
    long long begin = now_ns(CLOCK_MONOTONIC);
    FAILS(recv(s[0], buf, 1, 0), EAGAIN);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 9000000);
    OK(connect(s[0], (void *)&addr[1], sizeof addr[1]));
    IS(send(s[0], "x", 1, 0), 1);
    IS(recv(s[1], buf, 16, 0), 1);
    return 0;
}
