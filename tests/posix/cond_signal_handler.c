/* A condition wait interrupted by a handler does not return EINTR
 * text:   the wait is resumed after the handler, or returns 0 as a spurious wake-up
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int handled;

static void on_signal(int s) { handled++; }

static void *waiter(void *arg)
{
    OK(pthread_mutex_lock(&m));
    while (!ready)
        OK(pthread_cond_wait(&c, &m));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    OK(sigaction(SIGUSR1, &sa, NULL));
    pthread_t t = start(waiter, NULL);
    OK(pthread_kill(t, SIGUSR1));
    while (!handled)
        sched_yield();
    OK(pthread_mutex_lock(&m));
    ready = 1;
    OK(pthread_cond_signal(&c));
    OK(pthread_mutex_unlock(&m));
    join(t);
    IS(handled, 1);
    return 0;
}
