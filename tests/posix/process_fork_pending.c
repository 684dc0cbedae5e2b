/* fork: pending signals, alarms and timers are not inherited; masks and handlers are
 * text:   the child's set of pending signals is empty; its mask and actions are the parent's
 * expect: exit 0
 */
#include "check.h"

static void handler(int s) { }

int main(void)
{
    sigset_t set, now;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(raise(SIGUSR1));
    pid_t child = fork();
    if (child == 0) {
        struct sigaction sa;
        OK(sigpending(&now));
        IS(sigismember(&now, SIGUSR1), 0);
        OK(sigprocmask(SIG_SETMASK, NULL, &now));
        IS(sigismember(&now, SIGUSR1), 1);
        OK(sigaction(SIGUSR1, NULL, &sa));
        TRUE(sa.sa_handler == handler);
        _exit(0);
    }
    IS(reap(child), 0);
    OK(sigpending(&now));
    IS(sigismember(&now, SIGUSR1), 1);
    return 0;
}
