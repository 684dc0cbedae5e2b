/* raise and kill to oneself deliver before they return
 * text:   raise returns after the handler did; kill to the own process with the signal
 *         unblocked in the only thread delivers before it returns
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;

static void handler(int s) { n += s == SIGUSR1 ? 1 : 100; }

static void *user(void *arg)
{
    n = 0;
    OK(raise(SIGUSR1));
    IS(n, 1);
    OK(pthread_kill(pthread_self(), SIGUSR2));
    IS(n, 101);
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = handler};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(sigaction(SIGUSR2, &sa, NULL));
    OK(raise(SIGUSR1));
    IS(n, 1);
    OK(kill(getpid(), SIGUSR2));
    IS(n, 101);
    join(start(user, NULL));
    TRUE(raise(9999) != 0);
    return 0;
}
