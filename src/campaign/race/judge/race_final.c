/* race_final.c: see race_final.h. */
#include "campaign/race/judge/race_final.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 64 /* blocks between a variable and a number */
#define NAME 72

static int by_place(const void *a, const void *b)
{
    const struct hd_final_word *x = a, *y = b;
    return x->where < y->where ? -1 : x->where > y->where;
}

void hd_race_final_take(struct hd_race_final *r, struct hd_snapshot *s)
{
    u32 n;
    const struct hd_final_word *w = hd_snapshot_final(s, &n);
    *r = (struct hd_race_final){.is_there = s->final.is_taken == 1, .is = s->final};
    r->is.n = r->is_there ? n : 0;
    r->at = malloc((r->is.n + 1) * sizeof *r->at);
    HD_ASSERT(r->at);
    if (r->is.n) {
        memcpy(r->at, w, r->is.n * sizeof *r->at);
        qsort(r->at, r->is.n, sizeof *r->at, by_place);
    }
}

void hd_race_final_release(struct hd_race_final *r)
{
    free(r->at);
    *r = (struct hd_race_final){0};
}

void hd_race_final_mask_release(struct hd_race_final_mask *m) { hd_vec_release(&m->where); }

/* ---- two lists ------------------------------------------------------------------------ */

struct pair {
    const struct hd_race_final *run[2];
    u32 i[2];
};

/* The next place that either has, with the word of each (NULL: it is 0). */
static bool next(struct pair *p, const struct hd_final_word *w[2])
{
    u64 where = UINT64_MAX;
    bool is_more = false;
    for (u32 k = 0; k < 2; k++) {
        w[k] = p->i[k] < p->run[k]->is.n ? &p->run[k]->at[p->i[k]] : NULL;
        is_more |= w[k] != NULL;
        where = w[k] ? HD_MIN(where, w[k]->where) : where;
    }
    for (u32 k = 0; k < 2; k++) {
        if (w[k] && w[k]->where != where)
            w[k] = NULL;
        p->i[k] += w[k] != NULL;
    }
    return is_more;
}

static bool is_same(const struct hd_final_word *a, const struct hd_final_word *b)
{
    if ((a && a->kind == HD_FINAL_ADDRESS) || (b && b->kind == HD_FINAL_ADDRESS))
        return true;
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && (a->kind == HD_FINAL_BLOCK || a->value == b->value);
}

void hd_race_final_mask(struct hd_race_final_mask *m, const struct hd_race_final *a,
                        const struct hd_race_final *b)
{
    struct pair p = {.run = {a, b}};
    const struct hd_final_word *w[2];
    while (next(&p, w))
        if (!is_same(w[0], w[1]))
            *hd_vec_add(&m->where) = (w[0] ? w[0] : w[1])->where;
    m->is_heap |= a->is.heap != b->is.heap;
}

static bool is_masked(const struct hd_race_final_mask *m, u64 where)
{
    for (size_t i = 0; i < m->where.n; i++)
        if (m->where.at[i] == where)
            return true;
    return false;
}

/* The first byte in which two words of a variable differ, if the program can mean it. */
static bool counts(struct hd_symbols *s, u64 where, u64 a, u64 b, u64 *byte)
{
    char name[NAME];
    for (u32 i = 0; i < 8; i++) {
        if ((a >> 8 * i & 0xff) == (b >> 8 * i & 0xff))
            continue;
        if (hd_symbols_scalar(s, where + i).kind == HD_SCALAR_PADDING)
            continue;
        if (hd_symbols_data(s, where + i, name, sizeof name, NULL) && !strncmp(name, "__", 2))
            continue;
        *byte = where + i;
        return true;
    }
    return false;
}

static void note(struct hd_race_final_change *c, const struct hd_final_word *w[2])
{
    c->where = (w[0] ? w[0] : w[1])->where;
    for (u32 k = 0; k < 2; k++)
        c->word[k] = w[k] ? *w[k] : (struct hd_final_word){0};
}

static u64 value_of(const struct hd_final_word *w) { return w ? w->value : 0; }

/* Numbers in blocks: one that both have is the best to be told. */
static bool heap_differs(const struct hd_race_final *a, const struct hd_race_final *b,
                         const struct hd_race_final_mask *m, struct hd_race_final_change *c)
{
    struct pair p = {.run = {a, b}};
    const struct hd_final_word *w[2];
    bool is_found = false;
    if (m->is_heap || a->is.heap == b->is.heap || a->is.is_cut || b->is.is_cut)
        return false;
    *c = (struct hd_race_final_change){0};
    while (next(&p, w)) {
        const struct hd_final_word *x = w[0] ? w[0] : w[1];
        if (!(x->where & HD_FINAL_HEAP) || is_same(w[0], w[1]) || x->kind != HD_FINAL_NUMBER ||
            is_masked(m, x->where))
            continue;
        if (!is_found || (w[0] && w[1]))
            note(c, w);
        is_found = true;
        if (w[0] && w[1])
            break;
    }
    return true;
}

bool hd_race_final_differ(const struct hd_race_final *a, const struct hd_race_final *b,
                          const struct hd_race_final_mask *m, struct hd_symbols *s, u64 first,
                          struct hd_race_final_change *c)
{
    struct pair p = {.run = {a, b}};
    const struct hd_final_word *w[2];
    bool is_found = false;
    if (!a->is_there || !b->is_there)
        return false;
    while (next(&p, w)) {
        const struct hd_final_word *x = w[0] ? w[0] : w[1];
        u64 byte;
        if (x->where & HD_FINAL_HEAP)
            break;
        if (is_same(w[0], w[1]) || is_masked(m, x->where) ||
            (is_found && x->where != (first & ~7ull)) ||
            !counts(s, x->where, value_of(w[0]), value_of(w[1]), &byte))
            continue;
        note(c, w);
        c->byte = byte;
        is_found = true;
    }
    return is_found || heap_differs(a, b, m, c);
}

struct hd_final_word hd_race_final_at(const struct hd_race_final *r, u64 where)
{
    struct hd_final_word key = {.where = where};
    const struct hd_final_word *w =
        r->is.n ? bsearch(&key, r->at, r->is.n, sizeof *r->at, by_place) : NULL;
    return w ? *w : (struct hd_final_word){0};
}

/* ---- words ---------------------------------------------------------------------------- */

static void say_number(const struct hd_scalar *is, u64 bits, char *buf, size_t size)
{
    u32 unused = 64 - 8 * is->size;
    if (is->kind == HD_SCALAR_FLOAT && is->size == 4) {
        float x;
        u32 half = (u32)bits;
        memcpy(&x, &half, sizeof x);
        snprintf(buf, size, "%g", (double)x);
    } else if (is->kind == HD_SCALAR_FLOAT && is->size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        snprintf(buf, size, "%g", x);
    } else if (is->kind == HD_SCALAR_SIGNED) {
        snprintf(buf, size, "%lld", (long long)((s64)(bits << unused) >> unused));
    } else {
        snprintf(buf, size, "%llu", (unsigned long long)(bits << unused >> unused));
    }
}

static void say_variable(const struct hd_race_final_change *c, u32 which, struct hd_symbols *s,
                         char *buf, size_t size)
{
    struct hd_scalar is = hd_symbols_scalar(s, c->byte);
    u32 kind = c->word[which].kind;
    u64 bits = c->word[which].value;
    char name[NAME], value[40];
    if (!hd_symbols_data(s, is.start, name, sizeof name, NULL))
        snprintf(name, sizeof name, "0x%llx", (unsigned long long)c->byte);
    bool is_pointer = is.kind == HD_SCALAR_POINTER || c->word[!which].kind == HD_FINAL_BLOCK;
    if (kind == HD_FINAL_BLOCK)
        snprintf(value, sizeof value, "set");
    else if (is_pointer && !bits)
        snprintf(value, sizeof value, "null");
    else if (is.size && is.start >= c->where && is.start + is.size <= c->where + 8)
        say_number(&is, bits >> 8 * (is.start - c->where), value, sizeof value);
    else
        snprintf(value, sizeof value, "0x%llx", (unsigned long long)bits);
    snprintf(buf, size, "`%s` is %s at the end", name, value);
}

/* The variable that leads to a block of the run. */
static bool find_root(const struct hd_race_final *r, u64 number, struct hd_symbols *s, char *buf,
                      size_t size)
{
    for (u32 depth = 0; depth < DEEPEST; depth++) {
        u32 i = 0;
        while (i < r->is.n && (r->at[i].kind != HD_FINAL_BLOCK || r->at[i].value != number))
            i++;
        if (i == r->is.n)
            return false;
        if (!(r->at[i].where & HD_FINAL_HEAP))
            return hd_symbols_data(s, r->at[i].where, buf, size, NULL);
        number = (r->at[i].where & ~HD_FINAL_HEAP) >> 32;
    }
    return false;
}

void hd_race_final_say(const struct hd_race_final *r, const struct hd_race_final_change *c, u32 which,
                       struct hd_symbols *s, char *buf, size_t size)
{
    char name[NAME], value[48];
    if (c->where && !(c->where & HD_FINAL_HEAP)) {
        say_variable(c, which, s, buf, size);
        return;
    }
    u64 bits = c->word[which].value, other = c->word[!which].value;
    if (!find_root(r, (c->where & ~HD_FINAL_HEAP) >> 32, s, name, sizeof name)) {
        snprintf(buf, size, "the heap holds other values (%u block%s) at the end", r->is.n_blocks,
                 r->is.n_blocks == 1 ? "" : "s");
        return;
    }
    if ((bits ^ other) >> 32 == 0)
        snprintf(value, sizeof value, "%d", (int)(u32)bits);
    else if ((u32)bits == (u32)other)
        snprintf(value, sizeof value, "%d", (int)(u32)(bits >> 32));
    else
        snprintf(value, sizeof value, "0x%llx", (unsigned long long)bits);
    snprintf(buf, size, "what `%s` leads to holds %s at the end", name, value);
}
