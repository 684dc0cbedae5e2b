/* revision.c: see revision.h. git is a program like any other: if it is missing, or the folder is
 * no work tree, there is no commit, and whoever asked says so. What it prints to its standard
 * error is dropped; names that could be options are not handed on. */
#include "version/revision.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs git in `dir`; its first line goes to `out` (may be NULL). True: status 0. */
static bool ask(const char *dir, char *const *words, char *out, size_t size)
{
    char *argv[12] = {"git", "-C", (char *)dir};
    int pipe_fd[2], pid, status, n = 3;
    posix_spawn_file_actions_t files;
    while (*words && n < 11)
        argv[n++] = *words++;
    if (pipe2(pipe_fd, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    int e = posix_spawnp(&pid, "git", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(pipe_fd[1]);
    size_t at = 0;
    ssize_t got;
    while (!e && out && at < size - 1 && (got = read(pipe_fd[0], out + at, size - 1 - at)) > 0)
        at += (size_t)got;
    close(pipe_fd[0]);
    if (out) {
        out[at] = '\0';
        out[strcspn(out, "\n")] = '\0';
    }
    if (e)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool is_name(const char *text)
{
    return strlen(text) >= 40 && strlen(text) < HD_REVISION &&
           !text[strspn(text, "0123456789abcdef")];
}

/* The file's folder if it is in a work tree, else ".". */
static void folder_of(const char *file, char dir[PATH_MAX])
{
    char inside[16];
    char *is_tree[] = {"rev-parse", "--is-inside-work-tree", NULL};
    snprintf(dir, PATH_MAX, "%s", file);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = '\0';
    if (!slash || !ask(dir, is_tree, inside, sizeof inside) || strcmp(inside, "true"))
        snprintf(dir, PATH_MAX, ".");
}

bool hd_revision_find(const char *file, const char *text, char out[HD_REVISION])
{
    char dir[PATH_MAX], commit[300];
    char *words[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", commit, NULL};
    out[0] = '\0';
    folder_of(file, dir);
    snprintf(commit, sizeof commit, "%.250s^{commit}", text);
    if (ask(dir, words, out, HD_REVISION) && is_name(out))
        return true;
    out[0] = '\0';
    return false;
}

void hd_revision_of(const char *file, char out[HD_REVISION]) { hd_revision_find(file, "HEAD", out); }

bool hd_revision_is_before(const char *file, const char *a, const char *b)
{
    char dir[PATH_MAX];
    char *words[] = {"merge-base", "--is-ancestor", (char *)a, (char *)b, NULL};
    if (!is_name(a) || !is_name(b))
        return false;
    folder_of(file, dir);
    return ask(dir, words, NULL, 0);
}
