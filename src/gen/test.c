/* test.c: see test.h. The rules of linearizability by outcomes are in hd_gen_judge. */
#include "gen/test.h"

#include <stdarg.h>
#include <stdio.h>

#include "gen/emit/emit.h"

/* ---- orders ---------------------------------------------------------------------------------- */

#define THREADS 8

static u32 lengths(const struct hd_wire_test *t, u32 n[THREADS])
{
    u32 all = 0;
    memset(n, 0, THREADS * sizeof *n);
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_threaded(&t->call[i]) && t->call[i].thread < THREADS) {
            n[t->call[i].thread]++;
            all++;
        }
    return all;
}

/* Interleavings of what is left: a multinomial, cut off at `at_most`. */
static u64 ways(const u32 left[THREADS], u64 at_most)
{
    u64 w = 1, sum = 0;
    for (u32 k = 0; k < THREADS; k++)
        for (u32 i = 1; i <= left[k]; i++) {
            sum++;
            w = w * sum / i;
            if (w > at_most * 1000)
                return w;
        }
    return w;
}

u32 hd_gen_order_count(const struct hd_wire_test *t)
{
    u32 n[THREADS];
    lengths(t, n);
    return (u32)HD_MIN(ways(n, HD_GEN_ORDERS), (u64)HD_GEN_ORDERS + 1);
}

static u32 nth_call(const struct hd_wire_test *t, u32 thread, u32 k)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->call[i].thread == thread && !k--)
            return i;
    return 0;
}

bool hd_gen_order(const struct hd_wire_test *t, u32 k, struct hd_wire_test *out)
{
    u32 left[THREADS], done[THREADS] = {0};
    u32 n = lengths(t, left);
    u64 rank = k;
    if (rank >= ways(left, HD_GEN_ORDERS))
        return false;
    *out = *t;
    out->is_sequential = 1;
    out->n_order = (u8)n;
    for (u32 at = 0; at < n; at++)
        for (u32 thread = 1; thread < THREADS; thread++) {
            if (!left[thread])
                continue;
            left[thread]--;
            u64 w = ways(left, HD_GEN_ORDERS);
            if (rank < w) {
                out->order[at] = (u8)nth_call(t, thread, done[thread]++);
                break;
            }
            rank -= w;
            left[thread]++;
        }
    return true;
}

/* ---- results ------------------------------------------------------------------------------------
 */

bool hd_gen_is_failure(u32 v)
{
    return v == HD_V_EXIT || v == HD_V_SIGNAL || v == HD_V_ASSERT || v == HD_V_CHECK ||
           v == HD_V_HEAP || v == HD_V_MISUSE;
}

bool hd_gen_is_blocked(u32 v) { return v == HD_V_DEADLOCK || v == HD_V_HANG; }

struct handles {
    u64 at[HD_WIRE_CALLS * HD_WIRE_VALUES];
    u32 n;
};

static u64 handle(struct handles *h, u64 pointer)
{
    if (!pointer)
        return 0;
    for (u32 i = 0; i < h->n; i++)
        if (h->at[i] == pointer)
            return i + 1;
    h->at[h->n++] = pointer;
    return h->n;
}

static bool is_same_call(const struct hd_wire_value *x, const struct hd_wire_value *y,
                         struct handles *hx, struct handles *hy)
{
    bool is = x->n == y->n && x->is_skipped == y->is_skipped;
    u32 n = HD_MIN((u32)x->n, (u32)HD_WIRE_VALUES), m = HD_MIN((u32)y->n, (u32)HD_WIRE_VALUES);
    for (u32 k = 0; k < HD_MAX(n, m); k++) { /* all of them: handles are numbered on the way */
        u64 vx = k < n ? x->kind[k] == 'p' ? handle(hx, x->v[k]) : x->v[k] : 0;
        u64 vy = k < m ? y->kind[k] == 'p' ? handle(hy, y->v[k]) : y->v[k] : 0;
        bool is_gone = k < n && k < m && (x->kind[k] == 'g' || y->kind[k] == 'g');
        is = is && (is_gone || (x->kind[k] == y->kind[k] && vx == vy)); /* gone: cannot be told */
    }
    return is;
}

bool hd_gen_is_compared(const struct hd_api *a, const struct hd_wire_test *t,
                        const struct hd_gen_orders *all, u32 i)
{
    const struct hd_gen_func *f = &a->func.at[t->call[i].op];
    return !f->no_result &&
           !((all->is_blocking || all->has_waiting) && f->role == HD_GEN_OBSERVES &&
             hd_gen_is_threaded(&t->call[i]));
}

u32 hd_gen_distance(const struct hd_api *a, const struct hd_wire_test *t,
                    const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                    const struct hd_gen_outcome *y)
{
    struct handles hx = {.n = 0}, hy = {.n = 0};
    u32 differ = x->r.callbacks != y->r.callbacks;
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_compared(a, t, all, i))
            differ += !is_same_call(&x->r.call[i], &y->r.call[i], &hx, &hy);
    return differ;
}

u32 hd_gen_difference(const struct hd_api *a, const struct hd_wire_test *t,
                      const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                      const struct hd_gen_outcome *y)
{
    struct handles hx = {.n = 0}, hy = {.n = 0};
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_compared(a, t, all, i) &&
            !is_same_call(&x->r.call[i], &y->r.call[i], &hx, &hy))
            return i;
    return t->n;
}

bool hd_gen_is_same(const struct hd_api *a, const struct hd_wire_test *t,
                    const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                    const struct hd_gen_outcome *y)
{
    return !hd_gen_distance(a, t, all, x, y);
}

/* ---- is it explained?
 * ------------------------------------------------------------------------------ */

/* What had ended before another call began comes first in the order, too. */
static bool keeps_time(const struct hd_gen_outcome *order, const struct hd_gen_outcome *got)
{
    for (u32 i = 0; i < order->n_order; i++)
        for (u32 k = i + 1; k < order->n_order; k++) {
            const struct hd_wire_value *first = &got->r.call[order->order[i]],
                                       *later = &got->r.call[order->order[k]];
            if (later->end && first->begin && later->end < first->begin)
                return false;
        }
    return true;
}

static bool has_same_ends(const struct hd_wire_test *t, const struct hd_gen_outcome *x,
                            const struct hd_gen_outcome *y)
{
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_threaded(&t->call[i]) && !x->r.call[i].end != !y->r.call[i].end)
            return false;
    return true;
}

/* Some order blocks in call p after just the calls that ended in `at`. */
static bool blocks_in(const struct hd_wire_test *t, const struct hd_gen_orders *all,
                      const struct hd_gen_outcome *at, u32 p)
{
    for (u32 k = 0; k < all->n; k++) {
        const struct hd_gen_outcome *o = &all->at[k];
        if (hd_gen_is_blocked(o->verdict) && o->r.call[p].begin && !o->r.call[p].end &&
            has_same_ends(t, o, at))
            return true;
    }
    return false;
}

/* Is there a state, reached by whole calls, in which every thread that is not at its end waits?
 * Then a deadlock of this test says nothing. */
static bool may_block(const struct hd_wire_test *t, const struct hd_gen_orders *all)
{
    for (u32 k = 0; k < all->n; k++) {
        const struct hd_gen_outcome *o = &all->at[k];
        bool is_stuck = hd_gen_is_blocked(o->verdict);
        for (u32 thread = 1; thread <= t->threads && is_stuck; thread++)
            for (u32 i = 0; i < t->n; i++)
                if (t->call[i].thread == thread && !o->r.call[i].end) {
                    is_stuck = blocks_in(t, all, o, i);
                    break; /* its next call */
                }
        if (is_stuck)
            return true;
    }
    return false;
}

enum hd_gen_wrong hd_gen_judge(const struct hd_api *a, const struct hd_wire_test *t,
                               const struct hd_gen_orders *all, const struct hd_gen_outcome *got)
{
    if (hd_gen_is_failure(got->verdict))
        return all->is_failing ? HD_GEN_RIGHT : HD_GEN_WRONG_END;
    if (hd_gen_is_blocked(got->verdict))
        return may_block(t, all) ? HD_GEN_RIGHT : HD_GEN_WRONG_BLOCK;
    if (got->verdict != HD_V_CLEAN || !got->r.is_over || all->is_failing)
        return HD_GEN_RIGHT; /* nothing can be said */
    for (u32 k = 0; k < all->n; k++) {
        const struct hd_gen_outcome *o = &all->at[k];
        if (o->verdict == HD_V_LIMIT || o->verdict == HD_V_NONE)
            return HD_GEN_RIGHT; /* not known what it gives */
        if (o->verdict == HD_V_CLEAN && keeps_time(o, got) && hd_gen_is_same(a, t, all, o, got))
            return HD_GEN_RIGHT;
    }
    return all->n ? HD_GEN_WRONG_RESULT : HD_GEN_RIGHT;
}

const struct hd_gen_outcome *hd_gen_nearest(const struct hd_api *a, const struct hd_wire_test *t,
                                            const struct hd_gen_orders *all,
                                            const struct hd_gen_outcome *got)
{
    const struct hd_gen_outcome *best = NULL;
    u32 least = UINT32_MAX;
    for (u32 k = 0; k < all->n; k++) {
        const struct hd_gen_outcome *o = &all->at[k];
        u32 d = 2 * hd_gen_distance(a, t, all, o, got) + !keeps_time(o, got);
        if (o->verdict == HD_V_CLEAN && d < least) {
            least = d;
            best = o;
        }
    }
    return best;
}

/* ---- for people
 * ---------------------------------------------------------------------------------------- */

HD_PRINTF(4, 5) static size_t append(char *buf, size_t size, size_t at, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(buf + at, size - at, format, ap);
    va_end(ap);
    return HD_MIN(at + (size_t)HD_MAX(n, 0), size - 1);
}

static size_t put_value(const struct hd_wire_value *v, u32 k, char *buf, size_t size, size_t at)
{
    switch (v->kind[k]) {
    case 's':
        return append(buf, size, at, "\"%.*s\"", (int)strnlen(v->text, sizeof v->text), v->text);
    case 'e':
        return append(buf, size, at, "an exception");
    case 'm':
        return append(buf, size, at, "&item[%u]", (u32)v->v[k]);
    case 'g':
        return append(buf, size, at, "freed");
    case 'p':
        return append(buf, size, at, v->v[k] ? "a pointer" : "NULL");
    case 'f': {
        double d;
        memcpy(&d, &v->v[k], sizeof d);
        return append(buf, size, at, "%g", d);
    }
    default:
        return append(buf, size, at, "%lld", (long long)v->v[k]);
    }
}

void hd_gen_call_text(const struct hd_api *a, const struct hd_wire_test *t, u32 i,
                      const struct hd_gen_outcome *got, char *buf, size_t size)
{
    const struct hd_wire_call *c = &t->call[i];
    const struct hd_gen_func *f = &a->func.at[c->op];
    u32 values = 0;
    bool is_first = true;
    size_t at = append(buf, size, 0, "%s(", f->name);
    for (u32 k = 0; k < f->n; k++) {
        const struct hd_gen_param *p = &f->param[k];
        bool is_chosen = p->kind == HD_GEN_INT || p->kind == HD_GEN_FLOAT ||
                         p->kind == HD_GEN_STRING || p->kind == HD_GEN_POINTER ||
                         p->kind == HD_GEN_DATA;
        if (!is_chosen)
            continue;
        u8 choice = c->arg[values++ % HD_WIRE_ARGS];
        at = append(buf, size, at, "%s%s", is_first ? "" : ", ",
                    p->value.n ? p->value.at[choice % p->value.n] : "?");
        is_first = false;
    }
    at = append(buf, size, at, ")");
    if (!got)
        return;
    const struct hd_wire_value *v = &got->r.call[i];
    if (!v->end && !v->is_skipped) {
        append(buf, size, at, v->begin ? " does not return" : " is not reached");
        return;
    }
    if (v->is_skipped)
        append(buf, size, at, " has no object");
    for (u32 k = 0; k < HD_MIN((u32)v->n, (u32)HD_WIRE_VALUES); k++) {
        at = append(buf, size, at, k ? ", " : " = ");
        at = put_value(v, k, buf, size, at);
    }
}
