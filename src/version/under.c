/* under.c: see under.h. A forward analysis over the points of each function: what is held at a point is
 * what all points before it leave. What functions take and give up on the whole comes first, then what
 * is held when they are called; both go round until nothing changes, or ROUNDS times.
 */
#include "version/under.h"

#include <stdlib.h>

#define ROUNDS 8

struct set {
    bool is_known;   /* some way leads here */
    u32 n;
    struct hd_use_lock at[HD_USE_LOCKS];
};

struct effect {
    struct set takes; /* held when it returns, and not when it was called */
    struct set gives; /* released without having been taken */
};

struct solver {
    struct hd_under *h;
    struct hd_fingerprints *f;
    struct effect *effect; /* of each function */
    struct set *entry;     /* likewise: held when it is called */
    struct set *in;        /* of each point of the function that is looked at */
};

void hd_under_function(struct hd_under *h) { *hd_vec_add(&h->first) = (u32)h->point.n; }
void hd_under_add(struct hd_under *h, const struct hd_under_point *p) { *hd_vec_add(&h->point) = *p; }
void hd_under_taken(struct hd_under *h, u64 address) { *hd_vec_add(&h->taken) = address; }

void hd_under_release(struct hd_under *h)
{
    hd_vec_release(&h->point);
    hd_vec_release(&h->first);
    hd_vec_release(&h->taken);
}

/* ---- sets of locks ------------------------------------------------------------------- */

static u32 find(const struct set *s, u64 lock)
{
    u32 i = 0;
    while (i < s->n && s->at[i].lock != lock)
        i++;
    return i;
}

static void add(struct set *s, const struct hd_use_lock *l)
{
    u32 i = find(s, l->lock);
    if (i == HD_USE_LOCKS)
        return;
    s->at[i] = *l;
    s->n = HD_MAX(s->n, i + 1);
}

static bool drop(struct set *s, u64 lock)
{
    u32 i = find(s, lock);
    if (i == s->n)
        return false;
    s->at[i] = s->at[--s->n];
    return true;
}

/* Another way leads there. True: that changes something. */
static bool meet(struct set *s, const struct set *way)
{
    bool is_changed = false;
    if (!s->is_known) {
        *s = *way;
        s->is_known = true;
        return true;
    }
    for (u32 i = s->n; i-- > 0;) {
        u32 k = find(way, s->at[i].lock);
        if (k == way->n) {
            s->at[i] = s->at[--s->n];
            is_changed = true;
        } else if (way->at[k].is_shared && !s->at[i].is_shared) {
            s->at[i].is_shared = is_changed = true;
        }
    }
    return is_changed;
}

/* ---- one function ----------------------------------------------------------------------- */

static u32 function_at(const struct solver *x, u64 start)
{
    size_t from = 0, to = x->f->v.n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (x->f->v.at[middle].start < start)
            from = middle + 1;
        else
            to = middle;
    }
    return from < x->f->v.n && x->f->v.at[from].start == start ? (u32)from : UINT32_MAX;
}

static u32 end_of(const struct solver *x, u32 function)
{
    return function + 1 < x->h->first.n ? x->h->first.at[function + 1] : (u32)x->h->point.n;
}

/* The first point from an address of the function on; its end if there is none. */
static u32 point_at(const struct solver *x, u32 function, u64 address)
{
    u32 from = x->h->first.at[function], to = end_of(x, function), end = to;
    const struct hd_fingerprint *f = &x->f->v.at[function];
    if (address - f->start >= f->size)
        return end;
    while (from < to) {
        u32 middle = (from + to) / 2;
        if (x->h->point.at[middle].at < address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* What is held behind the point. `gives`: what it gave up that the function had not taken. */
static void pass(const struct solver *x, const struct hd_under_point *p, struct set *s, struct set *gives)
{
    u32 called = p->kind == HD_UNDER_CALL ? function_at(x, p->to) : UINT32_MAX;
    if (p->kind == HD_UNDER_LOCK) {
        add(s, &p->lock);
    } else if (p->kind == HD_UNDER_UNLOCK) {
        if (p->lock.lock && !drop(s, p->lock.lock) && gives)
            add(gives, &p->lock);
    } else if (called != UINT32_MAX) {
        const struct effect *e = &x->effect[called];
        for (u32 i = 0; i < e->gives.n; i++)
            if (!drop(s, e->gives.at[i].lock) && gives)
                add(gives, &e->gives.at[i]);
        for (u32 i = 0; i < e->takes.n; i++)
            add(s, &e->takes.at[i]);
    }
}

static bool goes_on(const struct hd_under_point *p)
{
    return p->kind != HD_UNDER_JUMP && p->kind != HD_UNDER_RETURN && p->kind != HD_UNDER_END;
}

static bool go_round(struct solver *x, u32 function)
{
    u32 first = x->h->first.at[function], end = end_of(x, function);
    bool is_changed = false;
    for (u32 i = first; i < end; i++) {
        const struct hd_under_point *p = &x->h->point.at[i];
        struct set s = x->in[i - first];
        if (!s.is_known)
            continue;
        pass(x, p, &s, NULL);
        if (goes_on(p) && i + 1 < end)
            is_changed |= meet(&x->in[i + 1 - first], &s);
        u32 to = p->kind == HD_UNDER_BRANCH || p->kind == HD_UNDER_JUMP ? point_at(x, function, p->to) : end;
        if (to < end)
            is_changed |= meet(&x->in[to - first], &s);
    }
    return is_changed;
}

/* What is held before each point of the function, if `entry` is held when it is called. */
static void flow(struct solver *x, u32 function, const struct set *entry)
{
    u32 first = x->h->first.at[function], n = end_of(x, function) - first;
    for (u32 i = 0; i < n; i++)
        x->in[i] = (struct set){0};
    if (n)
        meet(&x->in[0], entry);
    for (u32 i = 0; i < n; i++) {
        if (i && x->in[i].is_known)
            continue;
        if (i) { /* no way that can be told leads here */
            struct set s = x->in[i - 1];
            pass(x, &x->h->point.at[first + i - 1], &s, NULL);
            meet(&x->in[i], &s);
        }
        while (go_round(x, function)) /* sets only shrink */
            ;
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

static bool is_same(const struct set *a, const struct set *b)
{
    for (u32 i = 0; i < a->n; i++)
        if (find(b, a->at[i].lock) == b->n)
            return false;
    return a->n == b->n;
}

static bool sum_up(struct solver *x, u32 function)
{
    u32 first = x->h->first.at[function], end = end_of(x, function);
    struct effect e = {0}, was = x->effect[function];
    bool gives_any = false;
    flow(x, function, &(struct set){.is_known = true});
    for (u32 i = first; i < end; i++) {
        struct set s = x->in[i - first];
        const struct hd_under_point *p = &x->h->point.at[i];
        pass(x, p, &s, &e.gives);
        gives_any |= p->kind == HD_UNDER_UNLOCK && !p->lock.lock;
        if (p->kind == HD_UNDER_RETURN)
            meet(&e.takes, &s);
    }
    if (gives_any)
        e.takes.n = 0;
    x->effect[function] = e;
    return !is_same(&e.takes, &was.takes) || !is_same(&e.gives, &was.gives);
}

static bool hand_on(struct solver *x, u32 function)
{
    u32 first = x->h->first.at[function], end = end_of(x, function);
    bool is_changed = false;
    flow(x, function, &x->entry[function]);
    for (u32 i = first; i < end; i++) {
        const struct hd_under_point *p = &x->h->point.at[i];
        bool leaves = p->kind == HD_UNDER_CALL || p->kind == HD_UNDER_JUMP || p->kind == HD_UNDER_BRANCH;
        u32 to = leaves ? function_at(x, p->to) : UINT32_MAX;
        if (to != UINT32_MAX && to != function)
            is_changed |= meet(&x->entry[to], &x->in[i - first]);
    }
    return is_changed;
}

/* Nobody calls it by name, or a pointer may: then nothing is known to be held. */
static void begin_entries(struct solver *x)
{
    const struct set nothing = {.is_known = true};
    u8 *is_called = calloc(x->f->v.n + 1, 1);
    HD_ASSERT(is_called);
    for (size_t i = 0; i < x->h->point.n; i++) {
        const struct hd_under_point *p = &x->h->point.at[i];
        u32 to = p->to ? function_at(x, p->to) : UINT32_MAX;
        if (to != UINT32_MAX)
            is_called[to] = 1;
    }
    for (size_t i = 0; i < x->f->v.n; i++)
        if (!is_called[i])
            x->entry[i] = nothing;
    for (size_t i = 0; i < x->h->taken.n; i++) {
        u32 to = function_at(x, x->h->taken.at[i]);
        if (to != UINT32_MAX)
            x->entry[to] = nothing;
    }
    free(is_called);
}

static void tell(struct solver *x, u32 function)
{
    u32 first = x->h->first.at[function], end = end_of(x, function);
    flow(x, function, &x->entry[function]);
    for (u32 i = first; i < end; i++) {
        const struct hd_under_point *p = &x->h->point.at[i];
        const struct set *s = &x->in[i - first];
        if (p->kind != HD_UNDER_USE)
            continue;
        struct hd_use *use = &x->f->uses.at[p->use];
        for (u32 k = 0; k < s->n; k++) {
            use->lock[k] = s->at[k];
            use->has_own_lock |= use->type && s->at[k].type == use->type;
        }
    }
}

void hd_under_solve(struct hd_under *h, struct hd_fingerprints *f)
{
    struct solver x = {.h = h, .f = f};
    u32 n = (u32)h->first.n, most = 0;
    bool is_changed = true;
    for (u32 i = 0; i < n; i++)
        most = HD_MAX(most, end_of(&x, i) - h->first.at[i]);
    x.effect = calloc(n + 1, sizeof *x.effect);
    x.entry = calloc(n + 1, sizeof *x.entry);
    x.in = calloc(most + 1, sizeof *x.in);
    HD_ASSERT(x.effect && x.entry && x.in);
    for (u32 r = 0; r < ROUNDS && is_changed; r++) {
        is_changed = false;
        for (u32 i = 0; i < n; i++)
            is_changed |= sum_up(&x, i);
    }
    begin_entries(&x);
    is_changed = true;
    for (u32 r = 0; r < ROUNDS && is_changed; r++) {
        is_changed = false;
        for (u32 i = 0; i < n; i++)
            if (x.entry[i].is_known)
                is_changed |= hand_on(&x, i);
    }
    for (u32 i = 0; i < n; i++)
        tell(&x, i); /* a function that is called by itself alone holds nothing */
    free(x.effect);
    free(x.entry);
    free(x.in);
}
