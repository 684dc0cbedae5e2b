/* The old interfaces: sighold, sigrelse, sigignore, sigset, siginterrupt
 * text:   they change mask and disposition as their modern forms do
 * expect: exit 0
 * flags: -Wno-deprecated-declarations
 */
#define _XOPEN_SOURCE 700
#include "check.h"

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    TRUE(sigset(SIGUSR1, handler) == SIG_DFL);
    OK(sighold(SIGUSR1));
    OK(raise(SIGUSR1));
    IS(n, 0);
    OK(sigrelse(SIGUSR1));
    IS(n, 1);
    OK(sigignore(SIGUSR1));
    OK(raise(SIGUSR1));
    IS(n, 1);
    TRUE(sigset(SIGUSR1, SIG_HOLD) == SIG_IGN);
    sigset_t set;
    OK(sigprocmask(SIG_SETMASK, NULL, &set));
    IS(sigismember(&set, SIGUSR1), 1);
    TRUE(signal(SIGUSR2, handler) == SIG_DFL);
    struct sigaction sa;
    OK(siginterrupt(SIGUSR2, 1));
    OK(sigaction(SIGUSR2, NULL, &sa));
    IS(sa.sa_flags & SA_RESTART, 0);
    OK(siginterrupt(SIGUSR2, 0));
    OK(sigaction(SIGUSR2, NULL, &sa));
    IS(sa.sa_flags & SA_RESTART, SA_RESTART);
    return 0;
}
