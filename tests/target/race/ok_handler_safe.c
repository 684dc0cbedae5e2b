/* A handler that uses what is async-signal-safe, and leaves errno alone
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static sem_t done;

static void on_signal(int sig)
{
    int before = errno;
    close(-1);
    (void)!write(-1, "x", 1);
    seen = 1;
    sem_post(&done);
    errno = before;
}

static void *sender(void *arg)
{
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t self = pthread_self(), t;
    sem_init(&done, 0, 0);
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, sender, &self);
    printf("main\n");
    free(malloc(10));
    while (sem_wait(&done))
        ;
    pthread_join(t, NULL);
    return 0;
}
