/* Ignoring a pending signal discards it
 * text:   setting SIG_IGN, or the default of a signal whose default is to ignore, discards
 *         pending ones even if blocked
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    OK(signal(SIGUSR1, handler) == SIG_ERR);
    OK(signal(SIGCHLD, handler) == SIG_ERR);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(raise(SIGUSR1));
    OK(raise(SIGCHLD));
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 1);
    TRUE(signal(SIGUSR1, SIG_IGN) == handler);
    TRUE(signal(SIGCHLD, SIG_DFL) == handler);
    OK(sigpending(&pending));
    IS(sigismember(&pending, SIGUSR1), 0);
    IS(sigismember(&pending, SIGCHLD), 0);
    TRUE(signal(SIGUSR1, handler) == SIG_IGN);
    OK(sigprocmask(SIG_UNBLOCK, &set, NULL));
    IS(n, 0);
    return 0;
}
