/* sigsuspend: waits with another mask, returns -1 and EINTR, mask restored
 * text:   the mask is replaced for the call, so that a pending signal is taken inside
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

static void *sender(void *arg)
{
    OK(pthread_kill(*(pthread_t *)arg, SIGUSR1));
    return NULL;
}

int main(void)
{
    sigset_t set, empty, now;
    pthread_t me = pthread_self();
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    sigemptyset(&empty);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    OK(raise(SIGUSR1));
    IS(n, 0);
    FAILS(sigsuspend(&empty), EINTR);
    IS(n, 1);
    pthread_t t = start(sender, &me);
    FAILS(sigsuspend(&empty), EINTR);
    IS(n, 2);
    join(t);
    OK(pthread_sigmask(SIG_SETMASK, NULL, &now));
    IS(sigismember(&now, SIGUSR1), 1);
    return 0;
}
