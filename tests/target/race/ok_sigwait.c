/* Data is handed over with a signal that a thread waits for
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <signal.h>

#include "threads.h"

static int data;

static void *waiter(void *arg)
{
    int sig;
    sigwait(arg, &sig);
    return data == 5 ? NULL : arg;
}

int main(void)
{
    sigset_t set;
    pthread_t t;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waiter, &set);
    data = 5;
    pthread_kill(t, SIGUSR1);
    pthread_join(t, &result);
    return result != NULL;
}
