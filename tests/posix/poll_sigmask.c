/* ppoll, pselect, epoll_pwait: the mask is set for the time of the call
 * text:   a signal that is blocked outside and pending interrupts the call with EINTR; afterwards
 *         the mask is as before
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    sigset_t set, empty, now;
    struct epoll_event ev;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    sigemptyset(&empty);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    int ep = epoll_create1(0);
    for (int i = 0; i < 3; i++) {
        OK(raise(SIGUSR1));
        IS(n, i);
        if (i == 0)
            FAILS(ppoll(NULL, 0, NULL, &empty), EINTR);
        else if (i == 1)
            FAILS(pselect(0, NULL, NULL, NULL, NULL, &empty), EINTR);
        else
            FAILS(epoll_pwait(ep, &ev, 1, -1, &empty), EINTR);
        IS(n, i + 1);
        OK(pthread_sigmask(SIG_SETMASK, NULL, &now));
        IS(sigismember(&now, SIGUSR1), 1);
    }
    struct timespec ms = {0, 2000000};
    OK(raise(SIGUSR1));
    IS(ppoll(NULL, 0, &ms, &set), 0); /* blocked inside, too */
    IS(n, 3);
    return 0;
}
