/* measure.c: runs a command and prints one line "seconds max_rss_kib status
 * cpu_seconds user_seconds"; with `-n COUNT` runs it COUNT times by posix_spawn and waitpid, the
 * floor any tool that starts a program anew for each run has to live with. With `-p` a sixth number:
 * the most KiB that the command and all its descendants held together at a time (a page that several
 * of them share counts once, held.h), looked at every 10 ms. The command's own output goes to
 * /dev/null. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "held.h"

extern char **environ;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void await(pid_t pid, int *status, int is_watched, long *most)
{
    const struct timespec often = {0, 10000000};
    while (is_watched && waitpid(pid, status, WNOHANG) == 0) {
        long kib = held_by_all(pid);
        *most = kib > *most ? kib : *most;
        nanosleep(&often, NULL);
    }
    if (!is_watched)
        waitpid(pid, status, 0);
}

int main(int argc, char **argv)
{
    int count = 1, at = 1, is_watched = 0;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "-n") && at + 1 < argc)
            count = atoi(argv[++at]);
        else if (!strcmp(argv[at], "-p"))
            is_watched = 1;
        else
            break;
    }
    if (at >= argc || count < 1) {
        fprintf(stderr, "usage: measure [-p] [-n COUNT] COMMAND [ARGS]\n");
        return 64;
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    int status = 0;
    long most = 0;
    double start = now();
    for (int i = 0; i < count; i++) {
        pid_t pid;
        int err = posix_spawnp(&pid, argv[at], &files, NULL, argv + at, environ);
        if (err) {
            fprintf(stderr, "measure: %s: %s\n", argv[at], strerror(err));
            return 99;
        }
        await(pid, &status, is_watched, &most);
    }
    double seconds = now() - start;
    struct rusage ru;
    getrusage(RUSAGE_CHILDREN, &ru);
    double user = (double)ru.ru_utime.tv_sec + (double)ru.ru_utime.tv_usec / 1e6;
    double cpu = user + (double)ru.ru_stime.tv_sec + (double)ru.ru_stime.tv_usec / 1e6;
    printf("%.6f %ld %d %.6f %.6f", seconds, ru.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128, cpu, user);
    printf(is_watched ? " %ld\n" : "\n", most);
    return 0;
}
