/* A lock call is resumed after a signal handler, never EINTR
 * text:   if a handler runs while a thread waits for a mutex, the thread goes on waiting
 *         as if nothing had happened
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int handled;

static void on_signal(int s) { handled++; }

static void *waiter(void *arg)
{
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(pthread_mutex_lock(&m));
    pthread_t t = start(waiter, NULL);
    OK(pthread_kill(t, SIGUSR1));
    while (!handled)
        sched_yield();
    OK(pthread_mutex_unlock(&m));
    join(t);
    IS(handled, 1);
    return 0;
}
