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

static int take_piece(void *self, const struct hd_store_piece *p)
{
    struct hd_fingerprints *list = self;
    struct hd_fingerprint *f = hd_fingerprints_at(list, p->start);
    char *name = strdup(""), *file = strdup("");
    HD_ASSERT(name && file);
    if (f && !f->pieces)
        f->piece = (u32)list->pieces.n;
    if (f)
        f->pieces++;
    *hd_vec_add(&list->pieces) = (struct hd_piece){
        .around = f ? f->piece : 0, .name = name, .file = file, .hash = p->hash, .text = p->text,
        .back = (u32)list->backs.n, .backs = p->n};
    for (u32 i = 0; i < p->n; i++)
        *hd_vec_add(&list->backs) = p->backs[i];
    return 0;
}

int hd_cover_functions(struct hd_store *st, s64 build, struct hd_fingerprints *out)
{
    *out = (struct hd_fingerprints){0};
    int e = hd_store_functions(st, build, take_function, out);
    return e ? e : hd_store_pieces(st, build, take_piece, out);
}

/* Those without a call have no place that is tested. */
static int save_pieces(struct hd_store *st, s64 build, const struct hd_fingerprints *f)
{
    HD_VEC(struct hd_store_piece) rows = {0};
    for (size_t i = 0; i < f->v.n; i++)
        for (u32 k = 0; k < f->v.at[i].pieces; k++) {
            const struct hd_piece *p = &f->pieces.at[f->v.at[i].piece + k];
            if (p->backs)
                *hd_vec_add(&rows) = (struct hd_store_piece){
                    f->v.at[i].start, p->hash, p->text, k, p->backs, &f->backs.at[p->back]};
        }
    int e = hd_store_pieces_save(st, build, rows.at, (u32)rows.n);
    hd_vec_release(&rows);
    return e;
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
    return e ? e : save_pieces(st, build, f);
}

void hd_cover_inherited_release(struct hd_cover_inherited *in)
{
    hd_cover_libraries_release(&in->libraries);
    hd_vec_release(&in->changed);
    hd_vec_release(&in->sites);
}

/* Of one file. */
struct change {
    s64 old, new;
    const struct hd_fingerprints *was, *is;
};

struct moves {
    HD_VEC(struct hd_store_moved) v;
};

/* A call, by where it returns to: an order of events names it so. */
static void take_call(struct hd_cover_inherited *out, s64 build, u64 back)
{
    *hd_vec_add(&out->changed) = (struct hd_cover_changed){build, back - 1, back};
}

static bool is_changed_call(const struct hd_cover_inherited *in, s64 build, u64 back)
{
    for (size_t i = in->changed.n; i-- > 0;) /* those of a function were taken last */
        if (in->changed.at[i].build == build && in->changed.at[i].end == back)
            return true;
    return false;
}

/* Of a function into which changed code was inlined: that code. What is the same has moved. */
static void take_inside(struct hd_cover_inherited *out, struct moves *m, const struct change *c,
                        const struct hd_compared *f)
{
    const struct hd_fingerprint *a = &c->was->v.at[f->before], *b = &c->is->v.at[f->after];
    for (u32 k = b->piece; k < b->piece + b->pieces; k++) {
        const struct hd_piece *p = &c->is->pieces.at[k];
        u32 before = hd_compare_piece(f, c->was, c->is, k);
        const struct hd_piece *was = before == HD_NO_FUNCTION ? NULL : &c->was->pieces.at[before];
        for (u32 i = 0; i < p->backs; i++) {
            u64 to = b->start + c->is->backs.at[p->back + i];
            if (was)
                *hd_vec_add(&m->v) = (struct hd_store_moved){a->start + c->was->backs.at[was->back + i], 1, to,
                                                             c->old, c->new};
            else
                take_call(out, c->new, to);
        }
    }
}

static void take_changed(struct hd_cover_inherited *out, const struct change *c, const struct hd_compared *f)
{
    u64 start = c->is->v.at[f->after].start, size = c->is->v.at[f->after].size;
    if (!f->is_inside)
        *hd_vec_add(&out->changed) = (struct hd_cover_changed){c->new, start, start + size};
    for (size_t k = 0; k < c->is->hooks.n; k++) {
        u64 back = c->is->hooks.at[k].back;
        if (c->is->hooks.at[k].function == f->after && (!f->is_inside || is_changed_call(out, c->new, back)))
            *hd_vec_add(&out->sites) = (struct hd_cover_changed){.build = c->new, .start = back};
    }
}

/* One file, the program or a library. */
static void compare(struct hd_cover_inherited *out, struct moves *m, const struct change *change)
{
    struct hd_comparison c;
    hd_compare(&c, change->was, change->is);
    for (size_t i = 0; i < c.v.n; i++) {
        const struct hd_compared *f = &c.v.at[i];
        const struct hd_fingerprint *a = f->before != HD_NO_FUNCTION ? &change->was->v.at[f->before] : NULL;
        const struct hd_fingerprint *b = f->after != HD_NO_FUNCTION ? &change->is->v.at[f->after] : NULL;
        if (!b)
            continue;
        if ((f->change == HD_SAME || f->change == HD_RENAMED) && a->size == b->size) {
            *hd_vec_add(&m->v) = (struct hd_store_moved){a->start, a->size, b->start, change->old, change->new};
            out->same++;
        }
        if (f->is_inside)
            take_inside(out, m, change, f);
        if (f->change == HD_CHANGED || f->change == HD_ADDED)
            take_changed(out, change, f);
    }
    out->functions += (u32)change->is->v.n;
    hd_comparison_release(&c);
}

static int by_place(const void *a, const void *b)
{
    const struct hd_cover_changed *x = a, *y = b;
    return x->build != y->build ? (x->build > y->build) - (x->build < y->build)
                                : (x->start > y->start) - (x->start < y->start);
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
        compare(out, &m, &(struct change){old, new, was, is});
    for (size_t i = 0; i < out->libraries.v.n; i++) {
        const struct hd_cover_library *l = &out->libraries.v.at[i];
        compare(out, &m, &(struct change){l->old, l->new, &l->was, &l->is});
        *hd_vec_add(&library) = l->old;
    }
    if (out->changed.n)
        qsort(out->changed.at, out->changed.n, sizeof *out->changed.at, by_place);
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
