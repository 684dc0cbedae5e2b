/* Ten queued real-time signals to a thread in sigwaitinfo all arrive
 * text:   queueing is reliable: none is merged or lost
 * expect: exit 0
 */
#include "check.h"

static void *receiver(void *arg)
{
    siginfo_t info;
    sigset_t *set = arg;
    for (int i = 0; i < 10; i++) {
        IS(sigwaitinfo(set, &info), SIGRTMIN + 1);
        IS(info.si_value.sival_int, i);
    }
    return NULL;
}

int main(void)
{
    sigset_t set;
    struct timespec zero = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    pthread_t t = start(receiver, &set);
    for (int i = 0; i < 10; i++)
        OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i}));
    join(t);
    FAILS(sigtimedwait(&set, NULL, &zero), EAGAIN);
    return 0;
}
