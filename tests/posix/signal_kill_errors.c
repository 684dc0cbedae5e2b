/* kill, pthread_kill, sigqueue: error codes
 * text:   signal 0 checks only; a bad number is EINVAL; a process that does not exist is ESRCH
 * expect: exit 0
 */
#include "check.h"

static void *user(void *arg)
{
    pause();
    return NULL;
}

int main(void)
{
    union sigval v = {.sival_int = 1};
    OK(kill(getpid(), 0));
    FAILS(kill(getpid(), 9999), EINVAL);
    FAILS(kill(0x3fffffff, SIGTERM), ESRCH);
    FAILS(kill(0x3fffffff, 0), ESRCH);
    FAILS(sigqueue(getpid(), 9999, v), EINVAL);
    FAILS(sigqueue(0x3fffffff, SIGUSR1, v), ESRCH);
    OK(sigqueue(getpid(), 0, v));
    OK(pthread_kill(pthread_self(), 0));
    IS(pthread_kill(pthread_self(), 9999), EINVAL);
    IS(pthread_kill(pthread_self(), -1), EINVAL);
    IS(pthread_sigqueue(pthread_self(), 9999, v), EINVAL);
    FAILS(killpg(-5, SIGTERM), EINVAL);
    pthread_t t = start(user, NULL);
    OK(pthread_kill(t, 0));
    OK(pthread_cancel(t));
    join(t);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    IS(reap(child), 0);
    FAILS(kill(child, 0), ESRCH);
    return 0;
}
