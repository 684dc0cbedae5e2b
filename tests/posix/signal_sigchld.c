/* SIGCHLD: sent at a child's end with its status; SA_NOCLDWAIT leaves no zombie
 * text:   si_pid, si_status and si_code describe the child; with SA_NOCLDWAIT or ignored, waits
 *         fail with ECHILD once all children ended
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    IS(sigwaitinfo(&set, &info), SIGCHLD);
    IS(info.si_pid, child);
    IS(info.si_code, CLD_EXITED);
    IS(info.si_status, 3);
    IS(WEXITSTATUS(reap(child)), 3);
    struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    OK(sigaction(SIGCHLD, &sa, NULL));
    child = fork();
    if (child == 0)
        _exit(0);
    FAILS(waitpid(child, NULL, 0), ECHILD);
    return 0;
}
