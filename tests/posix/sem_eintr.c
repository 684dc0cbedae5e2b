/* sem_wait: EINTR after a handler without SA_RESTART, restarted with it
 * text:   a signal handler interrupts the wait with EINTR; on Linux a handler set with
 *         SA_RESTART lets the wait go on
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>

static sem_t s;
static atomic_int handled, waiting;

static void on_signal(int n) { handled++; }

static void *waiter(void *arg)
{
    waiting = 1;
    int r = sem_wait(&s);
    if (arg)
        IS(r, 0);
    else if (r < 0) {
        IS(errno, EINTR);
        OK(sem_wait(&s));
    }
    return NULL;
}

int main(void)
{
    OK(sem_init(&s, 0, 0));
    for (long restart = 0; restart < 2; restart++) {
        struct sigaction sa = {.sa_handler = on_signal, .sa_flags = restart ? SA_RESTART : 0};
        OK(sigaction(SIGUSR1, &sa, NULL));
        handled = waiting = 0;
        pthread_t t = start(waiter, (void *)restart);
        while (!waiting)
            sched_yield();
        OK(pthread_kill(t, SIGUSR1));
        while (!handled)
            sched_yield();
        OK(sem_post(&s));
        join(t);
    }
    return 0;
}
