/* project.c: see project.h. A key is the name of an option, at the top for every command
 * that has it, or in a table with the name of a command. Below HEDDLE_OPTIONS and the
 * command line: each of them wins over the file. */
#include "cli/project.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "script/toml.h"

#define NAME "heddle.toml"
#define MAX_SIZE (1 << 20)

static const struct {
    const char *name;
    u32 bit;
} commands[] = {
#define HD_CMD(ident, name, usage, doc) {name, HD_FOR_##ident},
#include "cli/cmd.def"
#undef HD_CMD
};

/* ---- the file -------------------------------------------------------------------------- */

/* "" = there is none. */
static void find(char *out, size_t size)
{
    char dir[PATH_MAX - 16], path[PATH_MAX];
    const char *given = getenv("HEDDLE_CONFIG");
    *out = '\0';
    if (given) {
        snprintf(out, size, "%s", given);
        return;
    }
    if (!getcwd(dir, sizeof dir))
        return;
    for (bool is_here = true;; is_here = false) {
        snprintf(path, sizeof path, "%s/" NAME, strcmp(dir, "/") ? dir : "");
        if (!access(path, F_OK)) {
            snprintf(out, size, "%s", is_here ? NAME : path);
            return;
        }
        snprintf(path, sizeof path, "%s/.git", dir);
        char *slash = strrchr(dir, '/');
        if (!access(path, F_OK) || slash == dir || !slash)
            return;
        *slash = '\0';
    }
}

/* It can name commands, so it must be the user's own. */
static int read_file(const char *path, char **text, size_t *n, struct hd_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hd_error_set(err, -EINVAL, "cannot read %s: %s", path, strerror(errno));
    *text = NULL;
    int e = 0;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_SIZE)
        e = hd_error_set(err, -EINVAL, "%s is no file of options", path);
    else if (st.st_uid && st.st_uid != geteuid())
        e = hd_error_set(err, -EINVAL,
                         "%s belongs to another user and could run commands: copy it, or say "
                         "HEDDLE_CONFIG= to do without", path);
    else if (!(*text = malloc((size_t)st.st_size + 1)))
        e = hd_error_set(err, -EINVAL, "out of memory");
    ssize_t k = e ? 0 : read(fd, *text, (size_t)st.st_size);
    if (k < 0)
        e = hd_error_set(err, -EINVAL, "cannot read %s: %s", path, strerror(errno));
    *n = (size_t)HD_MAX(k, (ssize_t)0);
    close(fd);
    if (e)
        free(*text);
    return e;
}

/* ---- values ----------------------------------------------------------------------------- */

static char *keep(struct hd_project *p, char *text)
{
    char **grown = text ? realloc(p->text, (p->n_texts + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(text);
        return NULL;
    }
    p->text = grown;
    return p->text[p->n_texts++] = text;
}

static bool put_scalar(FILE *to, const struct hd_toml *v)
{
    switch (v->kind) {
    case HD_TOML_STRING: fputs(v->text, to); return true;
    case HD_TOML_INTEGER: fprintf(to, "%lld", v->integer); return true;
    case HD_TOML_FLOAT: fprintf(to, "%g", v->number); return true;
    default: return false;
    }
}

/* A value as the command line would have it, NULL: it is none. */
static char *text_of(struct hd_project *p, const struct hd_toml *v, const char *folder)
{
    char *text = NULL;
    size_t n = 0;
    bool is_good = v->kind != HD_TOML_ARRAY || v->n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    if (*folder && v->kind == HD_TOML_STRING && v->text[0] && v->text[0] != '/' &&
        strcmp(v->text, "-"))
        fprintf(f, "%s/", folder);
    if (v->kind != HD_TOML_ARRAY)
        is_good = put_scalar(f, v);
    for (unsigned i = 0; v->kind == HD_TOML_ARRAY && i < v->n; i++) {
        if (i)
            fputc(',', f);
        is_good &= put_scalar(f, &v->child[i]);
    }
    if (fclose(f) || !is_good) {
        free(text);
        return NULL;
    }
    return keep(p, text);
}

static int bad_key(const struct hd_project *p, const struct hd_toml *v, struct hd_error *err)
{
    const char *names[HD_MAX(HD_COUNT(commands), HD_MAX_OPTIONS)];
    u32 n = v->kind == HD_TOML_TABLE ? HD_COUNT(commands) : 0;
    for (u32 i = 0; i < n; i++)
        names[i] = commands[i].name;
    if (!n)
        n = hd_options_names(names, HD_MAX_OPTIONS);
    const char *near = hd_suggest(v->key, names, n);
    if (near)
        return hd_error_set(err, -EINVAL, "%s:%u: unknown key '%s': did you mean '%s'?", p->path,
                            v->line, v->key, near);
    return hd_error_set(err, -EINVAL, "%s:%u: unknown key '%s': keys are options ('heddle help "
                        "test' lists them) and names of commands", p->path, v->line, v->key);
}

/* One key. `of`: the commands it is for. */
static int set_key(struct hd_options *o, u32 command, const struct hd_toml *v, u32 of,
                   struct hd_error *err)
{
    struct hd_project *p = o->project;
    enum hd_option_value takes = hd_options_takes(v->key, of);
    char folder[sizeof p->path] = "";
    if (takes == HD_OPTION_NONE)
        return bad_key(p, v, err);
    if (takes == HD_OPTION_FLAG) {
        if (v->kind != HD_TOML_BOOL)
            return hd_error_set(err, -EINVAL, "%s:%u: '%s' wants true or false", p->path, v->line,
                                v->key);
        return v->integer && of & command ? hd_options_set(o, command, v->key, NULL, err) : 0;
    }
    if (takes == HD_OPTION_PATH) {
        snprintf(folder, sizeof folder, "%s", p->path);
        char *slash = strrchr(folder, '/');
        *(slash ? slash : folder) = '\0';
    }
    const char *text = text_of(p, v, folder);
    if (!text)
        return hd_error_set(err, -EINVAL, "%s:%u: '%s' wants a text, a number or a list of them",
                            p->path, v->line, v->key);
    if (!(of & command))
        return 0;
    int e = hd_options_set(o, command, v->key, text, err);
    return e ? hd_error_prefix(err, e, "%s:%u", p->path, v->line) : 0;
}

static u32 command_of(const char *name)
{
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].bit;
    return 0;
}

/* `heddle races` takes the options of `heddle test`. */
static u32 bits_of(u32 command) { return command == HD_FOR_races ? HD_FOR_test : command; }

static int set_all(struct hd_options *o, u32 command, struct hd_error *err)
{
    const struct hd_toml *top = o->project->tree;
    int e = 0;
    for (int pass = 0; pass < 2; pass++) /* what is said for one command wins */
        for (unsigned i = 0; i < top->n && !e; i++) {
            const struct hd_toml *v = &top->child[i];
            u32 of = v->kind == HD_TOML_TABLE ? command_of(v->key) : 0;
            if (v->kind == HD_TOML_TABLE && !of)
                return bad_key(o->project, v, err);
            for (unsigned k = 0; pass && of && k < v->n && !e; k++)
                e = set_key(o, command, &v->child[k], bits_of(of), err);
            if (!pass && !of)
                e = set_key(o, command, v, ~(u32)0, err);
        }
    return e;
}

int hd_project_load(struct hd_options *o, u32 command, struct hd_error *err)
{
    char path[sizeof((struct hd_project *)0)->path], *text = NULL;
    size_t n = 0;
    find(path, sizeof path);
    if (!*path)
        return 0;
    if (read_file(path, &text, &n, err))
        return -EINVAL;
    struct hd_toml *tree = hd_toml_parse(text, n, path, err);
    free(text);
    if (!tree)
        return -EINVAL;
    o->project = calloc(1, sizeof *o->project);
    if (!o->project) {
        hd_toml_free(tree);
        return hd_error_set(err, -EINVAL, "out of memory");
    }
    snprintf(o->project->path, sizeof o->project->path, "%s", path);
    o->project->tree = tree;
    return set_all(o, command, err);
}

void hd_project_release(struct hd_project *p)
{
    if (!p)
        return;
    for (u32 i = 0; i < p->n_texts; i++)
        free(p->text[i]);
    free(p->text);
    hd_toml_free(p->tree);
    free(p);
}
