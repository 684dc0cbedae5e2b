/* Several threads in sigwait: each signal wakes exactly one
 * text:   no more than one thread returns for one signal
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static atomic_int got;
static sigset_t set;

static void *waiter(void *arg)
{
    int s;
    OK(sigwait(&set, &s));
    IS(s, SIGRTMIN);
    got++;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    struct timespec zero = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    for (int i = 0; i < 3; i++)
        t[i] = start(waiter, NULL);
    for (int i = 0; i < 3; i++)
        OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}));
    for (int i = 0; i < 3; i++)
        join(t[i]);
    IS(got, 3);
    FAILS(sigtimedwait(&set, NULL, &zero), EAGAIN);
    return 0;
}
