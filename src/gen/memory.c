/* memory.c: what earlier calls of `heddle gen` on this API did, in the store. Patterns that were
 * covered, and the sites that are scheduling points, are kept with the coverage of the driver
 * (cover/memory.c); here are pairs of operations with their counts, prefixes, and how often
 * patterns were targeted.
 *
 * The driver has a place of its own in the folder, so a changed library is a new build of the same
 * program: patterns of functions with the code they had are taken over (cover/inherit.c), pairs
 * whose operations run through changed functions begin anew, and so come first.
 */
#include "gen/gen.h"

#include <stdlib.h>

#include "version/compare.h"

#define METHOD "gen"
#define TRIED_MOST 20000

/* A function as a number that does not depend on its place in the header. */
static u64 name_of(const struct hd_api *a, u32 i)
{
    char text[512];
    u64 h = 14695981039346656037ull;
    hd_gen_signature(a, &a->func.at[i], text, sizeof text);
    for (const char *c = text; *c; c++)
        h = (h ^ (u8)*c) * 1099511628211ull;
    return h;
}

static s32 find(const struct hd_api *a, u64 name)
{
    for (u32 i = 0; i < a->func.n && i < HD_GEN_OPS; i++)
        if (name_of(a, i) == name)
            return (s32)i;
    return -1;
}

static struct hd_store_search key_of(const struct hd_gen *g, s64 build)
{
    return (struct hd_store_search){.build = build,
                                    .input = g->cover->input,
                                    .method = METHOD,
                                    .param = (u64)g->contract,
                                    .mode = (u32)g->o->pick};
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_pairs(FILE *to, const struct hd_gen *g)
{
    for (u32 i = 0; i < HD_GEN_OPS; i++)
        for (u32 k = i; k < HD_GEN_OPS; k++) {
            const struct hd_gen_pair *p = &g->pair[i * HD_GEN_OPS + k];
            if (p->tried || p->tests)
                fprintf(to, "pair %llx %llx %u %u %u %u %u\n",
                        (unsigned long long)name_of(g->api, i),
                        (unsigned long long)name_of(g->api, k), p->tried, p->covered, p->tests,
                        p->targets, p->reached);
        }
}

static void write_prefixes(FILE *to, const struct hd_gen *g)
{
    for (u32 i = 1; i < g->n_prefixes; i++) {
        const struct hd_gen_prefix *p = &g->prefix[i];
        fprintf(to, "prefix %u", p->n);
        for (u32 k = 0; k < p->n; k++) {
            const struct hd_wire_call *c = &p->call[k];
            fprintf(to, " %llx %u", (unsigned long long)name_of(g->api, c->op), c->obj);
            for (u32 m = 0; m < HD_WIRE_ARGS; m++)
                fprintf(to, " %u", c->arg[m]);
        }
        fprintf(to, "\n");
    }
}

static void write_patterns(struct hd_gen *g)
{
    struct hd_gen_map *m = &g->map;
    for (size_t i = 0; i < m->attempts.n && i < TRIED_MOST; i++) {
        s64 row = 0;
        if (!hd_coverage_has(g->cover->total, &m->attempts.at[i]))
            hd_cover_store_tried(g->cover, &m->attempts.at[i], &row, 1, HD_STORE_PREDICTED);
    }
}

void hd_gen_memory_save(struct hd_gen *g)
{
    char *text = NULL;
    size_t size = 0;
    if (!g->cover || !g->cover->store || !g->result->tests)
        return;
    write_patterns(g);
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fprintf(to, "tests %llu\n", (unsigned long long)(g->result->tests + g->earlier));
    write_pairs(to, g);
    write_prefixes(to, g);
    fclose(to);
    struct hd_store_search s = key_of(g, g->cover->build);
    s.state = text;
    s.runs = g->run.runs;
    if (g->cover->store && hd_store_search_save(g->cover->store, &s))
        hd_gen_message(g, "what was tried is not remembered: %s", hd_store_error(g->cover->store));
    free(text);
}

/* ---- what changed ------------------------------------------------------------------------- */

struct changes {
    struct hd_fingerprints is, was;
    struct hd_comparison c;
};

static void compare(struct hd_gen *g, struct changes *x)
{
    memset(x, 0, sizeof *x);
    if (hd_cover_functions(g->cover->store, g->cover->inherited.from, &x->was) ||
        hd_fingerprints_make(&x->is, g->run.target.path))
        return;
    hd_compare(&x->c, &x->was, &x->is);
}

static bool is_other_code(const struct changes *x, u64 offset)
{
    for (size_t i = 0; i < x->c.v.n; i++) {
        const struct hd_compared *c = &x->c.v.at[i];
        if (c->after == HD_NO_FUNCTION || (c->change != HD_CHANGED && c->change != HD_ADDED))
            continue;
        const struct hd_fingerprint *f = &x->is.v.at[c->after];
        if (offset >= f->start && offset < f->start + f->size)
            return true;
    }
    return false;
}

/* Does the operation run through functions that changed? */
static bool is_changed(struct hd_gen *g, const struct changes *x, u32 op)
{
    for (size_t i = 0; i < x->c.v.n; i++) {
        const struct hd_compared *c = &x->c.v.at[i];
        if (c->after != HD_NO_FUNCTION && (c->change == HD_CHANGED || c->change == HD_ADDED) &&
            !strcmp(x->is.v.at[c->after].name, g->api->func.at[op].name))
            return true;
    }
    for (u32 i = 0; i < g->watch.site.n; i++) {
        const struct hd_gen_site *s = &g->watch.site.at[i];
        const struct hd_place *at =
            hd_gen_bit(s->ops, op) ? hd_places_get(&g->cover->places, s->id) : NULL;
        if (at && is_other_code(x, at->offset))
            return true;
    }
    return false;
}

/* ---- reading ------------------------------------------------------------------------------ */

struct reading {
    struct hd_gen *g;
    bool is_new[HD_GEN_OPS]; /* operations that run through changed functions */
    struct hd_gen_prefix prefix[HD_GEN_PREFIXES];
    u32 n_prefixes;
};

static void read_pair(struct reading *r, const char *line)
{
    unsigned long long name[2];
    struct hd_gen_pair p = {0};
    if (sscanf(line, "pair %llx %llx %u %u %u %u %u", &name[0], &name[1], &p.tried, &p.covered,
               &p.tests, &p.targets, &p.reached) != 7)
        return;
    s32 a = find(r->g->api, name[0]), b = find(r->g->api, name[1]);
    if (a >= 0 && b >= 0 && !r->is_new[a] && !r->is_new[b])
        r->g->pair[HD_MIN(a, b) * HD_GEN_OPS + HD_MAX(a, b)] = p;
}

static void read_prefix(struct reading *r, const char *line)
{
    struct hd_gen_prefix p = {.n = 0};
    int at = 0;
    u32 n;
    if (sscanf(line, "prefix %u%n", &n, &at) != 1 || n > HD_GEN_PREFIX ||
        r->n_prefixes == HD_GEN_PREFIXES)
        return;
    for (line += at; p.n < n; line += at) {
        unsigned long long name;
        u32 obj, arg[HD_WIRE_ARGS];
        if (sscanf(line, " %llx %u %u %u %u %u %u%n", &name, &obj, &arg[0], &arg[1], &arg[2],
                   &arg[3], &arg[4], &at) != 7)
            return;
        s32 op = find(r->g->api, name);
        if (op < 0 || r->g->api->func.at[op].is_dropped ||
            r->g->api->func.at[op].role == HD_GEN_LEFT_OUT)
            return;
        struct hd_wire_call *c = &p.call[p.n++];
        *c = (struct hd_wire_call){.op = (u8)op, .thread = HD_WIRE_BEFORE, .obj = (u8)obj};
        for (u32 k = 0; k < HD_WIRE_ARGS; k++)
            c->arg[k] = (u8)arg[k];
    }
    r->prefix[r->n_prefixes++] = p;
}

static int read_text(void *self, const struct hd_store_search *s)
{
    struct reading *r = self;
    unsigned long long tests;
    for (const char *line = s->state; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "tests %llu", &tests) == 1)
            r->g->earlier = tests;
        else if (!strncmp(line, "pair ", 5))
            read_pair(r, line);
        else if (!strncmp(line, "prefix ", 7))
            read_prefix(r, line);
    }
    return 0;
}

static void read_attempt(void *self, const struct hd_element *e, const struct hd_store_candidate *c)
{
    struct hd_gen *g = self;
    if (e->metric == HD_METRIC_map)
        *hd_map_ref(&g->tried, hd_gen_map_key(e), 0) += c->attempts;
}

/* Prefixes that still pass take the place of some that were just grown. */
static int take_prefixes(struct reading *r, struct hd_error *err)
{
    struct hd_gen *g = r->g;
    int e = 0;
    for (u32 i = 0; i < r->n_prefixes && !e; i++) {
        struct hd_wire_test t;
        struct hd_gen_outcome out;
        hd_gen_begin_test(g, &t, &r->prefix[i]);
        hd_gen_end_test(g, &t);
        e = hd_gen_run_batch(&g->run, &t, 1, NULL, false, &out, err);
        if (!e && out.verdict == HD_V_CLEAN)
            g->prefix[HD_MIN(g->n_prefixes, HD_GEN_PREFIXES - 1u)] = r->prefix[i];
        if (!e && out.verdict == HD_V_CLEAN && g->n_prefixes < HD_GEN_PREFIXES)
            g->n_prefixes++;
    }
    return e;
}

int hd_gen_memory_load(struct hd_gen *g, struct hd_error *err)
{
    const struct hd_cover_inherited *in = &g->cover->inherited;
    struct reading *r = g->cover->store ? calloc(1, sizeof *r) : NULL;
    struct hd_store_search s = key_of(g, in->from ? in->from : g->cover->build);
    u32 changed = 0;
    if (!r) {
        const char *why = hd_cover_error(g->cover);
        if (why)
            hd_gen_message(g, "what is tried is not remembered: %s", why);
        return 0;
    }
    r->g = g;
    if (in->from) {
        struct changes x;
        compare(g, &x);
        for (u32 i = 0; i < g->n_ops; i++)
            changed += r->is_new[g->op[i]] = is_changed(g, &x, g->op[i]);
        hd_comparison_release(&x.c);
        hd_fingerprints_release(&x.is);
        hd_fingerprints_release(&x.was);
    }
    hd_store_search_load(g->cover->store, &s, read_text, r);
    hd_cover_store_candidates(g->cover, read_attempt, g);
    if (g->earlier && in->from)
        hd_gen_message(g, "after %llu tests of an earlier build: %u of %u operations run through "
                          "changed code and come first",
                       (unsigned long long)g->earlier, changed, g->n_ops);
    else if (g->earlier)
        hd_gen_message(g, "going on after %llu tests of earlier calls",
                       (unsigned long long)g->earlier);
    int e = take_prefixes(r, err);
    free(r);
    return e;
}
