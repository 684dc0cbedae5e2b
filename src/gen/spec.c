/* spec.c: an API as TOML: what `--write-spec` writes and `--spec` reads. Docs: docs/gen.md. */
#include "gen/api.h"

#include <errno.h>
#include <stdio.h>

#include "process/command.h"
#include "script/toml.h"

static const char *const role_name[] = {
    [HD_GEN_LEFT_OUT] = "leave-out",  [HD_GEN_MAKES] = "make",
    [HD_GEN_DESTROYS] = "destroy",    [HD_GEN_OBSERVES] = "observe",
    [HD_GEN_OPERATION] = "operation",
};
static const char *const contract_name[] = {"undeclared", "thread-safe", "lock",
                                            "object-per-thread"};

/* ---- writing
 * ---------------------------------------------------------------------------------------- */

static void quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++)
        fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', to);
}

static void write_func(FILE *to, const struct hd_api *a, const struct hd_gen_func *f)
{
    char text[512];
    hd_gen_signature(a, f, text, sizeof text);
    fprintf(to, "\n[[function]] # %s\nname = ", text);
    quoted(to, f->name);
    if (f->is_method) {
        fprintf(to, "\nclass = ");
        quoted(to, a->type.at[f->object].name);
    }
    fprintf(to, "\nrole = \"%s\"", role_name[f->role]);
    if (f->why)
        fprintf(to, " # %s", f->why);
    if (f->after >= 0) {
        fprintf(to, "\nafter = ");
        quoted(to, a->func.at[f->after].name);
    }
    if (f->no_result)
        fprintf(to, "\ncompare = false");
    if (f->is_exclusive)
        fprintf(to, "\nexclusive = true");
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (!p->value.n || f->role == HD_GEN_LEFT_OUT)
            continue;
        fprintf(to, "\nvalues.%s%.0u = [", p->name[0] ? p->name : "arg", p->name[0] ? 0 : i + 1);
        for (size_t k = 0; k < p->value.n; k++) {
            fprintf(to, "%s", k ? ", " : "");
            quoted(to, p->value.at[k]);
        }
        fprintf(to, "]");
    }
    fprintf(to, "\n");
}

int hd_gen_spec_write(const struct hd_api *a, const char *path, struct hd_error *err)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return hd_error_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
    fprintf(to,
            "# What `heddle gen` understood of %s. Correct it and give it with --spec.\n"
            "# role: make, destroy, observe, operation, leave-out\n"
            "contract = \"%s\" # thread-safe, lock, object-per-thread\n",
            a->header, contract_name[a->contract]);
    for (size_t i = 0; i < a->func.n; i++)
        if (!a->func.at[i].is_class)
            write_func(to, a, &a->func.at[i]);
    if (fclose(to))
        return hd_error_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/* ---- reading
 * ----------------------------------------------------------------------------------------- */

static const struct hd_toml *get(const struct hd_toml *t, const char *key)
{
    for (unsigned i = 0; i < t->n; i++)
        if (!strcmp(t->child[i].key, key))
            return &t->child[i];
    return NULL;
}

static const char *text_of(const struct hd_toml *t)
{
    return t && t->kind == HD_TOML_STRING ? t->text : NULL;
}

static s32 word(const char *text, const char *const *list, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (!strcmp(text, list[i]))
            return (s32)i;
    return -1;
}

static struct hd_gen_func *find(struct hd_api *a, const char *name, const char *of)
{
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        if (!strcmp(f->name, name) &&
            (!of || (f->is_method && !strcmp(a->type.at[f->object].name, of))))
            return f;
    }
    return NULL;
}

/* Values of a parameter, by its name or as arg1, arg2, ... */
static int read_values(struct hd_gen_func *f, const struct hd_toml *t, const char *path,
                       struct hd_error *err)
{
    for (unsigned i = 0; i < t->n; i++) {
        const struct hd_toml *v = &t->child[i];
        struct hd_gen_param *p = NULL;
        for (u32 k = 0; k < f->n && !p; k++) {
            char number[16];
            snprintf(number, sizeof number, "arg%u", k + 1);
            if (!strcmp(v->key, f->param[k].name) || !strcmp(v->key, number))
                p = &f->param[k];
        }
        if (!p || v->kind != HD_TOML_ARRAY || !v->n)
            return hd_error_set(err, -EINVAL, "%s:%u: values.%s: %s", path, v->line, v->key,
                                p ? "a list of texts is wanted"
                                  : "the function has no such parameter");
        for (size_t k = 0; k < p->value.n; k++)
            free(p->value.at[k]);
        p->value.n = 0;
        for (unsigned k = 0; k < v->n; k++) {
            const struct hd_toml *x = &v->child[k];
            if (x->kind == HD_TOML_STRING)
                *hd_vec_add(&p->value) = hd_gen_copy(x->text);
            else if (x->kind == HD_TOML_INTEGER)
                *hd_vec_add(&p->value) = hd_gen_text("%lld", x->integer);
            else
                return hd_error_set(err, -EINVAL,
                                    "%s:%u: a value is a text with an expression, or a number",
                                    path, x->line);
        }
    }
    return 0;
}

static int set_role(struct hd_api *a, struct hd_gen_func *f, s32 role, const char *path,
                    unsigned line, struct hd_error *err)
{
    if (f->role == HD_GEN_LEFT_OUT && role != HD_GEN_LEFT_OUT)
        return hd_error_set(err, -EINVAL, "%s:%u: %s cannot be called: %s", path, line, f->name,
                            f->why);
    if (role == HD_GEN_LEFT_OUT && f->role != HD_GEN_LEFT_OUT) {
        free(f->why);
        f->why = hd_gen_copy("the spec says so");
    }
    u32 index = (u32)(f - a->func.at);
    bool has_object = f->n && f->param[0].kind == HD_GEN_OBJECT;
    if (role == HD_GEN_DESTROYS && has_object)
        a->type.at[f->object = f->param[0].object].destroy = (s32)index;
    if (role == HD_GEN_MAKES && f->result.kind == HD_GEN_OBJECT)
        a->type.at[f->object = f->result.object].make = (s32)index;
    else if (role == HD_GEN_MAKES && has_object && f->role != HD_GEN_MAKES) {
        f->makes = HD_GEN_IN_PLACE;
        a->type.at[f->object = f->param[0].object].make = (s32)index;
    }
    f->role = (enum hd_gen_role)role;
    return 0;
}

static int read_func(struct hd_api *a, const struct hd_toml *t, const char *path,
                     struct hd_error *err)
{
    static const char *const known[] = {"name",    "class", "role",  "after",
                                        "compare", "exclusive", "values"};
    const char *name = text_of(get(t, "name")), *role = text_of(get(t, "role")),
               *after = text_of(get(t, "after"));
    for (unsigned i = 0; i < t->n; i++)
        if (word(t->child[i].key, known, HD_COUNT(known)) < 0)
            return hd_error_set(err, -EINVAL, "%s:%u: unknown key '%s'", path, t->child[i].line,
                                t->child[i].key);
    if (!name)
        return hd_error_set(err, -EINVAL, "%s:%u: a function needs a name", path, t->line);
    struct hd_gen_func *f = find(a, name, text_of(get(t, "class")));
    if (!f)
        return hd_error_set(err, -EINVAL, "%s:%u: the header declares no function '%s'", path,
                            t->line, name);
    if (role) {
        s32 which = word(role, role_name, HD_COUNT(role_name));
        if (which < 0)
            return hd_error_set(
                err, -EINVAL,
                "%s:%u: role is one of make, destroy, observe, operation, leave-out; "
                "not '%s'",
                path, t->line, role);
        int e = set_role(a, f, which, path, t->line, err);
        if (e)
            return e;
    }
    f->after = -1;
    if (after) {
        struct hd_gen_func *first = find(a, after, NULL);
        if (!first)
            return hd_error_set(err, -EINVAL, "%s:%u: after: there is no function '%s'", path,
                                t->line, after);
        f->after = (s32)(first - a->func.at);
    }
    const struct hd_toml *compare = get(t, "compare"), *exclusive = get(t, "exclusive"),
                         *values = get(t, "values");
    f->no_result = compare && compare->kind == HD_TOML_BOOL ? !compare->integer : f->no_result;
    if (exclusive && exclusive->kind == HD_TOML_BOOL)
        f->is_exclusive = exclusive->integer;
    return values ? read_values(f, values, path, err) : 0;
}

int hd_gen_spec_read(struct hd_api *a, const char *path, struct hd_error *err)
{
    char *text;
    size_t n;
    int e = hd_read_file(path, &text, &n);
    if (e)
        return hd_error_set(err, e, "cannot read the spec %s: %s", path, strerror(-e));
    struct hd_toml *top = hd_toml_parse(text, n, path, err);
    free(text);
    if (!top)
        return -EINVAL;
    const char *contract = text_of(get(top, "contract"));
    s32 which = contract ? word(contract, contract_name, HD_COUNT(contract_name)) : 0;
    if (which < 0)
        e = hd_error_set(err, -EINVAL,
                         "%s: contract is one of thread-safe, lock, object-per-thread; not '%s'",
                         path, contract);
    else if (contract)
        a->contract = (enum hd_gen_contract)which;
    const struct hd_toml *list = get(top, "function");
    for (unsigned i = 0; !e && list && list->kind == HD_TOML_ARRAY && i < list->n; i++)
        e = read_func(a, &list->child[i], path, err);
    hd_toml_free(top);
    return e;
}
