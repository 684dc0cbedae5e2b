/* prefix.c: tests are put together here: constructors, a prefix that brings the objects into
 * some state, calls of threads, questions at the end. Prefixes grow by feedback: one that
 * passes and touches memory or gives results not seen before is kept. */
#include "gen/gen.h"

#include "gen/emit/emit.h"

/* Object parameters of an operation: mostly the first object; what only a call can give is
 * taken from there. */
static u8 choose_objects(struct hd_gen *g, const struct hd_gen_func *f, u32 thread)
{
    u32 bits = 0, k = 0;
    u32 types[HD_GEN_PARAMS + 1], n = 0;
    if (f->is_method && !f->is_static && f->role != HD_GEN_MAKES)
        types[n++] = f->object;
    for (u32 i = 0; i < f->n; i++)
        if (f->param[i].kind == HD_GEN_OBJECT)
            types[n++] = f->param[i].object;
    for (; k < n && k < 4; k++) {
        u32 which = g->api->type.at[types[k]].is_plain ? 2
                    : g->api->type.at[types[k]].make < 0
                        ? thread && hd_rng_chance(&g->rng, 1, 4) ? 3 : 2
                    : g->contract == HD_GEN_SEPARATE &&
                            hd_gen_is_threaded(&(struct hd_wire_call){.thread = (u8)thread})
                        ? (thread - 1) & 1
                    : g->contract == HD_GEN_SEPARATE      ? (u32)hd_rng_below(&g->rng, 2)
                    : n > 1 && k && types[k] == types[0]  ? (u32)hd_rng_below(&g->rng, 2)
                    : n > 1 && !k && types[1] == types[0] ? (u32)hd_rng_below(&g->rng, 2)
                                                          : 0;
        bits |= which << 2 * k;
    }
    return (u8)bits;
}

bool hd_gen_add_call(struct hd_gen *g, struct hd_wire_test *t, u32 op, u32 thread)
{
    const struct hd_gen_func *f = &g->api->func.at[op];
    if (t->n >= HD_WIRE_CALLS)
        return false;
    struct hd_wire_call *c = &t->call[t->n++];
    *c = (struct hd_wire_call){
        .op = (u8)op, .thread = (u8)thread, .obj = choose_objects(g, f, thread)};
    for (u32 k = 0; k < HD_WIRE_ARGS; k++) /* small numbers are more likely to meet */
        c->arg[k] = (u8)HD_MIN(hd_rng_below(&g->rng, 4), hd_rng_below(&g->rng, 5));
    return true;
}

static bool needs_two(const struct hd_gen *g, u32 type)
{
    if (g->contract == HD_GEN_SEPARATE)
        return true;
    for (u32 i = 0; i < g->n_ops; i++) {
        const struct hd_gen_func *f = &g->api->func.at[g->op[i]];
        u32 n = f->is_method && !f->is_static && f->object == type;
        for (u32 k = 0; k < f->n; k++)
            n += f->param[k].kind == HD_GEN_OBJECT && f->param[k].object == type;
        if (n > 1)
            return true;
    }
    return false;
}

/* Types whose constructor needs another object come after it. */
static void construct(struct hd_gen *g, struct hd_wire_test *t)
{
    const struct hd_api *a = g->api;
    bool done[HD_GEN_TYPES] = {false};
    for (u32 round = 0; round < HD_GEN_TYPES; round++)
        for (u32 i = 0; i < a->type.n; i++) {
            if (done[i] || a->type.at[i].make < 0)
                continue;
            const struct hd_gen_func *f = &a->func.at[a->type.at[i].make];
            bool is_ready = !f->is_dropped;
            for (u32 k = 0; k < f->n; k++)
                if (f->param[k].kind == HD_GEN_OBJECT && f->param[k].object != i)
                    is_ready &= done[f->param[k].object] || a->type.at[f->param[k].object].is_plain;
            if (!is_ready)
                continue;
            done[i] = true;
            for (u32 k = 0; k < 1u + needs_two(g, i) && t->n < HD_WIRE_CALLS; k++) {
                hd_gen_add_call(g, t, (u32)a->type.at[i].make, HD_WIRE_BEFORE);
                t->call[t->n - 1].obj = (u8)k;
            }
        }
}

void hd_gen_begin_test(struct hd_gen *g, struct hd_wire_test *t, const struct hd_gen_prefix *p)
{
    memset(t, 0, sizeof *t);
    construct(g, t);
    for (u32 i = 0; p && i < p->n && t->n < HD_WIRE_CALLS; i++)
        t->call[t->n++] = p->call[i];
}

void hd_gen_end_test(struct hd_gen *g, struct hd_wire_test *t)
{
    u32 threads = 0;
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_threaded(&t->call[i]))
            threads = HD_MAX(threads, (u32)t->call[i].thread);
    t->threads = (u8)threads;
    for (u32 k = 0; k < g->n_ops; k++) {
        const struct hd_gen_func *f = &g->api->func.at[g->op[k]];
        u32 values = HD_MIN(hd_gen_values(f), 1u);
        if (f->role != HD_GEN_OBSERVES || f->is_blocking || f->is_dropped)
            continue;
        for (u32 v = 0; v < (values ? 3u : 1u) && t->n < HD_WIRE_CALLS - 2; v++) {
            hd_gen_add_call(g, t, g->op[k], HD_WIRE_AFTER);
            memset(t->call[t->n - 1].arg, 0, HD_WIRE_ARGS);
            t->call[t->n - 1].arg[0] = (u8)v;
        }
    }
    /* What no observer tells, operations may: two of them. */
    for (u32 k = 0; k < 2 && g->n_ops; k++) {
        u32 op = g->op[hd_rng_below(&g->rng, g->n_ops)];
        const struct hd_gen_func *f = &g->api->func.at[op];
        if (f->role == HD_GEN_OPERATION && !f->is_blocking && f->after < 0)
            hd_gen_add_call(g, t, op, HD_WIRE_AFTER);
    }
}

/* ---- prefixes -------------------------------------------------------------------------------- */

static u64 hash_results(const struct hd_gen_outcome *o, const struct hd_wire_test *t, u64 *each,
                        u32 *n)
{
    u64 all = 0;
    *n = 0;
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_value *v = &o->r.call[i];
        u64 h = t->call[i].op * 0x9e3779b97f4a7c15ull + v->is_skipped;
        for (u32 k = 0; k < v->n; k++)
            h = (h ^ (v->kind[k] == 'p' ? v->v[k] != 0 : v->v[k])) * 0x100000001b3ull;
        each[(*n)++] = h;
        all ^= h * (i + 1);
    }
    return all;
}

int hd_gen_prefix_grow(struct hd_gen *g, struct hd_error *err)
{
    struct hd_wire_test t;
    struct hd_gen_outcome out;
    u64 each[HD_WIRE_CALLS];
    u32 n, at = (u32)hd_rng_below(&g->rng, g->n_prefixes);
    struct hd_gen_prefix next = g->prefix[at];
    if (next.n == HD_GEN_PREFIX || !g->n_ops)
        return 0;
    u32 op = g->op[hd_rng_below(&g->rng, g->n_ops)];
    const struct hd_gen_func *f = &g->api->func.at[op];
    if (f->is_blocking || f->is_dropped || (f->after >= 0))
        return 0;
    hd_gen_begin_test(g, &t, &next);
    if (!hd_gen_add_call(g, &t, op, HD_WIRE_BEFORE))
        return 0;
    next.call[next.n++] = t.call[t.n - 1];
    hd_gen_end_test(g, &t);
    const struct hd_wire_test *list[] = {&t};
    u32 changes = g->watch.changes;
    hd_gen_watch_batch(&g->watch, &g->run.w, list, 1, g->run.results->mark);
    int e = hd_gen_run_batch(&g->run, &t, 1, NULL, true, &out, err);
    if (e || out.verdict != HD_V_CLEAN)
        return e;
    hash_results(&out, &t, each, &n);
    bool is_new = g->watch.changes != changes;
    for (u32 i = 0; i < n; i++)
        is_new |= hd_map_put(&g->reported, each[i] ^ 0x5ea1ed, 1);
    if (!is_new)
        return 0;
    u32 to = g->n_prefixes < HD_GEN_PREFIXES ? g->n_prefixes++
                                             : 1 + (u32)hd_rng_below(&g->rng, HD_GEN_PREFIXES - 1);
    g->prefix[to] = next;
    return 0;
}
