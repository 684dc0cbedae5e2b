/* kill to a child right after fork: its status says so, the parent goes on
 * text:   the signal is delivered to the child; the wait status tells the signal
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGTERM, SIGKILL};
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0)
            for (;;)
                pause();
        OK(kill(child, signals[i]));
        int status = reap(child);
        TRUE(WIFSIGNALED(status));
        IS(WTERMSIG(status), signals[i]);
    }
    return 0;
}
