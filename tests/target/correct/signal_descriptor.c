/* Signals read from a signalfd by a thread of its own
 * cause:    none: they are blocked everywhere, so only the descriptor gets them
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void *reader(void *arg)
{
    struct signalfd_siginfo info;
    int seen[2] = {0, 0};
    while (!seen[0] || !seen[1]) {
        assert(read(fd, &info, sizeof info) == sizeof info);
        seen[info.ssi_signo == SIGUSR2] = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC);
    pthread_create(&t, NULL, reader, NULL);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    pthread_join(t, NULL);
    return 0;
}
