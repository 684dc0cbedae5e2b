/* A loop over epoll: jobs in a list under a lock, wake-ups by eventfd, answers over a socket
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "threads.h"

static int wake, sock[2], poller;
static struct job {
    int in, out;
} job[2];

static void *loop(void *arg)
{
    for (int n = 0; n < 2;) {
        struct epoll_event e;
        uint64_t count;
        if (epoll_wait(poller, &e, 1, -1) != 1)
            continue;
        if (read(wake, &count, sizeof count) != sizeof count)
            abort();
        while (count-- && n < 2) {
            job[n].out = job[n].in * 2;
            if (write(sock[0], &(char){(char)n}, 1) != 1)
                abort();
            n++;
        }
    }
    return arg;
}

static void *client(void *arg)
{
    uint64_t one = 1;
    for (int i = 0; i < 2; i++) {
        job[i].in = i + 5;
        if (write(wake, &one, sizeof one) != sizeof one)
            abort();
    }
    for (int i = 0; i < 2; i++) {
        char c;
        if (read(sock[1], &c, 1) != 1 || job[(int)c].out != (c + 5) * 2)
            abort();
    }
    return arg;
}

int main(void)
{
    wake = eventfd(0, 0);
    poller = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, wake, &e);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock))
        return 1;
    run_both(loop, client);
    return 0;
}
