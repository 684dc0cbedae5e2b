/* Waiting for signals: sigwait & co., sigsuspend, pause, alarm and timers;
 * calls that a handler ends with EINTR, and those that SA_RESTART restarts. */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int count;
static int fd[2];
static sigset_t usr1, none;

static void on_signal(int signo) { count++; }

static void set(int signo, int flags)
{
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = flags};
    IS(sigaction(signo, &a, NULL), 0);
}

static void *send_usr1(void *arg)
{
    IS(pthread_kill(*(pthread_t *)arg, SIGUSR1), 0);
    return NULL;
}

static void *kill_usr1(void *arg)
{
    IS(kill(getpid(), SIGUSR1), 0);
    return NULL;
}

static void accepting(void)
{
    pthread_t t, self = pthread_self();
    int signo = 0;
    siginfo_t info;
    struct timespec ms20 = {0, 20000000}, zero = {0, 0};
    IS(pthread_sigmask(SIG_BLOCK, &usr1, NULL), 0);
    IS(pthread_create(&t, NULL, send_usr1, &self), 0);
    IS(sigwait(&usr1, &signo), 0);
    IS(signo, SIGUSR1);
    IS(pthread_join(t, NULL), 0);
    IS(pthread_create(&t, NULL, kill_usr1, NULL), 0);
    IS(sigwaitinfo(&usr1, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    IS(pthread_join(t, NULL), 0);
    FAILS(sigtimedwait(&usr1, NULL, &zero), EAGAIN);
    FAILS(sigtimedwait(&usr1, NULL, &ms20), EAGAIN);
    IS(raise(SIGUSR1), 0); /* there already */
    IS(sigtimedwait(&usr1, &info, NULL), SIGUSR1);
    IS(count, 0); /* no handler ran */

    int sfd = signalfd(-1, &usr1, 0);
    struct signalfd_siginfo si;
    struct pollfd p = {.fd = sfd, .events = POLLIN};
    CHECK(sfd >= 0);
    IS(poll(&p, 1, 0), 0);
    IS(kill(getpid(), SIGUSR1), 0);
    IS(poll(&p, 1, -1), 1);
    IS(read(sfd, &si, sizeof si), sizeof si);
    IS(si.ssi_signo, SIGUSR1);
    IS(kill(getpid(), SIGUSR1), 0); /* or taken without the descriptor */
    IS(sigwaitinfo(&usr1, &info), SIGUSR1);
    IS(info.si_pid, getpid());
    IS(close(sfd), 0);

    IS(pthread_create(&t, NULL, send_usr1, &self), 0);
    FAILS(sigsuspend(&none), EINTR);
    IS(count, 1);
    IS(pthread_join(t, NULL), 0);
    sigset_t now;
    IS(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    IS(sigismember(&now, SIGUSR1), 1);
    IS(pthread_create(&t, NULL, send_usr1, &self), 0);
    FAILS(ppoll(NULL, 0, NULL, &none), EINTR);
    IS(count, 2);
    IS(pthread_join(t, NULL), 0);
    IS(pthread_sigmask(SIG_SETMASK, &none, NULL), 0);
}

static void timers(void)
{
    struct itimerval every = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}}, left;
    long long start = now_ns(CLOCK_MONOTONIC);
    count = 0;
    IS(alarm(1), 0);
    FAILS(pause(), EINTR);
    IS(count, 1);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 999000000);
    IS(alarm(100), 0);
    CHECK(alarm(0) >= 99);
    IS(setitimer(ITIMER_REAL, &every, NULL), 0);
    while (count < 4)
        pause();
    IS(getitimer(ITIMER_REAL, &left), 0);
    IS(left.it_interval.tv_usec, 10000);
    IS(setitimer(ITIMER_REAL, &off, NULL), 0);

    timer_t id;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec ten_ms = {{0, 0}, {0, 10000000}}, rest;
    count = 0;
    IS(timer_create(CLOCK_MONOTONIC, &ev, &id), 0);
    IS(pthread_sigmask(SIG_BLOCK, &usr1, NULL), 0); /* so that it is not missed */
    IS(timer_settime(id, 0, &ten_ms, NULL), 0);
    FAILS(sigsuspend(&none), EINTR);
    IS(pthread_sigmask(SIG_SETMASK, &none, NULL), 0);
    IS(count, 1);
    IS(timer_gettime(id, &rest), 0);
    CHECK(rest.it_value.tv_sec == 0 && rest.it_value.tv_nsec == 0);
    IS(timer_getoverrun(id), 0);
    IS(timer_delete(id), 0);
}

/* A reader that is sent a signal until it says so. */
static int phase;

static void *reader(void *arg)
{
    char c;
    if (arg) { /* SA_RESTART: read goes on */
        IS(read(fd[0], &c, 1), 1);
    } else {
        FAILS(read(fd[0], &c, 1), EINTR);
    }
    __atomic_store_n(&phase, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *poller(void *arg)
{
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    FAILS(poll(&p, 1, -1), EINTR); /* never restarted */
    __atomic_store_n(&phase, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void interrupt(void *(*fn)(void *), int flags)
{
    pthread_t t;
    count = phase = 0;
    set(SIGUSR1, flags);
    IS(pthread_create(&t, NULL, fn, flags ? &phase : NULL), 0);
    if (fn == reader && flags) {
        while (!count) {
            IS(pthread_kill(t, SIGUSR1), 0);
            usleep(1000);
        }
        IS(__atomic_load_n(&phase, __ATOMIC_SEQ_CST), 0);
        IS(write(fd[1], "x", 1), 1);
    } else {
        while (!__atomic_load_n(&phase, __ATOMIC_SEQ_CST)) {
            IS(pthread_kill(t, SIGUSR1), 0);
            usleep(1000);
        }
    }
    IS(pthread_join(t, NULL), 0);
}

int main(void)
{
    sigemptyset(&none);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    IS(pipe(fd), 0);
    set(SIGUSR1, 0);
    set(SIGALRM, 0);
    accepting();
    timers();
    interrupt(reader, 0);
    interrupt(reader, SA_RESTART);
    interrupt(poller, SA_RESTART);
    return 0;
}
