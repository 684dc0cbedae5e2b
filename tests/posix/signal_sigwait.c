/* sigwait takes a pending signal of the set, without its handler
 * text:   it removes one pending signal of the set and returns its number; 0 on success
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t handled;
static void handler(int s) { handled++; }

static void *waiter(void *arg)
{
    int s;
    OK(sigwait(arg, &s));
    return (void *)(long)s;
}

int main(void)
{
    sigset_t set;
    int s;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    OK(raise(SIGUSR2));
    OK(sigwait(&set, &s));
    IS(s, SIGUSR2);
    pthread_t t = start(waiter, &set);
    OK(kill(getpid(), SIGUSR1));
    IS((long)join(t), SIGUSR1);
    t = start(waiter, &set);
    OK(pthread_kill(t, SIGUSR2));
    IS((long)join(t), SIGUSR2);
    IS(handled, 0);
    return 0;
}
