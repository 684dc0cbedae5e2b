/* Each thread has a mask of its own, inherited from its creator
 * text:   pthread_sigmask changes the calling thread's mask only; a new thread starts with
 *         its creator's mask and no pending signals of its own
 * expect: exit 0
 */
#include "check.h"

static void *inherits(void *arg)
{
    sigset_t mask, pending;
    OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
    IS(sigismember(&mask, SIGUSR1), 1);
    IS(sigismember(&mask, SIGUSR2), 0);
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 0); /* pending for the creator, not for this thread */
    sigfillset(&mask);
    OK(pthread_sigmask(SIG_SETMASK, &mask, NULL));
    OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
    IS(sigismember(&mask, SIGKILL), 0); /* cannot be blocked */
    IS(sigismember(&mask, SIGTERM), 1);
    return NULL;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    OK(pthread_kill(pthread_self(), SIGUSR1));
    join(start(inherits, NULL));
    OK(pthread_sigmask(SIG_SETMASK, NULL, &set));
    IS(sigismember(&set, SIGUSR1), 1);
    IS(sigismember(&set, SIGTERM), 0);
    OK(sigpending(&set));
    IS(sigismember(&set, SIGUSR1), 1);
    return 0;
}
