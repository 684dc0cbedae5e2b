/* Calls that are never restarted: poll, select, epoll_wait, nanosleep, sem_timedwait
 * text:   these fail with EINTR after a handler even if it was set with SA_RESTART
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int p[2], ep;
static atomic_int done;
static sem_t sem;
static void handler(int s) { }

static void *user(void *arg)
{
    struct pollfd pf = {.fd = p[0], .events = POLLIN};
    struct epoll_event ev;
    struct timespec hour = {3600, 0}, left, at = in_ms(CLOCK_REALTIME, 3600000);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(p[0], &set);
    switch ((long)arg) {
    case 0: FAILS(poll(&pf, 1, -1), EINTR); break;
    case 1: FAILS(select(p[0] + 1, &set, NULL, NULL, NULL), EINTR); break;
    case 2: FAILS(epoll_wait(ep, &ev, 1, -1), EINTR); break;
    case 3:
        FAILS(nanosleep(&hour, &left), EINTR);
        TRUE(left.tv_sec >= 0 && left.tv_sec <= 3600);
        break;
    case 4: IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, &left), EINTR); break;
    case 5: FAILS(ppoll(&pf, 1, NULL, NULL), EINTR); break;
    case 6: FAILS(pselect(p[0] + 1, &set, NULL, NULL, NULL, NULL), EINTR); break;
    case 7: FAILS(pause(), EINTR); break;
    case 8: FAILS(sem_timedwait(&sem, &at), EINTR); break;
    }
    done = 1;
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(pipe(p));
    OK(sem_init(&sem, 0, 0));
    ep = epoll_create1(0);
    for (long i = 0; i < 9; i++) {
        done = 0;
        pthread_t t = start(user, (void *)i);
        while (!done) {
            OK(pthread_kill(t, SIGUSR1));
            sched_yield();
        }
        join(t);
    }
    return 0;
}
