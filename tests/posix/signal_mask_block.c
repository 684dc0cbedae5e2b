/* Blocked signals stay pending and come when unblocked
 * text:   a blocked signal is pending until it is unblocked; then at least one pending
 *         signal is delivered before sigprocmask returns; several of a kind are one
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;

static void handler(int s) { n++; }

int main(void)
{
    struct sigaction sa = {.sa_handler = handler};
    sigset_t set, old, pending;
    OK(sigaction(SIGUSR1, &sa, NULL));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, &old));
    IS(sigismember(&old, SIGUSR1), 0);
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 0);
    for (int i = 0; i < 3; i++)
        OK(kill(getpid(), SIGUSR1));
    IS(n, 0);
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 1);
    OK(sigprocmask(SIG_SETMASK, &old, NULL));
    IS(n, 1);
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 0);
    FAILS(sigprocmask(1234, &set, NULL), EINVAL);
    IS(pthread_sigmask(1234, &set, NULL), EINVAL);
    OK(sigprocmask(1234, NULL, &old)); /* no new set: the first argument does not matter */
    return 0;
}
