/* scope.c: which code of a program need not be looked at.
 *
 * In the cheap run: functions whose code touches nothing that threads could share (the compiler
 * knows which accesses are to variables of its own), and tiny ones, which are part of whoever
 * calls them: no loop, no calls, at most TINY accesses, and called by name. One that is a
 * thread's first function has nobody to be part of, and is not called by name as a rule.
 *
 * In a campaign of a chosen input: functions all of whose pairs an input before it has shown, unless
 * it executes accesses there, or in the other function of such a pair, that none of them did.
 * Deviation: the paper looks at nothing but functions of new pairs. One that is in no pair at
 * all may still run beside another: main() between create and join, whose entry and exit are
 * ordered with everything. Such functions stay.
 */
#include "suite/scope.h"

#include <stdlib.h>
#include <string.h>

#include "cover/cover.h"

#define TINY 4

static bool is_small(const struct hd_fingerprint *f)
{
    bool is_tiny = f->accesses <= TINY && !f->calls && !f->has_loop && f->is_called;
    return !f->accesses || is_tiny;
}

static void leave_out(struct hd_scope *s, const struct hd_fingerprint *f)
{
    if (!f->size || (s->out.n && f->start < hd_vec_last(&s->out)->end))
        return; /* another name for the same code */
    *hd_vec_add(&s->out) = (struct hd_range){f->start, f->start + f->size};
}

void hd_suite_scope_cheap(struct hd_scope *s, const struct hd_fingerprints *f)
{
    for (size_t i = 0; i < f->v.n; i++)
        if (is_small(&f->v.at[i]))
            leave_out(s, &f->v.at[i]);
}

static int compare(const void *x, const void *y)
{
    u64 a = *(const u64 *)x, b = *(const u64 *)y;
    return a < b ? -1 : a > b;
}

struct starts {
    HD_VEC(u64) v; /* addresses of functions, sorted */
};

static void take_starts(struct starts *s, const struct hd_suite_pair *p, size_t n)
{
    const u64 mask = ((u64)1 << HD_PLACE_BITS) - 1;
    for (size_t i = 0; i < n; i++) {
        *hd_vec_add(&s->v) = p[i].a & mask;
        *hd_vec_add(&s->v) = p[i].b & mask;
    }
    if (s->v.n)
        qsort(s->v.at, s->v.n, sizeof *s->v.at, compare);
}

static bool has(const struct starts *s, u64 start)
{
    return s->v.n && bsearch(&start, s->v.at, s->v.n, sizeof *s->v.at, compare);
}

u32 hd_suite_scope_chosen(struct hd_scope *s, const struct hd_fingerprints *f,
                          const struct hd_suite_input *in)
{
    struct starts news = {0}, all = {0};
    u32 n = 0;
    take_starts(&news, in->news.at, in->news.n);
    take_starts(&news, in->again.at, in->again.n);
    take_starts(&all, in->profile.pair.at, in->profile.pair.n);
    for (size_t i = 0; i < f->v.n; i++)
        if (has(&all, f->v.at[i].start) && !has(&news, f->v.at[i].start)) {
            leave_out(s, &f->v.at[i]);
            n++;
        }
    hd_vec_release(&news.v);
    hd_vec_release(&all.v);
    return n;
}

void hd_suite_scope_release(struct hd_scope *s) { hd_vec_release(&s->out); }

/* ---- programs that were read already ------------------------------------------------------ */

struct hd_suite_program {
    char *path;
    struct hd_fingerprints functions;
};

const char *hd_suite_name(const struct hd_fingerprints *f, u64 id)
{
    u64 start = id & (((u64)1 << HD_PLACE_BITS) - 1);
    for (size_t i = 0; f && i < f->v.n; i++)
        if (f->v.at[i].start == start)
            return f->v.at[i].name;
    return "?";
}

const struct hd_fingerprints *hd_suite_functions(struct hd_suite_programs *p, const char *path)
{
    for (size_t i = 0; i < p->v.n; i++)
        if (!strcmp(p->v.at[i]->path, path))
            return &p->v.at[i]->functions;
    struct hd_suite_program *new = calloc(1, sizeof *new);
    HD_ASSERT(new);
    new->path = strdup(path);
    hd_fingerprints_make(&new->functions, path); /* none: nothing is left out */
    *hd_vec_add(&p->v) = new;
    return &new->functions;
}

void hd_suite_programs_release(struct hd_suite_programs *p)
{
    for (size_t i = 0; i < p->v.n; i++) {
        hd_fingerprints_release(&p->v.at[i]->functions);
        free(p->v.at[i]->path);
        free(p->v.at[i]);
    }
    hd_vec_release(&p->v);
}
