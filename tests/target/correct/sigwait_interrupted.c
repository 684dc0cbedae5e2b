/* A thread that gives up waiting for a signal leaves it to another one
 * cause:    none: a signal to the process that nobody has taken stays pending
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static sigset_t set;
static atomic_int is_done;

static void nothing(int signo) {}

/* Tries once: what it returns is whether it got the signal. */
static void *once(void *arg)
{
    long got = sigwaitinfo(&set, NULL) == SIGUSR1;
    is_done = 1;
    return (void *)got;
}

static void *until_it_comes(void *arg)
{
    int signo;
    sigwait(&set, &signo);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *got;
    struct sigaction act = {.sa_handler = nothing};
    sigaction(SIGUSR2, &act, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&a, NULL, once, NULL);
    pthread_create(&b, NULL, until_it_comes, NULL);
    kill(getpid(), SIGUSR1);
    while (!is_done) {
        pthread_kill(a, SIGUSR2);
        sched_yield();
    }
    pthread_join(a, &got);
    if (got)
        kill(getpid(), SIGUSR1);
    pthread_join(b, NULL);
    return 0;
}
