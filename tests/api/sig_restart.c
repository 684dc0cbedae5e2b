/* A blocking call goes on after a signal handler, whatever the handler does
 * itself: writes to a pipe, posts a semaphore, uses an atomic, takes a signal of
 * its own. SA_RESTART: the call is restarted and later gets what it waits for. */
#include "check.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int own[2]; /* pipe of the handler */
static sem_t posted;
static atomic_int handled, nested;
static int what_handler_does;

static void on_inner(int signo) { nested++; }

static void on_signal(int signo)
{
    int before = errno;
    char c = 'h';
    struct pollfd p = {.fd = own[0], .events = POLLIN};
    switch (what_handler_does) {
    case 0: atomic_fetch_add(&nested, 1); break;
    case 1: IS(write(own[1], &c, 1), 1); break;
    case 2: IS(sem_post(&posted), 0); break;
    case 3: IS(pthread_kill(pthread_self(), SIGUSR2), 0); break;
    case 4: /* waits itself */
        IS(write(own[1], &c, 1), 1);
        IS(poll(&p, 1, -1), 1);
        IS(read(own[0], &c, 1), 1);
        IS(c, 'h');
        break;
    }
    errno = before;
    atomic_fetch_add(&handled, 1);
}
#define DEEDS 5

static int in[2];
static atomic_int entered;

/* ---- calls that wait for a byte --------------------------------------------- */

static void by_read(void)
{
    char c;
    IS(read(in[0], &c, 1), 1);
    IS(c, 'x');
}

static void by_readv(void)
{
    char c;
    struct iovec v = {&c, 1};
    IS(readv(in[0], &v, 1), 1);
    IS(c, 'x');
}

static void by_recv(void)
{
    char c;
    IS(recv(in[0], &c, 1, 0), 1);
    IS(c, 'x');
}

static void by_recvmsg(void)
{
    char c;
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    IS(recvmsg(in[0], &m, 0), 1);
    IS(c, 'x');
}

static void by_poll(void)
{
    struct pollfd p = {.fd = in[0], .events = POLLIN};
    int r;
    while ((r = poll(&p, 1, -1)) < 0)
        IS(errno, EINTR);
    IS(r, 1);
    by_read();
}

static void by_select(void)
{
    fd_set set;
    int r;
    do {
        FD_ZERO(&set);
        FD_SET(in[0], &set);
    } while ((r = select(in[0] + 1, &set, NULL, NULL, NULL)) < 0 && errno == EINTR);
    IS(r, 1);
    by_read();
}

static void by_epoll(void)
{
    int fd = epoll_create1(0), r;
    struct epoll_event ev = {.events = EPOLLIN};
    CHECK(fd >= 0);
    IS(epoll_ctl(fd, EPOLL_CTL_ADD, in[0], &ev), 0);
    while ((r = epoll_wait(fd, &ev, 1, -1)) < 0)
        IS(errno, EINTR);
    IS(r, 1);
    close(fd);
    by_read();
}

static void (*call)(void);

static void *waits(void *unused)
{
    atomic_store(&entered, 1);
    call();
    return NULL;
}

static void feed(void) { IS(write(in[1], "x", 1), 1); }

/* ---- others --------------------------------------------------------------------- */

static sem_t wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_there;

static void by_sem(void) { IS(sem_wait(&wanted), 0); }
static void feed_sem(void) { IS(sem_post(&wanted), 0); }

static void by_cond(void)
{
    pthread_mutex_lock(&lock);
    while (!is_there)
        IS(pthread_cond_wait(&cond, &lock), 0);
    is_there = 0;
    pthread_mutex_unlock(&lock);
}

static void feed_cond(void)
{
    pthread_mutex_lock(&lock);
    is_there = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
}

static int queue;
static void by_msgrcv(void) /* is never restarted */
{
    struct { long type; char c; } m;
    long r;
    while ((r = msgrcv(queue, &m, 1, 0, 0)) < 0)
        IS(errno, EINTR);
    IS(r, 1);
    IS(m.c, 'm');
}
static void feed_msg(void)
{
    struct { long type; char c; } m = {1, 'm'};
    IS(msgsnd(queue, &m, 1, 0), 0);
}

static void one(void (*by)(void), void (*give)(void))
{
    for (what_handler_does = 0; what_handler_does < DEEDS; what_handler_does++) {
        pthread_t t;
        call = by;
        handled = entered = 0;
        IS(pthread_create(&t, NULL, waits, NULL), 0);
        while (!atomic_load(&entered))
            sched_yield();
        for (int i = 0; i < 3; i++) {
            IS(pthread_kill(t, SIGUSR1), 0);
            while (atomic_load(&handled) <= i)
                sched_yield();
        }
        give();
        IS(pthread_join(t, NULL), 0);
    }
}

int main(void)
{
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    IS(sigaction(SIGUSR1, &a, NULL), 0);
    a.sa_handler = on_inner;
    IS(sigaction(SIGUSR2, &a, NULL), 0);
    IS(pipe(own), 0);
    IS(sem_init(&posted, 0, 0), 0);
    IS(sem_init(&wanted, 0, 0), 0);
    queue = msgget(IPC_PRIVATE, 0600);
    CHECK(queue >= 0);
    void (*by[])(void) = {by_read, by_readv, by_poll, by_select, by_epoll};
    IS(pipe(in), 0);
    for (unsigned i = 0; i < sizeof by / sizeof *by; i++)
        one(by[i], feed);
    close(in[0]);
    close(in[1]);
    IS(socketpair(AF_UNIX, SOCK_STREAM, 0, in), 0);
    one(by_read, feed);
    one(by_recv, feed);
    one(by_recvmsg, feed);
    one(by_sem, feed_sem);
    one(by_cond, feed_cond);
    one(by_msgrcv, feed_msg);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
