/* signalfd: pending signals of its mask are read, EAGAIN if none
 * text:   a read gives a structure per signal and takes it; non-blocking gives EAGAIN;
 *         a small buffer is EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <sys/signalfd.h>

static void *sender(void *arg)
{
    OK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5}));
    return NULL;
}

int main(void)
{
    sigset_t set;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    TRUE(fd >= 0);
    FAILS(read(fd, &info, sizeof info), EAGAIN);
    FAILS(read(fd, &info, 4), EINVAL);
    pthread_t t = start(sender, NULL);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    IS(poll(&p, 1, -1), 1);
    IS(read(fd, &info, sizeof info), sizeof info);
    IS(info.ssi_signo, SIGUSR1);
    IS(info.ssi_int, 5);
    IS(info.ssi_code, SI_QUEUE);
    FAILS(read(fd, &info, sizeof info), EAGAIN);
    join(t);
    FAILS(signalfd(-1, &set, 0x12345), EINVAL);
    FAILS(signalfd(999, &set, 0), EBADF);
    FAILS(signalfd(1, &set, 0), EINVAL); /* not a signalfd */
    OK(close(fd));
    return 0;
}
