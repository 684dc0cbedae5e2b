/* A handler that prints and allocates; its signal is blocked but in sigsuspend
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int sig)
{
    printf("signal %d\n", sig);
    free(malloc(10));
    close(-1);
    seen = 1;
}

static void *sender(void *arg)
{
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t self = pthread_self(), t;
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, sender, &self);
    printf("main\n");
    free(malloc(20));
    while (!seen)
        sigsuspend(&old);
    pthread_join(t, NULL);
    return 0;
}
