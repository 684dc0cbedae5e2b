/* show.c: what was understood of an API, for people. See api.h. */
#include "gen/api.h"

#include <stdio.h>

static const char *const role_text[] = {
    [HD_GEN_LEFT_OUT] = "left out",   [HD_GEN_MAKES] = "makes",
    [HD_GEN_DESTROYS] = "destroys",   [HD_GEN_OBSERVES] = "observes",
    [HD_GEN_OPERATION] = "operation",
};

void hd_gen_signature(const struct hd_api *a, const struct hd_gen_func *f, char *buf, size_t size)
{
    size_t at = 0;
    if (f->is_class) {
        snprintf(buf, size, "%s", f->name);
        return;
    }
    int n = f->is_method && f->role != HD_GEN_MAKES
                ? snprintf(buf, size, "%s::%s(", a->type.at[f->object].bare, f->name)
                : snprintf(buf, size, "%s(", f->name);
    at = HD_MIN((size_t)HD_MAX(n, 0), size - 1);
    for (u32 i = 0; i < f->n; i++) {
        n = snprintf(buf + at, size - at, "%s%s", i ? ", " : "",
                     f->param[i].type ? f->param[i].type : "?");
        at = HD_MIN(at + (size_t)HD_MAX(n, 0), size - 1);
    }
    snprintf(buf + at, size - at, ")");
}

static void show_func(const struct hd_api *a, const struct hd_gen_func *f, char *text, size_t size)
{
    char buf[512];
    hd_gen_signature(a, f, buf, sizeof buf);
    const char *of =
        f->role == HD_GEN_MAKES || f->role == HD_GEN_DESTROYS ? a->type.at[f->object].name : "";
    bool is_held = f->role != HD_GEN_LEFT_OUT && f->lock >= 0;
    const char *lock = is_held ? a->func.at[f->lock].name : NULL;
    snprintf(text, size, "  %-9s %s%s%s%s%s%s%s%s%s", role_text[f->role], buf,
             f->role == HD_GEN_LEFT_OUT ? ": "
             : of[0] && !f->is_method   ? ": "
                                        : "",
             f->role == HD_GEN_LEFT_OUT ? f->why
             : f->is_method             ? ""
                                        : of,
             f->after >= 0 ? ", after " : "", f->after >= 0 ? a->func.at[f->after].name : "",
             lock ? ", under " : "", lock ? lock : "", f->note ? ": " : "", f->note ? f->note : "");
}

void hd_gen_show(const struct hd_api *a, void (*line)(const char *text))
{
    char text[900];
    u32 used = 0, all = 0, surplus = 0;
    const struct hd_gen_func *first = NULL; /* of those that are too many */
    for (size_t i = 0; i < a->func.n; i++) {
        const struct hd_gen_func *f = &a->func.at[i];
        used += f->role != HD_GEN_LEFT_OUT;
        all += !f->is_class;
        surplus += f->is_surplus;
        first = f->is_surplus && !first ? f : first;
    }
    snprintf(text, sizeof text, "%s: %u functions, %u understood, %u left out", a->header, all, used, all - used);
    line(text);
    for (size_t i = 0; i < a->func.n; i++) {
        if (a->func.at[i].is_surplus)
            continue;
        show_func(a, &a->func.at[i], text, sizeof text);
        line(text);
    }
    if (surplus) {
        snprintf(text, sizeof text, "  %-9s %u functions from %s on: %s", role_text[HD_GEN_LEFT_OUT], surplus,
                 first->name, first->why);
        line(text);
    }
}
