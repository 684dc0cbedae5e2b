/* Data goes to another thread as the value of a signal, taken by sigwaitinfo
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static int sum;

static void *receiver(void *arg)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGRTMIN);
    for (int i = 0; i < 2; i++) {
        siginfo_t info;
        while (sigwaitinfo(&s, &info) < 0)
            ;
        int *p = info.si_value.sival_ptr;
        sum += *p;
        free(p);
    }
    return arg;
}

static void *sender(void *arg)
{
    for (int i = 1; i < 3; i++) {
        int *p = malloc(sizeof *p);
        *p = i;
        sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_ptr = p});
    }
    return arg;
}

int main(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    run_both(receiver, sender);
    return sum != 3;
}
