/* Leaving a handler by siglongjmp: out of a read that would wait for ever, with
 * the mask put back; and the next wait works as before. */
#include "check.h"

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf back;
static int fd[2];

static void leave(int signo) { siglongjmp(back, 1); }

static void *reader(void *arg)
{
    sigset_t now;
    char c;
    for (volatile int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1)) {
            raise(SIGUSR2); /* out of raise */
            exit(1);
        }
        IS(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
        IS(sigismember(&now, SIGUSR2), 0);
    }
    if (!sigsetjmp(back, 1)) {
        alarm(1);
        read(fd[0], &c, 1);
        exit(1);
    }
    IS(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    IS(sigismember(&now, SIGALRM), 0);
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    IS(poll(&p, 1, 10), 0);
    IS(write(fd[1], "x", 1), 1);
    IS(read(fd[0], &c, 1), 1);
    return NULL;
}

int main(void)
{
    sigset_t alrm;
    sigemptyset(&alrm);
    sigaddset(&alrm, SIGALRM);
    IS(pipe(fd), 0);
    signal(SIGUSR2, leave);
    signal(SIGALRM, leave);
    pthread_t t;
    IS(pthread_create(&t, NULL, reader, NULL), 0);
    IS(pthread_sigmask(SIG_BLOCK, &alrm, NULL), 0); /* the reader's */
    for (int i = 0; i < 5; i++)
        sched_yield();
    IS(pthread_join(t, NULL), 0);
    return 0;
}
