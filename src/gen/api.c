/* api.c: see api.h. */
#include "gen/api.h"

#include <stdarg.h>
#include <stdio.h>

char *hd_gen_copy(const char *text)
{
    char *p = strdup(text);
    HD_ASSERT(p);
    return p;
}

char *hd_gen_text(const char *format, ...)
{
    va_list ap;
    char *p = NULL;
    va_start(ap, format);
    int n = vasprintf(&p, format, ap);
    va_end(ap);
    HD_ASSERT(n >= 0 && p);
    return p;
}

void hd_api_init(struct hd_api *a)
{
    memset(a, 0, sizeof *a);
    a->header = hd_gen_copy("");
    a->prefix = hd_gen_copy("");
}

static void release_param(struct hd_gen_param *p)
{
    for (size_t i = 0; i < p->value.n; i++)
        free(p->value.at[i]);
    hd_vec_release(&p->value);
    free(p->name);
    free(p->type);
    free(p->cb_result);
    free(p->cb_params);
}

void hd_gen_func_release(struct hd_gen_func *f)
{
    release_param(&f->result);
    for (u32 i = 0; i < f->n; i++)
        release_param(&f->param[i]);
    free(f->name);
    free(f->why);
    memset(f, 0, sizeof *f);
}

void hd_api_release(struct hd_api *a)
{
    for (size_t i = 0; i < a->func.n; i++)
        hd_gen_func_release(&a->func.at[i]);
    for (size_t i = 0; i < a->type.n; i++) {
        struct hd_gen_type *t = &a->type.at[i];
        for (size_t k = 0; k < t->field.n; k++)
            free(t->field.at[k].name);
        hd_vec_release(&t->field);
        free(t->name);
        free(t->bare);
    }
    hd_vec_release(&a->func);
    hd_vec_release(&a->type);
    free(a->header);
    free(a->prefix);
    memset(a, 0, sizeof *a);
}

s32 hd_api_type(const struct hd_api *a, const char *name)
{
    for (size_t i = 0; i < a->type.n; i++)
        if (!strcmp(a->type.at[i].name, name) || !strcmp(a->type.at[i].bare, name))
            return (s32)i;
    return -1;
}
