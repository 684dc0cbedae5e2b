/* sigwaitinfo: information of kill, raise and pthread_kill
 * text:   number, code and sender; glibc tells SI_USER for signals to a thread, too
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    OK(kill(getpid(), SIGUSR1));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    IS(info.si_pid, getpid());
    OK(raise(SIGUSR1));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    IS(info.si_pid, getpid());
    OK(pthread_kill(pthread_self(), SIGUSR1));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    pid_t me = getpid(), child = fork();
    if (child == 0) {
        kill(me, SIGUSR1);
        _exit(0);
    }
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_USER);
    IS(info.si_pid, child);
    IS(reap(child), 0);
    return 0;
}
