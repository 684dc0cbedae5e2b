/* Signals a program sends itself: raise, kill, pthread_kill, sigqueue; masks,
 * handlers within handlers, one-shot handlers, ignored signals. */
#include "check.h"

#include <signal.h>
#include <unistd.h>

static volatile int count, depth, deepest, value;
static pthread_t handler_thread;

static void on_usr1(int signo)
{
    IS(signo, SIGUSR1);
    handler_thread = pthread_self();
    count++; /* last: the sender waits for it */
}

static void on_info(int signo, siginfo_t *info, void *context)
{
    CHECK(context);
    IS(info->si_signo, signo);
    IS(info->si_code, SI_QUEUE);
    IS(info->si_pid, getpid());
    value = value * 10 + info->si_value.sival_int;
}

static void on_nested(int signo)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (signo == SIGUSR2 && count++ == 0) {
        raise(SIGUSR2); /* blocked: comes after this one */
        IS(depth, 1);
        raise(SIGUSR1); /* not blocked: comes now */
    }
    depth--;
}

static void set(int signo, void (*fn)(int), int flags, int also)
{
    struct sigaction a = {.sa_handler = fn, .sa_flags = flags}, old;
    sigemptyset(&a.sa_mask);
    if (also)
        sigaddset(&a.sa_mask, also);
    IS(sigaction(signo, &a, NULL), 0);
    IS(sigaction(signo, NULL, &old), 0);
    CHECK(old.sa_handler == fn);
}

static void masks(void)
{
    sigset_t one, old, pending;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    count = 0;
    IS(pthread_sigmask(SIG_BLOCK, &one, &old), 0);
    IS(sigismember(&old, SIGUSR1), 0);
    IS(raise(SIGUSR1), 0);
    IS(raise(SIGUSR1), 0); /* pending already */
    IS(count, 0);
    IS(sigpending(&pending), 0);
    IS(sigismember(&pending, SIGUSR1), 1);
    IS(pthread_sigmask(SIG_UNBLOCK, &one, NULL), 0);
    IS(count, 1);
    IS(sigpending(&pending), 0);
    IS(sigismember(&pending, SIGUSR1), 0);

    IS(sigprocmask(SIG_BLOCK, &one, NULL), 0);
    IS(raise(SIGUSR1), 0);
    signal(SIGUSR1, SIG_IGN); /* throws it away */
    signal(SIGUSR1, on_usr1);
    IS(sigprocmask(SIG_SETMASK, &old, NULL), 0);
    IS(count, 1);
}

static pthread_barrier_t ready;
static int stop;

static void *receiver(void *arg)
{
    pthread_barrier_wait(&ready);
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST))
        usleep(1000);
    return NULL;
}

static void to_a_thread(void)
{
    pthread_t t;
    count = stop = 0;
    pthread_barrier_init(&ready, NULL, 2);
    IS(pthread_create(&t, NULL, receiver, NULL), 0);
    pthread_barrier_wait(&ready);
    IS(pthread_kill(t, 0), 0);
    IS(pthread_kill(t, SIGUSR1), 0);
    while (!count)
        usleep(1000);
    CHECK(pthread_equal(handler_thread, t));
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    IS(pthread_join(t, NULL), 0);
    IS(count, 1);
}

int main(void)
{
    set(SIGUSR1, on_usr1, 0, 0);
    IS(raise(SIGUSR1), 0);
    IS(count, 1); /* before raise returns */
    IS(kill(getpid(), SIGUSR1), 0);
    IS(count, 2); /* the only thread */
    IS(pthread_kill(pthread_self(), SIGUSR1), 0);
    IS(count, 3);
    IS(kill(getpid(), 0), 0);
    FAILS(kill(getpid(), 65), EINVAL);
    IS(raise(SIGCHLD), 0); /* ignored by default */
    masks();

    struct sigaction a = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
    sigset_t rt, old;
    sigemptyset(&rt);
    sigaddset(&rt, SIGRTMIN);
    IS(sigaction(SIGRTMIN, &a, NULL), 0);
    IS(sigprocmask(SIG_BLOCK, &rt, &old), 0);
    for (int i = 1; i <= 3; i++) /* real-time signals queue, in order */
        IS(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}), 0);
    IS(sigprocmask(SIG_SETMASK, &old, NULL), 0);
    IS(value, 123);

    set(SIGUSR1, on_nested, 0, 0);
    set(SIGUSR2, on_nested, 0, 0);
    count = 0;
    IS(raise(SIGUSR2), 0);
    IS(count, 2);
    IS(deepest, 2);

    count = 0;
    set(SIGUSR1, on_usr1, SA_RESETHAND, 0);
    IS(raise(SIGUSR1), 0);
    IS(count, 1);
    CHECK(signal(SIGUSR1, on_usr1) == SIG_DFL);
    to_a_thread();
    return 0;
}
