/* rwlock waits are resumed after a signal handler
 * text:   a thread waiting for a read or write lock goes on waiting after a handler
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int handled;

static void on_signal(int s) { handled++; }

static void *waiter(void *arg)
{
    OK(arg ? pthread_rwlock_wrlock(&l) : pthread_rwlock_rdlock(&l));
    OK(pthread_rwlock_unlock(&l));
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    OK(sigaction(SIGUSR1, &sa, NULL));
    for (long i = 0; i < 2; i++) {
        OK(pthread_rwlock_wrlock(&l));
        pthread_t t = start(waiter, (void *)i);
        OK(pthread_kill(t, SIGUSR1));
        while (handled <= i)
            sched_yield();
        OK(pthread_rwlock_unlock(&l));
        join(t);
    }
    IS(handled, 2);
    return 0;
}
