/* Bad addresses given to system calls: EFAULT, as the kernel says, and no crash. */
#include "check.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *bad; /* not known to the compiler */

static void *nothing(void *arg) { return arg; }

static void files(void)
{
    int p[2];
    char c = 'x';
    struct iovec v = {bad, 1};
    IS(pipe(p), 0);
    FAILS(write(p[1], bad, 1), EFAULT);
    FAILS(writev(p[1], bad, 1), EFAULT);
    FAILS(writev(p[1], &v, 1), EFAULT);
    IS(write(p[1], &c, 1), 1);
    FAILS(read(p[0], bad, 1), EFAULT);
    FAILS(readv(p[0], bad, 1), EFAULT);
    FAILS(readv(p[0], &v, 1), EFAULT);
    FAILS(pipe(bad), EFAULT);
    close(p[0]);
    close(p[1]);
}

static void waits(void)
{
    struct timeval tv = {0, 0};
    struct timespec ts = {0, 1000};
    fd_set set;
    FD_ZERO(&set);
    FAILS(poll(bad, 1, 0), EFAULT);
    FAILS(ppoll(bad, 1, &ts, NULL), EFAULT);
    FAILS(select(1, bad, NULL, NULL, &tv), EFAULT);
    FAILS(select(1, &set, bad, NULL, &tv), EFAULT);
    FAILS(pselect(1, bad, NULL, NULL, &ts, NULL), EFAULT);
    int e = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN};
    FAILS(epoll_ctl(e, EPOLL_CTL_ADD, 0, bad), EFAULT);
    int p[2];
    IS(pipe(p), 0);
    IS(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev), 0);
    IS(write(p[1], "x", 1), 1);
    FAILS(epoll_wait(e, bad, 1, 0), EFAULT);
    FAILS(nanosleep(bad, NULL), EFAULT);
    IS(clock_nanosleep(CLOCK_MONOTONIC, 0, bad, NULL), EFAULT);
    IS(nanosleep(&ts, bad), 0); /* not written unless interrupted */
    close(e);
    close(p[0]);
    close(p[1]);
}

static void sockets(void)
{
    int s[2];
    IS(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
    struct msghdr m = {.msg_iov = bad, .msg_iovlen = 1};
    FAILS(send(s[0], bad, 1, 0), EFAULT);
    FAILS(sendmsg(s[0], bad, 0), EFAULT);
    FAILS(sendmsg(s[0], &m, 0), EFAULT);
    IS(send(s[0], "ab", 2, 0), 2);
    FAILS(recvmsg(s[1], bad, 0), EFAULT);
    FAILS(recvmsg(s[1], &m, 0), EFAULT);
    FAILS(recv(s[1], bad, 1, 0), EFAULT);
    FAILS(connect(s[0], bad, 10), EFAULT);
    FAILS(bind(s[0], bad, 10), EFAULT);
    FAILS(socketpair(AF_UNIX, SOCK_STREAM, 0, bad), EFAULT);
    close(s[0]);
    close(s[1]);
}

static void others(void)
{
    int word = 0, status;
    FAILS(getrandom(bad, 8, 0), EFAULT);
    FAILS(getentropy(bad, 8), EFAULT);
    FAILS(syscall(SYS_getrandom, bad, 8, 0), EFAULT);
    FAILS(syscall(SYS_futex, &word, FUTEX_WAIT, 0, bad, NULL, 0), EFAULT);
    FAILS(syscall(SYS_futex, bad, FUTEX_WAIT, 0, NULL, NULL, 0), EFAULT);
    FAILS(syscall(SYS_nanosleep, bad, NULL), EFAULT);
    FAILS(syscall(SYS_clock_gettime, CLOCK_REALTIME, bad), EFAULT);
    FAILS(syscall(SYS_poll, bad, 1, 0), EFAULT);
    FAILS(open(bad, O_RDONLY), EFAULT);
    FAILS(fopen(bad, "r") ? 0 : -1, EFAULT);
    FAILS(access(bad, R_OK), EFAULT);
    FAILS(unlink(bad), EFAULT);
    FAILS(sigsuspend(bad), EFAULT);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    siginfo_t info;
    FAILS(sigtimedwait(&set, &info, bad), EFAULT);
    FAILS(sigwaitinfo(bad, &info), EFAULT);
    FAILS(sigpending(bad), EFAULT);
    int sem = semget(IPC_PRIVATE, 1, 0600);
    CHECK(sem >= 0);
    FAILS(semop(sem, bad, 1), EFAULT);
    semctl(sem, 0, IPC_RMID);
    (void)status;
}

int main(void)
{
    pthread_t t;
    bad = (void *)8;
    IS(pthread_create(&t, NULL, nothing, NULL), 0);
    files();
    waits();
    sockets();
    others();
    IS(pthread_join(t, NULL), 0);
    return 0;
}
