/* race_brute.h: small random runs of three threads, two variables and two locks; and whether two accesses
 * can be brought together, by trying every way to cut and reorder the run that keeps each thread's order,
 * what reads see, and the order in which each lock is taken. */
#ifndef HD_TEST_RACE_BRUTE_H
#define HD_TEST_RACE_BRUTE_H

#include "base/rng.h"
#include "event/effect.h"

enum { X = 0x1000, Y = 0x2000, M = 0x3000, N = 0x4000, MOST = 16, THREADS = 3 };

struct brute {
    const struct hd_event *ev;
    u32 n;
    u32 list[THREADS][MOST], count[THREADS]; /* events by thread */
    u32 saw[MOST];                           /* of a read: index + 1 of the write, 0 = none */
    u32 until[THREADS];                      /* may do so many */
    u32 want[THREADS];                       /* have to do so many; ~0: any number */
    bool keeps_locks;                        /* they are taken in the order of the run */
};

struct brute_state {
    u32 at[THREADS];
    u32 wrote[2];     /* index + 1, of X and Y */
    u32 taken[2];     /* the last acquire, index + 1, of M and N */
    u32 holder[2];    /* thread + 1 */
};

static inline u32 brute_var(const struct hd_event *e) { return e->obj == Y; }
static inline u32 brute_lock(const struct hd_event *e) { return e->obj == N; }

static inline bool brute_can(const struct brute *b, const struct brute_state *s, u32 i)
{
    const struct hd_event *e = &b->ev[i];
    switch (e->kind) {
    case HD_EV_READ:
        return s->wrote[brute_var(e)] == b->saw[i];
    case HD_EV_LOCK:
        return !s->holder[brute_lock(e)] && (!b->keeps_locks || s->taken[brute_lock(e)] < i + 1);
    default:
        return true;
    }
}

static inline bool brute_search(const struct brute *b, struct brute_state s)
{
    bool is_there = true;
    for (u32 t = 0; t < THREADS; t++)
        is_there &= b->want[t] == ~0u || s.at[t] == b->want[t];
    if (is_there)
        return true;
    for (u32 t = 0; t < THREADS; t++) {
        if (s.at[t] >= b->until[t])
            continue;
        u32 i = b->list[t][s.at[t]];
        const struct hd_event *e = &b->ev[i];
        if (!brute_can(b, &s, i))
            continue;
        struct brute_state next = s;
        next.at[t]++;
        if (e->kind == HD_EV_WRITE)
            next.wrote[brute_var(e)] = i + 1;
        if (e->kind == HD_EV_LOCK) {
            next.holder[brute_lock(e)] = t + 1;
            next.taken[brute_lock(e)] = i + 1;
        }
        if (e->kind == HD_EV_UNLOCK)
            next.holder[brute_lock(e)] = 0;
        if (brute_search(b, next))
            return true;
    }
    return false;
}

static inline void brute_init(struct brute *b, const struct hd_event *ev, u32 n)
{
    u32 wrote[2] = {0};
    *b = (struct brute){.ev = ev, .n = n, .keeps_locks = true};
    for (u32 i = 0; i < n; i++) {
        b->list[ev[i].tid][b->count[ev[i].tid]++] = i;
        if (ev[i].kind == HD_EV_READ)
            b->saw[i] = wrote[brute_var(&ev[i])];
        if (ev[i].kind == HD_EV_WRITE)
            wrote[brute_var(&ev[i])] = i + 1;
    }
}

static inline u32 brute_nth(const struct brute *b, u32 i)
{
    u32 k = 0;
    while (b->list[b->ev[i].tid][k] != i)
        k++;
    return k;
}

static inline bool brute_is_race(struct brute *b, u32 x, u32 y)
{
    for (u32 t = 0; t < THREADS; t++) {
        b->until[t] = b->count[t];
        b->want[t] = ~0u;
    }
    b->until[b->ev[x].tid] = b->want[b->ev[x].tid] = brute_nth(b, x);
    b->until[b->ev[y].tid] = b->want[b->ev[y].tid] = brute_nth(b, y);
    return brute_search(b, (struct brute_state){0});
}

/* A run of three threads that is legal: locks are held by one, and given back by who holds them. */
static inline u32 brute_run(struct hd_rng *rng, struct hd_event *ev)
{
    u32 holder[2] = {0}, n = 0, tries = 0;
    while (n < MOST - 3 && tries++ < 60) {
        u16 t = (u16)hd_rng_below(rng, THREADS);
        u32 which = (u32)hd_rng_below(rng, 2);
        struct hd_event e = {.tid = t, .size = 4, .site = n + 1};
        switch (hd_rng_below(rng, 6)) {
        case 0: case 1:
            e.kind = HD_EV_READ;
            e.obj = which ? Y : X;
            break;
        case 2: case 3:
            e.kind = HD_EV_WRITE;
            e.obj = which ? Y : X;
            break;
        default:
            e.obj = which ? N : M;
            if (holder[which] && holder[which] != t + 1u)
                continue;
            e.kind = holder[which] ? HD_EV_UNLOCK : HD_EV_LOCK;
            holder[which] = holder[which] ? 0 : t + 1u;
            break;
        }
        ev[n++] = e;
    }
    return n;
}

static inline bool brute_is_pair(const struct hd_event *a, const struct hd_event *b)
{
    return a->tid != b->tid && a->obj == b->obj && hd_space_of(a->kind) == HD_SPACE_MEMORY &&
           (a->kind == HD_EV_WRITE || b->kind == HD_EV_WRITE);
}

#endif
