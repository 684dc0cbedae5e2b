/* cc.c: heddle cc / heddle c++: the compiler with what Heddle needs. Works
 * as CC=... in a build system, so it prints nothing of its own. docs/cmd/cc.md
 *
 * gcc links the sanitizer's library dynamically by default; clang only with
 * -shared-libsan. The library itself is only needed when the program is run
 * without Heddle. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "process/interrupt.h"

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strstr(slash ? slash + 1 : compiler, "clang") != NULL;
}

static int compile(char **argv, const char *env, const char *gcc, const char *clang)
{
    const char *own = getenv(env);
    const char *compiler = own && *own ? own : gcc;
    u32 n = 0;
    while (argv[n])
        n++;
    const char **args = calloc(n + 6, sizeof *args);
    if (!args)
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    for (u32 i = 0; i < n; i++)
        if (!strcmp(argv[i], "--clang") && !is_clang(compiler))
            compiler = clang;
    u32 k = 0;
    args[k++] = compiler;
    args[k++] = "-g"; /* before the user's, who may want -g3 */
    args[k++] = "-fsanitize=thread";
    if (is_clang(compiler)) {
        args[k++] = "-shared-libsan";
        args[k++] = "-Wno-unused-command-line-argument"; /* when only compiling */
    }
    for (u32 i = 0; i < n; i++)
        if (strcmp(argv[i], "--clang"))
            args[k++] = argv[i];
    hd_signals_default();
    execvp(compiler, (char *const *)args);
    int e = errno;
    free(args);
    return hd_cli_fail(HD_EXIT_FAILED, "cannot start the compiler %s: %s (set %s to another)",
                       compiler, strerror(e), env);
}

int hd_cmd_cc(char **argv) { return compile(argv, "HEDDLE_CC", "gcc", "clang"); }

int hd_cmd_cxx(char **argv) { return compile(argv, "HEDDLE_CXX", "g++", "clang++"); }
