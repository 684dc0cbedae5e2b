/* Children by clone() and its raw forms: with memory of their own, with ours while
 * we wait (vfork), with ours side by side. Not controlled: clone. */
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static atomic_int shared;
static char *stack;
#define STACK 65536

static void ends_with(pid_t pid, int want)
{
    int status;
    CHECK(pid > 0);
    IS(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    IS(WEXITSTATUS(status), want);
}

static int stores(void *arg)
{
    shared = (int)(long)arg;
    return (int)(long)arg;
}

static int runs_true(void *arg)
{
    char *argv[] = {"true", NULL};
    execv("/bin/true", argv);
    return 99;
}

static int opens_and_exits(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    _exit(fd >= 0 ? 5 : 6);
}

static void by_function(void)
{
    ends_with(clone(stores, stack + STACK, SIGCHLD, (void *)3L), 3);
    IS(shared, 0);
    ends_with(clone(stores, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)4L), 4);
    IS(shared, 4);
    ends_with(clone(runs_true, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL), 0);
    ends_with(clone(opens_and_exits, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL), 5);
    sigset_t now;
    IS(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    IS(sigismember(&now, SIGUSR1), 0);
    ends_with(clone(stores, stack + STACK, CLONE_VM | SIGCHLD, (void *)8L), 8);
    IS(shared, 8);
    ends_with(clone(opens_and_exits, stack + STACK, CLONE_VM | SIGCHLD, NULL), 5);
    ends_with(clone(runs_true, stack + STACK, CLONE_VM | SIGCHLD, NULL), 0);
}

static void raw(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!pid)
        _exit(9);
    ends_with(pid, 9);
    pid = (pid_t)syscall(SYS_fork);
    if (!pid)
        _exit(11);
    ends_with(pid, 11);
    pid = vfork();
    if (!pid)
        _exit(12);
    ends_with(pid, 12);
    char *argv[] = {"true", NULL};
    IS(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ), 0);
    ends_with(pid, 0);
    IS(posix_spawnp(&pid, "no such program", NULL, NULL, argv, environ), ENOENT);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *counts(void *arg)
{
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    IS(pthread_create(&t, NULL, counts, NULL), 0);
    by_function();
    raw();
    counts(NULL);
    IS(pthread_join(t, NULL), 0);
    IS(counter, 60);
    return 0;
}
