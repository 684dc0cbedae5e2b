/* EPOLLONESHOT: whoever gets the event owns the connection and its plain state, until it arms it again
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "threads.h"

static int loop, end[2];
static struct connection {
    int fd, bytes;
} connection;

static void *serve(void *arg)
{
    for (;;) {
        struct epoll_event e;
        if (epoll_wait(loop, &e, 1, -1) != 1)
            continue;
        struct connection *c = e.data.ptr;
        char b;
        long n = read(c->fd, &b, 1);
        c->bytes += n > 0;
        int bytes = c->bytes;
        e = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.ptr = c};
        epoll_ctl(loop, EPOLL_CTL_MOD, c->fd, &e);
        if (n <= 0)
            return bytes == 3 ? arg : (void *)1;
    }
}

int main(void)
{
    pthread_t t[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
        return 1;
    loop = epoll_create1(0);
    connection.fd = end[0];
    struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = &connection};
    epoll_ctl(loop, EPOLL_CTL_ADD, end[0], &e);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, serve, NULL);
    for (int i = 0; i < 3; i++)
        if (write(end[1], "x", 1) != 1)
            abort();
    shutdown(end[1], SHUT_WR);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return connection.bytes != 3;
}
