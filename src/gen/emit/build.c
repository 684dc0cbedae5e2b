/* build.c: calls the compiler. gcc chooses the language of each file by its name, so C files of
 * a C++ library stay C. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/emit/driver.h"
#include "process/interrupt.h"

extern char **environ;

#define WORDS (1 << 20) /* bytes of the compiler's messages that are read */

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n > m && !strcmp(text + n - m, with);
}

static bool is_cxx_file(const char *name)
{
    return ends(name, ".cc") || ends(name, ".cpp") || ends(name, ".cxx") || ends(name, ".C");
}

/* The end of what it printed, or why it could not be started. */
static int compiler_error(int fd, int e, const char *cc, struct hd_error *err)
{
    char text[3000];
    if (e)
        return hd_error_set(err, -e, "cannot start the compiler %s: %s", cc, strerror(e));
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return hd_error_set(err, -EINVAL, "%s", text);
}

FILE *hd_gen_create(const char *path)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Up to WORDS bytes of what it printed. */
static char *all_words(int fd)
{
    char *text = calloc(1, WORDS + 1);
    HD_ASSERT(text);
    if (pread(fd, text, WORDS, 0) < 0)
        *text = 0;
    return text;
}

int hd_gen_build(const char *source, char *const *flags, const char *program, char **words,
                 struct hd_error *err)
{
    const char *args[256];
    const char *own = getenv(is_cxx_file(source) ? "HEDDLE_CXX" : "HEDDLE_CC");
    bool is_cxx = is_cxx_file(source);
    u32 n = 0;
    const char *cc = own && *own ? own : "gcc";
    args[n++] = cc;
    args[n++] = "-g";
    args[n++] = "-O1";
    args[n++] = "-fsanitize=thread";
    if (strstr(cc, "clang"))
        args[n++] = "-shared-libsan";
    args[n++] = "-w"; /* the library's warnings are not ours */
    if (is_cxx)
        args[n++] = "-std=c++17"; /* the user's own comes later and counts */
    args[n++] = source;
    for (char *const *f = flags; f && *f && n < HD_COUNT(args) - 8; f++) {
        args[n++] = *f;
        is_cxx |= is_cxx_file(*f);
    }
    if (is_cxx)
        args[n++] = "-lstdc++";
    args[n++] = "-lm";
    args[n++] = "-lpthread";
    args[n++] = "-o";
    args[n++] = program;
    args[n] = NULL;
    int out = memfd_create("heddle-compiler", MFD_CLOEXEC), status = 0;
    posix_spawn_file_actions_t act;
    posix_spawn_file_actions_init(&act);
    posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&act, out, 1);
    posix_spawn_file_actions_adddup2(&act, out, 2);
    pid_t pid;
    int e = posix_spawnp(&pid, cc, &act, NULL, (char *const *)args, environ);
    posix_spawn_file_actions_destroy(&act);
    if (!e) {
        hd_interrupt_add(pid);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        hd_interrupt_remove(pid);
    }
    int code = e || status ? compiler_error(out, e, cc, err) : 0;
    if (words)
        *words = code == -EINVAL ? all_words(out) : NULL;
    close(out);
    return code;
}
