/* A thread starts children by posix_spawn and fork while another works on what they never touch
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

extern char **environ;
static int status_of[2], counter;

static void *starter(void *arg)
{
    char *argv[] = {"true", NULL};
    pid_t pid;
    if (!posix_spawnp(&pid, "true", NULL, NULL, argv, environ))
        waitpid(pid, &status_of[0], 0);
    pid = fork();
    if (!pid) {
        counter = 99; /* of the child */
        _exit(3);
    }
    waitpid(pid, &status_of[1], 0);
    return arg;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        counter++;
    return arg;
}

int main(void)
{
    run_both(starter, worker);
    return counter != 3 || WEXITSTATUS(status_of[1]) != 3;
}
