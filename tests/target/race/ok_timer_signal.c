/* A timer's signal arrives in one thread; main blocks it while it looks at what the handler wrote
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

#include "threads.h"

static volatile sig_atomic_t ticks;
static int log_of[4];

static void handler(int n)
{
    if (ticks < 4) {
        log_of[ticks] = n;
        ticks = ticks + 1;
    }
}

static void *busy(void *arg)
{
    sigset_t s;
    sigfillset(&s);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    struct timespec ms = {0, 1000000};
    for (int i = 0; i < 3; i++)
        nanosleep(&ms, NULL);
    return arg;
}

int main(void)
{
    struct sigaction a = {.sa_handler = handler};
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec v = {{0, 1000000}, {0, 1000000}};
    sigset_t usr, old;
    timer_t t;
    pthread_t thread;
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr, &old);
    sigaction(SIGUSR1, &a, NULL);
    timer_create(CLOCK_MONOTONIC, &e, &t);
    pthread_create(&thread, NULL, busy, NULL);
    timer_settime(t, 0, &v, NULL);
    while (ticks < 2)
        sigsuspend(&old);
    timer_delete(t);
    int n = log_of[0] + log_of[1];
    pthread_join(thread, NULL);
    return n != 2 * SIGUSR1;
}
