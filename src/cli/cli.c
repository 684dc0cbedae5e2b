/* cli.c: see cli.h. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void say(const char *kind, const char *format, va_list ap)
{
    fflush(stdout);
    fprintf(stderr, "heddle: %s", kind);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
}

int hd_cli_fail(int code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    say("error: ", format, ap);
    va_end(ap);
    return code;
}

void hd_cli_say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    say("", format, ap);
    va_end(ap);
}

bool hd_cli_options(struct hd_options *o, const char *name, u32 command, char **argv, int *code)
{
    char err[512];
    if (hd_options_parse(o, command, argv, err, sizeof err)) {
        *code = hd_cli_fail(HD_EXIT_USAGE, "%s", err);
    } else if (o->help) {
        hd_cli_help(name);
        *code = HD_EXIT_OK;
    } else if (o->version) {
        *code = hd_cmd_version(NULL);
    } else if (!o->n_rest) {
        *code = hd_cli_fail(HD_EXIT_USAGE, command == HD_FOR_REPLAY
                            ? "no replay file: heddle %s FILE"
                            : "no program: heddle %s [options] -- ./program [arguments]", name);
    } else {
        return true;
    }
    hd_options_release(o);
    return false;
}

int hd_cli_stdin(bool quiet)
{
    bool silent;
    int fd = hd_stdin_copy(STDIN_FILENO, &silent);
    if (silent && !quiet)
        hd_cli_say("standard input is a pipe nobody writes to: the program gets an empty one "
                   "(silence this with </dev/null)");
    return fd;
}

struct hd_text_opts hd_cli_text_opts(FILE *to)
{
    struct hd_text_opts o = {.width = 80};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    struct winsize size;
    if (!isatty(fileno(to)))
        return o;
    o.color = (!no_color || !*no_color) && (!term || strcmp(term, "dumb"));
    if (!ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col >= 40)
        o.width = HD_MIN(size.ws_col, 160);
    return o;
}
