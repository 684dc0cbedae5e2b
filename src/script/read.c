/* read.c: see read.h. */
#include "script/read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hd_read_bad(struct hd_reader *r, u32 line, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    hd_error_setv(r->err, -EINVAL, format, ap);
    va_end(ap);
    return line ? hd_error_prefix(r->err, -EINVAL, "%s:%u", r->path, line)
                : hd_error_prefix(r->err, -EINVAL, "%s", r->path);
}

char *hd_read_join(struct hd_script_file *s, const char *a, const char *b, const char *c)
{
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *p = hd_script_alloc(s, n);
    snprintf(p, n, "%s%s%s", a, b, c);
    return p;
}

char *hd_read_path(struct hd_script_file *s, const char *path)
{
    return *path == '/' ? hd_read_join(s, path, "", "") : hd_read_join(s, s->dir, "/", path);
}

/* ---- values ---------------------------------------------------------------------- */

const struct hd_toml *hd_read_get(const struct hd_toml *t, const char *key)
{
    for (u32 i = 0; t && i < t->n; i++)
        if (t->child[i].key && !strcmp(t->child[i].key, key))
            return &t->child[i];
    return NULL;
}

int hd_read_only(struct hd_reader *r, const struct hd_toml *t, const char *where,
                 const char *const *keys)
{
    char list[256] = "";
    for (u32 i = 0; i < t->n; i++) {
        u32 k = 0;
        while (keys[k] && strcmp(keys[k], t->child[i].key))
            k++;
        if (keys[k])
            continue;
        for (k = 0; keys[k]; k++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "",
                     keys[k]);
        return hd_read_bad(r, t->child[i].line, "unknown key '%s' in %s, which knows %s",
                           t->child[i].key, where, list);
    }
    return 0;
}

int hd_read_text(struct hd_reader *r, const struct hd_toml *t, const char **out)
{
    *out = NULL;
    if (!t)
        return 0;
    if (t->kind != HD_TOML_STRING)
        return hd_read_bad(r, t->line, "%s wants a text in quotes", t->key ? t->key : "this list");
    *out = t->text;
    return 0;
}

int hd_read_time(struct hd_reader *r, const struct hd_toml *t, u32 *ms)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    double v = -1;
    if (!t)
        return 0;
    if (t->kind == HD_TOML_INTEGER || t->kind == HD_TOML_FLOAT)
        v = t->number;
    if (t->kind == HD_TOML_STRING && isdigit((u8)*t->text)) {
        char *end;
        double number = strtod(t->text, &end);
        for (u32 i = 0; i < HD_COUNT(units); i++)
            if (!strcmp(end, units[i].unit))
                v = number * units[i].factor;
    }
    if (!(v >= 1e-3 && v <= 86400))
        return hd_read_bad(r, t->line, "%s wants a time like \"5s\" or \"500ms\", of at most a day",
                           t->key);
    *ms = (u32)(v * 1000);
    return 0;
}

int hd_read_statuses(struct hd_reader *r, const struct hd_toml *t, struct hd_script_phase *p)
{
    if (!t)
        return 0;
    const struct hd_toml *one = t->kind == HD_TOML_ARRAY ? t->child : t;
    u32 n = t->kind == HD_TOML_ARRAY ? t->n : 1;
    if (n > HD_SCRIPT_STATUSES)
        return hd_read_bad(r, t->line, "%s takes at most %d numbers", t->key, HD_SCRIPT_STATUSES);
    p->n_exit_ok = 0;
    for (u32 i = 0; i < n; i++) {
        if (one[i].kind != HD_TOML_INTEGER || one[i].integer < 0 || one[i].integer > 255)
            return hd_read_bad(r, one[i].line, "%s wants exit statuses from 0 to 255", t->key);
        p->exit_ok[p->n_exit_ok++] = (int)one[i].integer;
    }
    return 0;
}

int hd_read_vars(struct hd_reader *r, u32 line, const char *text, bool is_shell, bool has_run)
{
    struct hd_script_vars v = {.port = 1, .has_run = has_run, .tmp = "", .input = ""};
    struct hd_error why;
    char *e = hd_script_expand(text, &v, is_shell, &why);
    free(e);
    return e ? 0 : hd_read_bad(r, line, "%s", why.text);
}

/* ---- commands ---------------------------------------------------------------------- */

static void show_words(struct hd_script_file *s, struct hd_script_command *c,
                       const struct hd_toml *t)
{
    c->text = hd_read_join(s, "", "", "");
    for (u32 i = 0; i < t->n; i++)
        c->text = hd_read_join(s, c->text, i ? " " : "", t->child[i].text);
}

/* A text is for the shell, a list of texts is a program and its arguments. */
static int command_of(struct hd_reader *r, const struct hd_toml *t, struct hd_script_command *c)
{
    *c = (struct hd_script_command){.line = t->line};
    if (t->kind == HD_TOML_STRING) {
        if (!t->text[strspn(t->text, " \t\n")])
            return hd_read_bad(r, t->line, "the command is empty");
        c->is_shell = true;
        c->text = t->text;
        c->argv = hd_script_alloc(r->s, 2 * sizeof *c->argv);
        c->argv[0] = t->text;
        return hd_read_vars(r, t->line, t->text, true, true);
    }
    if (t->kind != HD_TOML_ARRAY || !t->n)
        return hd_read_bad(r, t->line,
                           "a command is a text for the shell, or a list: [\"program\", "
                           "\"argument\"]");
    c->argv = hd_script_alloc(r->s, (t->n + 1) * sizeof *c->argv);
    for (u32 i = 0; i < t->n; i++) {
        if (t->child[i].kind != HD_TOML_STRING)
            return hd_read_bad(r, t->child[i].line, "a command's arguments are texts in quotes");
        c->argv[i] = t->child[i].text;
        int e = hd_read_vars(r, t->child[i].line, c->argv[i], false, true);
        if (e)
            return e;
    }
    if (!c->argv[0][0])
        return hd_read_bad(r, t->line, "the command is empty");
    show_words(r->s, c, t);
    return 0;
}

static int commands_of(struct hd_reader *r, const struct hd_toml *t, struct hd_script_phase *p)
{
    const struct hd_toml *one = hd_read_get(t, "command"), *all = hd_read_get(t, "commands");
    if (one && all)
        return hd_read_bad(r, all->line, "give command or commands, not both");
    if (!one && !all)
        return 0;
    if (all && (all->kind != HD_TOML_ARRAY || !all->n))
        return hd_read_bad(r, all->line, "commands wants a list of commands");
    p->n = all ? all->n : 1;
    p->command = hd_script_alloc(r->s, p->n * sizeof *p->command);
    int e = 0;
    for (u32 i = 0; !e && i < p->n; i++)
        e = command_of(r, all ? &all->child[i] : one, &p->command[i]);
    return e;
}

int hd_read_phase(struct hd_reader *r, const struct hd_toml *top, const char *name,
                  struct hd_script_phase *p, const char *const *keys)
{
    const struct hd_toml *t = hd_read_get(top, name);
    char where[64];
    if (!t)
        return 0;
    snprintf(where, sizeof where, "[%s]", name);
    p->line = t->line;
    if (t->kind == HD_TOML_STRING || t->kind == HD_TOML_ARRAY) {
        struct hd_toml fake = *t, section = {.kind = HD_TOML_TABLE, .child = &fake, .n = 1};
        fake.key = (char *)"command";
        return commands_of(r, &section, p);
    }
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(r, t->line, "%s is a section, or a command in quotes", name);
    int e = hd_read_only(r, t, where, keys);
    if (!e)
        e = hd_read_time(r, hd_read_get(t, "timeout"), &p->timeout_ms);
    if (!e)
        e = hd_read_statuses(r, hd_read_get(t, "exit_ok"), p);
    if (!e)
        e = commands_of(r, t, p);
    return e;
}
