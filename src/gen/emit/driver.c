/* driver.c: the program that runs tests: a function per operation, a switch over them, and a
 * main that reads which calls to make from memory shared with the host. The fork server of
 * the runtime makes a process of it for each run, so a test costs no compiler and no start.
 *
 * What it notes (when calls begin and end, results) is not instrumented: the schedule and the
 * coverage are those of the library.
 */
#include "gen/emit/driver.h"

#include "gen/emit/emit.h"

#define TEXT_OF_(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT_OF_(__VA_ARGS__)

void hd_gen_emit_readable(FILE *to, const struct hd_api *a)
{
    fprintf(to, "%s__attribute__((weak)) size_t __heddle_readable(const void *);\n",
            a->is_cxx ? "extern \"C\" " : "");
}

void hd_gen_emit_items(FILE *to, const struct hd_api *a)
{
    fprintf(
        to,
        "__attribute__((unused)) static char item[4]; /* what `void *` parameters point to */\n");
    if (a->contract == HD_GEN_LOCKED)
        fprintf(to, "static pthread_mutex_t api_lock = PTHREAD_MUTEX_INITIALIZER;\n");
    bool is_any = false;
    for (size_t i = 0; i < a->type.n; i++)
        is_any |= a->type.at[i].is_plain;
    if (is_any)
        fprintf(to, "/* A structure that this thread alone uses, zeros at first. */\n"
                    "__attribute__((unused)) static void *own(void **at, size_t size)\n{\n"
                    "    if (!*at)\n        *at = calloc(1, size);\n    return *at;\n}\n");
}

void hd_gen_emit_as(FILE *to, const char *text, const char *from, const char *as)
{
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from))
        fprintf(to, "%.*s%s", (int)(at - text), text, as);
    fprintf(to, "%s", text);
}

void hd_gen_emit_head(FILE *to, const struct hd_api *a)
{
    static const char *const c[] = {"fcntl.h", "pthread.h", "semaphore.h", "stdint.h",
                                    "stdio.h", "stdlib.h",  "string.h",    "sys/mman.h"};
    if (!a->is_cxx)
        fprintf(to, "#define _GNU_SOURCE\n");
    fprintf(to, "#include \"%s\"\n\n", a->header);
    for (u32 i = 0; i < HD_COUNT(c); i++)
        fprintf(to, "#include <%s>\n", c[i]);
    if (a->is_cxx)
        fprintf(
            to,
            "#include <memory>\n#include <optional>\n#include <string>\n#include <type_traits>\n"
            "#include <utility>\n#include <vector>\n");
}

const char *hd_gen_made(const struct hd_gen_func *f, const char *object, const char *got, char *buf,
                        size_t size)
{
    s32 out = -1;
    for (u32 k = 0; k < f->n; k++)
        if (f->param[k].kind == HD_GEN_OBJECT_OUT)
            out = (s32)f->param[k].object;
    if (f->role == HD_GEN_MAKES)
        snprintf(buf, size, "%s", object);
    else if (f->result.kind == HD_GEN_OBJECT && !f->result.is_const)
        snprintf(buf, size, "%s[%u]", got, f->result.object);
    else if (out >= 0)
        snprintf(buf, size, "%s[%d]", got, out);
    else
        return NULL;
    return buf;
}

static void object_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f,
                        u32 k, u32 type, char *buf, size_t size)
{
    const char *name = a->type.at[type].name;
    if (a->type.at[type].is_plain)
        snprintf(buf, size, "(%s *)own(&got[%u], sizeof(%s))", name, type, name);
    else
        snprintf(buf, size, "(%s *)object(%u, c->obj >> %u & 3, got)", name, type,
                 2 * HD_MIN(k, 3u));
}

static void value_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f, u32 i,
                       u32 k, char *buf, size_t size)
{
    u32 number = (u32)(f - a->func.at);
    snprintf(buf, size, "a%u_%u[c->arg[%u] %% %zu]", number, i, k % HD_WIRE_ARGS,
             f->param[i].value.n);
}

static void value_tables(FILE *to, const struct hd_gen_func *f, u32 number)
{
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (!p->value.n || p->kind == HD_GEN_SIZE || p->kind == HD_GEN_CONTEXT)
            continue;
        const char *type = p->kind == HD_GEN_STRING || p->kind == HD_GEN_DATA ? "char *const"
                           : p->kind == HD_GEN_POINTER                        ? "void *const"
                           : !strncmp(p->type, "const ", 6)                   ? p->type + 6
                                                                              : p->type;
        fprintf(to, "static const %s a%u_%u[] = {", type, number, i);
        for (size_t k = 0; k < p->value.n; k++)
            fprintf(to, "%s%s", k ? ", " : "", p->value.at[k]);
        fprintf(to, "};\n");
    }
}

static void operation(FILE *to, const struct hd_api *a, u32 i)
{
    const struct hd_gen_func *f = &a->func.at[i];
    char object[48], made[64];
    value_tables(to, f, i);
    hd_gen_emit_callbacks(to, a, i);
    fprintf(
        to,
        "static void op_%u(const struct hd_wire_call *c, struct hd_wire_value *r, void **got)\n{\n"
        "    (void)c, (void)r, (void)got;\n",
        i);
    snprintf(object, sizeof object, "objects[%u][c->obj & 1]", f->object);
    struct hd_gen_spell s = {.indent = "    ",
                             .object = object_text,
                             .value = value_text,
                             .slot = "r",
                             .skip = "goto skip;",
                             .made = hd_gen_made(f, object, "got", made, sizeof made),
                             .func = i,
                             .is_locked = a->contract == HD_GEN_LOCKED,
                             .is_timed = true};
    bool is_skippable = f->is_method && !f->is_static && f->role != HD_GEN_MAKES;
    for (u32 k = 0; k < f->n; k++)
        is_skippable |=
            f->param[k].kind == HD_GEN_OBJECT &&
            !(f->role == HD_GEN_MAKES && f->makes == HD_GEN_IN_PLACE && !k && !f->is_method);
    s.skip = is_skippable ? "{ r->is_skipped = 1; return; }" : NULL;
    hd_gen_emit_call(to, a, f, &s);
    fprintf(to, "}\n\n");
}

static void destroy_all(FILE *to, const struct hd_api *a)
{
    fprintf(to, "static void destroy_all(void)\n{\n");
    for (size_t i = a->type.n; i-- > 0;) {
        const struct hd_gen_type *t = &a->type.at[i];
        if (t->make < 0)
            continue;
        for (u32 k = 0; k < 2; k++) {
            if (t->is_class)
                fprintf(to, "    delete (%s *)objects[%zu][%u];\n", t->name, i, k);
            else if (t->destroy >= 0)
                fprintf(to, "    if (objects[%zu][%u])\n        %s((%s *)objects[%zu][%u]);\n", i,
                        k, a->func.at[t->destroy].name, t->name, i, k);
        }
    }
    fprintf(to, "}\n");
}

void hd_gen_driver(FILE *to, const struct hd_api *a)
{
    fprintf(to, "/* Made by `heddle gen` from %s: runs the tests that it is given. */\n",
            a->header);
    hd_gen_emit_head(to, a);
    fprintf(to, "#define TYPES %zu\n%s\n", HD_MAX(a->type.n, (size_t)1), TEXT_OF(HD_WIRE_STRUCTS));
    fprintf(to, a->is_cxx ? "extern \"C\" void __tsan_release(void *);\n"
                          : "void __tsan_release(void *);\n");
    hd_gen_emit_readable(to, a);
    hd_gen_emit_items(to, a);
    const char *const code[] = {hd_gen_code_driver_notes, hd_gen_code_put,
                                a->is_cxx ? hd_gen_code_put_cxx : ""};
    for (u32 i = 0; i < HD_COUNT(code); i++)
        hd_gen_emit_as(to, code[i], "struct value", "struct hd_wire_value");
    fprintf(to, "static void *objects[TYPES][2], *main_got[TYPES];\n"
                "__attribute__((unused)) static void *object(uint32_t type, uint32_t which, void "
                "**got)\n{\n"
                "    return which < 2 ? objects[type][which] : which == 2 ? got[type] : "
                "main_got[type];\n}\n\n");
    for (u32 i = 0; i < a->func.n && i < HD_GEN_OPS; i++)
        if (a->func.at[i].role != HD_GEN_LEFT_OUT)
            operation(to, a, i);
    fprintf(
        to,
        "static void run(const struct hd_wire_call *c, struct hd_wire_value *r, void **got)\n{\n"
        "    switch (c->op) {\n");
    for (u32 i = 0; i < a->func.n && i < HD_GEN_OPS; i++)
        if (a->func.at[i].role != HD_GEN_LEFT_OUT)
            fprintf(to, "    case %u: op_%u(c, r, got); break;\n", i, i);
    fprintf(to, "    default: break;\n    }\n}\n\n");
    destroy_all(to, a);
    fprintf(to, "%s", hd_gen_code_driver_main);
}
