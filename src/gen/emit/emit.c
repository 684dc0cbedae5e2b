/* emit.c: see emit.h. */
#include "gen/emit/emit.h"

#include <ctype.h>

#define BUFFER_BYTES 16

static const char *bare(const char *type) { return !strncmp(type, "const ", 6) ? type + 6 : type; }

static bool is_chosen(const struct hd_gen_param *p)
{
    return p->kind == HD_GEN_INT || p->kind == HD_GEN_FLOAT || p->kind == HD_GEN_STRING ||
           p->kind == HD_GEN_POINTER || p->kind == HD_GEN_DATA;
}

u32 hd_gen_values(const struct hd_gen_func *f)
{
    u32 n = 0;
    for (u32 i = 0; i < f->n; i++)
        n += is_chosen(&f->param[i]);
    return n;
}

/* ---- callbacks ---------------------------------------------------------------------------- */

/* "void *, int (*)(int)" as parameters with names. */
static void named_params(FILE *to, const char *list)
{
    int depth = 0;
    u32 k = 0;
    if (!*list) {
        fprintf(to, "void");
        return;
    }
    while (*list) {
        size_t n = 0;
        for (; list[n] && !(list[n] == ',' && !depth); n++)
            depth += list[n] == '(' || list[n] == '<'   ? 1
                     : list[n] == ')' || list[n] == '>' ? -1
                                                        : 0;
        const char *star = memmem(list, n, "(*", 2);
        size_t at = star ? (size_t)(star + 2 - list) : n;
        fprintf(to, "%.*s%sunused_%u%.*s", (int)at, list, star || list[n - 1] == '*' ? "" : " ",
                k++, (int)(n - at), list + at);
        list += n;
        if (*list == ',') {
            fprintf(to, ", ");
            list += 1 + (list[1] == ' ');
        }
    }
}

static u32 count_params(const char *list)
{
    u32 n = *list ? 1 : 0;
    int depth = 0;
    for (; *list; list++) {
        depth += *list == '(' || *list == '<' ? 1 : *list == ')' || *list == '>' ? -1 : 0;
        n += *list == ',' && !depth;
    }
    return n;
}

static bool is_function_object(const struct hd_gen_param *p)
{
    return !strncmp(bare(p->type), "std::", 5);
}

void hd_gen_emit_callbacks(FILE *to, const struct hd_api *a, u32 i)
{
    const struct hd_gen_func *f = &a->func.at[i];
    for (u32 k = 0; k < f->n; k++) {
        const struct hd_gen_param *p = &f->param[k];
        if (p->kind != HD_GEN_CALLBACK || is_function_object(p))
            continue;
        bool is_void = !strcmp(p->cb_result, "void");
        fprintf(to, "static %s cb_%u_%u(", p->cb_result, i, k);
        named_params(to, p->cb_params);
        fprintf(to, ")\n{\n");
        for (u32 n = 0; n < count_params(p->cb_params); n++)
            fprintf(to, "    (void)unused_%u;\n", n);
        fprintf(to, is_void ? "    called_back();\n}\n\n" : "    return (%s)0;\n}\n\n",
                p->cb_result);
    }
}

/* ---- what a call gives --------------------------------------------------------------------- */

static void put(FILE *to, const struct hd_api *a, const struct hd_gen_spell *s,
                const struct hd_gen_param *p, const char *what)
{
    if (s->is_plain) {
        if (p->kind != HD_GEN_NONE)
            fprintf(to, "%suse(&%s);\n", s->indent, what);
        return;
    }
    if (a->is_cxx && p->kind != HD_GEN_NONE) {
        fprintf(to, "%sput(%s, %s);\n", s->indent, s->slot, what);
        return;
    }
    switch (p->kind) {
    case HD_GEN_INT:
        fprintf(to, "%sput_int(%s, (uint64_t)%s);\n", s->indent, s->slot, what);
        break;
    case HD_GEN_FLOAT:
        fprintf(to, "%sput_float(%s, (double)%s);\n", s->indent, s->slot, what);
        break;
    case HD_GEN_TEXT:
        fprintf(to, "%sput_text(%s, (const char *)%s);\n", s->indent, s->slot, what);
        break;
    case HD_GEN_POINTER:
    case HD_GEN_STRING:
    case HD_GEN_OBJECT:
        fprintf(to, "%sput_pointer(%s, (const void *)%s);\n", s->indent, s->slot, what);
        break;
    default:
        break; /* not comparable */
    }
}

/* Texts of the library's are looked at before anything else can happen to them. */
static bool is_shown(const struct hd_gen_func *f)
{
    return f->role != HD_GEN_MAKES && f->result.kind == HD_GEN_STRING &&
           !strcmp(f->result.type, "const char *");
}

/* Fields of a structure; `what` is "result." or "p2->". */
static void put_fields(FILE *to, const struct hd_gen_type *t, const struct hd_gen_spell *s,
                       const char *what)
{
    for (size_t i = 0; i < t->field.n && i < HD_WIRE_VALUES && !s->is_plain; i++) {
        const struct hd_gen_field *f = &t->field.at[i];
        fprintf(to,
                f->kind == HD_GEN_FLOAT ? "%sput_float(%s, (double)%s%s);\n"
                                        : "%sput_int(%s, (uint64_t)%s%s);\n",
                s->indent, s->slot, what, f->name);
    }
}

/* ---- before, the call, after ------------------------------------------------------------------
 */

static void declare(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                    const struct hd_gen_spell *s)
{
    char buf[256];
    u32 objects = f->is_method && !f->is_static && f->role != HD_GEN_MAKES ? 1 : 0, values = 0;
    if (objects) {
        s->object(s->self, a, f, 0, f->object, buf, sizeof buf);
        fprintf(to, "%s%s *self = %s;\n", s->indent, a->type.at[f->object].name, buf);
        if (s->skip)
            fprintf(to, "%sif (!self)\n%s    %s\n", s->indent, s->indent, s->skip);
    }
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (p->kind == HD_GEN_OBJECT && f->role == HD_GEN_MAKES && f->makes == HD_GEN_IN_PLACE &&
            !i && !f->is_method) {
            fprintf(to, "%s%s *p0 = (%s *)calloc(1, sizeof(%s));\n", s->indent,
                    a->type.at[p->object].name, a->type.at[p->object].name,
                    a->type.at[p->object].name);
        } else if (p->kind == HD_GEN_OBJECT) {
            s->object(s->self, a, f, objects++, p->object, buf, sizeof buf);
            fprintf(to, "%s%s *p%u = %s;\n", s->indent, a->type.at[p->object].name, i, buf);
            if (s->skip)
                fprintf(to, "%sif (!p%u)\n%s    %s\n", s->indent, i, s->indent, s->skip);
        } else if (is_chosen(p)) {
            s->value(s->self, a, f, i, values++, buf, sizeof buf);
            if (p->kind == HD_GEN_STRING || p->kind == HD_GEN_DATA)
                fprintf(to, "%sconst char *p%u = %s;\n", s->indent, i, buf);
            else if (p->kind == HD_GEN_POINTER)
                fprintf(to, "%s%s%sp%u = (%s)%s;\n", s->indent, p->type,
                        p->type[strlen(p->type) - 1] == '*' ? "" : " ", i, p->type, buf);
            else
                fprintf(to, "%s%s p%u = (%s)%s;\n", s->indent, bare(p->type), i, bare(p->type),
                        buf);
        } else if (p->kind == HD_GEN_OUT && p->is_ref) {
            fprintf(to, "%s%s p%u{};\n", s->indent, p->type, i);
        } else if (p->kind == HD_GEN_OUT) {
            fprintf(to, "%s%.*s p%u = %s;\n", s->indent, (int)(strrchr(p->type, '*') - p->type),
                    p->type, i, a->is_cxx ? "{}" : "0");
        } else if (p->kind == HD_GEN_OUT_POINTER || p->kind == HD_GEN_OBJECT_OUT) {
            fprintf(to, "%s%.*sp%u = NULL;\n", s->indent, (int)(strrchr(p->type, '*') - p->type),
                    p->type, i);
        } else if (p->kind == HD_GEN_BUFFER) {
            fprintf(to, "%s__attribute__((aligned(16))) char p%u[%d] = {0};\n", s->indent, i,
                    BUFFER_BYTES);
        } else if (p->kind == HD_GEN_FILE) {
            fprintf(to, "%sFILE *p%u = fopen(\"/dev/null\", \"r+\");\n", s->indent, i);
        }
    }
}

/* "void **": room for some pointers. */
static bool is_list(const char *type)
{
    const char *star = strchr(type, '*');
    return star && strchr(star + 1, '*');
}

static void argument(FILE *to, const struct hd_api *a, const struct hd_gen_func *f, u32 i,
                     const struct hd_gen_spell *s)
{
    const struct hd_gen_param *p = &f->param[i];
    const char *type = p->type;
    switch (p->kind) {
    case HD_GEN_OBJECT:
        fprintf(to, p->is_ref ? "*p%u" : "p%u", i);
        break;
    case HD_GEN_OUT:
        fprintf(to, p->is_ref ? "p%u" : "&p%u", i);
        break;
    case HD_GEN_OUT_POINTER:
    case HD_GEN_OBJECT_OUT:
        fprintf(to, "&p%u", i);
        break;
    case HD_GEN_BUFFER:
        if (a->is_cxx || strcmp(type, "char *"))
            fprintf(to, "(%s)", type);
        fprintf(to, "p%u", i);
        break;
    case HD_GEN_DATA:
        if (a->is_cxx || strcmp(type, "const char *"))
            fprintf(to, "(%s)", type);
        fprintf(to, "p%u", i);
        break;
    case HD_GEN_SIZE:
        if (f->param[i - 1].kind == HD_GEN_DATA)
            fprintf(to, "strlen(p%u)", i - 1);
        else if (is_list(f->param[i - 1].type))
            fprintf(to, "sizeof p%u / sizeof(void *)", i - 1);
        else if (strstr(f->param[i - 1].type, "void") || strstr(f->param[i - 1].type, "char"))
            fprintf(to, "sizeof p%u", i - 1);
        else
            fprintf(to, "sizeof p%u / sizeof(%.*s)", i - 1,
                    (int)strcspn(bare(f->param[i - 1].type), "*"), bare(f->param[i - 1].type));
        break;
    case HD_GEN_CALLBACK:
        if (!is_function_object(p))
            fprintf(to, "cb_%u_%u", s->func, i);
        else if (!strcmp(p->cb_result, "void"))
            fprintf(to, "[](auto &&...) { called_back(); }");
        else
            fprintf(to, "[](auto &&...) -> %s { return %s(); }", p->cb_result, p->cb_result);
        break;
    case HD_GEN_CONTEXT:
        fprintf(to, a->is_cxx ? "nullptr" : "NULL");
        break;
    default:
        fprintf(to, "p%u", i);
        break;
    }
}

static void arguments(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                      const struct hd_gen_spell *s)
{
    for (u32 i = 0; i < f->n; i++) {
        fprintf(to, "%s", i ? ", " : "");
        argument(to, a, f, i, s);
    }
}

static void call(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                 const struct hd_gen_spell *s)
{
    const struct hd_gen_param *r = &f->result;
    const char *in = s->indent;
    if (s->is_timed)
        fprintf(to, "%sbegin(%s);\n", in, s->slot);
    if (s->is_locked)
        fprintf(to, "%spthread_mutex_lock(&api_lock);\n", in);
    if (f->lock >= 0)
        fprintf(to, "%s%s(p0);\n", in, a->func.at[f->lock].name);
    fprintf(to, "%s", in);
    if (f->is_method && f->role == HD_GEN_MAKES) {
        fprintf(to, "%s *made = new %s(", f->name, f->name);
    } else {
        if (r->kind == HD_GEN_OBJECT)
            fprintf(to, "%s%s *result = ", r->is_const ? "const " : "", a->type.at[r->object].name);
        else if (r->kind == HD_GEN_POINTER || r->kind == HD_GEN_STRING || r->kind == HD_GEN_TEXT)
            fprintf(to, a->is_cxx ? "auto result = " : "const void *result = ");
        else if (r->kind == HD_GEN_OTHER)
            fprintf(to, a->is_cxx ? "auto &&result = " : "(void)");
        else if (r->kind != HD_GEN_NONE)
            fprintf(to, "%s result = ", bare(r->type));
        if (f->is_method && !f->is_static)
            fprintf(to, "self->%s(", f->name);
        else if (f->is_method)
            fprintf(to, "%s::%s(", a->type.at[f->object].name, f->name);
        else
            fprintf(to, "%s(", f->name);
    }
    arguments(to, a, f, s);
    fprintf(to, ");\n");
    if (is_shown(f) && !s->is_plain)
        fprintf(to, "%sput_shown(%s, (const char *)result);\n", in, s->slot);
    if (f->lock >= 0)
        fprintf(to, "%s%s(p0);\n", in, a->func.at[f->unlock].name);
    if (s->is_locked)
        fprintf(to, "%spthread_mutex_unlock(&api_lock);\n", in);
    if (s->is_timed)
        fprintf(to, "%send(%s);\n", in, s->slot);
}

static void results(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                    const struct hd_gen_spell *s)
{
    char name[16];
    bool is_maker = f->role == HD_GEN_MAKES;
    if (is_maker && s->made) {
        const char *made = f->is_method ? "made" : f->makes == HD_GEN_BY_RESULT ? "result" : NULL;
        for (u32 i = 0; i < f->n && !made; i++)
            if (f->param[i].kind ==
                (f->makes == HD_GEN_BY_OUT ? HD_GEN_OBJECT_OUT : HD_GEN_OBJECT)) {
                snprintf(name, sizeof name, "p%u", i);
                made = name;
            }
        fprintf(to, "%s%s = %s;\n", s->indent, s->made, made);
        if (f->makes != HD_GEN_BY_RESULT && f->result.kind != HD_GEN_NONE)
            fprintf(to, "%s(void)result;\n", s->indent);
        return;
    }
    if (f->result.kind == HD_GEN_OBJECT && !f->result.is_const && s->made)
        fprintf(to, "%s%s = result;\n", s->indent, s->made);
    if (f->result.kind == HD_GEN_RECORD && !s->is_plain)
        put_fields(to, &a->type.at[f->result.object], s, "result.");
    else if ((a->is_cxx || f->result.kind != HD_GEN_OTHER) && (s->is_plain || !is_shown(f)))
        put(to, a, s, &f->result, "result");
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (s->is_plain) {
            if (p->kind == HD_GEN_OBJECT_OUT && s->made)
                fprintf(to, "%s%s = p%u;\n", s->indent, s->made, i);
            continue;
        }
        if (p->kind == HD_GEN_OUT && a->is_cxx)
            fprintf(to, "%sput(%s, p%u);\n", s->indent, s->slot, i);
        else if (p->kind == HD_GEN_OUT)
            fprintf(to, "%sput_int(%s, (uint64_t)p%u);\n", s->indent, s->slot, i);
        else if (p->kind == HD_GEN_OUT_POINTER)
            fprintf(to, "%sput_pointer(%s, (const void *)p%u);\n", s->indent, s->slot, i);
        else if (p->kind == HD_GEN_OBJECT_OUT) {
            if (s->made)
                fprintf(to, "%s%s = p%u;\n", s->indent, s->made, i);
            fprintf(to, "%sput_pointer(%s, (const void *)p%u);\n", s->indent, s->slot, i);
        } else if (p->kind == HD_GEN_OBJECT && !p->is_const && a->type.at[p->object].is_plain) {
            snprintf(name, sizeof name, "p%u->", i);
            put_fields(to, &a->type.at[p->object], s, name);
        } else if (p->kind == HD_GEN_BUFFER && !is_list(p->type))
            fprintf(to, "%sput_bytes(%s, p%u, sizeof p%u);\n", s->indent, s->slot, i, i);
    }
}

void hd_gen_emit_call(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                      const struct hd_gen_spell *s)
{
    struct hd_gen_spell inner = *s;
    char deeper[32];
    declare(to, a, f, s);
    if (a->is_cxx) {
        snprintf(deeper, sizeof deeper, "%s    ", s->indent);
        inner.indent = deeper;
        fprintf(to, "%stry {\n", s->indent);
    }
    if (f->role == HD_GEN_DESTROYS && f->is_method)
        fprintf(to, "%sdelete self;\n", inner.indent);
    else
        call(to, a, f, &inner);
    results(to, a, f, &inner);
    if (a->is_cxx && (s->is_plain || !s->is_timed))
        fprintf(to, "%s} catch (...) {\n%s}\n", s->indent, s->indent);
    else if (a->is_cxx)
        fprintf(to, "%s} catch (...) {\n%send(%s);\n%sput_thrown(%s);\n%s}\n", s->indent,
                inner.indent, s->slot, inner.indent, s->slot, s->indent);
}
