/* A send that waits because the other side does not read ends when the connection is shut down
 * text:   EPIPE: the socket is shut down for writing, or is no longer connected
 * expect: exit 0
 */
#include "check.h"
#include <sys/socket.h>

static int pair[2], port[2];

static void *sends(void *arg)
{
    int fd = *(int *)arg;
    char block[4096] = {0};
    while (send(fd, block, sizeof block, MSG_NOSIGNAL) > 0)
        ;
    IS(errno, EPIPE);
    return NULL;
}

static void run(int *from, int *to, int shut, int how)
{
    pthread_t t;
    char byte;
    OK(pthread_create(&t, NULL, sends, from));
    IS(read(*to, &byte, 1), 1);
    OK(shutdown(shut, how));
    OK(pthread_join(t, NULL));
    close(*from);
    close(*to);
}

int main(void)
{
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    run(&pair[0], &pair[1], pair[1], SHUT_RD);
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, port));
    run(&port[0], &port[1], port[0], SHUT_WR);
    return 0;
}
