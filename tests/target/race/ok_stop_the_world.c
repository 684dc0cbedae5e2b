/* A collector stops the other threads by a signal: they wait in the handler until it is done, so it may
 * look at their plain memory
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static sem_t stopped;
static atomic_int go_on;
static int roots[2][4];
static atomic_int ended;

static void suspend(int sig)
{
    int e = errno;
    sem_post(&stopped);
    sigset_t wait;
    sigfillset(&wait);
    sigdelset(&wait, SIGUSR2);
    while (!atomic_load(&go_on))
        sigsuspend(&wait);
    errno = e;
    (void)sig;
}

static void resume(int sig)
{
    (void)sig;
}

static void *mutator(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 4; i++)
        roots[me][i] = i + 1;
    atomic_fetch_add(&ended, 1);
    while (!atomic_load(&go_on))
        sched_yield();
    return NULL;
}

int main(void)
{
    struct sigaction a = {.sa_handler = suspend}, b = {.sa_handler = resume};
    sigfillset(&a.sa_mask);
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &b, NULL);
    sem_init(&stopped, 0, 0);
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, mutator, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_kill(t[i], SIGUSR1);
    for (int i = 0; i < 2; i++)
        while (sem_wait(&stopped))
            ;
    int marked = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            marked += roots[i][k] != 0;
    roots[0][3] = roots[1][3] = 0;
    atomic_store(&go_on, 1);
    for (int i = 0; i < 2; i++)
        pthread_kill(t[i], SIGUSR2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return marked > 8;
}
