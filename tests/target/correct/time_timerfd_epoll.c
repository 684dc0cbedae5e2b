/* A timerfd in an epoll set
 * cause:    none: expirations are counted, never lost, and come beside a busy thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static atomic_int is_over;

static void *busy(void *arg)
{
    while (!atomic_load(&is_over))
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t t;
    struct itimerspec every = {{0, 50000000}, {0, 50000000}};
    struct epoll_event ev = {.events = EPOLLIN}, got;
    int fd = timerfd_create(CLOCK_MONOTONIC, 0), ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
    pthread_create(&t, NULL, busy, NULL);
    timerfd_settime(fd, 0, &every, NULL);
    uint64_t ticks = 0, n;
    while (ticks < 5) {
        assert(epoll_wait(ep, &got, 1, -1) == 1);
        assert(read(fd, &n, sizeof n) == sizeof n && n >= 1);
        ticks += n;
    }
    atomic_store(&is_over, 1);
    pthread_join(t, NULL);
    return 0;
}
