/* script.c: what a test.toml says, checked; see script.h. Every complaint names
 * the file and the line. */
#include "script/read.h"
#include "text/write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETUP_MS 10000
#define READY_MS 10000
#define DRIVE_MS 20000
#define STOP_MS 5000
#define MAX_BYTES (1 << 20)

void *hd_script_alloc(struct hd_script_file *s, size_t n)
{
    void *p = calloc(1, n ? n : 1);
    HD_ASSERT(p);
    *hd_vec_add(&s->own) = p;
    return p;
}

/* ---- sections ------------------------------------------------------------------------ */

static int simple_phase(struct hd_reader *r, const struct hd_toml *top, const char *name,
                        struct hd_script_phase *p)
{
    static const char *const keys[] = {"command", "timeout", NULL};
    int e = hd_read_phase(r, top, name, p, keys);
    if (!e && p->line && !p->n)
        return hd_read_bad(r, p->line, "[%s] wants a command", name);
    return e;
}

static int ready_of(struct hd_reader *r, const struct hd_toml *top)
{
    static const char *const keys[] = {"tcp", "unix", "file", "output", "command", "timeout", NULL};
    struct hd_script_ready *d = &r->s->ready;
    const struct hd_toml *t = hd_read_get(top, "ready");
    d->phase.timeout_ms = READY_MS;
    int e = hd_read_phase(r, top, "ready", &d->phase, keys);
    if (e || !t)
        return e;
    d->kind = d->phase.n ? HD_READY_COMMAND : HD_READY_NONE;
    for (u32 k = 0; t->kind == HD_TOML_TABLE && k < 4; k++) {
        const struct hd_toml *v = hd_read_get(t, keys[k]);
        if (!v)
            continue;
        if (d->kind != HD_READY_NONE)
            return hd_read_bad(r, v->line, "[ready] wants one of tcp, unix, file, output, command");
        d->kind = (enum hd_ready_kind)(HD_READY_TCP + (int)k);
        if (v->kind == HD_TOML_INTEGER && d->kind == HD_READY_TCP) {
            char number[32];
            snprintf(number, sizeof number, "%lld", v->integer);
            d->what = hd_read_join(r->s, number, "", "");
        } else if (hd_read_text(r, v, &d->what)) {
            return -EINVAL;
        }
        if (d->kind == HD_READY_OUTPUT) {
            char why[128];
            int x = regcomp(&d->pattern, d->what, REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
            if (x) {
                regerror(x, &d->pattern, why, sizeof why);
                d->kind = HD_READY_NONE;
                return hd_read_bad(r, v->line, "output is no regular expression: %s", why);
            }
            continue;
        }
        if ((e = hd_read_vars(r, v->line, d->what, false, true)))
            return e;
        if (d->kind == HD_READY_TCP && d->what[0] != '$') {
            char *end;
            long port = strtol(d->what, &end, 10);
            if (*end || port < 1 || port > 65535)
                return hd_read_bad(r, v->line, "tcp wants a port from 1 to 65535, or \"${port}\"");
        }
    }
    if (d->kind == HD_READY_NONE)
        return hd_read_bad(r, t->line, "[ready] wants one of tcp, unix, file, output, command");
    return 0;
}

static int signal_of(struct hd_reader *r, const struct hd_toml *t, struct hd_script_stop *p)
{
    const char *text;
    int e = hd_read_text(r, t, &text);
    if (e || !t)
        return e;
    if (!strcmp(text, "none")) {
        p->signo = 0;
        return 0;
    }
    for (int signo = 1; signo < 32; signo++) {
        const char *name = sigabbrev_np(signo);
        if (name && !strcasecmp(text + (strncasecmp(text, "SIG", 3) ? 0 : 3), name)) {
            p->signo = signo;
            p->name = hd_read_join(r->s, "SIG", name, "");
            return 0;
        }
    }
    return hd_read_bad(r, t->line, "signal wants a name like \"SIGTERM\", or \"none\", not '%s'",
                       text);
}

static int stop_of(struct hd_reader *r, const struct hd_toml *top, bool has_drive)
{
    static const char *const keys[] = {"signal", "command", "timeout", "exit_ok", NULL};
    struct hd_script_stop *p = &r->s->stop;
    const struct hd_toml *t = hd_read_get(top, "stop");
    p->phase.timeout_ms = STOP_MS;
    int e = hd_read_phase(r, top, "stop", &p->phase, keys);
    /* A program that nobody drives ends by itself. */
    if (!p->phase.n && (has_drive || t)) {
        p->signo = SIGTERM;
        p->name = "SIGTERM";
    }
    if (!e && t && t->kind == HD_TOML_TABLE)
        e = signal_of(r, hd_read_get(t, "signal"), p);
    return e;
}

static int check_of(struct hd_reader *r, const struct hd_toml *top, struct hd_script_phase *p,
                    bool *is_late)
{
    static const char *const keys[] = {"command", "timeout", "when", NULL};
    const struct hd_toml *t = hd_read_get(top, "check");
    const char *when = NULL;
    int e = hd_read_phase(r, top, "check", p, keys);
    if (!e && t && t->kind == HD_TOML_TABLE)
        e = hd_read_text(r, hd_read_get(t, "when"), &when);
    if (e || !when)
        return e;
    *is_late = !strcmp(when, "ended");
    if (!*is_late && strcmp(when, "running"))
        return hd_read_bad(r, hd_read_get(t, "when")->line,
                           "when is \"running\" or \"ended\", not '%s'", when);
    return 0;
}

static int args_of(struct hd_reader *r, const struct hd_toml *t, struct hd_script_input *in)
{
    if (!t)
        return 0;
    if (t->kind != HD_TOML_ARRAY)
        return hd_read_bad(r, t->line, "args wants a list of texts: [\"-p\", \"${port}\"]");
    for (u32 i = 0; i < t->n; i++) {
        if (t->child[i].kind != HD_TOML_STRING)
            return hd_read_bad(r, t->child[i].line, "args wants texts in quotes");
        int e = hd_read_vars(r, t->child[i].line, t->child[i].text, false, false);
        if (e)
            return e;
        *hd_vec_add(&in->argv) = t->child[i].text;
    }
    return 0;
}

static int stdin_of(struct hd_reader *r, const struct hd_toml *t, struct hd_script_input *in)
{
    const struct hd_toml *text = hd_read_get(t, "stdin"), *file = hd_read_get(t, "stdin_file");
    if (text && file)
        return hd_read_bad(r, file->line, "give stdin or stdin_file, not both");
    if (text || file)
        in->text = in->file = NULL;
    int e = text ? hd_read_text(r, text, &in->text) : file ? hd_read_text(r, file, &in->file) : 0;
    if (!e && in->file && file) {
        in->file = hd_read_path(r->s, in->file);
        if (access(in->file, R_OK))
            return hd_read_bad(r, file->line, "cannot read %s: %s", in->file, strerror(errno));
    }
    return e;
}

static int env_of(struct hd_reader *r, const struct hd_toml *t)
{
    if (!t)
        return 0;
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(r, t->line, "env wants names and texts: { LANG = \"C\" }");
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_toml *v = &t->child[i];
        if (v->kind != HD_TOML_STRING || strchr(v->key, '=') || !*v->key)
            return hd_read_bad(r, v->line, "env: %s wants a text in quotes", v->key);
        int e = hd_read_vars(r, v->line, v->text, false, false);
        if (e)
            return e;
        *hd_vec_add(&r->s->env) = hd_read_join(r->s, v->key, "=", v->text);
    }
    return 0;
}

static int program_of(struct hd_reader *r, const struct hd_toml *top, struct hd_script_input *base)
{
    static const char *const keys[] = {"path", "args", "env", "cwd", "stdin", "stdin_file", NULL};
    struct hd_script_file *s = r->s;
    struct hd_script_vars none = {.tmp = "", .input = ""};
    const struct hd_toml *t = hd_read_get(top, "program");
    const char *path, *cwd;
    struct hd_error why;
    if (!t || t->kind != HD_TOML_TABLE)
        return hd_read_bad(r, t ? t->line : 0,
                           "the section [program] with the path of the program to test "
                           "is missing");
    int e = hd_read_only(r, t, "[program]", keys);
    if (!e)
        e = hd_read_text(r, hd_read_get(t, "path"), &path);
    if (!e && (!path || !*path))
        return hd_read_bad(r, t->line, "[program] wants the path of the program to test");
    if (!e)
        e = hd_read_text(r, hd_read_get(t, "cwd"), &cwd);
    if (e)
        return e;
    s->program_line = hd_read_get(t, "path")->line;
    char *full = hd_script_expand(path, &none, false, &why);
    if (!full)
        return hd_read_bad(r, s->program_line, "%s", why.text);
    s->program = strchr(full, '/') ? hd_read_path(s, full) : hd_read_join(s, full, "", "");
    *hd_vec_add(&base->argv) = hd_read_join(s, full, "", "");
    free(full);
    s->cwd = cwd ? hd_read_path(s, cwd) : s->dir;
    if (cwd && access(s->cwd, X_OK))
        return hd_read_bad(r, hd_read_get(t, "cwd")->line, "cannot enter %s: %s", s->cwd,
                           strerror(errno));
    e = args_of(r, hd_read_get(t, "args"), base);
    if (!e)
        e = env_of(r, hd_read_get(t, "env"));
    return e ? e : stdin_of(r, t, base);
}

static int options_of(struct hd_reader *r, const struct hd_toml *t)
{
    if (!t)
        return 0;
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(r, t->line, "[options] is a section");
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_toml *v = &t->child[i];
        char number[64], *value = NULL;
        char *name = hd_read_join(r->s, v->key, "", "");
        for (char *p = name; *p; p++)
            *p = *p == '_' ? '-' : *p;
        if (v->kind == HD_TOML_STRING) {
            value = v->text;
        } else if (v->kind == HD_TOML_INTEGER || v->kind == HD_TOML_FLOAT) {
            snprintf(number, sizeof number, "%.17g", v->number);
            if (v->kind == HD_TOML_INTEGER)
                snprintf(number, sizeof number, "%lld", v->integer);
            value = hd_read_join(r->s, number, "", "");
        } else if (v->kind == HD_TOML_ARRAY) {
            value = hd_read_join(r->s, "", "", "");
            for (u32 k = 0; k < v->n; k++) {
                if (v->child[k].kind != HD_TOML_INTEGER)
                    return hd_read_bad(r, v->child[k].line, "%s wants a list of numbers", v->key);
                snprintf(number, sizeof number, "%lld", v->child[k].integer);
                value = hd_read_join(r->s, value, k ? "," : "", number);
            }
        } else if (v->kind != HD_TOML_BOOL) {
            return hd_read_bad(r, v->line, "%s wants a text, a number or true", v->key);
        }
        if (v->kind != HD_TOML_BOOL || v->integer) /* = false: as if it were not there */
            *hd_vec_add(&r->s->option) = (struct hd_script_option){name, value, v->line};
    }
    return 0;
}

/* ---- inputs ---------------------------------------------------------------------------- */

static const char *const drive_keys[] = {"command", "commands", "timeout", "exit_ok", NULL};

static int input_of(struct hd_reader *r, const struct hd_toml *t,
                    const struct hd_script_input *base)
{
    static const char *const keys[] = {"name",  "args",  "stdin", "stdin_file",
                                       "drive", "check", NULL};
    struct hd_script_file *s = r->s;
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(r, t->line, "an input is a section [[input]]");
    struct hd_script_input *in = hd_vec_add(&s->input);
    *in = *base;
    memset(&in->argv, 0, sizeof in->argv);
    for (size_t i = 0; i < base->argv.n; i++)
        *hd_vec_add(&in->argv) = base->argv.at[i];
    in->line = t->line;
    int e = hd_read_only(r, t, "[[input]]", keys);
    if (!e)
        e = hd_read_text(r, hd_read_get(t, "name"), &in->name);
    if (!e && (!in->name || !*in->name || strchr(in->name, '/') || in->name[0] == '-'))
        return hd_read_bad(r, t->line, "an input wants a name, without '/'");
    for (size_t i = 0; !e && i + 1 < s->input.n; i++)
        if (!strcmp(s->input.at[i].name, in->name))
            return hd_read_bad(r, t->line, "the name '%s' is taken by the input in line %u",
                               in->name, s->input.at[i].line);
    if (!e)
        e = args_of(r, hd_read_get(t, "args"), in);
    if (!e)
        e = stdin_of(r, t, in);
    if (!e)
        e = hd_read_phase(r, t, "drive", &in->drive, drive_keys);
    return e ? e : check_of(r, t, &in->check, &in->is_checked_late);
}

static int inputs_of(struct hd_reader *r, const struct hd_toml *top, struct hd_script_input *base)
{
    const struct hd_toml *t = hd_read_get(top, "input");
    struct hd_script_file *s = r->s;
    int e = 0;
    if (t && t->kind != HD_TOML_ARRAY)
        return hd_read_bad(r, t->line, "inputs are sections [[input]], in two brackets");
    for (u32 i = 0; !e && i < (t ? t->n : 0); i++)
        e = input_of(r, &t->child[i], base);
    if (!e && !s->input.n) {
        *hd_vec_add(&s->input) = *base;
        s->input.at[0].name = "default";
        memset(&base->argv, 0, sizeof base->argv);
    }
    for (size_t i = 0; i < s->input.n; i++)
        s->input.at[i].script = s;
    return e;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int read_all(struct hd_reader *r)
{
    struct hd_script_file *s = r->s;
    struct stat st;
    int fd = open(r->path, O_RDONLY | O_CLOEXEC);
    int e = fd < 0 || fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (e) {
        hd_error_set(r->err, -e, "cannot read the script %s: %s", r->path, strerror(e));
        if (fd >= 0)
            close(fd);
        return -e;
    }
    s->text = hd_script_alloc(s, MAX_BYTES + 1);
    ssize_t k = 1;
    while (s->n_text < MAX_BYTES && k > 0) {
        k = read(fd, s->text + s->n_text, MAX_BYTES - s->n_text);
        s->n_text += k > 0 ? (size_t)k : 0;
    }
    close(fd);
    return s->n_text == MAX_BYTES ? hd_read_bad(r, 0, "a script of more than a megabyte") : 0;
}

static int find_dir(struct hd_reader *r, const char *dir)
{
    char copy[PATH_MAX], full[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", r->path);
    if (!realpath(dir ? dir : dirname(copy), full))
        return hd_read_bad(r, 0, "cannot find the folder %s: %s", dir ? dir : copy,
                           strerror(errno));
    r->s->dir = hd_read_join(r->s, full, "", "");
    return 0;
}

static int sections(struct hd_reader *r, struct hd_script_input *base)
{
    static const char *const keys[] = {"program", "options", "setup",    "ready", "drive",
                                       "check",   "stop",    "teardown", "input", NULL};
    struct hd_script_file *s = r->s;
    const struct hd_toml *top = s->tree;
    int e = hd_read_only(r, top, "a script", keys);
    if (!e)
        e = program_of(r, top, base);
    if (!e)
        e = options_of(r, hd_read_get(top, "options"));
    if (!e)
        e = simple_phase(r, top, "setup", &s->setup);
    if (!e)
        e = ready_of(r, top);
    if (!e)
        e = hd_read_phase(r, top, "drive", &base->drive, drive_keys);
    if (!e)
        e = check_of(r, top, &base->check, &base->is_checked_late);
    if (!e)
        e = simple_phase(r, top, "teardown", &s->teardown);
    if (!e)
        e = inputs_of(r, top, base);
    bool has_drive = false;
    for (size_t i = 0; i < s->input.n; i++)
        has_drive |= s->input.at[i].drive.n > 0;
    return e ? e : stop_of(r, top, has_drive);
}

int hd_script_load(struct hd_script_file *s, const char *path, const char *dir,
                   struct hd_error *err)
{
    struct hd_reader r = {s, path, err};
    struct hd_script_input base = {.drive.timeout_ms = DRIVE_MS, .check.timeout_ms = SETUP_MS};
    memset(s, 0, sizeof *s);
    s->path = hd_read_join(s, path, "", "");
    s->setup.timeout_ms = s->teardown.timeout_ms = SETUP_MS;
    int e = read_all(&r);
    if (!e)
        e = find_dir(&r, dir);
    if (!e && !(s->tree = hd_toml_parse(s->text, s->n_text, path, err)))
        e = -EINVAL;
    if (!e)
        e = sections(&r, &base);
    hd_vec_release(&base.argv);
    return e;
}

void hd_script_release(struct hd_script_file *s)
{
    if (s->ready.kind == HD_READY_OUTPUT)
        regfree(&s->ready.pattern);
    for (size_t i = 0; i < s->input.n; i++)
        hd_vec_release(&s->input.at[i].argv);
    hd_vec_release(&s->input);
    hd_vec_release(&s->env);
    hd_vec_release(&s->option);
    hd_toml_free(s->tree);
    for (size_t i = 0; i < s->own.n; i++)
        free(s->own.at[i]);
    hd_vec_release(&s->own);
    memset(s, 0, sizeof *s);
}

const struct hd_script_input *hd_script_find(const struct hd_script_file *s, const char *name)
{
    for (size_t i = 0; i < s->input.n; i++)
        if (!strcmp(s->input.at[i].name, name))
            return &s->input.at[i];
    return NULL;
}

u32 hd_script_longest_ms(const struct hd_script_input *in)
{
    const struct hd_script_file *s = in->script;
    u64 ms = 1000 + (u64)s->stop.phase.timeout_ms;
    ms += s->ready.kind ? s->ready.phase.timeout_ms : 0;
    ms += in->drive.n ? in->drive.timeout_ms : 0;
    ms += in->check.n ? in->check.timeout_ms : 0;
    return (u32)HD_MIN(ms, (u64)UINT32_MAX);
}

int hd_script_stdin(const struct hd_script_input *in, struct hd_error *err)
{
    bool silent;
    int fd = -1;
    if (in->file) {
        int from = open(in->file, O_RDONLY | O_CLOEXEC);
        if (from < 0) {
            return hd_error_set(err, -errno - 1, "cannot read %s: %s", in->file, strerror(errno));
        }
        fd = hd_stdin_copy(from, &silent);
        close(from);
    } else if (in->text) {
        fd = memfd_create("heddle-stdin", MFD_CLOEXEC);
        size_t n = strlen(in->text);
        int e = fd < 0 ? -errno : hd_write_all(fd, in->text, n);
        if (e)
            return hd_error_set(err, e - 1, "cannot keep the input: %s", strerror(-e));
    }
    return fd;
}
