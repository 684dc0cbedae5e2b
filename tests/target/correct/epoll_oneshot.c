/* An edge-triggered epoll loop with eventfd, timerfd and a socketpair; EPOLLONESHOT for two workers
 * cause:    none: EPOLLONESHOT gives a descriptor to one worker at a time
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>
static int ep, stop_fd, timer_fd, sock[2], bytes, ticks;
static void *worker(void *arg)
{
    for (;;) {
        struct epoll_event ev;
        int n = epoll_wait(ep, &ev, 1, -1);
        if (n < 0) {
            assert(errno == EINTR);
            continue;
        }
        if (ev.data.fd == stop_fd)
            return arg;
        if (ev.data.fd == timer_fd) {
            uint64_t k;
            if (read(timer_fd, &k, 8) == 8)
                __atomic_fetch_add(&ticks, (int)k, __ATOMIC_RELAXED);
        } else {
            char buf[8];
            for (ssize_t k; (k = read(sock[0], buf, sizeof buf)) > 0;)
                bytes += (int)k;
        }
        struct epoll_event again = {.events = EPOLLIN | EPOLLONESHOT | EPOLLET,
                                    .data.fd = ev.data.fd};
        epoll_ctl(ep, EPOLL_CTL_MOD, ev.data.fd, &again);
    }
}
int main(void)
{
    ep = epoll_create1(0);
    stop_fd = eventfd(0, EFD_NONBLOCK);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    assert(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sock));
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = stop_fd};
    epoll_ctl(ep, EPOLL_CTL_ADD, stop_fd, &ev);
    ev.events = EPOLLIN | EPOLLONESHOT | EPOLLET;
    ev.data.fd = sock[0];
    epoll_ctl(ep, EPOLL_CTL_ADD, sock[0], &ev);
    ev.data.fd = timer_fd;
    epoll_ctl(ep, EPOLL_CTL_ADD, timer_fd, &ev);
    struct itimerspec it = {{0, 0}, {0, 1000000}};
    timerfd_settime(timer_fd, 0, &it, NULL);
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    for (int i = 0; i < 5; i++)
        assert(write(sock[1], "abc", 3) == 3);
    uint64_t one = 1;
    assert(write(stop_fd, &one, 8) == 8);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    char buf[64];
    ssize_t rest = read(sock[0], buf, sizeof buf);
    assert(bytes + (rest > 0 ? rest : 0) == 15);
    return 0;
}
