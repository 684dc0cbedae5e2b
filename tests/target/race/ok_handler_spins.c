/* A handler that prints; the thread it comes into does nothing but wait for it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen, is_there;
static pthread_t receiver;

static void on_signal(int sig)
{
    printf("signal %d\n", sig);
    atomic_store(&seen, 1);
}

static void *receive(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    receiver = pthread_self();
    atomic_store(&is_there, 1);
    while (!atomic_load(&seen))
        ;
    return arg;
}

static void *send(void *arg)
{
    while (!atomic_load(&is_there))
        ;
    pthread_kill(receiver, SIGUSR1);
    return arg;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, on_signal);
    run_both(receive, send);
    printf("main\n");
    return 0;
}
