/* cli.c: see cli.h. */
#include "cli/cli.h"

#include "process/inherit.h"
#include "report/clean.h"
#include "report/explain/model.h"
#include "symbol/ranges.h"
#include "text/shell.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void print_message(const char *kind, const char *format, va_list ap)
{
    char *text = NULL;
    fflush(stdout);
    fprintf(stderr, "heddle: %s", kind);
    if (vasprintf(&text, format, ap) >= 0)
        hd_clean_put(stderr, text);
    fputc('\n', stderr);
    free(text);
}

int hd_cli_fail(int code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    print_message("error: ", format, ap);
    va_end(ap);
    return code;
}

void hd_cli_print(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    print_message("", format, ap);
    va_end(ap);
}

void hd_cli_print_uncontrolled(const struct hd_campaign *c)
{
    for (u32 bit = 0; bit < HD_UNC_COUNT; bit++)
        if (c->uncontrolled >> bit & 1)
            hd_cli_print("not controlled: %s", hd_name_uncontrolled(bit));
    if (c->uncontrolled_call[0])
        hd_cli_print("the first call behind it: %s", c->uncontrolled_call);
}

/* Names of metrics are known to campaign/, not to the parser. */
static int check_metrics(const struct hd_options *o, struct hd_error *err)
{
    const char *named[] = {o->metric, o->list};
    struct hd_cover_choice what;
    u32 metric, sub;
    int e = hd_cover_choose(&what, o->coverage, err);
    for (u32 i = 0; !e && i < HD_COUNT(named); i++)
        if (named[i] && !hd_cover_metric(named[i], &metric, &sub))
            e = hd_cover_choose(&what, named[i], err);
    return e;
}

bool hd_cli_options(struct hd_options *o, const char *name, u32 command, char **argv, int *code)
{
    struct hd_error err;
    if (hd_options_parse(o, command, argv, &err) || check_metrics(o, &err)) {
        *code = hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    } else if (o->help) {
        hd_cli_help(name);
        *code = HD_EXIT_OK;
    } else if (o->version) {
        *code = hd_cmd_version(NULL);
    } else if (!o->n_rest && command == HD_FOR_merge) {
        *code = hd_cli_fail(HD_EXIT_USAGE, "no store: heddle merge FOLDER...");
    } else if (!o->n_plain && command & (HD_FOR_replay | HD_FOR_minimize)) {
        *code = hd_cli_fail(HD_EXIT_USAGE, "no replay file: heddle %s FILE", name);
    } else if (!o->n_rest && !o->script && command & (HD_FOR_test | HD_FOR_run)) {
        *code = hd_cli_fail(HD_EXIT_USAGE,
                            "no program: heddle %s [options] -- ./program [arguments]", name);
    } else if (o->n_plain > 1 && command & (HD_FOR_replay | HD_FOR_minimize)) {
        *code = hd_cli_fail(HD_EXIT_USAGE, "one replay file at a time, not also '%s' (a program "
                            "that was moved comes after '--')", o->rest[1]);
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
        hd_cli_print("standard input is a pipe nobody writes to: the program gets an empty one "
                     "(silence this with </dev/null)");
    return fd;
}

/* ---- the command line ---------------------------------------------------------- */

char *hd_cli_words(char *const *argv)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return NULL;
    for (u32 i = 0; argv[i]; i++) {
        if (i)
            fputc(' ', to);
        hd_shell_word(to, argv[i]);
    }
    fclose(to);
    return text;
}

char *hd_cli_command(const char *name, char **argv)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return NULL;
    fprintf(to, "heddle %s", name);
    for (; *argv; argv++) {
        fputc(' ', to);
        hd_shell_word(to, *argv);
    }
    fclose(to);
    return text;
}

/* ---- what judges and hides ------------------------------------------------------- */

int hd_cli_oracle(struct hd_oracle *oracle, const struct hd_options *o)
{
    struct hd_error err;
    if (hd_oracle_open(oracle, o->check, o->expect_stdout, &err))
        return hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    oracle->exit_ok = o->exit_ok;
    oracle->n_exit_ok = o->n_exit_ok;
    oracle->timeout_ms = o->timeout_ms;
    return 0;
}

int hd_cli_around(struct hd_around *around, const struct hd_options *o)
{
    *around = (struct hd_around){.setup = o->setup, .cleanup = o->cleanup,
                                 .timeout_ms = o->timeout_ms};
    if (o->scripted && !hd_around_is_empty(around))
        return hd_cli_fail(HD_EXIT_USAGE, "a script has its own: write [setup] and [teardown] in "
                           "it instead of --setup and --cleanup");
    return 0;
}

/* The file that TSAN_OPTIONS names, which ThreadSanitizer looks for here and beside the
 * program. */
static bool tsan_suppressions(char *path, size_t size, const char *program)
{
    static const char key[] = "suppressions=";
    const char *at = getenv("TSAN_OPTIONS");
    for (; at && *at; at += strcspn(at, " ,:\t\n"), at += strspn(at, " ,:\t\n")) {
        if (strncmp(at, key, sizeof key - 1))
            continue;
        const char *value = at + sizeof key - 1;
        char quote = *value == '"' || *value == '\'' ? *value++ : 0;
        size_t n = quote ? strcspn(value, (char[]){quote, 0}) : strcspn(value, " ,:\t\n");
        const char *slash = program ? strrchr(program, '/') : NULL;
        snprintf(path, size, "%.*s", (int)n, value);
        if (*value != '/' && slash && access(path, F_OK))
            snprintf(path, size, "%.*s/%.*s", (int)(slash - program), program, (int)n, value);
        return n > 0;
    }
    return false;
}

int hd_cli_suppressions(struct hd_suppressions *s, const struct hd_options *o)
{
    struct hd_error err;
    memset(s, 0, sizeof *s);
    char tsan[PATH_MAX];
    if (o->suppressions && hd_suppress_load(s, o->suppressions, &err))
        return hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    if (!o->suppressions && tsan_suppressions(tsan, sizeof tsan, o->n_rest ? o->rest[0] : NULL) &&
        hd_suppress_load(s, tsan, &err))
        return hd_cli_fail(HD_EXIT_USAGE, "TSAN_OPTIONS: %s", err.text);
    s->is_borrowed = !o->suppressions;
    return 0;
}

void hd_cli_print_suppressions(const struct hd_suppressions *s)
{
    char text[512];
    for (size_t i = 0; i < s->v.n; i++) {
        const struct hd_suppression *p = &s->v.at[i];
        hd_suppress_text(p, text, sizeof text);
        if (p->used)
            hd_cli_print("suppressed %llu time%s by %s (%s:%u)", (unsigned long long)p->used,
                         p->used == 1 ? "" : "s", text, s->path, p->line);
        else if (!s->is_borrowed)
            hd_cli_print("suppression not used: %s (%s:%u)", text, s->path, p->line);
    }
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

int hd_cli_without_locks(const struct hd_options *o, const struct hd_target *target)
{
    char ranges[4096];
    const char *bad = "";
    if (!o->without_locks)
        return 0;
    int e = hd_symbol_ranges(target->path, o->without_locks, ranges, sizeof ranges, &bad);
    if (e == -ENOEXEC)
        return hd_cli_fail(HD_EXIT_USAGE, "--without-locks: the symbols of %s cannot be read",
                           target->path);
    if (e)
        return hd_cli_fail(HD_EXIT_USAGE, "--without-locks: %s '%.*s' in %s",
                           e == -ENOENT ? "there is no function" : "there is no room for function",
                           (int)strcspn(bad, ","), bad, target->path);
    if (setenv(HD_WITHOUT_ENV, ranges, 1) || hd_inherit_over(NULL))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    if (!o->quiet)
        hd_cli_print("locks taken in %s are left out: what fails may be right with them",
                     strcmp(o->without_locks, "all") ? o->without_locks : "any function");
    return 0;
}
