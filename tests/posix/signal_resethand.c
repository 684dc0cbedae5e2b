/* SA_RESETHAND: the action is the default again when the handler starts
 * text:   the disposition is reset to SIG_DFL on entry of the handler
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;

static void handler(int s)
{
    struct sigaction now;
    n++;
    OK(sigaction(SIGUSR1, NULL, &now));
    TRUE(now.sa_handler == SIG_DFL);
}

int main(void)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(raise(SIGUSR1));
    IS(n, 1);
    pid_t child = fork();
    if (child == 0) {
        raise(SIGUSR1); /* default: ends the process */
        _exit(0);
    }
    int status = reap(child);
    TRUE(WIFSIGNALED(status));
    IS(WTERMSIG(status), SIGUSR1);
    return 0;
}
