/* oracle.c: see oracle.h. The command runs in a process group of its own, in
 * the folder heddle was started in, with an empty input; what it prints goes
 * into the message. It finds what the run printed in the files named by
 * HEDDLE_STDOUT and HEDDLE_STDERR. */
#include "campaign/oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"

#define LOOK_MS 250 /* between two looks whether it is time to stop */
#define SAID 300  /* bytes of the command's output in the message */
#define SHOWN 100 /* bytes of a differing line in the message */

/* ---- set up ------------------------------------------------------------------- */

static int read_file(const char *path, char **text, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int e = fstat(fd, &st) ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : 0;
    size_t cap = e ? 0 : (size_t)st.st_size + 1, at = 0;
    char *buf = e ? NULL : malloc(cap + 1);
    if (!e && !buf)
        e = -ENOMEM;
    while (!e) {
        ssize_t k = read(fd, buf + at, cap - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            e = -errno;
        if (k <= 0)
            break;
        at += (size_t)k;
        if (at == cap) { /* a pipe, or it grew */
            char *grown = realloc(buf, 2 * cap + 1);
            if (!grown) {
                e = -ENOMEM;
                break;
            }
            buf = grown;
            cap *= 2;
        }
    }
    close(fd);
    if (e) {
        free(buf);
        return e;
    }
    buf[at] = '\0';
    *text = buf;
    *n = at;
    return 0;
}

int hd_oracle_open(struct hd_oracle *o, const char *check, const char *expect, char *err,
                   size_t size)
{
    memset(o, 0, sizeof *o);
    o->timeout_ms = 10000;
    o->check = check;
    o->expect = expect;
    if (!expect)
        return 0;
    int e = read_file(expect, &o->expected, &o->n_expected);
    if (e)
        snprintf(err, size, "cannot read the expected output %s: %s", expect, strerror(-e));
    return e;
}

int hd_oracle_beside(struct hd_oracle *o, const char *replay_file, char *err, size_t size)
{
    char copy[PATH_MAX], path[PATH_MAX + 64];
    size_t n;
    memset(o, 0, sizeof *o);
    o->timeout_ms = 10000;
    snprintf(copy, sizeof copy, "%s", replay_file);
    const char *dir = dirname(copy);
    snprintf(path, sizeof path, "%s/" HD_ORACLE_CHECK, dir);
    int e = read_file(path, &o->own_check, &n);
    if (e && e != -ENOENT) {
        snprintf(err, size, "cannot read the recorded check %s: %s", path, strerror(-e));
        return e;
    }
    o->check = o->own_check;
    snprintf(path, sizeof path, "%s/" HD_ORACLE_EXPECTED, dir);
    e = read_file(path, &o->expected, &o->n_expected);
    if (e && e != -ENOENT) {
        snprintf(err, size, "cannot read the recorded output %s: %s", path, strerror(-e));
        hd_oracle_release(o);
        return e;
    }
    if (!e && !(o->expect = o->own_expect = strdup(path)))
        return -ENOMEM;
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

_Noreturn static void child(const struct hd_oracle *o, const struct hd_worker *w, int out, int host)
{
    char path[64];
    sigset_t none;
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    hd_signals_default();
    snprintf(path, sizeof path, "/proc/%d/fd/%d", host, w->out_fd);
    setenv("HEDDLE_STDOUT", path, 1);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", host, w->err_fd);
    setenv("HEDDLE_STDERR", path, 1);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    execl("/bin/sh", "sh", "-c", o->check, (char *)NULL);
    _exit(126);
}

#define IN_TIME_NOT (-1)
#define STOPPED (-2)

/* Status as waitpid gives it; IN_TIME_NOT, or STOPPED because the campaign is over. */
static int await(int pid, u32 timeout_ms)
{
    int status = 0;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    s64 until = hd_monotonic_ns() + (s64)timeout_ms * 1000000;
    bool is_late = false, is_over = false;
    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        s64 left = (until - hd_monotonic_ns()) / 1000000;
        is_over |= !is_late && hd_stop_is_late();
        if ((left <= 0 || is_over) && !is_late) {
            is_late = true;
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
        }
        int n = poll(&p, 1, is_late ? -1 : (int)HD_MIN(left + 1, (s64)LOOK_MS));
        if (n > 0)
            break;
    }
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); /* what it left running in the background */
    return is_over ? STOPPED : is_late ? IN_TIME_NOT : status;
}

/* What it said, in one line. */
static void said(int fd, char *buf, size_t size)
{
    ssize_t n = pread(fd, buf, HD_MIN(size - 1, (size_t)SAID), 0);
    buf[n > 0 ? n : 0] = '\0';
    for (size_t end = strlen(buf); end && (buf[end - 1] == '\n' || buf[end - 1] == ' '); end--)
        buf[end - 1] = '\0';
    for (char *p = buf; *p; p++)
        if ((u8)*p < ' ')
            *p = ' ';
}

static void judge_check(const struct hd_oracle *o, struct hd_worker *w)
{
    struct hd_verdict *v = &w->shm->verdict;
    char text[SAID + 1], how[64];
    int out = memfd_create("heddle-check", MFD_CLOEXEC), host = (int)getpid();
    fflush(NULL);
    pid_t pid = out < 0 ? -1 : fork();
    if (pid == 0)
        child(o, w, out, host);
    if (pid < 0) {
        snprintf(v->msg, sizeof v->msg, "the check could not be started: %s", strerror(errno));
        v->kind = HD_V_ENV;
        w->is_check_bad = true;
        if (out >= 0)
            close(out);
        return;
    }
    hd_interrupt_add(pid);
    int status = await(pid, o->timeout_ms);
    hd_interrupt_remove(pid);
    said(out, text, sizeof text);
    close(out);
    if (status == 0 || status == STOPPED)
        return;
    if (status == IN_TIME_NOT)
        snprintf(how, sizeof how, "did not end within %g s", o->timeout_ms / 1e3);
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by %s", strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
    bool is_bad = status != IN_TIME_NOT && WIFEXITED(status) &&
                  (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
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
    bool is_cut = n > SHOWN;
    n = HD_MIN(n, (size_t)SHOWN);
    buf[at++] = '"';
    for (size_t i = 0; i < n && at + 8 < size; i++)
        buf[at++] = (u8)from[i] < ' ' || from[i] == 127 ? '?' : from[i];
    snprintf(buf + at, size - at, "%s\"%s", is_cut ? ".." : "",
             stop ? "" : " without a line end");
}

static void judge_output(const struct hd_oracle *o, struct hd_worker *w)
{
    struct hd_verdict *v = &w->shm->verdict;
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
        char want[SHOWN + 32], is[SHOWN + 32];
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
    struct hd_verdict *v = &w->shm->verdict;
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
