/* Loops that wait by polling: for a handler's flag, a pending signal, a file, bytes
 * in a pipe, a cancellation. None of these calls is a step by itself. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd[2];
static volatile sig_atomic_t is_hit;
static pthread_t self;
static char file[64];

static void on_signal(int signo) { is_hit = 1; }

static void *until_cancelled(void *arg)
{
    for (;;)
        pthread_testcancel();
    return NULL;
}

static void *act(void *arg)
{
    usleep(10);
    switch ((long)arg) {
    case 0:
        IS(pthread_kill(self, SIGUSR1), 0);
        break;
    case 1:
        IS(pthread_kill(self, SIGUSR2), 0);
        break;
    case 2:
        IS(write(fd[1], "x", 1), 1);
        break;
    default:
        IS(close(open(file, O_CREAT | O_EXCL | O_WRONLY, 0600)), 0);
    }
    return NULL;
}

static void look(long what)
{
    sigset_t set;
    struct stat st;
    FILE *f;
    int n = 0;
    switch (what) {
    case 0:
        while (!is_hit)
            ;
        break;
    case 1:
        do
            IS(sigpending(&set), 0);
        while (!sigismember(&set, SIGUSR2));
        break;
    case 2:
        do
            IS(ioctl(fd[0], FIONREAD, &n), 0);
        while (!n);
        break;
    case 3:
        while (access(file, F_OK))
            IS(errno, ENOENT);
        break;
    case 4:
        while (stat(file, &st))
            IS(errno, ENOENT);
        break;
    case 5:
        while ((n = open(file, O_RDONLY)) < 0)
            IS(errno, ENOENT);
        IS(close(n), 0);
        break;
    case 6:
        while (!(f = fopen(file, "r")))
            IS(errno, ENOENT);
        IS(fclose(f), 0);
        break;
    }
}

int main(void)
{
    pthread_t t;
    sigset_t usr2;
    void *result;
    self = pthread_self();
    snprintf(file, sizeof file, "look-%d", (int)getpid());
    IS(pipe(fd), 0);
    CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    IS(pthread_sigmask(SIG_BLOCK, &usr2, NULL), 0);
    for (long what = 0; what < 7; what++) {
        IS(pthread_create(&t, NULL, act, (void *)what), 0);
        look(what);
        IS(pthread_join(t, NULL), 0);
        unlink(file);
    }
    IS(pthread_create(&t, NULL, until_cancelled, NULL), 0);
    IS(pthread_cancel(t), 0);
    IS(pthread_join(t, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
    return 0;
}
