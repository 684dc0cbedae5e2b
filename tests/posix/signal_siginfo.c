/* SA_SIGINFO: who sent it, and how
 * text:   si_code is SI_USER for kill, SI_QUEUE with the value for sigqueue, SI_TKILL for
 *         pthread_kill and raise on Linux; si_pid is the sender
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t signo, code, value, pid, uid;

static void handler(int s, siginfo_t *info, void *context)
{
    signo = info->si_signo;
    code = info->si_code;
    pid = info->si_pid;
    uid = (int)info->si_uid;
    value = info->si_value.sival_int;
    TRUE(context != NULL);
    IS(s, info->si_signo);
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(kill(getpid(), SIGUSR1));
    IS(signo, SIGUSR1);
    IS(code, SI_USER);
    IS(pid, getpid());
    IS(uid, getuid());
    OK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 42}));
    IS(code, SI_QUEUE);
    IS(value, 42);
    IS(pid, getpid());
    OK(pthread_kill(pthread_self(), SIGUSR1));
    IS(code, SI_TKILL);
    IS(pid, getpid());
    code = 99;
    OK(raise(SIGUSR1));
    IS(code, SI_TKILL);
    OK(pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 43}));
    IS(code, SI_QUEUE);
    IS(value, 43);
    return 0;
}
