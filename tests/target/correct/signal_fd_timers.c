/* Timers whose signals are read from a signalfd, or waited for
 * cause:    none: a signal that is blocked makes the descriptor readable, whoever sends it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define TICKS 4

static atomic_int ticks;

static void *other(void *arg)
{
    while (ticks < 2)
        sched_yield();
    return NULL;
}

int main(void)
{
    sigset_t set;
    struct signalfd_siginfo got;
    pthread_t t;
    timer_t timer;
    int signo;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    struct sigevent ev = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 42};
    struct itimerspec often = {{0, 500000}, {0, 500000}};
    assert(!timer_create(CLOCK_MONOTONIC, &ev, &timer));
    timer_settime(timer, 0, &often, NULL);
    pthread_create(&t, NULL, other, NULL);
    int fd = signalfd(-1, &set, 0), ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
    for (int i = 0; i < TICKS; i++) {
        assert(epoll_wait(ep, &e, 1, -1) == 1);
        assert(read(fd, &got, sizeof got) == sizeof got);
        assert(got.ssi_signo == (unsigned)SIGRTMIN && got.ssi_int == 42);
        ticks++;
    }
    timer_delete(timer);
    alarm(1);
    do /* one of the timer's may be left */
        assert(read(fd, &got, sizeof got) == sizeof got);
    while (got.ssi_signo != SIGALRM);
    alarm(1);
    sigwait(&set, &signo);
    assert(signo == SIGALRM);
    pthread_join(t, NULL);
    return 0;
}
