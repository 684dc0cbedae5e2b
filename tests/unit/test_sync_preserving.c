/* test_sync_preserving.c: races that a run certainly could have shown, against brute force: every way to
 * cut and reorder a small random run that keeps each thread's order, what reads see, and the order in
 * which each lock is taken. */
#include "detect/sync_preserving.h"

#include "base/rng.h"
#include "event/effect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, M = 0x3000, N = 0x4000, MOST = 16, THREADS = 3 };

#define EV(t, k, o, s) {.tid = t, .kind = HD_EV_##k, .obj = o, .site = s, .size = 4}
#define R(t, o, s) EV(t, READ, o, s)
#define W(t, o, s) EV(t, WRITE, o, s)
#define L(t) EV(t, LOCK, M, 30)
#define U(t) EV(t, UNLOCK, M, 31)
#define LIST(...) (struct hd_event[]){__VA_ARGS__}, sizeof((struct hd_event[]){__VA_ARGS__}) / sizeof(struct hd_event)

static bool has_race(struct hd_event *ev, size_t n)
{
    struct hd_sp s;
    hd_sp_init(&s, ev, (u32)n);
    bool is = hd_sp_has_race(&s, (u64[]){1, 2}, 1000000);
    hd_sp_release(&s);
    return is;
}

static void known_cases(void **state)
{
    assert_true(has_race(LIST(W(0, X, 1), R(1, X, 2))));
    /* the sections may be left out, or need not have been */
    assert_true(has_race(LIST(W(0, X, 1), L(0), U(0), L(1), U(1), R(1, X, 2))));
    assert_true(has_race(LIST(L(0), W(0, X, 1), U(0), L(1), U(1), R(1, X, 2))) == false);
    assert_true(has_race(LIST(L(0), U(0), W(0, X, 1), L(1), W(1, X, 2), U(1))));
    /* the lock protects both */
    assert_false(has_race(LIST(L(0), W(0, X, 1), U(0), L(1), R(1, X, 2), U(1))));
    /* what was read in between depends on what was written after the first */
    assert_false(has_race(LIST(W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2))));
    assert_false(has_race(LIST(W(0, X, 1), L(0), W(0, Y, 3), U(0), L(1), R(1, Y, 4), U(1), R(1, X, 2))));
    /* threads */
    assert_false(has_race(LIST(W(0, X, 1), EV(0, CREATE, 1, 9), R(1, X, 2))));
    assert_false(has_race(LIST(EV(0, CREATE, 1, 9), W(1, X, 1), EV(1, EXIT, 0, 9), EV(0, JOIN, 1, 9), R(0, X, 2))));
    assert_true(has_race(LIST(EV(0, CREATE, 1, 9), W(1, X, 1), R(0, X, 2), EV(1, EXIT, 0, 9))));
    /* the order of a semaphore stays */
    assert_false(has_race(LIST(W(0, X, 1), EV(0, SEM_POST, N, 9), EV(1, SEM_WAIT, N, 9), R(1, X, 2))));
    /* both atomic: no race */
    assert_false(has_race(LIST(EV(0, ASTORE, X, 1), EV(1, ALOAD, X, 2))));
    /* other bytes */
    assert_false(has_race(LIST(W(0, X, 1), R(1, X + 4, 2))));
}

/* ---- brute force --------------------------------------------------------------------------- */

struct brute {
    const struct hd_event *ev;
    u32 n;
    u32 list[THREADS][MOST], count[THREADS]; /* events by thread */
    u32 saw[MOST];                           /* of a read: index + 1 of the write, 0 = none */
    u32 until[THREADS];                      /* may do so many */
    u32 want[THREADS];                       /* have to do so many; ~0: any number */
    bool keeps_locks;                        /* they are taken in the order of the run */
};

struct state {
    u32 at[THREADS];
    u32 wrote[2];     /* index + 1, of X and Y */
    u32 taken[2];     /* the last acquire, index + 1, of M and N */
    u32 holder[2];    /* thread + 1 */
};

static u32 var_of(const struct hd_event *e) { return e->obj == Y; }
static u32 lock_of(const struct hd_event *e) { return e->obj == N; }

static bool can_do(const struct brute *b, const struct state *s, u32 i)
{
    const struct hd_event *e = &b->ev[i];
    switch (e->kind) {
    case HD_EV_READ:
        return s->wrote[var_of(e)] == b->saw[i];
    case HD_EV_LOCK:
        return !s->holder[lock_of(e)] && (!b->keeps_locks || s->taken[lock_of(e)] < i + 1);
    default:
        return true;
    }
}

static bool search(const struct brute *b, struct state s)
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
        if (!can_do(b, &s, i))
            continue;
        struct state next = s;
        next.at[t]++;
        if (e->kind == HD_EV_WRITE)
            next.wrote[var_of(e)] = i + 1;
        if (e->kind == HD_EV_LOCK) {
            next.holder[lock_of(e)] = t + 1;
            next.taken[lock_of(e)] = i + 1;
        }
        if (e->kind == HD_EV_UNLOCK)
            next.holder[lock_of(e)] = 0;
        if (search(b, next))
            return true;
    }
    return false;
}

static void brute_init(struct brute *b, const struct hd_event *ev, u32 n)
{
    u32 wrote[2] = {0};
    *b = (struct brute){.ev = ev, .n = n, .keeps_locks = true};
    for (u32 i = 0; i < n; i++) {
        b->list[ev[i].tid][b->count[ev[i].tid]++] = i;
        if (ev[i].kind == HD_EV_READ)
            b->saw[i] = wrote[var_of(&ev[i])];
        if (ev[i].kind == HD_EV_WRITE)
            wrote[var_of(&ev[i])] = i + 1;
    }
}

static u32 nth_of(const struct brute *b, u32 i)
{
    u32 k = 0;
    while (b->list[b->ev[i].tid][k] != i)
        k++;
    return k;
}

static bool is_race(struct brute *b, u32 x, u32 y)
{
    for (u32 t = 0; t < THREADS; t++) {
        b->until[t] = b->count[t];
        b->want[t] = ~0u;
    }
    b->until[b->ev[x].tid] = b->want[b->ev[x].tid] = nth_of(b, x);
    b->until[b->ev[y].tid] = b->want[b->ev[y].tid] = nth_of(b, y);
    return search(b, (struct state){0});
}

/* A run of three threads that is legal: locks are held by one, and given back by who holds them. */
static u32 make_run(struct hd_rng *rng, struct hd_event *ev)
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

static void as_brute_force(void **state)
{
    struct hd_rng rng = hd_rng_make(7, 1, 1);
    u32 races = 0, others = 0;
    for (u32 run = 0; run < 400; run++) {
        struct hd_event ev[MOST];
        struct brute b;
        struct hd_sp s;
        u32 n = make_run(&rng, ev);
        brute_init(&b, ev, n);
        hd_sp_init(&s, ev, n);
        for (u32 i = 0; i < n; i++)
            for (u32 k = i + 1; k < n; k++) {
                bool is_pair = ev[i].tid != ev[k].tid && ev[i].obj == ev[k].obj &&
                               hd_space_of(ev[i].kind) == HD_SPACE_MEMORY &&
                               (ev[i].kind == HD_EV_WRITE || ev[k].kind == HD_EV_WRITE);
                if (!is_pair)
                    continue;
                bool is = hd_sp_is_race(&s, i, k);
                if (is != is_race(&b, i, k))
                    fail_msg("run %u, events %u and %u: predicted %d", run, i, k, is);
                ++*(is ? &races : &others);
            }
        hd_sp_release(&s);
    }
    assert_true(races > 200 && others > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_cases), cmocka_unit_test(as_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
