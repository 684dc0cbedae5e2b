/* Data handed over by a signal that another thread reads from a signalfd
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "threads.h"

static int data, answer, fd;

static void *reader(void *arg)
{
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof info) != sizeof info || info.ssi_signo != SIGUSR1)
        abort();
    answer = data + 1;
    return arg;
}

static void *sender(void *arg)
{
    data = 41;
    kill(getpid(), SIGUSR1);
    return arg;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, 0);
    run_both(reader, sender);
    close(fd);
    return answer != 42;
}
