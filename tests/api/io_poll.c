/* poll, ppoll, select, pselect and the epoll family: with time-outs that pass,
 * with another thread that writes, with nothing to watch. */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int fd[2];

static void *write_one(void *arg)
{
    IS(write(fd[1], "x", 1), 1);
    return NULL;
}

static void take_one(void)
{
    char c;
    IS(read(fd[0], &c, 1), 1);
    IS(c, 'x');
}

static void test_poll(void)
{
    pthread_t t;
    struct pollfd p[2] = {{.fd = fd[0], .events = POLLIN}, {.fd = -1}};
    struct timespec ms20 = {0, 20000000};
    long long start = now_ns(CLOCK_MONOTONIC);
    IS(poll(p, 2, 0), 0);
    IS(poll(p, 2, 20), 0);
    IS(ppoll(p, 2, &ms20, NULL), 0);
    IS(poll(NULL, 0, 20), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 60000000);
    IS(pthread_create(&t, NULL, write_one, NULL), 0);
    IS(poll(p, 2, -1), 1);
    IS(p[0].revents, POLLIN);
    take_one();
    IS(pthread_join(t, NULL), 0);
    p[0] = (struct pollfd){.fd = fd[1], .events = POLLIN | POLLOUT};
    IS(poll(p, 1, -1), 1);
    IS(p[0].revents, POLLOUT);
}

static void test_select(void)
{
    pthread_t t;
    fd_set in, out;
    struct timeval tv = {0, 20000};
    struct timespec ms20 = {0, 20000000};
    long long start = now_ns(CLOCK_MONOTONIC);
    FD_ZERO(&in);
    FD_SET(fd[0], &in);
    IS(select(fd[0] + 1, &in, NULL, NULL, &tv), 0);
    CHECK(!FD_ISSET(fd[0], &in) && tv.tv_sec == 0 && tv.tv_usec == 0);
    tv.tv_usec = 20000;
    IS(select(0, NULL, NULL, NULL, &tv), 0);
    FD_SET(fd[0], &in);
    IS(pselect(fd[0] + 1, &in, NULL, NULL, &ms20, NULL), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 60000000);
    IS(pthread_create(&t, NULL, write_one, NULL), 0);
    FD_SET(fd[0], &in);
    IS(select(fd[0] + 1, &in, NULL, NULL, NULL), 1);
    CHECK(FD_ISSET(fd[0], &in));
    FD_ZERO(&out);
    FD_SET(fd[1], &out);
    int top = fd[0] > fd[1] ? fd[0] : fd[1];
    IS(select(top + 1, &in, &out, NULL, NULL), 2);
    take_one();
    IS(pthread_join(t, NULL), 0);
}

static void test_epoll(void)
{
    pthread_t t;
    int ep = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.fd = fd[0]}, got[4];
    struct timespec ms20 = {0, 20000000};
    CHECK(ep >= 0);
    IS(epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &ev), 0);
    FAILS(epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &ev), EEXIST);
    long long start = now_ns(CLOCK_MONOTONIC);
    IS(epoll_wait(ep, got, 4, 0), 0);
    IS(epoll_wait(ep, got, 4, 20), 0);
    IS(epoll_pwait(ep, got, 4, 20, NULL), 0);
    IS(epoll_pwait2(ep, got, 4, &ms20, NULL), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 60000000);
    IS(pthread_create(&t, NULL, write_one, NULL), 0);
    IS(epoll_wait(ep, got, 4, -1), 1);
    CHECK(got[0].data.fd == fd[0] && (got[0].events & EPOLLIN));
    IS(pthread_join(t, NULL), 0);
    IS(epoll_wait(ep, got, 4, 5), 0); /* an edge is told once */
    take_one();
    IS(close(ep), 0);
}

static int counter;

static void *add_up(void *arg)
{
    eventfd_t n;
    for (int sum = 0; sum < 6; sum += (int)n)
        IS(eventfd_read(counter, &n), 0);
    return NULL;
}

static void test_eventfd(void)
{
    pthread_t t;
    uint64_t n;
    counter = eventfd(0, 0);
    IS(pthread_create(&t, NULL, add_up, NULL), 0);
    for (eventfd_t i = 1; i <= 3; i++)
        IS(eventfd_write(counter, i), 0);
    IS(pthread_join(t, NULL), 0);
    IS(close(counter), 0);

    int tfd = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec every10ms = {{0, 10000000}, {0, 10000000}}, left;
    struct pollfd p = {.fd = tfd, .events = POLLIN};
    CHECK(tfd >= 0);
    IS(poll(&p, 1, 0), 0);
    IS(timerfd_settime(tfd, 0, &every10ms, NULL), 0);
    IS(timerfd_gettime(tfd, &left), 0);
    CHECK(left.it_interval.tv_nsec == 10000000 && left.it_value.tv_sec == 0);
    IS(poll(&p, 1, -1), 1);
    IS(read(tfd, &n, sizeof n), sizeof n);
    CHECK(n >= 1);
    struct itimerspec off = {{0, 0}, {0, 0}};
    IS(timerfd_settime(tfd, 0, &off, NULL), 0);
    IS(poll(&p, 1, 50), 0);
    IS(close(tfd), 0);
}

int main(void)
{
    IS(pipe(fd), 0);
    test_poll();
    test_select();
    test_epoll();
    test_eventfd();
    return 0;
}
