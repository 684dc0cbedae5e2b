/* Cancellation of threads that wait for input; a handler for SIGPIPE. */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd[2], pair[2], ep;
static int cleaned;
static volatile int broken;

static void clean(void *arg) { __atomic_add_fetch(&cleaned, 1, __ATOMIC_SEQ_CST); }

static void *wait_for_input(void *arg)
{
    char c;
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    struct epoll_event ev;
    pthread_cleanup_push(clean, NULL);
    switch ((long)arg) {
    case 0:
        read(fd[0], &c, 1);
        break;
    case 1:
        poll(&p, 1, -1);
        break;
    case 2:
        recv(pair[0], &c, 1, 0);
        break;
    case 3:
        epoll_wait(ep, &ev, 1, -1);
        break;
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void on_pipe(int signo) { broken++; }

int main(void)
{
    pthread_t t[4];
    struct epoll_event ev = {.events = EPOLLIN};
    void *result;
    IS(pipe(fd), 0);
    IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ep = epoll_create1(0);
    IS(epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &ev), 0);
    for (long i = 0; i < 4; i++)
        IS(pthread_create(&t[i], NULL, wait_for_input, (void *)i), 0);
    for (int i = 0; i < 4; i++) {
        IS(pthread_cancel(t[i]), 0);
        IS(pthread_join(t[i], &result), 0);
        CHECK(result == PTHREAD_CANCELED);
    }
    CHECK(cleaned <= 4); /* fewer if cancelled before the handler was pushed */
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    IS(poll(&p, 1, 1), 0);
    IS(write(fd[1], "x", 1), 1);
    IS(poll(&p, 1, -1), 1);

    signal(SIGPIPE, on_pipe);
    IS(close(fd[0]), 0);
    FAILS(write(fd[1], "x", 1), EPIPE);
    poll(NULL, 0, 1);
    IS(broken, 1);
    return 0;
}
