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

int hd_cover_functions_save(struct hd_store *st, s64 build, const struct hd_fingerprints *f)
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
    hd_cover_libraries_release(&in->libraries);
    hd_vec_release(&in->changed);
    hd_vec_release(&in->sites);
}

struct moves {
    HD_VEC(struct hd_store_moved) v;
};

static void take_changed(struct hd_cover_inherited *out, const struct hd_comparison *c,
                         const struct hd_fingerprints *is, s64 build)
{
    for (size_t i = 0; i < c->v.n; i++) {
        const struct hd_compared *f = &c->v.at[i];
        if (f->change != HD_CHANGED && f->change != HD_ADDED)
            continue;
        u64 start = is->v.at[f->after].start;
        *hd_vec_add(&out->changed) =
            (struct hd_cover_changed){build, start, start + is->v.at[f->after].size};
        for (size_t k = 0; k < is->hooks.n; k++)
            if (is->hooks.at[k].function == f->after)
                *hd_vec_add(&out->sites) = (struct hd_cover_changed){.build = build, .start = is->hooks.at[k].back};
    }
}

/* One file, the program or a library. */
static void compare(struct hd_cover_inherited *out, struct moves *m, s64 old, const struct hd_fingerprints *was,
                    s64 new, const struct hd_fingerprints *is)
{
    struct hd_comparison c;
    hd_compare(&c, was, is);
    for (size_t i = 0; i < c.v.n; i++) {
        const struct hd_compared *f = &c.v.at[i];
        if (f->change != HD_SAME && f->change != HD_RENAMED)
            continue;
        const struct hd_fingerprint *a = &was->v.at[f->before], *b = &is->v.at[f->after];
        if (a->size != b->size)
            continue;
        *hd_vec_add(&m->v) = (struct hd_store_moved){a->start, a->size, b->start, old, new};
        out->same++;
    }
    out->functions += (u32)is->v.n;
    take_changed(out, &c, is, new);
    hd_comparison_release(&c);
}

int hd_cover_inherit_from(struct hd_store *st, s64 old, s64 new, const struct hd_fingerprints *was,
                          const struct hd_fingerprints *is, bool is_taken,
                          struct hd_cover_inherited *out)
{
    struct hd_store_inherited kept;
    struct moves m = {0};
    HD_VEC(s64) library = {0};
    out->from = old;
    if (old != new)
        compare(out, &m, old, was, new, is);
    for (size_t i = 0; i < out->libraries.v.n; i++) {
        const struct hd_cover_library *l = &out->libraries.v.at[i];
        compare(out, &m, l->old, &l->was, l->new, &l->is);
        *hd_vec_add(&library) = l->old;
    }
    int e = hd_store_inherit(st, &(struct hd_store_change){old, new, library.at, (u32)library.n, m.v.at, (u32)m.v.n, out->input},
                             is_taken, &kept);
    out->kept = kept.kept;
    out->left = kept.left;
    hd_vec_release(&library);
    hd_vec_release(&m.v);
    return e;
}

static int save_revision(struct hd_store *st, s64 program, s64 build, const char *path)
{
    char revision[HD_REVISION];
    hd_revision_of(path, revision);
    return revision[0] ? hd_store_revision(st, program, build, revision) : 0;
}

/* The functions of a build that the store does not know, and the one it begins with; 0 = none. */
static s64 begin_build(struct hd_store *st, s64 program, s64 build, const char *path, s64 parent,
                       struct hd_fingerprints *is, struct hd_fingerprints *was)
{
    s64 old = parent ? HD_MAX(parent, (s64)0) : hd_store_parent(st, program, build);
    int e = old < 0 ? (int)old : hd_cover_functions_save(st, build, is);
    if (!e)
        e = save_revision(st, program, build, path);
    if (!e && old)
        e = hd_cover_functions(st, old, was);
    return e ? e : old;
}

int hd_cover_inherit(struct hd_store *st, s64 program, s64 build, const char *path, s64 parent,
                     struct hd_cover_inherited *out)
{
    struct hd_fingerprints is = {0}, was = {0};
    *out = (struct hd_cover_inherited){0};
    s64 old = hd_store_has_functions(st, build);
    if (old < 0)
        return (int)old;
    out->is_new = !old;
    if (!out->is_new) {
        old = build; /* it has been tested before; perhaps with other libraries */
    } else if (hd_fingerprints_make(&is, path) || !is.v.n) { /* no symbols: every build is new */
        hd_fingerprints_release(&is);
        out->is_new = false;
        old = hd_store_parent(st, program, build);
        out->has_no_symbols = old > 0;
        return (int)HD_MIN(old, (s64)0);
    } else {
        out->has_no_lines = !hd_fingerprints_has_lines(&is);
        old = begin_build(st, program, build, path, parent, &is, &was);
    }
    int e = old > 0 ? hd_cover_libraries_find(st, old, build, &out->libraries) : (int)old;
    if (!e && old && (old != build || out->libraries.v.n))
        e = hd_cover_inherit_from(st, old, build, &was, &is, true, out);
    hd_fingerprints_release(&is);
    hd_fingerprints_release(&was);
    return e;
}
