/* A thread that accepts SIGCHLD by sigwait and reaps the children
 * cause:    none: the signal is blocked everywhere, one thread waits for it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 2

static void *reaper(void *arg)
{
    sigset_t *set = arg;
    int signo, n = 0;
    while (n < CHILDREN) {
        sigwait(set, &signo);
        assert(signo == SIGCHLD);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            n++;
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, reaper, &set);
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0)
            _exit(0);
    pthread_join(t, NULL);
    return 0;
}
