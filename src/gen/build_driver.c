/* build_driver.c: writes and builds the driver (emit/driver.c). Functions that it cannot be built
 * with are left out, with the compiler's words as the reason, and it is built again: a macro of the
 * same name, a type that is not complete, a declaration that no library has.
 */
#include <errno.h>
#include <stdlib.h>

#include "gen/emit/driver.h"
#include "gen/gen.h"
#include "process/tmp.h"
#include "process/command.h"

#define ROUNDS 6

/* Its place is the same in each call: what is remembered of it is found by its path, and its text
 * decides whether it is the same build. */
static int write_driver(struct hd_gen *g, char *source, size_t size, struct hd_error *err)
{
    char folder[PATH_MAX];
    u64 h = 14695981039346656037ull;
    for (const char *c = g->api->header; *c; c++)
        h = (h ^ (u8)*c) * 1099511628211ull;
    for (const char *c = g->api->prefix; *c; c++)
        h = (h ^ (u8)*c) * 1099511628211ull;
    snprintf(folder, sizeof folder, "%s/gen", g->o->dir);
    if (hd_folder_make_own(g->o->dir) || hd_folder_make(folder))
        snprintf(folder, sizeof folder, "%s", g->folder);
    snprintf(source, size, "%s/driver_%08x.%s", folder, (u32)(h ^ h >> 32),
             g->api->is_cxx ? "cc" : "c");
    FILE *to = hd_gen_create(source);
    if (!to)
        return hd_error_set(err, -errno, "cannot write %s: %s", source, strerror(errno));
    hd_gen_driver(to, g->api);
    fclose(to);
    return 0;
}

/* ---- who is to blame? ---------------------------------------------------------------------- */

static void leave_out(struct hd_gen *g, u32 i, const char *why, size_t n)
{
    struct hd_gen_func *f = &g->api->func.at[i];
    if (f->role == HD_GEN_LEFT_OUT)
        return;
    f->role = HD_GEN_LEFT_OUT;
    f->why = hd_gen_text("%.*s", (int)HD_MIN(n, (size_t)200), why);
    hd_gen_message(g, "%s is left out: %s", f->name, f->why);
    for (size_t k = 0; k < g->api->type.n; k++)
        if (g->api->type.at[k].destroy == (s32)i)
            g->api->type.at[k].destroy = -1;
    for (u32 k = 0; k < g->api->func.n; k++) {
        struct hd_gen_func *other = &g->api->func.at[k];
        if (other->role != HD_GEN_LEFT_OUT &&
            (other->after == (s32)i || other->lock == (s32)i || other->unlock == (s32)i))
            leave_out(g, k, "what it needs is left out", 25);
    }
}

/* The function whose call is in this line of the driver: -1 = none. Its part ends with op_<i>. */
static s32 func_at(const char *text, u32 line)
{
    u32 at = 1;
    s32 op = -1;
    bool is_begun = false;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1, at++) {
        is_begun |= !strncmp(text, "    return which < 2 ?", 22); /* what comes before the parts */
        if (!strncmp(text, "static void op_", 15))
            op = atoi(text + 15);
        if (is_begun && op >= 0 && *text == '}' && at >= line)
            return op;
        if (at == line && !is_begun)
            return -1;
        if (!strncmp(text, "static void run(", 16))
            return -1;
    }
    return -1;
}

static void blame_line(struct hd_gen *g, const char *source, const char *text, const char *line,
                       size_t n)
{
    static const char undefined[] = "undefined reference to `";
    size_t path = strlen(source);
    const char *at = memmem(line, n, undefined, sizeof undefined - 1);
    if (at) {
        at += sizeof undefined - 1;
        size_t m = strcspn(at, "'(\n");
        for (u32 i = 0; i < g->api->func.n; i++)
            if (strlen(g->api->func.at[i].name) == m && !strncmp(g->api->func.at[i].name, at, m))
                leave_out(g, i, "no library that was named has it", 32);
    } else if (n > path + 1 && !strncmp(line, source, path) && line[path] == ':') {
        const char *why = memmem(line, n, "error: ", 7);
        if (!why && !memmem(line, n, "note: in ", 9))
            return;
        s32 i = func_at(text, (u32)atoi(line + path + 1));
        why = why ? why + 7 : "a macro of this name cannot be used";
        if (i >= 0 && i < (s32)g->api->func.n)
            leave_out(g, (u32)i, why, strcspn(why, "\n"));
    }
}

/* How many functions are left out by what the compiler said. */
static u32 blame(struct hd_gen *g, const char *source, const char *words)
{
    char *text;
    size_t n;
    u32 was = 0, is = 0;
    if (hd_read_file(source, &text, &n))
        return 0;
    for (u32 i = 0; i < g->api->func.n; i++)
        was += g->api->func.at[i].role == HD_GEN_LEFT_OUT;
    while (*words) {
        size_t length = strcspn(words, "\n");
        blame_line(g, source, text, words, length);
        words += length + (words[length] == '\n');
    }
    for (u32 i = 0; i < g->api->func.n; i++)
        is += g->api->func.at[i].role == HD_GEN_LEFT_OUT;
    free(text);
    return is - was;
}

int hd_gen_build_driver(struct hd_gen *g, char *program, size_t size, struct hd_error *err)
{
    char source[PATH_MAX + 96];
    int e = 0;
    for (u32 round = 0; round < ROUNDS; round++) {
        char *words = NULL;
        e = write_driver(g, source, sizeof source, err);
        if (e)
            return e;
        snprintf(program, size, "%.*s", (int)(strrchr(source, '.') - source), source);
        if (g->o->progress)
            g->o->progress(g->o->self, "compiling the driver");
        e = hd_gen_build(source, g->o->flags, program, &words, err);
        u32 n = e == -EINVAL && words ? blame(g, source, words) : 0;
        free(words);
        if (!n)
            break;
        e = hd_gen_check(g->api, err);
        if (e)
            return e;
    }
    return e == -EINVAL ? hd_error_prefix(
                              err, e, "the driver could not be built (name what it needs after --)")
                        : e;
}
