/* sigaction: actions read back, EINVAL for signals that cannot be caught
 * text:   the old action is handed back; SIGKILL and SIGSTOP cannot be caught or ignored;
 *         numbers that are no signal are EINVAL
 * expect: exit 0
 */
#include "check.h"

static void handler(int s) { }

int main(void)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER}, old;
    sigaddset(&sa.sa_mask, SIGUSR2);
    OK(sigaction(SIGUSR1, NULL, &old));
    TRUE(old.sa_handler == SIG_DFL);
    OK(sigaction(SIGUSR1, &sa, &old));
    OK(sigaction(SIGUSR1, NULL, &old));
    TRUE(old.sa_handler == handler);
    IS(old.sa_flags & (SA_RESTART | SA_NODEFER | SA_SIGINFO | SA_RESETHAND), SA_RESTART | SA_NODEFER);
    IS(sigismember(&old.sa_mask, SIGUSR2), 1);
    IS(sigismember(&old.sa_mask, SIGUSR1), 0);
    FAILS(sigaction(SIGKILL, &sa, NULL), EINVAL);
    FAILS(sigaction(SIGSTOP, &sa, NULL), EINVAL);
    FAILS(sigaction(0, &sa, NULL), EINVAL);
    FAILS(sigaction(9999, &sa, NULL), EINVAL);
    TRUE(signal(SIGUSR1, SIG_IGN) == handler);
    TRUE(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    errno = 0;
    TRUE(signal(SIGKILL, handler) == SIG_ERR);
    IS(errno, EINVAL);
    return 0;
}
