/* Queued real-time signals: all arrive, lowest number first, in order of sending
 * text:   each queued real-time signal is delivered; of several numbers the lowest comes
 *         first; of one number they come in the order they were sent
 * expect: exit 0
 */
#include "check.h"

static int got[16], n;

static void handler(int s, siginfo_t *info, void *context)
{
    got[n++] = (s - SIGRTMIN) * 100 + info->si_value.sival_int;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigset_t set;
    siginfo_t info;
    sigfillset(&sa.sa_mask);
    sigemptyset(&set);
    for (int i = 0; i < 3; i++) {
        sigaddset(&set, SIGRTMIN + i);
        OK(sigaction(SIGRTMIN + i, &sa, NULL));
    }
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    for (int v = 1; v <= 3; v++)
        for (int i = 2; i >= 0; i--)
            OK(sigqueue(getpid(), SIGRTMIN + i, (union sigval){.sival_int = v}));
    for (int v = 1; v <= 3; v++) { /* lowest first when taken, too */
        IS(sigwaitinfo(&set, &info), SIGRTMIN);
        IS(info.si_value.sival_int, v);
        IS(info.si_code, SI_QUEUE);
    }
    OK(sigprocmask(SIG_UNBLOCK, &set, NULL));
    IS(n, 6);
    /* With all signals masked in the handler, each delivery is complete before the next. */
    for (int i = 0; i < 6; i++)
        IS(got[i], (i / 3 + 1) * 100 + i % 3 + 1);
    return 0;
}
