/* Programs started by posix_spawn and by clone that shares memory until exec
 * cause:    none: the parent waits for both
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static char stack[65536] __attribute__((aligned(16)));

static int run_true(void *arg)
{
    char *argv[] = {"true", NULL};
    execve("/bin/true", argv, environ);
    _exit(99);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int status;
    pid_t pid;
    char *argv[] = {"true", NULL};
    pthread_create(&t, NULL, worker, NULL);
    assert(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0);
    assert(waitpid(pid, &status, 0) == pid && status == 0);
    pid = clone(run_true, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    assert(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    worker(NULL);
    pthread_join(t, NULL);
    assert(n == 10);
    return 0;
}
