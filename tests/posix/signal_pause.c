/* pause returns only after a handler ran, with EINTR
 * text:   an ignored signal does not end it
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static atomic_int n, done;
static void handler(int s) { n++; }

static void *waiter(void *arg)
{
    FAILS(pause(), EINTR);
    TRUE(n >= 1);
    done = 1;
    return NULL;
}

int main(void)
{
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    TRUE(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    pthread_t t = start(waiter, NULL);
    OK(pthread_kill(t, SIGUSR2));
    while (!done) { /* one may come before pause */
        OK(pthread_kill(t, SIGUSR1));
        sched_yield();
    }
    join(t);
    return 0;
}
