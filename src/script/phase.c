/* phase.c: one command of a phase: started with the names and the environment
 * of its run, judged by its status, written to the run's log. See script.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script/state.h"

#define LOGGED 65536 /* bytes of a command's output in the log */

/* ---- words -------------------------------------------------------------------------- */

void hd_script_fail(struct hd_script_run *r, u32 kind, const char *format, ...)
{
    va_list ap;
    if (r->kind)
        return;
    va_start(ap, format);
    r->kind = kind;
    vsnprintf(r->msg, sizeof r->msg, format, ap);
    va_end(ap);
}

static void log_text(struct hd_script_run *r, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *hd_vec_add(&r->log) = text[i];
}

HD_PRINTF(2, 3) static void log_line(struct hd_script_run *r, const char *format, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(line, sizeof line - 1, format, ap);
    va_end(ap);
    n = HD_MIN(n, (int)sizeof line - 2);
    line[n] = '\n';
    log_text(r, line, (size_t)n + 1);
}

void hd_script_how(int status, char *buf, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(buf, size, "was ended by %s", strsignal(WTERMSIG(status)));
    else
        snprintf(buf, size, "ended with status %d", WEXITSTATUS(status));
}

static void log_proc(struct hd_script_run *r, const char *phase, const char *text,
                     const struct hd_script_proc *p, const char *how)
{
    struct stat st;
    char *buf = malloc(LOGGED);
    HD_ASSERT(buf);
    log_line(r, "== %s `%s` %s", phase, text, how);
    off_t size = fstat(p->out, &st) ? 0 : st.st_size;
    ssize_t n = pread(p->out, buf, LOGGED, size > LOGGED ? size - LOGGED : 0);
    if (n > 0) {
        log_text(r, buf, (size_t)n);
        if (buf[n - 1] != '\n')
            log_text(r, "\n", 1);
    }
    free(buf);
}

/* ---- commands ------------------------------------------------------------------------- */

static char *setting(const char *name, const char *value)
{
    char *s;
    HD_ASSERT(asprintf(&s, "%s=%s", name, value) >= 0);
    return s;
}

static char *number(const char *name, u64 value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return setting(name, text);
}

/* What commands find in their environment; free each. */
static void environment(const struct hd_worker *w, char *env[9])
{
    const struct hd_script_run *r = w->script;
    char path[64];
    u32 n = 0;
    env[n++] = number("HEDDLE_RUN", r->vars.run);
    env[n++] = setting("HEDDLE_INPUT", r->vars.input);
    env[n++] = number("HEDDLE_PORT", r->vars.port);
    env[n++] = number("HEDDLE_WORKER", r->vars.worker);
    env[n++] = setting("HEDDLE_TMP", r->vars.tmp);
    env[n++] = number("HEDDLE_PID", (u32)hd_worker_child(w));
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), w->out_fd);
    env[n++] = setting("HEDDLE_STDOUT", path);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), w->err_fd);
    env[n++] = setting("HEDDLE_STDERR", path);
    env[n] = NULL;
}

void hd_script_start(struct hd_worker *w, struct hd_script_proc *p,
                     const struct hd_script_command *c)
{
    struct hd_script_run *r = w->script;
    char *env[9], **argv = NULL;
    struct hd_error why = {""};
    u32 n = 0;
    while (c->argv[n])
        n++;
    argv = calloc(n + 1, sizeof *argv);
    HD_ASSERT(argv);
    int e = 0;
    for (u32 i = 0; i < n && !e; i++)
        if (!(argv[i] = hd_script_expand(c->argv[i], &r->vars, c->is_shell, &why)))
            e = -EINVAL; /* a variable of the environment that was there before */
    environment(w, env);
    if (!e)
        e = hd_script_proc_start(p, argv, c->is_shell, env, r->in->script->dir);
    if (e)
        hd_script_fail(r, HD_V_ENV, "`%s` cannot be started: %s", c->text,
                       why.text[0] ? why.text : strerror(-e));
    else
        epoll_ctl(r->epoll, EPOLL_CTL_ADD, p->fd, &(struct epoll_event){.events = EPOLLIN});
    for (u32 i = 0; i < n; i++)
        free(argv[i]);
    free(argv);
    for (u32 i = 0; env[i]; i++)
        free(env[i]);
}

bool hd_script_is_fine(const struct hd_script_phase *p, int status)
{
    if (!WIFEXITED(status))
        return false;
    for (u32 i = 0; i < p->n_exit_ok; i++)
        if (WEXITSTATUS(status) == p->exit_ok[i])
            return true;
    return !WEXITSTATUS(status);
}

bool hd_script_judge(struct hd_script_run *r, const char *phase, const struct hd_script_phase *ph,
                     u32 i, struct hd_script_proc *p, u32 kind)
{
    const char *text = ph->command[i].text;
    char how[96], words[HD_SCRIPT_WORDS];
    hd_script_last_words(p->out, words, sizeof words);
    const char *sep = words[0] ? "\n" : "";
    if (!p->is_over) {
        snprintf(how, sizeof how, "hung after %g s", HD_SECONDS(ph->timeout_ms));
        log_proc(r, phase, text, p, how);
        hd_script_fail(r, kind, "The %s hung after %g s: %.150s%s%s", phase,
                       HD_SECONDS(ph->timeout_ms), text, sep, words);
        return false;
    }
    hd_script_how(p->status, how, sizeof how);
    log_proc(r, phase, text, p, how);
    if (hd_script_is_fine(ph, p->status))
        return true;
    bool is_missing =
        WIFEXITED(p->status) && (WEXITSTATUS(p->status) == 126 || WEXITSTATUS(p->status) == 127);
    if (is_missing && ph->line)
        hd_script_fail(r, HD_V_ENV, "%s:%u: the %s `%.150s` cannot be run%s%s", r->in->script->path,
                       ph->command[i].line, phase, text, words[0] ? ": " : "", words);
    else
        hd_script_fail(r, kind, "The %s `%.150s` %s%s%s", phase, text, how, sep, words);
    return false;
}
