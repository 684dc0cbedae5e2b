/* Children: fork in a program with threads, atfork handlers, the wait family,
 * vfork, SIGCHLD, a pipe from the child, a child killed by a signal.
 * Not controlled: fork. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop, steps, prepared, in_parent, in_child;
static volatile int chlds;

static void *busy(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&lock);
        steps++;
        pthread_mutex_unlock(&lock);
        usleep(500);
    }
    return NULL;
}

static void before(void)
{
    pthread_mutex_lock(&lock);
    prepared++;
}

static void after_parent(void)
{
    in_parent++;
    pthread_mutex_unlock(&lock);
}

static void after_child(void)
{
    in_child++;
    pthread_mutex_unlock(&lock);
}

static void on_chld(int signo) { chlds++; }

static pid_t child(int status)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        pthread_mutex_lock(&lock); /* free in the child, thanks to atfork */
        pthread_mutex_unlock(&lock);
        _exit(in_child == 1 ? status : 99);
    }
    return pid;
}

static void exits(void)
{
    int status;
    struct rusage usage;
    siginfo_t info;
    pid_t pid = child(3);
    IS(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    pid = child(4);
    IS(wait(&status), pid);
    IS(WEXITSTATUS(status), 4);
    pid = child(5);
    IS(wait4(-1, &status, 0, &usage), pid);
    IS(WEXITSTATUS(status), 5);
    pid = child(6);
    memset(&info, 0, sizeof info);
    IS(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    CHECK(info.si_pid == pid && info.si_status == 6);
    while (waitpid(pid, &status, WNOHANG) == 0)
        usleep(1000);
    FAILS(waitpid(pid, &status, 0), ECHILD);
    FAILS(wait(NULL), ECHILD);
    IS(prepared, 4);
    IS(in_parent, 4);
}

static void killed_and_told(void)
{
    int status, fd[2];
    char text[8];
    sigset_t chld, old;
    struct sigaction a = {.sa_handler = on_chld};
    IS(pipe(fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (write(fd[1], "child", 5) != 5)
            _exit(1);
        for (;;)
            pause();
    }
    IS(close(fd[1]), 0);
    IS(read(fd[0], text, sizeof text), 5);
    CHECK(!memcmp(text, "child", 5));
    IS(kill(pid, SIGTERM), 0);
    IS(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    IS(read(fd[0], text, sizeof text), 0);
    IS(close(fd[0]), 0);

    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    IS(sigaction(SIGCHLD, &a, NULL), 0);
    IS(pthread_sigmask(SIG_BLOCK, &chld, &old), 0);
    pid = child(7);
    while (!chlds)
        FAILS(sigsuspend(&old), EINTR);
    IS(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
    IS(waitpid(pid, &status, 0), pid);
    IS(WEXITSTATUS(status), 7);
    signal(SIGCHLD, SIG_DFL);
}

static void made_by_vfork(void)
{
    int status;
    pid_t pid = vfork();
    if (pid == 0)
        _exit(8);
    IS(waitpid(pid, &status, 0), pid);
    IS(WEXITSTATUS(status), 8);
}

int main(void)
{
    pthread_t t;
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    IS(pthread_atfork(before, after_parent, after_child), 0);
    pthread_sigmask(SIG_BLOCK, &chld, NULL); /* SIGCHLD is for the main thread */
    IS(pthread_create(&t, NULL, busy, NULL), 0);
    pthread_sigmask(SIG_UNBLOCK, &chld, NULL);
    exits();
    killed_and_told();
    made_by_vfork();
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    IS(pthread_join(t, NULL), 0);
    return 0;
}
