/* sem_post may be called in a signal handler
 * text:   sem_post is async-signal-safe
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t s;

static void on_signal(int n) { sem_post(&s); }

static void *waiter(void *arg)
{
    for (int i = 0; i < 3; i++)
        while (sem_wait(&s))
            IS(errno, EINTR);
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(sem_init(&s, 0, 0));
    pthread_t t = start(waiter, NULL);
    for (int i = 0; i < 3; i++)
        OK(raise(SIGUSR1));
    join(t);
    return 0;
}
