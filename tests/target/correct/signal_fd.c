/* Blocked signals read from a signalfd by a thread
 * cause:    none: a process-directed signal goes to whoever reads it
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
    long n = 0;
    do {
        if (read(fd, &info, sizeof info) != sizeof info)
            return NULL;
        n++;
    } while (info.ssi_signo != SIGTERM);
    return (void *)n;
}

int main(void)
{
    pthread_t t;
    void *n;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, 0);
    pthread_create(&t, NULL, reader, NULL);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    pthread_join(t, &n);
    assert((long)n == 1 || (long)n == 2); /* the lower number is read first if both are there */
    return 0;
}
