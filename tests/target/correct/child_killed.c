/* Children that are killed at once, and one that answers a signal
 * cause:    none: each end is waited for and is what was sent
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int n;

static void on_term(int signo) { _exit(7); }

static void *worker(void *arg)
{
    for (int i = 0; i < 5; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}

static int end_of(int signo, void (*handler)(int))
{
    int status;
    signal(SIGTERM, handler);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    assert(kill(pid, signo) == 0);
    assert(waitpid(pid, &status, 0) == pid);
    return status;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int status = end_of(SIGABRT, SIG_DFL);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = end_of(SIGTERM, on_term);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    pthread_join(t, NULL);
    assert(n == 5);
    return 0;
}
