/* Real-time signals are queued, each with its value, lowest number first, oldest
 * first; standard signals that are pending already are not. */
#include "check.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#define N 10
static volatile int seen[64], n_seen, signos[64];
static atomic_int served;

static void on_info(int signo, siginfo_t *info, void *context)
{
    IS(info->si_code, SI_QUEUE);
    signos[n_seen] = signo;
    seen[n_seen++] = info->si_value.sival_int;
    atomic_fetch_add(&served, 1);
}

static void send(int signo, int value)
{
    union sigval v = {.sival_int = value};
    IS(sigqueue(getpid(), signo, v), 0);
}

static sigset_t both(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGRTMIN + 1);
    return set;
}

static void handled_at_unblock(void)
{
    sigset_t set = both();
    n_seen = 0;
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (int i = 0; i < N; i++)
        send(i % 2 ? SIGRTMIN + 1 : SIGRTMIN, i);
    IS(n_seen, 0);
    IS(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    IS(n_seen, N);
}

static void accepted(void)
{
    sigset_t set = both();
    siginfo_t info;
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (int i = 0; i < N; i++)
        send(SIGRTMIN + (i < N / 2), i);
    for (int i = 0; i < N; i++) {
        IS(sigwaitinfo(&set, &info), i < N / 2 ? SIGRTMIN : SIGRTMIN + 1);
        IS(info.si_value.sival_int, i < N / 2 ? N / 2 + i : i - N / 2);
        IS(info.si_code, SI_QUEUE);
        IS(info.si_pid, getpid());
    }
    struct timespec zero = {0, 0};
    FAILS(sigtimedwait(&set, &info, &zero), EAGAIN);
    IS(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

static void *receives(void *arg)
{
    while (atomic_load(&served) < N)
        sched_yield();
    return NULL;
}

/* To a thread that does not block them: none is lost. */
static void to_thread(void)
{
    pthread_t t;
    n_seen = 0;
    served = 0;
    IS(pthread_create(&t, NULL, receives, NULL), 0);
    for (int i = 0; i < N; i++) {
        union sigval v = {.sival_int = i};
        IS(pthread_sigqueue(t, SIGRTMIN, v), 0);
    }
    IS(pthread_join(t, NULL), 0);
    IS(n_seen, N);
    for (int i = 0; i < N; i++)
        IS(seen[i], i);
}

/* To the process, accepted by two threads. */
static void *accepts(void *arg)
{
    sigset_t set = both();
    siginfo_t info;
    for (int i = 0; i < N / 2; i++) {
        int r;
        while ((r = sigwaitinfo(&set, &info)) < 0) /* the other one was faster */
            IS(errno, EINTR);
        IS(r, SIGRTMIN);
        atomic_fetch_add(&served, info.si_value.sival_int);
    }
    return NULL;
}

static void to_waiters(void)
{
    sigset_t set = both();
    pthread_t t[2];
    served = 0;
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (int i = 0; i < 2; i++)
        IS(pthread_create(&t[i], NULL, accepts, NULL), 0);
    for (int i = 0; i < N; i++)
        send(SIGRTMIN, i + 1);
    for (int i = 0; i < 2; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(served, N * (N + 1) / 2);
    IS(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

static void standard_merge(void)
{
    sigset_t set;
    siginfo_t info;
    struct timespec zero = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (int i = 0; i < 3; i++)
        IS(kill(getpid(), SIGUSR1), 0);
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    FAILS(sigtimedwait(&set, &info, &zero), EAGAIN);
    IS(raise(SIGUSR1), 0);
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER); /* glibc tells SI_TKILL so */
    IS(info.si_pid, getpid());
    IS(info.si_uid, getuid());
    IS(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

static void limit(void)
{
    struct rlimit old, two = {0, 0};
    union sigval v = {.sival_int = 1};
    sigset_t set = both();
    siginfo_t info;
    IS(getrlimit(RLIMIT_SIGPENDING, &old), 0);
    two.rlim_max = old.rlim_max;
    IS(setrlimit(RLIMIT_SIGPENDING, &two), 0);
    IS(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    FAILS(sigqueue(getpid(), SIGRTMIN, v), EAGAIN);
    FAILS(sigqueue(getpid(), 65, v), EINVAL);
    FAILS(sigqueue(getpid(), -1, v), EINVAL);
    IS(sigqueue(getpid(), 0, v), 0);
    IS(setrlimit(RLIMIT_SIGPENDING, &old), 0);
    IS(sigqueue(getpid(), SIGRTMIN, v), 0);
    IS(sigwaitinfo(&set, &info), SIGRTMIN);
    IS(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
    IS(sigaction(SIGRTMIN, &a, NULL), 0);
    IS(sigaction(SIGRTMIN + 1, &a, NULL), 0);
    handled_at_unblock();
    accepted();
    to_thread();
    to_waiters();
    standard_merge();
    limit();
    return 0;
}
