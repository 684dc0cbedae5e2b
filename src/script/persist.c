/* persist.c: a scripted run's finding keeps the script as it was, what was
 * chosen for it (port, folder), and what the commands printed; a replay finds
 * them beside the replay file. See script.h. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "script/state.h"
#include "script/toml.h"

static char *copy(const char *from, size_t n)
{
    char *p = malloc(n + 1);
    HD_ASSERT(p);
    memcpy(p, from, n);
    p[n] = '\0';
    return p;
}

/* 'text' as TOML writes it in double quotes. */
static void put_quoted(FILE *to, const char *key, const char *text)
{
    fprintf(to, "%s = \"", key);
    for (; *text; text++) {
        if ((u8)*text < ' ' || *text == 127)
            fprintf(to, "\\u%04x", (u8)*text);
        else
            fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputs("\"\n", to);
}

void hd_script_save(struct hd_script_saved *k, const struct hd_worker *w)
{
    const struct hd_script_run *r = w->script;
    memset(k, 0, sizeof *k);
    if (!r)
        return;
    const struct hd_script_file *s = r->in->script;
    k->toml = copy(s->text, k->n_toml = s->n_text);
    k->log = copy(r->log.n ? r->log.at : "", k->n_log = r->log.n);
    FILE *to = open_memstream(&k->input, &k->n_input);
    HD_ASSERT(to);
    put_quoted(to, "input", r->in->name);
    put_quoted(to, "dir", s->dir);
    put_quoted(to, "tmp", r->vars.tmp);
    fprintf(to, "port = %u\n", r->vars.port);
    HD_ASSERT(!fclose(to));
}

void hd_script_saved_release(struct hd_script_saved *k)
{
    free(k->toml);
    free(k->input);
    free(k->log);
    memset(k, 0, sizeof *k);
}

static const struct hd_toml *get(const struct hd_toml *t, const char *key, enum hd_toml_kind kind)
{
    for (u32 i = 0; i < t->n; i++)
        if (!strcmp(t->child[i].key, key) && t->child[i].kind == kind)
            return &t->child[i];
    return NULL;
}

static int read_small(const char *path, char *buf, size_t size, size_t *n)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    *n = fread(buf, 1, size, f);
    int e = ferror(f) ? -EIO : *n == size ? -EFBIG : 0;
    fclose(f);
    return e;
}

static int use(struct hd_script_beside *b, const struct hd_toml *t, const char *path,
               struct hd_error *err)
{
    const struct hd_toml *input = get(t, "input", HD_TOML_STRING),
                         *dir = get(t, "dir", HD_TOML_STRING), *tmp = get(t, "tmp", HD_TOML_STRING),
                         *port = get(t, "port", HD_TOML_INTEGER);
    char script[PATH_MAX + 128], folder[PATH_MAX + 64];
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(script, sizeof script, "%s/" HD_SCRIPT_FILE, dirname(folder));
    if (!input || !dir || !tmp || !port || port->integer < 1 || port->integer > 65535) {
        return hd_error_set(err, -EINVAL, "%s is damaged: it should name input, dir, tmp and port",
                            path);
    }
    int e = hd_script_load(&b->script, script, dir->text, err);
    if (e)
        return e;
    b->input = hd_script_find(&b->script, input->text);
    if (!b->input) {
        return hd_error_set(err, -EINVAL, "%s names the input '%s', which %s does not have", path,
                            input->text, script);
    }
    b->again.port = (u32)port->integer;
    b->again.tmp = strdup(tmp->text);
    HD_ASSERT(b->again.tmp);
    return 0;
}

int hd_script_beside(struct hd_script_beside *b, const char *replay_file, struct hd_error *err)
{
    char folder[PATH_MAX], path[PATH_MAX + 64], text[8192];
    size_t n = 0;
    memset(b, 0, sizeof *b);
    snprintf(folder, sizeof folder, "%s", replay_file);
    snprintf(path, sizeof path, "%s/" HD_SCRIPT_INPUT, dirname(folder));
    int e = read_small(path, text, sizeof text, &n);
    if (e == -ENOENT)
        return 0;
    if (e) {
        return hd_error_set(err, e, "cannot read %s: %s", path, strerror(-e));
    }
    struct hd_toml *t = hd_toml_parse(text, n, path, err);
    if (!t)
        return -EINVAL;
    e = use(b, t, path, err);
    hd_toml_free(t);
    return e;
}

void hd_script_beside_release(struct hd_script_beside *b)
{
    hd_script_release(&b->script);
    free(b->again.tmp);
    memset(b, 0, sizeof *b);
}
