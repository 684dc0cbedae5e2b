/* Other programs: posix_spawn, the exec family in a child, system, popen; and
 * what such a program inherits.
 * Not controlled: posix_spawn. */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int status_of(pid_t pid)
{
    int status;
    IS(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void spawned(void)
{
    pid_t pid;
    char *argv[] = {"sh", "-c", "exit 3", NULL}, *none[] = {"nothing", NULL};
    IS(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
    IS(status_of(pid), 3);
    IS(posix_spawnp(&pid, "sh", NULL, NULL, argv, environ), 0);
    IS(status_of(pid), 3);
    IS(posix_spawn(&pid, "/nowhere/nothing", NULL, NULL, none, environ), ENOENT);
}

static void executed(void)
{
    char *argv[] = {"sh", "-c", "exit $CODE", NULL}, *envp[] = {"CODE=5", NULL};
    setenv("CODE", "4", 1);
    for (int i = 0; i < 6; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            switch (i) {
            case 0:
                execv("/bin/sh", argv);
                break;
            case 1:
                execvp("sh", argv);
                break;
            case 2:
                execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
                break;
            case 3:
                execlp("sh", "sh", "-c", "exit $CODE", (char *)NULL);
                break;
            case 4:
                execle("/bin/sh", "sh", "-c", "exit $CODE", (char *)NULL, envp);
                break;
            case 5:
                execvpe("sh", argv, envp);
                break;
            }
            _exit(99);
        }
        IS(status_of(pid), i < 4 ? 4 : 5);
    }
    FAILS(execl("/nowhere/nothing", "nothing", (char *)NULL), ENOENT);
}

static void *run_system(void *arg)
{
    IS(WEXITSTATUS(system("exit 6")), 6);
    return NULL;
}

static void shells(void)
{
    pthread_t t;
    char text[32];
    sigset_t before, after;
    CHECK(system(NULL));
    IS(system("exit 0"), 0);
    IS(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    IS(pthread_create(&t, NULL, run_system, NULL), 0);
    IS(WEXITSTATUS(system("exit 7")), 7);
    IS(pthread_join(t, NULL), 0);
    IS(pthread_sigmask(SIG_BLOCK, NULL, &after), 0);
    IS(sigismember(&before, SIGCHLD), sigismember(&after, SIGCHLD));
    int status = system("kill -TERM $$");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);

    FILE *f = popen("echo hello; exit 2", "r");
    CHECK(f && fgets(text, sizeof text, f) && !strcmp(text, "hello\n"));
    IS(WEXITSTATUS(pclose(f)), 2);
    f = popen("read x; test \"$x\" = ping", "w");
    CHECK(f && fputs("ping\n", f) > 0);
    IS(pclose(f), 0);
    CHECK(!popen("true", "x") && errno == EINVAL);
}

/* The child sees the signals, processors and descriptors it should. */
static void inheritance(void)
{
    cpu_set_t set;
    char command[256];
    IS(sched_getaffinity(0, sizeof set, &set), 0);
    snprintf(command, sizeof command, "test $(nproc) -eq %d", CPU_COUNT(&set));
    IS(system(command), 0);
    signal(SIGUSR1, SIG_IGN);
    IS(system("kill -USR1 $$; exit 0"), 0);
    signal(SIGUSR1, SIG_DFL);
    IS(system("for fd in /proc/self/fd/*; do n=${fd##*/}; test $n -lt 1000 || exit 1; done"), 0);
}

int main(void)
{
    spawned();
    executed();
    shells();
    inheritance();
    return 0;
}
