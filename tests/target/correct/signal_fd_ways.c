/* A signal that a signalfd reads: sent before there is one, to a thread, or taken by sigwait
 * cause:    none: it is pending until one of them takes it
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

static sigset_t set;

static void take(int fd)
{
    struct signalfd_siginfo got;
    assert(read(fd, &got, sizeof got) == sizeof got && got.ssi_signo == SIGUSR1);
}

static void *sends(void *arg)
{
    kill(getpid(), SIGUSR1);
    return NULL;
}

static void *reads(void *arg)
{
    int fd = signalfd(-1, &set, 0);
    take(fd);
    close(fd);
    return NULL;
}

static void *waits(void *arg)
{
    int signo;
    sigwait(&set, &signo);
    assert(signo == SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);

    pthread_create(&t, NULL, sends, NULL);
    int fd = signalfd(-1, &set, 0);
    take(fd);
    pthread_join(t, NULL);

    pthread_create(&t, NULL, reads, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);

    pthread_create(&t, NULL, waits, NULL);
    kill(getpid(), SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
