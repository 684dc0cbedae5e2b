/* core.c: what a core says, in the words of gdb: the stack of the thread that failed, and how. The
 * program that left it may be another build than the one under test, and is where the core says;
 * if it is there no more, the one under test must do. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "report/wanted.h"

extern char **environ;

/* What the command prints; NULL if it cannot be started or ends otherwise than well. */
static char *output_of(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int fd[2], status = -1;
    pid_t pid;
    if (pipe2(fd, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int e = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    char *text = NULL, part[4096];
    size_t size;
    ssize_t n;
    FILE *to = open_memstream(&text, &size);
    HD_ASSERT(to);
    while (!e && ((n = read(fd[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            fwrite(part, 1, (size_t)n, to);
    close(fd[0]);
    fclose(to);
    while (!e && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (e || status) {
        free(text);
        text = NULL;
    }
    return text;
}

static char *ask(const char *core, const char *program, const char *what)
{
    char *option = NULL;
    HD_ASSERT(asprintf(&option, "--core=%s", core) > 0);
    char *argv[] = {(char *)"gdb", (char *)"-batch", (char *)"-nx", (char *)"-ex", (char *)what,
                    option, (char *)program, NULL};
    char *text = output_of(argv);
    free(option);
    return text;
}

/* The first file that was mapped, which is the program: lines "  0x1000 0x2000 0x1000 0x0 /a/b". */
static char *program_of(const char *core)
{
    char *text = ask(core, NULL, "info proc mappings"), *path = NULL;
    const char *line = text ? strstr(text, " 0x") : NULL, *name = line ? strstr(line, " /") : NULL;
    if (name)
        path = strndup(name + 1, strcspn(name + 1, "\n"));
    free(text);
    return path;
}

char *hd_core_text(const char *core, const char *program)
{
    char *own = program_of(core);
    char *text = ask(core, own && !access(own, R_OK) ? own : program, "bt");
    free(own);
    return text;
}
