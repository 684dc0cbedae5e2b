/* tests.c: a test program lists its tests and runs one of them by options of its framework. Each
 * becomes an input of a suite, by its own name. What a program prints is anybody's: lines that
 * are no names are passed over, and a name that comes twice is one. */
#include "suite/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/command.h"
#include "process/interrupt.h"
#include "symbol/elf.h"

#define LIST_MS 30000
#define NAME_MAX_BYTES 1024

static const struct framework {
    const char *name, *library, *text; /* a needed library, or a text in the file */
    const char *list[3];               /* options; NULL = it cannot */
} frameworks[] = {
    [HD_FRAMEWORK_NONE] = {"none", NULL, NULL, {NULL}},
    [HD_FRAMEWORK_GOOGLE] = {"GoogleTest", "libgtest.so", "gtest_list_tests", {"--gtest_list_tests"}},
    [HD_FRAMEWORK_CATCH2] = {"Catch2", "libCatch2", "list all/matching test cases",
                             {"--list-tests", "--verbosity", "quiet"}},
    [HD_FRAMEWORK_DOCTEST] = {"doctest", NULL, "list-test-cases", {"--list-test-cases", "--no-colors"}},
    [HD_FRAMEWORK_BOOST] = {"Boost.Test", "libboost_unit_test_framework", "BOOST_TEST_LIST_CONTENT",
                            {"--list_content"}},
    [HD_FRAMEWORK_CMOCKA] = {"cmocka", "libcmocka", "CMOCKA_MESSAGE_OUTPUT", {NULL}},
    [HD_FRAMEWORK_CHECK] = {"Check", "libcheck", "CK_RUN_SUITE", {NULL}},
};

/* Version 2 of Catch2 has another option, which version 3 has not. */
static const char catch2_names[] = "list-test-names-only";
static const char *const catch2_list[3] = {"--list-test-names-only"};

const char *hd_tests_framework_name(enum hd_framework f) { return frameworks[f].name; }

static bool has_text(const char *path, const char *text)
{
    struct hd_elf e;
    if (hd_elf_open(&e, path))
        return false;
    bool has = e.size && memmem(e.data, e.size, text, strlen(text));
    hd_elf_close(&e);
    return has;
}

enum hd_framework hd_tests_framework(const char *path)
{
    struct hd_elf e;
    char library[64];
    u32 found = HD_FRAMEWORK_NONE;
    if (hd_elf_open(&e, path))
        return HD_FRAMEWORK_NONE;
    bool is_program = hd_elf_kind(&e) == HD_ELF_DYNAMIC;
    for (u32 i = HD_FRAMEWORK_NONE + 1; is_program && !found && i < HD_COUNT(frameworks); i++) {
        const struct framework *f = &frameworks[i];
        if ((f->library && hd_elf_needs(&e, f->library, library, sizeof library)) ||
            memmem(e.data, e.size, f->text, strlen(f->text)))
            found = i;
    }
    hd_elf_close(&e);
    return found;
}

/* ---- asking --------------------------------------------------------------------------------- */

struct asked {
    char *out, *err;
    int status;
};

_Noreturn static void child(const char *path, char *const *argv, const char *runtime, int out,
                            int err)
{
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    hd_signals_default();
    setenv("LD_PRELOAD", runtime, 1);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(126);
    execv(path, argv);
    _exit(127);
}

static bool await(pid_t pid, int *status)
{
    struct pollfd p = {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
    s64 until = hd_monotonic_ns() + (s64)LIST_MS * 1000000;
    bool is_over = false;
    while (!is_over && hd_monotonic_ns() < until && !hd_interrupt_count())
        is_over = poll(&p, 1, 100) > 0;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    close(p.fd);
    return is_over;
}

static int ask(struct asked *a, const char *path, const char *runtime, char *const *argv,
               const char *const *options, struct hd_error *err)
{
    char *words[64] = {argv[0]};
    char where[64];
    size_t n;
    for (u32 i = 0; i < 3 && options[i]; i++)
        words[i + 1] = (char *)options[i];
    int out = memfd_create("heddle-list", MFD_CLOEXEC), errors = memfd_create("heddle-list", MFD_CLOEXEC);
    memset(a, 0, sizeof *a);
    fflush(NULL);
    pid_t pid = out < 0 || errors < 0 ? -1 : fork();
    if (pid == 0)
        child(path, words, runtime, out, errors);
    int e = pid < 0 ? -errno : 0;
    if (e)
        hd_error_set(err, e, "cannot start a process: %s", strerror(-e));
    else if (!await(pid, &a->status))
        e = hd_error_set(err, -ETIME, "%s %s did not end within %d s", path, options[0],
                         LIST_MS / 1000);
    snprintf(where, sizeof where, "/proc/self/fd/%d", out);
    if (!e)
        e = hd_read_file(where, &a->out, &n);
    snprintf(where, sizeof where, "/proc/self/fd/%d", errors);
    if (!e)
        e = hd_read_file(where, &a->err, &n);
    if (out >= 0)
        close(out);
    if (errors >= 0)
        close(errors);
    return e;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct list {
    struct hd_suite *s;
    char *const *argv;
    const char *glob;
    u32 found; /* tests, whether they match or not */
};

/* `name` with a backslash before those of `special`. */
static char *escaped(const char *prefix, const char *name, const char *special)
{
    char *to = malloc(strlen(prefix) + 2 * strlen(name) + 1), *p;
    HD_ASSERT(to);
    p = stpcpy(to, prefix);
    for (; *name; name++) {
        if (strchr(special, *name))
            *p++ = '\\';
        *p++ = *name;
    }
    *p = '\0';
    return to;
}

/* The program's own arguments stay, the choice comes last. */
static void add(struct list *l, const char *name, char *choice)
{
    u32 n = 0;
    l->found++;
    while (l->argv[n])
        n++;
    char **words = calloc(n + 2, sizeof *words);
    HD_ASSERT(words);
    memcpy(words, l->argv, n * sizeof *words);
    words[n] = choice;
    if (!fnmatch(l->glob, name, 0))
        hd_suite_add(l->s, name, words); /* of two with one name the first */
    free(words);
    free(choice);
}

static char *line_of(char **text)
{
    char *line = *text;
    if (!line || !*line)
        return NULL;
    size_t n = strcspn(line, "\n");
    *text = line + n + (line[n] == '\n');
    line[n] = '\0';
    while (n && (line[n - 1] == '\r' || line[n - 1] == ' '))
        line[--n] = '\0';
    return n < NAME_MAX_BYTES ? line : (line[0] = '\0', line);
}

/* Account.
 *   Withdraw
 *   Pay/0  # GetParam() = 3 */
static void google(struct list *l, char *text)
{
    char suite[NAME_MAX_BYTES] = "", name[2 * NAME_MAX_BYTES];
    for (char *line; (line = line_of(&text));) {
        char *comment = strstr(line, "  # ");
        if (comment)
            *comment = '\0';
        size_t n = strlen(line);
        if (line[0] && line[0] != ' ') {
            snprintf(suite, sizeof suite, "%s", line[n - 1] == '.' ? line : "");
        } else if (suite[0] && !strncmp(line, "  ", 2) && line[2]) {
            snprintf(name, sizeof name, "%s%s", suite, line + 2);
            bool is_off = !strncmp(suite, "DISABLED_", 9) || !strncmp(line + 2, "DISABLED_", 9) ||
                          strstr(name, "/DISABLED_");
            if (!is_off && !strpbrk(name, " \t"))
                add(l, name, escaped("--gtest_filter=", name, ""));
        }
    }
}

/* "-" would begin an option, "~" tests that are not to be run; not in quotes. */
static void catch2(struct list *l, char *text)
{
    for (char *line; (line = line_of(&text));) {
        char quoted[NAME_MAX_BYTES + 3];
        snprintf(quoted, sizeof quoted, "\"%s\"", line);
        if (line[0])
            add(l, line, strchr("-~", line[0]) ? escaped("", quoted, "")
                                               : escaped("", line, "\\,[]\""));
    }
}

static void doctest(struct list *l, char *text)
{
    bool is_name = false;
    for (char *line; (line = line_of(&text));) {
        if (!strncmp(line, "====", 4))
            is_name = !is_name;
        else if (is_name && line[0] && strncmp(line, "[doctest]", 9))
            add(l, line, escaped("--test-case=", line, "\\,"));
    }
}

/* Account*
 *     Withdraw* */
static void boost(struct list *l, char *text)
{
    char path[NAME_MAX_BYTES] = "";
    size_t at[32] = {0}; /* where each level's name begins in `path` */
    u32 last = 0;
    bool is_open = false; /* path names a test, unless something deeper follows */
    char *line;
    do {
        line = line_of(&text);
        size_t indent = line ? strspn(line, " ") : 0, n = line ? strlen(line) : 0;
        u32 level = (u32)(indent / 4);
        if (line && (level >= HD_COUNT(at) || !n || strchr(line + indent, ' ')))
            continue;
        if (is_open && (!line || level <= last))
            add(l, path, escaped("--run_test=", path, "\\,"));
        is_open = line && line[n - 1] == '*';
        if (!line)
            break;
        if (is_open)
            line[n - 1] = '\0';
        level = HD_MIN(level, last + 1);
        size_t from = level ? at[level] : 0;
        if (level > last || !level)
            from = level ? strlen(path) : 0;
        snprintf(path + from, sizeof path - from, "%s%s", level ? "/" : "", line + indent);
        at[level] = from;
        last = level;
    } while (line);
}

/* ---- all ------------------------------------------------------------------------------------- */

int hd_tests_list(struct hd_suite *s, const char *path, const char *runtime, char *const *argv,
                  const char *glob, struct hd_error *err)
{
    static void (*const parse[])(struct list *, char *) = {
        [HD_FRAMEWORK_GOOGLE] = google, [HD_FRAMEWORK_CATCH2] = catch2,
        [HD_FRAMEWORK_DOCTEST] = doctest, [HD_FRAMEWORK_BOOST] = boost};
    enum hd_framework f = hd_tests_framework(path);
    struct list l = {s, argv, glob, 0};
    struct asked a;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!frameworks[f].list[0]) {
        if (!fnmatch(glob, base, 0))
            hd_suite_add(s, base, argv);
        return s->input.n ? 0
                          : hd_error_set(err, -ENOENT, "%s names no tests (%s): it is one test, %s", path,
                                         f ? frameworks[f].name : "no known framework", base);
    }
    bool is_old = f == HD_FRAMEWORK_CATCH2 && has_text(path, catch2_names);
    HD_ASSERT(parse[f]); /* it lists its tests */
    int e = ask(&a, path, runtime, argv, is_old ? catch2_list : frameworks[f].list, err);
    if (!e) {
        parse[f](&l, a.out);
        if (!l.found) /* some print the list there */
            parse[f](&l, a.err);
    }
    if (!e && !l.found)
        e = hd_error_set(err, -ENOENT, "%s %s listed no tests", path, frameworks[f].list[0]);
    else if (!e && !s->input.n)
        e = hd_error_set(err, -ENOENT, "none of the %u tests of %s matches '%s'", l.found, path, glob);
    free(a.out);
    free(a.err);
    return e;
}
