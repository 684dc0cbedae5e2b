/* read.c: inputs from a suite.toml, or from a folder. docs/cmd/suite.md
 *
 *   program = "./server"       args = ["-q"]       folder = "corpus"     (for all inputs)
 *   [[input]]
 *   name = "small"             args = ["-n", "3"]  stdin = "small.txt"
 *
 * Whatever is relative is relative to the folder of the file, where the program also runs.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/command.h"
#include "script/read.h"
#include "suite/suite.h"
#include "text/shell.h"

struct reader {
    struct hd_reader r;
    struct hd_suite *s;
    char *dir;               /* of the file, absolute */
    const struct hd_toml *top;
};

static char *join(const char *dir, const char *path)
{
    char *out = NULL;
    HD_ASSERT(*path == '/' ? asprintf(&out, "%s", path) > 0 : asprintf(&out, "%s/%s", dir, path) > 0);
    return out;
}

/* ---- lists of words -------------------------------------------------------------------------- */

struct words {
    HD_VEC(char *) v; /* NULL-terminated once it is done */
};

static void add_word(struct words *w, const char *text)
{
    *hd_vec_add(&w->v) = strdup(text);
    HD_ASSERT(*hd_vec_last(&w->v));
}

static void release_words(struct words *w)
{
    for (size_t i = 0; i < w->v.n; i++)
        free(w->v.at[i]);
    hd_vec_release(&w->v);
}

static int add_texts(struct reader *a, struct words *w, const struct hd_toml *t)
{
    if (!t)
        return 0;
    if (t->kind != HD_TOML_ARRAY)
        return hd_read_bad(&a->r, t->line, "%s wants a list of texts: [\"-n\", \"3\"]", t->key);
    for (u32 i = 0; i < t->n; i++) {
        const char *text;
        int e = hd_read_text(&a->r, &t->child[i], &text);
        if (e)
            return e;
        add_word(w, text);
    }
    return 0;
}

/* ---- one input ----------------------------------------------------------------------------------- */

static const struct hd_toml *get(const struct reader *a, const struct hd_toml *t, const char *key)
{
    const struct hd_toml *own = t ? hd_read_get(t, key) : NULL;
    return own ? own : hd_read_get(a->top, key);
}

static int take_text(struct reader *a, const struct hd_toml *t, const char *key, char **out)
{
    const char *text;
    int e = hd_read_text(&a->r, get(a, t, key), &text);
    if (!e && text)
        *out = strdup(text);
    return e;
}

static int take_path(struct reader *a, const struct hd_toml *t, const char *key, char **out)
{
    const char *text;
    int e = hd_read_text(&a->r, hd_read_get(t, key), &text);
    if (!e && text)
        *out = join(a->dir, text);
    return e;
}

static int take_env(struct reader *a, struct hd_suite_input *in, const struct hd_toml *t)
{
    if (!t)
        return 0;
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(&a->r, t->line, "env wants names and texts: { LANG = \"C\" }");
    for (u32 i = 0; i < t->n; i++) {
        const char *text;
        char *both;
        int e = hd_read_text(&a->r, &t->child[i], &text);
        if (e)
            return e;
        HD_ASSERT(asprintf(&both, "%s=%s", t->child[i].key, text) > 0);
        hd_suite_input_env(in, both);
        free(both);
    }
    return 0;
}

/* Files are copied anew before each run: the program may change or remove them. */
static int take_files(struct reader *a, struct hd_suite_input *in, const struct hd_toml *input)
{
    struct words files = {0};
    const struct hd_toml *t = hd_read_get(input, "files");
    char *text = NULL;
    size_t n;
    int e = add_texts(a, &files, t);
    if (!e && files.v.n && !strcmp(in->cwd, a->dir))
        e = hd_read_bad(&a->r, t->line,
                        "files are copied into the folder where the program runs: name one with "
                        "cwd = \"...\"");
    if (!e && files.v.n) {
        FILE *to = open_memstream(&text, &n);
        HD_ASSERT(to);
        fputs("mkdir -p ", to);
        hd_shell_word(to, in->cwd);
        fputs(" && cp -p --", to);
        for (size_t i = 0; i < files.v.n; i++) {
            char *path = join(a->dir, files.v.at[i]);
            fputc(' ', to);
            hd_shell_word(to, path);
            free(path);
        }
        fputc(' ', to);
        hd_shell_word(to, in->cwd);
        if (in->setup)
            fprintf(to, " && { %s\n}", in->setup);
        fclose(to);
        free(in->setup);
        in->setup = text;
        struct stat st;
        if (stat(in->cwd, &st) && mkdir(in->cwd, 0777))
            e = hd_read_bad(&a->r, input->line, "cannot make %s: %s", in->cwd, strerror(errno));
    }
    release_words(&files);
    return e;
}

static int take_program(struct reader *a, const struct hd_toml *t, const struct hd_toml *input,
                        struct words *argv, bool is_scripted)
{
    const char *text;
    int e = hd_read_text(&a->r, get(a, t, "program"), &text);
    if (e)
        return e;
    if (!text && !is_scripted)
        return hd_read_bad(&a->r, input ? input->line : 0,
                           "no program: say program = \"./...\" at the top, or in each [[input]]");
    char *path = text && strchr(text, '/') ? join(a->dir, text) : strdup(text ? text : "");
    add_word(argv, path);
    free(path);
    return 0;
}

static int take_rest(struct reader *a, struct hd_suite_input *in, const struct hd_toml *t)
{
    HD_ASSERT(in);
    struct hd_script_phase statuses = {0};
    const struct hd_toml *cwd = get(a, t, "cwd");
    const char *where = NULL;
    int e = hd_read_text(&a->r, cwd, &where);
    if (e)
        return e;
    in->cwd = where ? join(a->dir, where) : strdup(a->dir);
    if ((t && ((e = take_path(a, t, "stdin", &in->stdin_file)) ||
               (e = take_path(a, t, "script", &in->script)))) ||
        (t && hd_read_get(t, "script_input") &&
         (e = take_text(a, t, "script_input", &in->script_input))) ||
        (e = take_text(a, t, "setup", &in->setup)) ||
        (e = take_text(a, t, "cleanup", &in->cleanup)) ||
        (e = take_text(a, t, "check", &in->check)) ||
        (e = take_env(a, in, hd_read_get(a->top, "env"))) ||
        (t && (e = take_env(a, in, hd_read_get(t, "env")))) ||
        (e = hd_read_time(&a->r, get(a, t, "timeout"), &in->timeout_ms)) ||
        (e = hd_read_statuses(&a->r, get(a, t, "exit_ok"), &statuses)))
        return e;
    memcpy(in->exit_ok, statuses.exit_ok, sizeof in->exit_ok);
    in->n_exit_ok = statuses.n_exit_ok;
    return t ? take_files(a, in, t) : 0;
}

static int take_input(struct reader *a, const struct hd_toml *t, u32 number)
{
    static const char *const keys[] = {"name", "program", "args", "stdin", "files", "script",
                                       "script_input", "env", "cwd", "setup", "cleanup", "check",
                                       "timeout", "exit_ok", NULL};
    struct words argv = {0};
    const char *name = NULL;
    char own[32];
    if (t->kind != HD_TOML_TABLE)
        return hd_read_bad(&a->r, t->line, "input wants to be a table: [[input]]");
    int e = hd_read_only(&a->r, t, "[[input]]", keys);
    if (!e)
        e = hd_read_text(&a->r, hd_read_get(t, "name"), &name);
    if (!e)
        e = take_program(a, t, t, &argv, hd_read_get(t, "script") != NULL);
    if (!e)
        e = add_texts(a, &argv, hd_read_get(a->top, "args"));
    if (!e)
        e = add_texts(a, &argv, hd_read_get(t, "args"));
    *hd_vec_add(&argv.v) = NULL;
    argv.v.n--;
    snprintf(own, sizeof own, "%u", number + 1);
    struct hd_suite_input *in = e ? NULL : hd_suite_add(a->s, name ? name : own, argv.v.at);
    if (!e && !in)
        e = hd_read_bad(&a->r, t->line, "two inputs are called '%s'", name ? name : own);
    if (!e)
        e = take_rest(a, in, t);
    release_words(&argv);
    return e;
}

/* ---- a folder -------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

static int list_files(const char *path, struct words *names, struct hd_error *err)
{
    DIR *d = opendir(path);
    struct dirent *e;
    struct stat st;
    if (!d)
        return hd_error_set(err, -errno, "cannot read the folder %s: %s", path, strerror(errno));
    while ((e = readdir(d)))
        if (e->d_name[0] != '.' && !fstatat(dirfd(d), e->d_name, &st, 0) && S_ISREG(st.st_mode))
            add_word(names, e->d_name);
    closedir(d);
    if (!names->v.n)
        return hd_error_set(err, -ENOENT, "%s has no files: each would be an input", path);
    qsort(names->v.at, names->v.n, sizeof *names->v.at, by_name);
    return 0;
}

int hd_suite_read_folder(struct hd_suite *s, const char *path, char *const *argv,
                         struct hd_error *err)
{
    struct words names = {0};
    int e = list_files(path, &names, err);
    for (size_t i = 0; i < names.v.n && !e; i++) {
        char *file = join(path, names.v.at[i]), *real = realpath(file, NULL);
        struct words words = {0};
        bool is_named = false;
        for (char *const *p = argv; *p; p++) {
            is_named |= !strcmp(*p, "{}");
            add_word(&words, strcmp(*p, "{}") || !real ? *p : real);
        }
        *hd_vec_add(&words.v) = NULL;
        words.v.n--;
        struct hd_suite_input *in = hd_suite_add(s, names.v.at[i], words.v.at);
        if (!in)
            e = hd_error_set(err, -EINVAL, "two inputs are called '%s'", names.v.at[i]);
        else if (!is_named)
            in->stdin_file = real ? real : strdup(file);
        if (is_named || !in)
            free(real);
        release_words(&words);
        free(file);
    }
    release_words(&names);
    return e;
}

static int take_folder(struct reader *a, const struct hd_toml *folder)
{
    const char *text;
    struct words argv = {0};
    size_t first = a->s->input.n;
    int e = hd_read_text(&a->r, folder, &text);
    if (e || !text)
        return e;
    e = take_program(a, NULL, NULL, &argv, false);
    if (!e)
        e = add_texts(a, &argv, hd_read_get(a->top, "args"));
    *hd_vec_add(&argv.v) = NULL;
    argv.v.n--;
    if (!e) {
        char *path = join(a->dir, text);
        e = hd_suite_read_folder(a->s, path, argv.v.at, a->r.err);
        free(path);
        if (e)
            hd_error_prefix(a->r.err, e, "%s:%u", a->r.path, folder->line);
    }
    for (size_t i = first; i < a->s->input.n && !e; i++)
        e = take_rest(a, &a->s->input.at[i], NULL);
    release_words(&argv);
    return e;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static int take_all(struct reader *a)
{
    static const char *const keys[] = {"program", "args", "folder", "env", "cwd", "setup", "cleanup",
                                       "check", "timeout", "exit_ok", "input", NULL};
    const struct hd_toml *list = hd_read_get(a->top, "input");
    int e = hd_read_only(&a->r, a->top, "a suite", keys);
    if (!e && list && list->kind != HD_TOML_ARRAY)
        e = hd_read_bad(&a->r, list->line, "inputs are tables of a list: [[input]]");
    for (u32 i = 0; list && i < list->n && !e; i++)
        e = take_input(a, &list->child[i], i);
    if (!e)
        e = take_folder(a, hd_read_get(a->top, "folder"));
    if (!e && !a->s->input.n)
        e = hd_read_bad(&a->r, 0, "no inputs: say [[input]], or folder = \"...\"");
    return e;
}

int hd_suite_read(struct hd_suite *s, const char *path, struct hd_error *err)
{
    char *text = NULL;
    size_t n;
    int e = hd_read_file(path, &text, &n);
    if (e)
        return hd_error_set(err, e, "cannot read %s: %s", path, strerror(-e));
    struct hd_toml *tree = hd_toml_parse(text, n, path, err);
    struct reader a = {.r = {.path = path, .err = err}, .s = s, .top = tree};
    char *real = realpath(path, NULL);
    free(text);
    if (tree && real) {
        *strrchr(real, '/') = '\0';
        a.dir = *real ? real : "/";
        e = take_all(&a);
    } else {
        e = -EINVAL;
    }
    free(real);
    hd_toml_free(tree);
    return e;
}
