/* Blocking calls on descriptors are cancellation points
 * text:   read, recv, accept, poll, select and waiting in epoll act on a pending request
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>

static int p[2], s[2], listener, ep;

static void *user(void *arg)
{
    char c;
    fd_set set;
    struct pollfd pf = {.fd = p[0], .events = POLLIN};
    struct epoll_event ev;
    switch ((long)arg) {
    case 0: (void)!read(p[0], &c, 1); break;
    case 1: recv(s[0], &c, 1, 0); break;
    case 2: accept(listener, NULL, NULL); break;
    case 3: poll(&pf, 1, -1); break;
    case 4:
        FD_ZERO(&set);
        FD_SET(p[0], &set);
        select(p[0] + 1, &set, NULL, NULL, NULL);
        break;
    case 5: epoll_wait(ep, &ev, 1, -1); break;
    }
    return NULL;
}

int main(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "heddle-posix-cancel-%d", (int)getpid());
    OK(pipe(p));
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    OK(bind(listener, (void *)&a, sizeof a));
    OK(listen(listener, 1));
    ep = epoll_create1(0);
    for (long i = 0; i < 6; i++) {
        pthread_t t = start(user, (void *)i);
        OK(pthread_cancel(t));
        TRUE(join(t) == PTHREAD_CANCELED);
    }
    return 0;
}
