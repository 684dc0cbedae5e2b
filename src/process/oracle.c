/* oracle.c: see oracle.h. The command (command.h) runs in the folder heddle was started
 * in; what it prints goes into the message. */
#include "process/oracle.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "process/command.h"

#define EXCERPT 100 /* bytes of a differing line in the message */

/* ---- set up ------------------------------------------------------------------- */

int hd_oracle_open(struct hd_oracle *o, const char *check, const char *expect, struct hd_error *err)
{
    memset(o, 0, sizeof *o);
    o->timeout_ms = 10000;
    o->check = check;
    o->expect = expect;
    if (!expect)
        return 0;
    int e = hd_read_file(expect, &o->expected, &o->n_expected);
    if (e)
        return hd_error_set(err, e, "cannot read the expected output %s: %s", expect, strerror(-e));
    return 0;
}

int hd_oracle_beside(struct hd_oracle *o, const char *replay_file, struct hd_error *err)
{
    char copy[PATH_MAX], path[PATH_MAX + 64];
    size_t n;
    memset(o, 0, sizeof *o);
    o->timeout_ms = 10000;
    snprintf(copy, sizeof copy, "%s", replay_file);
    const char *dir = dirname(copy);
    snprintf(path, sizeof path, "%s/" HD_ORACLE_CHECK, dir);
    int e = hd_read_file(path, &o->own_check, &n);
    if (e && e != -ENOENT) {
        return hd_error_set(err, e, "cannot read the recorded check %s: %s", path, strerror(-e));
    }
    o->check = o->own_check;
    snprintf(path, sizeof path, "%s/" HD_ORACLE_EXPECTED, dir);
    e = hd_read_file(path, &o->expected, &o->n_expected);
    if (e && e != -ENOENT) {
        hd_error_set(err, e, "cannot read the recorded output %s: %s", path, strerror(-e));
        hd_oracle_release(o);
        return e;
    }
    if (!e && !(o->expect = o->own_expect = strdup(path)))
        return hd_error_set(err, -ENOMEM, "out of memory");
    return 0;
}

void hd_oracle_release(struct hd_oracle *o)
{
    free(o->expected);
    free(o->own_check);
    free(o->own_expect);
    memset(o, 0, sizeof *o);
}

bool hd_oracle_is_empty(const struct hd_oracle *o) { return !o->check && !o->expect; }

/* ---- the command ----------------------------------------------------------------- */

static void judge_check(const struct hd_oracle *o, struct hd_worker *w)
{
    struct hd_verdict *v = &w->run.verdict;
    char text[HD_COMMAND_WORDS], how[96];
    int status = hd_command_run(w, o->check, NULL, o->timeout_ms, text);
    if (status == 0 || status == HD_COMMAND_CUT)
        return;
    hd_command_how(status, o->timeout_ms, how, sizeof how);
    bool is_bad = hd_command_is_missing(status);
    snprintf(v->msg, sizeof v->msg, "%s`%.80s` %s%s%s", is_bad ? "the check cannot be run: " : "",
             o->check, how, text[0] ? is_bad ? ": " : "\n" : "", text);
    v->kind = is_bad ? HD_V_ENV : HD_V_CHECK;
    w->is_check_bad = is_bad;
}

/* ---- the output -------------------------------------------------------------------- */

/* "x" or what is there instead, cut and harmless. */
static void quote(char *buf, size_t size, const char *from, const char *end)
{
    if (from >= end) {
        snprintf(buf, size, "the end");
        return;
    }
    const char *stop = memchr(from, '\n', (size_t)(end - from));
    size_t n = (size_t)((stop ? stop : end) - from), at = 0;
    bool is_cut = n > EXCERPT;
    n = HD_MIN(n, (size_t)EXCERPT);
    buf[at++] = '"';
    for (size_t i = 0; i < n && at + 8 < size; i++)
        buf[at++] = (u8)from[i] < ' ' || from[i] == 127 ? '?' : from[i];
    snprintf(buf + at, size - at, "%s\"%s", is_cut ? ".." : "",
             stop ? "" : " without a line end");
}

static void judge_output(const struct hd_oracle *o, struct hd_worker *w)
{
    struct hd_verdict *v = &w->run.verdict;
    struct stat st;
    if (fstat(w->out_fd, &st))
        return;
    size_t n = (size_t)st.st_size, same = 0, line = 1, begin = 0;
    const char *got = "";
    if (n) {
        got = mmap(NULL, n, PROT_READ, MAP_SHARED, w->out_fd, 0);
        if (got == MAP_FAILED)
            return;
    }
    if (n != o->n_expected || memcmp(got, o->expected, n)) {
        for (; same < n && same < o->n_expected && got[same] == o->expected[same]; same++)
            if (got[same] == '\n') {
                line++;
                begin = same + 1;
            }
        char want[EXCERPT + 32], is[EXCERPT + 32];
        quote(want, sizeof want, o->expected + begin, o->expected + o->n_expected);
        quote(is, sizeof is, got + begin, got + n);
        const char *slash = strrchr(o->expect, '/');
        snprintf(v->msg, sizeof v->msg, "line %zu should be %s and is %s (see %.100s)", line, want,
                 is, slash ? slash + 1 : o->expect);
        v->kind = HD_V_OUTPUT;
    }
    if (n)
        munmap((void *)got, n);
}

/* ---- judge ---------------------------------------------------------------------------- */

static bool is_well(const struct hd_oracle *o, const struct hd_verdict *v)
{
    if (v->kind == HD_V_CLEAN || (v->kind == HD_V_EXIT && o->is_any_exit_ok))
        return true;
    for (u32 i = 0; i < o->n_exit_ok; i++)
        if (v->kind == HD_V_EXIT && WIFEXITED(v->status) && WEXITSTATUS(v->status) == o->exit_ok[i])
            return true;
    return false;
}

void hd_oracle_judge(const struct hd_oracle *o, struct hd_worker *w)
{
    struct hd_verdict *v = &w->run.verdict;
    w->is_check_bad = false;
    if (hd_oracle_is_empty(o) || !is_well(o, v))
        return;
    u32 before = v->kind;
    v->pc = 0;
    v->tid = 0;
    if (o->expect)
        judge_output(o, w);
    if (o->check && v->kind == before)
        judge_check(o, w);
}

bool hd_verdict_is_clean(const struct hd_verdict *v, const int *exit_ok, u32 n_exit_ok)
{
    if (v->kind == HD_V_CLEAN || v->kind == HD_V_CUT)
        return true;
    if (v->kind != HD_V_EXIT)
        return false;
    for (u32 i = 0; i < n_exit_ok; i++)
        if (WIFEXITED(v->status) && WEXITSTATUS(v->status) == exit_ok[i])
            return true;
    return false;
}
