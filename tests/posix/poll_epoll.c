/* epoll: level and edge, one shot, errors
 * text:   level-triggered reports as long as there is data, edge-triggered once per change, one
 *         shot until it is armed again; adding twice is EEXIST, what is not there ENOENT
 * expect: exit 0
 */
#include "check.h"
#include <sys/epoll.h>

static int p[2];

static void *writer(void *arg)
{
    IS(write(p[1], "x", 1), 1);
    return NULL;
}

int main(void)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u32 = 9}, got[4];
    char c;
    OK(pipe(p));
    int ep = epoll_create1(EPOLL_CLOEXEC);
    TRUE(ep >= 0);
    OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
    FAILS(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev), EEXIST);
    FAILS(epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &ev), ENOENT);
    FAILS(epoll_ctl(ep, EPOLL_CTL_ADD, -1, &ev), EBADF);
    FAILS(epoll_ctl(ep, EPOLL_CTL_ADD, ep, &ev), EINVAL);
    FAILS(epoll_ctl(p[0], EPOLL_CTL_ADD, p[1], &ev), EINVAL);
    FAILS(epoll_wait(ep, got, 0, 0), EINVAL);
    IS(epoll_wait(ep, got, 4, 0), 0);
    long long begin = now_ns(CLOCK_MONOTONIC);
    IS(epoll_wait(ep, got, 4, 10), 0);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    pthread_t t = start(writer, NULL);
    IS(epoll_wait(ep, got, 4, -1), 1);
    IS(got[0].data.u32, 9);
    IS(got[0].events, EPOLLIN);
    join(t);
    IS(epoll_wait(ep, got, 4, 0), 1); /* level */
    ev.events = EPOLLIN | EPOLLET;
    OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));
    IS(epoll_wait(ep, got, 4, 0), 1);
    IS(epoll_wait(ep, got, 4, 0), 0); /* edge */
    ev.events = EPOLLIN | EPOLLONESHOT;
    OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));
    IS(epoll_wait(ep, got, 4, 0), 1);
    IS(write(p[1], "y", 1), 1);
    IS(epoll_wait(ep, got, 4, 0), 0); /* one shot */
    OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
    IS(read(p[0], &c, 1), 1);
    FAILS(epoll_create1(0x1234567), EINVAL);
    FAILS(epoll_create(0), EINVAL);
    return 0;
}
