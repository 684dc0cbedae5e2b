/* stress.c: what one does without Heddle: runs a program again and again until it
 * fails. Prints "found runs seconds what"; what: none, exit, signal or hang.
 *   stress RUNS SECONDS HANG_SECONDS COMMAND [ARG...]
 * A run that takes longer than HANG_SECONDS hangs, which is a failure; a status
 * other than 0 is one, and with it what ThreadSanitizer reports. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* One run; NULL = it went well. SIGCHLD is blocked: it waits for us, not we for it. */
static const char *run(char **argv, const posix_spawn_file_actions_t *files,
                       const posix_spawnattr_t *attr, double hang)
{
    pid_t pid;
    int status, err = posix_spawnp(&pid, argv[0], files, attr, argv, environ);
    if (err) {
        fprintf(stderr, "stress: %s: %s\n", argv[0], strerror(err));
        exit(99);
    }
    double end = now() + hang;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (!waitpid(pid, &status, WNOHANG)) {
        double left = end - now();
        if (left <= 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return "hang";
        }
        struct timespec ts = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        sigtimedwait(&child, NULL, &ts);
    }
    return WIFSIGNALED(status) ? "signal" : WEXITSTATUS(status) ? "exit" : NULL;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: stress RUNS SECONDS HANG_SECONDS COMMAND [ARG...]\n");
        return 64;
    }
    long limit = atol(argv[1]), runs = 0;
    double seconds = atof(argv[2]), hang = atof(argv[3]);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attr;
    sigset_t none, child;
    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const char *what = NULL;
    double start = now();
    while (!what && runs < limit && now() - start < seconds) {
        runs++;
        what = run(argv + 4, &files, &attr, hang);
    }
    printf("%d %ld %.6f %s\n", what != NULL, runs, now() - start, what ? what : "none");
    return 0;
}
