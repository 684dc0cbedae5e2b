/* wanted.c: "it failed in CI": a log, an assertion or a stack of a failure that nobody can repeat
 * says what to look for. Whether a finding is that failure goes by what identity.c goes by: the
 * text of the assertion, the test and its expectation, or the innermost function of the user's;
 * never by lines, which another build has elsewhere. */
#include "report/wanted.h"

#include <elf.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "process/command.h"
#include "report/explain/model.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* gdb shows libc's own frames: the format of the message, and the text as an argument:
 * __assert_fail (assertion=0x55 "n < size", ...). */
static bool find_assertion_of_gdb(struct hd_wanted *w, const char *text)
{
    const char *p = strstr(text, "__assert_fail"), *name = p ? strstr(p, "assertion=0x") : NULL;
    const char *from = name ? strchr(name, '"') : NULL, *end = from ? strstr(from, "\", file=") : NULL;
    if (!end)
        return false;
    snprintf(w->assertion, sizeof w->assertion, "%.*s", (int)(end - from - 1), from + 1);
    return true;
}

/* file:12: main: Assertion `x == 1' failed. */
static void find_assertion(struct hd_wanted *w, const char *text)
{
    if (find_assertion_of_gdb(w, text))
        return;
    const char *p = strstr(text, "Assertion `"), *end = p ? strstr(p, "' failed") : NULL;
    if (!end || !strncmp(p + 11, "%s'", 3))
        return;
    snprintf(w->assertion, sizeof w->assertion, "%.*s", (int)(end - p - 11), p + 11);
    const char *to = p - 2, *from = to; /* "main: " stands before it */
    while (from > text && from[-1] != '\n' && from[-1] != ' ')
        from--;
    if (p > text + 2 && *to == ':' && from < to && !w->n_frames)
        snprintf(w->frame[w->n_frames++].function, sizeof w->frame[0].function, "%.*s",
                 (int)(to - from), from);
}

static void find_signal(struct hd_wanted *w, const char *text)
{
    static const struct {
        const char *text;
        u32 signo;
    } known[] = {{"SIGSEGV", SIGSEGV}, {"Segmentation fault", SIGSEGV}, {"SIGFPE", SIGFPE},
                 {"Floating point exception", SIGFPE}, {"SIGBUS", SIGBUS}, {"Bus error", SIGBUS},
                 {"SIGILL", SIGILL}};
    for (u32 i = 0; i < HD_COUNT(known) && !w->signo; i++)
        if (strstr(text, known[i].text))
            w->signo = known[i].signo;
}

/* Functions by which a failure leaves the program, of libc and the C++ library. */
static bool is_way_out(const char *function)
{
    static const char *const out[] = {"raise", "abort", "gsignal", "__assert", "__GI_", "__pthread_kill",
                                      "pthread_kill", "__cxxabi", "std::", "__gnu_cxx", "__cxa_",
                                      "_Unwind", "??", "__libc_", "__interceptor_", "__tsan"};
    for (u32 i = 0; i < HD_COUNT(out); i++)
        if (!strncmp(function, out[i], strlen(out[i])))
            return true;
    return false;
}

/* The name without arguments and without what follows: "Queue::put". */
static size_t name_length(const char *p)
{
    size_t n = 0;
    for (int depth = 0; p[n] && p[n] != '\n' && (depth || (p[n] != ' ' && p[n] != '(')); n++)
        depth += (p[n] == '<') - (p[n] == '>');
    return n;
}

/* #0  0x0000 in put (q=0x1) at src/queue.c:41      gdb
 * #0 put /home/me/src/queue.c:41 (prog+0x12)       ThreadSanitizer and others */
static bool take_frame(struct hd_wanted *w, const char *line, size_t n)
{
    const char *p = line, *end = line + n;
    while (p < end && isspace((u8)*p))
        p++;
    if (p == end || *p != '#' || p + 1 == end || !isdigit((u8)p[1]))
        return false;
    for (p++; p < end && isdigit((u8)*p);)
        p++;
    while (p < end && isspace((u8)*p))
        p++;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
        const char *in = memmem(p, (size_t)(end - p), " in ", 4);
        if (in)
            p = in + 4;
    }
    size_t k = HD_MIN(name_length(p), (size_t)(end - p));
    if (!k || w->n_frames == HD_WANTED_FRAMES)
        return true;
    snprintf(w->frame[w->n_frames].function, sizeof w->frame[0].function, "%.*s", (int)k, p);
    if (is_way_out(w->frame[w->n_frames].function))
        return true;
    w->frame[w->n_frames].file[0] = '\0';
    for (const char *c = p + k; c + 1 < end; c++) {
        if (*c != ':' || !isdigit((u8)c[1]))
            continue;
        const char *from = c;
        while (from > p && !isspace((u8)from[-1]) && from[-1] != '/')
            from--;
        snprintf(w->frame[w->n_frames].file, sizeof w->frame[0].file, "%.*s", (int)(c - from), from);
        break;
    }
    w->n_frames++;
    return true;
}

/* The first stack that is in it: the next one begins at #0 again, or after another line. */
static void find_frames(struct hd_wanted *w, const char *text)
{
    bool is_in = false;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        bool is_frame = take_frame(w, p, n);
        if (is_in && !is_frame && w->n_frames)
            return;
        is_in |= is_frame;
        p += n + (p[n] == '\n');
    }
}

bool hd_wanted_parse(struct hd_wanted *w, const char *text)
{
    struct hd_finding f;
    memset(w, 0, sizeof *w);
    memset(&f, 0, sizeof f);
    f.out = (char *)text;
    find_frames(w, text);
    find_assertion(w, text);
    w->has_expectation = !w->assertion[0] && hd_expectation_find(&f, &w->expectation);
    find_signal(w, text);
    return w->assertion[0] || w->has_expectation || w->signo || w->n_frames;
}

static bool is_core(const char *text, size_t n)
{
    return n > 18 && !memcmp(text, ELFMAG, SELFMAG) && text[16] == ET_CORE && !text[17];
}

int hd_wanted_read(struct hd_wanted *w, const char *path, const char *program, struct hd_error *err)
{
    char *text;
    size_t n;
    int e = hd_read_file(path, &text, &n);
    if (e)
        return hd_error_set(err, e, "cannot read %s: %s", path, strerror(-e));
    bool was_core = is_core(text, n);
    if (was_core) {
        free(text);
        text = hd_core_text(path, program);
        n = 0;
    }
    for (size_t i = 0; i < n; i++)
        if (!text[i])
            text[i] = ' ';
    bool is_known = text && hd_wanted_parse(w, text);
    free(text);
    if (!is_known && was_core)
        return hd_error_set(err, -EINVAL,
                            "%s is a core, and gdb shows no stack of it: is gdb installed, and is "
                            "the program that failed still there? Or give the stack as a text", path);
    if (!is_known)
        return hd_error_set(err, -EINVAL,
                            "nothing in %s tells of a failure: an assertion, an expectation of a "
                            "test framework, a stack (#0 function file:line) or a signal", path);
    return 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static const char *base(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* `name` as a symbol has it: with or without arguments. */
static bool is_function(const char *name, const char *wanted)
{
    size_t n = strlen(wanted);
    return name && !strncmp(name, wanted, n) && (!name[n] || name[n] == '(' || name[n] == '[');
}

bool hd_wanted_is_near(const struct hd_wanted *w, const char *function)
{
    for (u32 i = 0; i < w->n_frames; i++)
        if (is_function(function, w->frame[i].function))
            return true;
    return false;
}

/* Is the user's innermost function the one of the wanted stack? */
static bool is_there(const struct hd_wanted *w, const struct hd_model *st)
{
    struct hd_srcloc l;
    return w->n_frames && hd_model_where(st, st->f->verdict.tid, &l) &&
           is_function(l.function, w->frame[0].function) &&
           (!w->frame[0].file[0] || !l.file || !strcmp(base(l.file), w->frame[0].file));
}

static bool is_same(const struct hd_wanted *w, const struct hd_model *st)
{
    struct hd_expectation e;
    if (w->assertion[0])
        return !strcmp(st->assert_text, w->assertion);
    if (w->has_expectation)
        return hd_expectation_find(st->f, &e) && !strcmp(e.test, w->expectation.test) &&
               !strcmp(base(e.file), base(w->expectation.file)) &&
               e.line == w->expectation.line;
    if (w->signo && (st->f->verdict.kind != HD_V_SIGNAL || st->f->verdict.signo != w->signo))
        return false;
    return w->n_frames ? is_there(w, st) : w->signo;
}

bool hd_wanted_is(const struct hd_wanted *w, const struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_model st;
    hd_model_init(&st, f, s);
    bool is = is_same(w, &st);
    hd_model_release(&st);
    return is;
}

void hd_wanted_format(const struct hd_wanted *w, char *buf, size_t size)
{
    if (w->assertion[0])
        snprintf(buf, size, "the assertion `%s`", w->assertion);
    else if (w->has_expectation)
        snprintf(buf, size, "%s at %s:%u", w->expectation.test, base(w->expectation.file),
                 w->expectation.line);
    else if (w->n_frames)
        snprintf(buf, size, "%s%sa failure in %s", w->signo ? strsignal((int)w->signo) : "",
                 w->signo ? ", " : "", w->frame[0].function);
    else
        snprintf(buf, size, "%s", strsignal((int)w->signo));
}
