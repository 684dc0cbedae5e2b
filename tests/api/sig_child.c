/* Signals between a program and its children: sent right after fork, real-time
 * signals queued by a child, fault signals from outside with a handler, masks and
 * handlers in the child. Not controlled: fork. */
#include "check.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 10
static atomic_int got, sum, faults;

static void on_queued(int signo, siginfo_t *info, void *context)
{
    IS(info->si_code, SI_QUEUE);
    atomic_fetch_add(&sum, info->si_value.sival_int);
    atomic_fetch_add(&got, 1);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
    IS(info->si_code, SI_USER);
    CHECK(info->si_pid != getpid());
    atomic_fetch_add(&faults, 1);
}

static void on_usr1(int signo) { _exit(7); }

/* The child has no time to do anything before the signal comes. */
static void killed_at_once(int signo)
{
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid)
            for (;;)
                pause();
        IS(kill(pid, signo), 0);
        int status;
        IS(waitpid(pid, &status, 0), pid);
        CHECK(WIFSIGNALED(status));
        IS(WTERMSIG(status), signo);
    }
}

static void handler_in_child(void)
{
    signal(SIGUSR1, on_usr1);
    pid_t pid = fork();
    if (!pid)
        for (;;)
            pause();
    IS(kill(pid, SIGUSR1), 0);
    int status;
    IS(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    IS(WEXITSTATUS(status), 7);
    signal(SIGUSR1, SIG_DFL);
}

static void mask_in_child(void)
{
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGUSR2);
    IS(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    pid_t pid = fork();
    if (!pid) {
        int ok = !sigprocmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGSEGV) &&
                 sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1);
        _exit(ok ? 0 : 1);
    }
    int status;
    IS(waitpid(pid, &status, 0), pid);
    IS(status, 0);
    IS(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
    IS(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    IS(sigismember(&now, SIGUSR2), 0);
}

static void queued_by_child(void)
{
    struct sigaction a = {.sa_sigaction = on_queued, .sa_flags = SA_SIGINFO | SA_RESTART};
    IS(sigaction(SIGRTMIN, &a, NULL), 0);
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        for (int i = 1; i <= N; i++) {
            union sigval v = {.sival_int = i};
            if (sigqueue(parent, SIGRTMIN, v))
                _exit(1);
        }
        _exit(0);
    }
    int status;
    IS(waitpid(pid, &status, 0), pid);
    IS(status, 0);
    while (atomic_load(&got) < N)
        usleep(1000);
    IS(sum, N * (N + 1) / 2);
}

/* Their handlers run, however often the signal meets us inside a call. */
static void faults_from_child(void)
{
    int list[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTRAP};
    enum { COUNT = sizeof list / sizeof *list };
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (int i = 0; i < COUNT; i++)
        IS(sigaction(list[i], &a, NULL), 0);
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        for (int i = 0; i < COUNT; i++)
            kill(parent, list[i]);
        _exit(0);
    }
    while (atomic_load(&faults) < COUNT)
        usleep(100);
    IS(waitpid(pid, NULL, 0), pid);
    a.sa_handler = SIG_DFL;
    a.sa_flags = 0;
    for (int i = 0; i < COUNT; i++)
        IS(sigaction(list[i], &a, NULL), 0);
}

static void *counts(void *arg)
{
    for (int i = 0; i < 20; i++)
        atomic_fetch_add((atomic_int *)arg, 1);
    return NULL;
}

int main(void)
{
    atomic_int n = 0;
    pthread_t t;
    IS(pthread_create(&t, NULL, counts, &n), 0);
    killed_at_once(SIGABRT);
    killed_at_once(SIGTERM);
    killed_at_once(SIGSEGV);
    handler_in_child();
    mask_in_child();
    queued_by_child();
    faults_from_child();
    IS(pthread_join(t, NULL), 0);
    return 0;
}
