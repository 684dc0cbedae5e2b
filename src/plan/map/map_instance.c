/* map_instance.c: see map_instance.h. A sequence of accesses is infeasible if a later one happens
 * before an earlier one, or if something of another thread would come between two accesses of a
 * thread that holds a lock all the time which the other needs. */
#include "plan/map/map_instance.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "event/effect.h"

#define PAIRS 256 /* of variables, that patterns over two are drawn from */
#define DRAWS 8   /* ... per pair and pattern */

void hd_map_run_init(struct hd_map_run *r)
{
    memset(r, 0, sizeof *r);
    hd_order_init(&r->order, HD_ORDER_NO_LOCKS);
    r->var = calloc(HD_MAP_VARIABLES, sizeof *r->var);
    HD_ASSERT(r->var);
}

void hd_map_run_release(struct hd_map_run *r)
{
    hd_order_release(&r->order);
    hd_map_release(&r->by_addr);
    free(r->var);
}

void hd_map_run_begin(struct hd_map_run *r)
{
    hd_order_begin(&r->order);
    hd_map_clear(&r->by_addr);
    r->n_vars = r->seq = r->acquired = 0;
    memset(r->held, 0, sizeof r->held);
}

void hd_map_run_rest(struct hd_map_run *r)
{
    hd_vec_zero(r->var, r->n_vars * sizeof *r->var);
    r->n_vars = 0;
    hd_map_clear(&r->by_addr);
}

/* ---- events
 * --------------------------------------------------------------------------------------- */

static void hold(struct hd_map_run *r, const struct hd_event *ev)
{
    struct hd_map_held *h = &r->held[ev->tid];
    enum hd_evclass c = hd_event_class(ev->kind);
    bool has_failed = ev->arg && ev->kind != HD_EV_UNLOCK && ev->kind != HD_EV_RW_UNLOCK;
    if (c == HD_CLASS_ACQ && !has_failed && h->n < HD_MAP_LOCKS) {
        h->lock[h->n] = ev->obj;
        h->nth[h->n++] = ++r->acquired;
    } else if (c == HD_CLASS_REL) {
        for (u32 i = h->n; i-- > 0;)
            if (h->lock[i] == ev->obj) {
                h->n--;
                memmove(&h->lock[i], &h->lock[i + 1], (h->n - i) * sizeof *h->lock);
                memmove(&h->nth[i], &h->nth[i + 1], (h->n - i) * sizeof *h->nth);
                break;
            }
    }
}

static bool is_same(const struct hd_map_access *a, const struct hd_map_access *b)
{
    return a->site == b->site && a->tid == b->tid && a->does == b->does && a->time == b->time &&
           a->n_locks == b->n_locks && !memcmp(a->nth, b->nth, a->n_locks * sizeof *a->nth);
}

static void touch(struct hd_map_run *r, const struct hd_event *ev, u8 does)
{
    u64 granule = ev->obj & ~7ull;
    u64 *known = hd_map_get(&r->by_addr, granule);
    if (!known && r->n_vars == HD_MAP_VARIABLES)
        return;
    u32 at = known ? (u32)*known : r->n_vars++;
    struct hd_map_variable *v = &r->var[at];
    if (!known) {
        hd_map_put(&r->by_addr, granule, at);
        v->n = v->by[0] = v->by[1] = 0;
    }
    const struct hd_order_thread *t = hd_order_thread(&r->order, ev->tid);
    const struct hd_map_held *h = &r->held[ev->tid];
    struct hd_map_access a = {.site = ev->site,
                              .obj = ev->obj,
                              .tid = ev->tid,
                              .does = does,
                              .n_locks = (u8)h->n,
                              .seq = ++r->seq,
                              .time = t->time};
    for (u32 i = 0; i < HD_MAP_THREADS; i++)
        a.known[i] = hd_vclock_at(&t->known, i);
    memcpy(a.lock, h->lock, sizeof a.lock);
    memcpy(a.nth, h->nth, sizeof a.nth);
    for (u32 i = 0; i < v->n; i++)
        if (is_same(&v->at[i], &a))
            return;
    if (v->n == HD_MAP_ACCESSES)
        return;
    for (u32 k = 0; k < 2; k++)
        v->by[k] |= (does >> k & 1u) << ev->tid;
    v->at[v->n++] = a;
}

void hd_map_run_event(struct hd_map_run *r, const struct hd_event *ev)
{
    enum hd_evclass c = hd_event_class(ev->kind);
    hd_order_event(&r->order, ev);
    if (ev->tid >= HD_MAP_THREADS)
        return;
    hold(r, ev);
    if (ev->kind == HD_EV_FREE) { /* what comes next at this address is another variable */
        hd_map_del(&r->by_addr, ev->obj & ~7ull);
        return;
    }
    if (c == HD_CLASS_READ || c == HD_CLASS_WRITE || c == HD_CLASS_RMW)
        if (hd_space_of(ev->kind) == HD_SPACE_MEMORY)
            touch(r, ev, c == HD_CLASS_READ ? 1 : c == HD_CLASS_WRITE ? 2 : 3);
}

/* ---- feasible?
 * --------------------------------------------------------------------------------------- */

static bool happens_before(const struct hd_map_access *a, const struct hd_map_access *b)
{
    return a->tid == b->tid ? a->seq < b->seq : b->known[a->tid] >= a->time;
}

/* Does p's thread hold a lock from p to q, without giving it up, that r holds as well? */
static bool is_shut_out(const struct hd_map_access *p, const struct hd_map_access *q,
                        const struct hd_map_access *r)
{
    for (u32 i = 0; i < p->n_locks; i++)
        for (u32 k = 0; k < q->n_locks; k++)
            for (u32 m = 0; m < r->n_locks && p->nth[i] == q->nth[k]; m++)
                if (r->lock[m] == p->lock[i])
                    return true;
    return false;
}

bool hd_map_is_feasible(const struct hd_map_access *const *step, u32 n)
{
    for (u32 i = 0; i < n; i++)
        for (u32 k = i + 1; k < n; k++) {
            if (happens_before(step[k], step[i]))
                return false;
            for (u32 m = i + 1; m < k && step[i]->tid == step[k]->tid; m++)
                if (step[m]->tid != step[i]->tid && is_shut_out(step[i], step[k], step[m]))
                    return false;
        }
    return true;
}

/* ---- instances
 * ------------------------------------------------------------------------------------------ */

struct visitor {
    hd_map_found *fn;
    void *self;
};

/* Fits step i of the pattern, by kind and thread? */
static bool fits(const struct hd_map_pattern *p, const struct hd_map_access *const *step, u32 i,
                 const struct hd_map_access *a)
{
    if (!(a->does & (p->step[i].is_write ? 2 : 1)))
        return false;
    for (u32 k = 0; k < i; k++)
        if ((step[k]->tid == a->tid) != (p->step[k].role == p->step[i].role))
            return false;
    for (u32 k = 0; k < i; k++) /* a thread's own accesses have their order */
        if (step[k]->tid == a->tid && step[k]->seq >= a->seq)
            return false;
    return true;
}

static void emit(const struct visitor *l, u32 pattern, const struct hd_map_access *const *step,
                 u32 n)
{
    u64 site[HD_GOAL_EVENTS] = {0};
    for (u32 i = 0; i < n; i++)
        site[i] = step[i]->site;
    l->fn(l->self, pattern, site, hd_map_is_feasible(step, n));
}

static void all_of(const struct visitor *l, const struct hd_map_variable *v, u32 pattern,
                   const struct hd_map_access **step, u32 i)
{
    const struct hd_map_pattern *p = &hd_map_pattern[pattern];
    if (i == p->n) {
        emit(l, pattern, step, i);
        return;
    }
    for (u32 k = 0; k < v->n; k++)
        if (fits(p, step, i, &v->at[k])) {
            step[i] = &v->at[k];
            all_of(l, v, pattern, step, i + 1);
        }
}

/* Are there two threads for the pattern's roles? Most pairs of variables have none. */
static bool has_threads(const struct hd_map_variable *const var[2], u32 pattern)
{
    const struct hd_map_pattern *p = &hd_map_pattern[pattern];
    u32 role[2] = {~0u, ~0u};
    for (u32 i = 0; i < p->n; i++)
        role[p->step[i].role] &= var[p->step[i].var]->by[p->step[i].is_write];
    u32 both = role[0] | role[1];
    return role[0] && role[1] && (both & (both - 1));
}

static void some_of(const struct visitor *l, struct hd_rng *rng, const struct hd_map_variable *x,
                    const struct hd_map_variable *y, u32 pattern)
{
    const struct hd_map_pattern *p = &hd_map_pattern[pattern];
    for (u32 draw = 0; draw < DRAWS; draw++) {
        const struct hd_map_access *step[HD_GOAL_EVENTS];
        u32 i = 0;
        for (; i < p->n; i++) {
            const struct hd_map_variable *v = p->step[i].var ? y : x;
            u32 n = 0;
            step[i] = NULL;
            for (u32 k = 0; k < v->n; k++)
                if (fits(p, step, i, &v->at[k]) && !hd_rng_below(rng, ++n))
                    step[i] = &v->at[k];
            if (!step[i])
                break;
        }
        if (i == p->n)
            emit(l, pattern, step, i);
    }
}

static bool is_shared(const struct hd_map_variable *v)
{
    u32 threads = v->by[0] | v->by[1];
    return v->by[1] && (threads & (threads - 1));
}

void hd_map_run_each(struct hd_map_run *r, struct hd_rng *rng, hd_map_found *fn, void *self)
{
    struct visitor l = {fn, self};
    u32 shared[HD_MAP_VARIABLES], n = 0;
    for (u32 i = 0; i < r->n_vars; i++)
        if (is_shared(&r->var[i]))
            shared[n++] = i;
    for (u32 i = 0; i < n; i++)
        for (u32 pattern = 1; pattern <= 8; pattern++) {
            const struct hd_map_access *step[HD_GOAL_EVENTS];
            const struct hd_map_variable *const var[2] = {&r->var[shared[i]], &r->var[shared[i]]};
            if (has_threads(var, pattern))
                all_of(&l, var[0], pattern, step, 0);
        }
    u32 pairs = n < 2 ? 0 : (u32)HD_MIN((u64)n * (n - 1), (u64)PAIRS);
    for (u32 k = 0; k < pairs; k++) {
        u32 x = (u32)hd_rng_below(rng, n), y = (u32)hd_rng_below(rng, n - 1);
        const struct hd_map_variable *const var[2] = {&r->var[shared[x]],
                                                      &r->var[shared[y + (y >= x)]]};
        for (u32 pattern = 9; pattern <= HD_MAP_PATTERNS; pattern++)
            if (has_threads(var, pattern))
                some_of(&l, rng, var[0], var[1], pattern);
    }
}
