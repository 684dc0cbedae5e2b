/* sigsuspend until the handler of SIGCHLD has seen the child
 * cause:    none: the signal is blocked between the test and the wait
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

static volatile sig_atomic_t seen;
static atomic_int n;

static void on_child(int signo) { seen = 1; }

static void *worker(void *arg)
{
    for (int i = 0; i < 5; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    sigset_t set, old;
    int status;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    signal(SIGCHLD, on_child);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    pthread_create(&t, NULL, worker, NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    while (!seen)
        sigsuspend(&old);
    assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    pthread_join(t, NULL);
    assert(n == 5);
    return 0;
}
