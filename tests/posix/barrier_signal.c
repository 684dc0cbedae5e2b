/* A thread at a barrier runs a handler and goes on waiting
 * text:   on return from the handler the thread resumes waiting at the barrier, if not
 *         all have arrived meanwhile
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_barrier_t b;
static atomic_int handled;

static void on_signal(int s) { handled++; }

static void *waiter(void *arg)
{
    pthread_barrier_wait(&b);
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    OK(sigaction(SIGUSR2, &sa, NULL));
    OK(pthread_barrier_init(&b, NULL, 2));
    pthread_t t = start(waiter, NULL);
    OK(pthread_kill(t, SIGUSR2));
    while (!handled)
        sched_yield();
    pthread_barrier_wait(&b);
    join(t);
    IS(handled, 1);
    return 0;
}
