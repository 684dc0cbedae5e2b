/* A handler that prints and allocates, unless the program says that it is in the library itself: then it
 * leaves a note, and the program does the work when it is out
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "threads.h"

static __thread volatile sig_atomic_t is_inside = 1, is_due;

static void job(void)
{
    free(malloc(10));
}

static void handler(int sig)
{
    int e = errno;
    if (is_inside)
        is_due = 1;
    else
        job();
    errno = e;
    (void)sig;
}

static void *work(void *arg)
{
    is_inside = 1;
    void *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = malloc(20);
    for (int i = 0; i < 3; i++)
        free(p[i]);
    is_inside = 0;
    if (is_due)
        job();
    is_inside = 1;
    return arg;
}

int main(void)
{
    struct sigaction a = {.sa_handler = handler};
    sigaction(SIGUSR1, &a, NULL);
    pthread_t t;
    is_inside = 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
