/* inherit.c: a build that was never tested begins with what an earlier build of the program
 * has tested, as far as its code is the same (version/, store/version.c). */
#include "cover/cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "version/compare.h"
#include "version/revision.h"

static int take_function(void *self, const struct hd_store_function *f)
{
    struct hd_fingerprints *list = self;
    char *name = strdup(f->name), *file = strdup("");
    HD_ASSERT(name && file);
    *hd_vec_add(&list->v) = (struct hd_fingerprint){
        .name = name, .start = f->start, .size = f->size, .hash = f->hash, .file = file};
    return 0;
}

int hd_cover_functions(struct hd_store *st, s64 build, struct hd_fingerprints *out)
{
    *out = (struct hd_fingerprints){0};
    return hd_store_functions(st, build, take_function, out);
}

static int save_functions(struct hd_store *st, s64 build, const struct hd_fingerprints *f)
{
    struct hd_store_function *rows = calloc(f->v.n + 1, sizeof *rows);
    HD_ASSERT(rows);
    for (size_t i = 0; i < f->v.n; i++)
        rows[i] = (struct hd_store_function){f->v.at[i].name, f->v.at[i].start, f->v.at[i].size,
                                             f->v.at[i].hash};
    int e = hd_store_functions_save(st, build, rows, (u32)f->v.n);
    free(rows);
    return e;
}

void hd_cover_inherited_release(struct hd_cover_inherited *in)
{
    hd_vec_release(&in->changed);
    hd_vec_release(&in->sites);
}

static void take_changed(struct hd_cover_inherited *out, const struct hd_comparison *c,
                         const struct hd_fingerprints *is)
{
    for (size_t i = 0; i < c->v.n; i++) {
        const struct hd_compared *f = &c->v.at[i];
        if (f->change != HD_CHANGED && f->change != HD_ADDED)
            continue;
        u64 start = is->v.at[f->after].start;
        *hd_vec_add(&out->changed) = (struct hd_range){start, start + is->v.at[f->after].size};
        for (size_t k = 0; k < is->hooks.n; k++)
            if (is->hooks.at[k].function == f->after)
                *hd_vec_add(&out->sites) = is->hooks.at[k].back;
    }
}

int hd_cover_inherit_from(struct hd_store *st, s64 old, s64 new, const struct hd_fingerprints *was,
                          const struct hd_fingerprints *is, bool is_taken,
                          struct hd_cover_inherited *out)
{
    struct hd_comparison c;
    struct hd_store_inherited kept;
    u32 n = 0;
    hd_compare(&c, was, is);
    struct hd_store_moved *m = calloc(c.v.n + 1, sizeof *m);
    HD_ASSERT(m);
    for (size_t i = 0; i < c.v.n; i++) {
        const struct hd_compared *f = &c.v.at[i];
        if (f->change != HD_SAME && f->change != HD_RENAMED)
            continue;
        const struct hd_fingerprint *a = &was->v.at[f->before], *b = &is->v.at[f->after];
        if (a->size == b->size)
            m[n++] = (struct hd_store_moved){a->start, a->size, b->start};
    }
    int e = hd_store_inherit(st, old, new, m, n, is_taken, &kept);
    *out = (struct hd_cover_inherited){.from = old, .functions = (u32)is->v.n, .same = n,
                                       .kept = kept.kept, .left = kept.left};
    take_changed(out, &c, is);
    free(m);
    hd_comparison_release(&c);
    return e;
}

static int save_revision(struct hd_store *st, s64 program, s64 build, const char *path)
{
    char revision[HD_REVISION];
    hd_revision_of(path, revision);
    return revision[0] ? hd_store_revision(st, program, build, revision) : 0;
}

int hd_cover_inherit(struct hd_store *st, s64 program, s64 build, const char *path, s64 parent,
                     struct hd_cover_inherited *out)
{
    struct hd_fingerprints is = {0}, was = {0};
    *out = (struct hd_cover_inherited){0};
    s64 old = hd_store_has_functions(st, build);
    if (old) /* it has been tested before, or an error */
        return old < 0 ? (int)old : 0;
    if (hd_fingerprints_make(&is, path) || !is.v.n) { /* no symbols: every build is new */
        hd_fingerprints_release(&is);
        return 0;
    }
    old = parent ? HD_MAX(parent, (s64)0) : hd_store_parent(st, program, build);
    int e = old < 0 ? (int)old : save_functions(st, build, &is);
    if (!e)
        e = save_revision(st, program, build, path);
    if (!e && old)
        e = hd_cover_functions(st, old, &was);
    if (!e && old)
        e = hd_cover_inherit_from(st, old, build, &was, &is, true, out);
    out->is_new = true;
    hd_fingerprints_release(&is);
    hd_fingerprints_release(&was);
    return e;
}
