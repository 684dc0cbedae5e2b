/* Stopped and continued children are told, if asked
 * text:   WUNTRACED and WCONTINUED report them; SA_NOCLDSTOP keeps SIGCHLD for ends only
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    int status;
    siginfo_t info;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    OK(kill(child, SIGSTOP));
    OK(waitid(P_PID, (id_t)child, &info, WSTOPPED));
    IS(info.si_code, CLD_STOPPED);
    IS(info.si_status, SIGSTOP);
    OK(kill(child, SIGCONT));
    IS(waitpid(child, &status, WCONTINUED), child);
    TRUE(WIFCONTINUED(status));
    IS(waitpid(child, &status, WNOHANG | WUNTRACED), 0);
    OK(kill(child, SIGKILL));
    status = reap(child);
    TRUE(WIFSIGNALED(status));
    return 0;
}
