/* test_races.c: races on scripted lists of events: what the observer tells the detector, when
 * two accesses meet, what the table keeps. */
#include "race_script.h"

#include "detect/accesses.h"
#include "detect/known.h"
#include "detect/meet.h"
#include "detect/passage.h"
#include "detect/triples.h"

static void tells_pending(void **state)
{
    /* T1 did nothing since before T0's write: it stood at its read */
    observe(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
    assert_true(races.pair.at[0].is.is_pending);
    assert_int_equal(races.pair.at[0].is.does[0], HD_GOAL_WRITE);
    assert_int_equal(races.pair.at[0].is.does[1], HD_GOAL_READ);
    /* any event in between, of whatever kind */
    observe(LIST(W(0, X, 1), EV(1, YIELD, 0, 9), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
    assert_false(races.pair.at[0].is.is_pending);
    /* an access that is no step is not stood at */
    observe(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), EV(1, READ, X, 2, NOTED)));
    assert_int_equal(races.pair.n, 1);
    assert_false(races.pair.at[0].is.is_pending);
}

static void tells_weak(void **state)
{
    observe(LIST(W(0, X, 1), EV(0, ASTORE, Y, 3, .arg = HD_MO_RELAXED),
                 EV(1, ALOAD, Y, 4, .arg = HD_MO_ACQUIRE), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
    const struct hd_race_pair *p = &races.pair.at[0];
    assert_true(hd_race_is_weak(p));
    assert_int_equal(p->is.edge.store, 3);
    assert_int_equal(p->is.edge.load, 4);
    assert_int_equal(p->is.edge.store_order, HD_MO_RELAXED);
    assert_int_equal(p->is.edge.load_order, HD_MO_ACQUIRE);
    /* nothing was read: no order at all, not a matter of memory orders */
    observe(LIST(W(0, X, 1), EV(1, ALOAD, Y, 4, .arg = HD_MO_ACQUIRE), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
    assert_false(hd_race_is_weak(&races.pair.at[0]));
    /* seen once without: the atomic is not what keeps them in order */
    observe(LIST(W(0, X, 1), EV(0, ASTORE, Y, 3, .arg = HD_MO_RELAXED),
                 EV(1, ALOAD, Y, 4, .arg = HD_MO_ACQUIRE), R(1, X, 2), W(0, X, 1), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
    assert_false(hd_race_is_weak(&races.pair.at[0]));
}

/* Data behind a flag that races itself. */
static void tells_carried(void **state)
{
    observe(LIST(W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2)));
    assert_int_equal(races.pair.n, 2);
    const struct hd_race_pair *p = &races.pair.at[races.pair.at[0].is.site[0] != 1];
    assert_true(hd_race_is_carried(p));
    assert_false(hd_race_is_weak(p));
    assert_int_equal(p->is.edge.store, 3);
    assert_int_equal(p->is.edge.load, 4);
    assert_int_equal(p->is.edge.store_order, HD_MO_PLAIN);
    assert_int_equal(p->is.edge.load_order, HD_MO_PLAIN);
    /* the flag is written before: it tells nothing of the data */
    observe(LIST(W(0, Y, 3), W(0, X, 1), R(1, Y, 4), R(1, X, 2)));
    assert_int_equal(races.pair.n, 2);
    for (u32 i = 0; i < 2; i++)
        assert_false(hd_race_is_carried(&races.pair.at[i]));
    /* seen once the other way round */
    observe(LIST(W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2), W(0, X, 1)));
    for (u32 i = 0; i < races.pair.n; i++)
        assert_false(hd_race_is_carried(&races.pair.at[i]));
}

/* Pairs that the run showed, and that it ordered though another one need not. */
static void expect_pairs(u32 shown, u32 by_lock, u32 by_atomic)
{
    u32 n[3] = {0};
    for (size_t i = 0; i < races.pair.n; i++) {
        const struct hd_race_pair *p = &races.pair.at[i];
        n[!hd_race_is_hidden(p) ? 0 : p->hidden[0] ? 1 : 2]++;
    }
    assert_int_equal(n[0], shown);
    assert_int_equal(n[1], by_lock);
    assert_int_equal(n[2], by_atomic);
}

/* What may have gone through a pipe is ordered. */
static void outside(void **state)
{
    observe(LIST(W(0, X, 1), EV(0, IO, 5, 8), EV(1, IO, 4, 9), R(1, X, 2)));
    expect_pairs(0, 0, 1);
    observe(LIST(EV(0, IO, 5, 8), W(0, X, 1), EV(1, IO, 4, 9), R(1, X, 2)));
    assert_int_equal(races.pair.n, 1);
}

/* What a run ordered, though another one need not. */
static void tells_hidden(void **state)
{
    /* who took the lock first */
    observe(LIST(W(0, X, 1), EV(0, LOCK, M, 3), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 EV(1, UNLOCK, M, 6), R(1, X, 2)));
    expect_pairs(0, 1, 0);
    /* one of them holds it */
    observe(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 EV(1, UNLOCK, M, 6), R(1, X, 2)));
    expect_pairs(0, 1, 0);
    /* both do */
    observe(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 R(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 0, 0);
    /* both as readers of the lock: the write is not protected */
    observe(LIST(EV(0, RDLOCK, M, 3), W(0, X, 1), EV(0, RW_UNLOCK, M, 4), EV(0, WRLOCK, M, 3),
                 EV(0, RW_UNLOCK, M, 4), EV(1, RDLOCK, M, 5), R(1, X, 2), EV(1, RW_UNLOCK, M, 6)));
    expect_pairs(0, 1, 0);
    /* an atomic carried it over */
    observe(LIST(W(0, X, 1), EV(0, ASTORE, Y, 3), EV(1, ALOAD, Y, 4), R(1, X, 2)));
    expect_pairs(0, 0, 1);
    /* no luck: the thread was created after it */
    observe(LIST(W(0, X, 1), EV(0, CREATE, 1, 3), R(1, X, 2)));
    expect_pairs(0, 0, 0);
    /* seen in both ways: it is no hidden one */
    observe(LIST(W(0, X, 1), EV(0, LOCK, M, 3), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 EV(1, UNLOCK, M, 6), R(1, X, 2), W(0, X, 1)));
    expect_pairs(1, 0, 0);
    assert_int_equal(races.pair.at[0].hidden[0], 1);
}

/* What a thread did before its last access, from elsewhere or under other locks. */
static void tells_older(void **state)
{
    /* without the lock, then with it */
    observe(LIST(W(0, X, 1), EV(0, LOCK, M, 3), W(0, X, 7), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 R(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 1, 0);
    assert_int_equal(races.pair.at[0].is.site[0], 1);
    assert_int_equal(races.pair.at[0].is.site[1], 2);
    /* of several the one under the fewest locks */
    observe(LIST(W(0, X, 1), EV(0, LOCK, M, 3), W(0, X, 7), W(0, X, 8), EV(0, UNLOCK, M, 4),
                 EV(1, LOCK, M, 5), W(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 1, 0);
    assert_int_equal(races.pair.at[0].is.site[0], 1);
    /* the thread was created after it */
    observe(LIST(W(0, X, 1), EV(0, CREATE, 1, 9), EV(0, LOCK, M, 3), W(0, X, 7), EV(0, UNLOCK, M, 4),
                 EV(1, LOCK, M, 5), R(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 0, 0);
    /* reads do not race, atomics do not race with atomics */
    observe(LIST(R(0, X, 1), EV(0, LOCK, M, 3), R(0, X, 7), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                 R(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 0, 0);
    observe(LIST(EV(0, ASTORE, X, 1), EV(0, ASTORE, X, 7), EV(1, ALOAD, X, 2)));
    expect_pairs(0, 0, 0);
    /* another life of the memory */
    observe(LIST(W(0, X, 1), EV(0, FREE, X, 9, .arg = 8), EV(0, LOCK, M, 3), W(0, X, 7), EV(0, UNLOCK, M, 4),
                 EV(1, LOCK, M, 5), R(1, X, 2), EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 0, 0);
}

/* The life of an object ends while others use it. */
static void tells_ends(void **state)
{
    observe(LIST(EV(0, SEM_POST, M, 1), EV(1, SEM_DESTROY, M, 2)));
    expect_pairs(1, 0, 0);
    /* it was waited for */
    observe(LIST(EV(0, SEM_POST, M, 1), EV(1, SEM_WAIT, M, 3), EV(1, SEM_DESTROY, M, 2)));
    expect_pairs(0, 0, 0);
    /* a waiter that was woken need not be back */
    observe(LIST(EV(1, COND_WAIT, M, 3), EV(0, COND_BROADCAST, M, 1, .arg = 1),
                 EV(0, COND_DESTROY, M, 2), EV(1, COND_WAKE, M, 3)));
    expect_pairs(1, 0, 0); /* the beginning of the wait: nothing known orders it */
    /* a descriptor, and another one of the same number */
    observe(LIST(BYTES(0, IO, 5, 1, 0), BYTES(1, IO, 5, 2, 1)));
    expect_pairs(1, 0, 0);
    observe(LIST(BYTES(0, IO, 5, 1, 0), BYTES(0, IO, 5, 2, 1), BYTES(1, IO, 5, 3, 0),
                 BYTES(1, IO, 5, 4, 1)));
    expect_pairs(0, 0, 0);
}

/* The owner of a robust mutex ends; the next one is told so. Nobody takes another mutex after that. */
static void owner_ends(void **state)
{
    observe(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, EXIT, 0, 0), EV(1, LOCK, M, 4, .arg = EOWNERDEAD),
                 W(1, X, 2), EV(1, UNLOCK, M, 5)));
    expect_pairs(0, 0, 0);
    observe(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, EXIT, 0, 0), EV(1, LOCK, Y, 4), W(1, X, 2)));
    expect_pairs(1, 0, 0);
}

static void heeds_benign(void **state)
{
    /* also behind events that were left out */
    observe(LIST(EV(0, BENIGN, X, 9, .arg = 8), EV(0, GAP, 5, 0), W(0, X, 1), R(1, X, 2), W(0, Y, 3), R(1, Y, 4)));
    expect_pairs(1, 0, 0);
    observe(LIST(EV(0, BENIGN, X, 9, .arg = 8), W(0, X, 1), R(1, X, 2), W(0, Y, 3), R(1, Y, 4)));
    expect_pairs(1, 0, 0);
    assert_int_equal(races.pair.at[0].is.addr, Y);
}

#define WIDE(t, k, o, s, n) {.tid = t, .kind = HD_EV_##k, .obj = o, .site = s, .size = 255, .arg = (n) << HD_ARG_BITS}

/* memcpy and read touch more bytes than an event's size can tell. */
static void long_ranges(void **state)
{
    u64 far = X + 3000;
    observe(LIST(WIDE(0, READ, X, 1, 4096), W(1, far, 2))); /* it comes first */
    expect_pairs(1, 0, 0);
    observe(LIST(W(1, far, 2), WIDE(0, READ, X, 1, 4096))); /* and second */
    expect_pairs(1, 0, 0);
    observe(LIST(WIDE(0, WRITE, X, 1, 4096), WIDE(1, WRITE, X + 2000, 2, 4096))); /* both */
    expect_pairs(1, 0, 0);
    observe(LIST(WIDE(0, READ, X, 1, 4096), R(1, far, 2), W(1, X + 4096, 3), W(0, far, 4)));
    expect_pairs(1, 0, 0); /* two reads, and what is behind the range, are none */
    observe(LIST(EV(0, LOCK, M, 3), WIDE(0, READ, X, 1, 4096), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5), W(1, far, 2),
                 EV(1, UNLOCK, M, 6)));
    expect_pairs(0, 0, 0);
    observe(LIST(WIDE(0, READ, X, 1, 4096), {.kind = HD_EV_FREE, .obj = X, .site = 3, .arg = 4096}, W(1, far, 2)));
    expect_pairs(0, 0, 0);
    struct hd_event two[] = {W(1, far, 2), WIDE(0, READ, X, 1, 4096)};
    assert_int_equal(hd_event_bytes(&two[0]), 8);
    assert_int_equal(hd_event_bytes(&two[1]), 4096);
    assert_true(hd_accesses_conflict(&two[0], &two[1]));
}

static bool passage(struct hd_event *ev, size_t n, struct hd_passage *p)
{
    number(ev, n);
    return hd_passage_find(ev, (u32)n, (u64[]){1, 2}, p);
}

static void passes(void **state)
{
    struct hd_passage p;
    assert_true(passage(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, UNLOCK, M, 4), EV(1, LOCK, M, 5),
                             EV(1, UNLOCK, M, 6), R(1, X, 2)), &p));
    assert_int_equal(p.inside, 0);
    assert_int_equal(p.take, 3);
    assert_int_equal(p.give, 6);
    /* the other way round */
    assert_true(passage(LIST(EV(1, LOCK, M, 5), EV(1, UNLOCK, M, 6), W(1, X, 1), EV(0, LOCK, M, 3),
                             R(0, X, 2), EV(0, UNLOCK, M, 4)), &p));
    assert_int_equal(p.inside, 1);
    /* another lock; none */
    assert_false(passage(LIST(EV(0, LOCK, M, 3), W(0, X, 1), EV(0, UNLOCK, M, 4), EV(1, LOCK, Y, 5),
                              EV(1, UNLOCK, Y, 6), R(1, X, 2)), &p));
    assert_false(passage(LIST(W(0, X, 1), R(1, X, 2)), &p));
}

/* Triples that the run showed, and that it could have shown. */
static void expect_triples(u32 shown, u32 possible)
{
    u32 n[2] = {0};
    for (size_t i = 0; i < races.triples.all.n; i++)
        n[!races.triples.all.at[i].exposed]++;
    assert_int_equal(n[0], shown);
    assert_int_equal(n[1], possible);
}

#define LOCKED(t, event) EV(t, LOCK, M, 7), event, EV(t, UNLOCK, M, 8)

static void tells_triples(void **state)
{
    /* read-write-write over two sections */
    observe(LIST(LOCKED(0, R(0, X, 1)), LOCKED(1, W(1, X, 2)), LOCKED(0, W(0, X, 3))));
    expect_triples(1, 0);
    /* the other thread came before, after */
    observe(LIST(LOCKED(1, W(1, X, 2)), LOCKED(0, R(0, X, 1)), LOCKED(0, W(0, X, 3))));
    expect_triples(0, 1);
    observe(LIST(LOCKED(0, R(0, X, 1)), LOCKED(0, W(0, X, 3)), LOCKED(1, W(1, X, 2))));
    expect_triples(0, 1);
    /* one section */
    observe(LIST(LOCKED(1, W(1, X, 2)), EV(0, LOCK, M, 7), R(0, X, 1), W(0, X, 3),
                 EV(0, UNLOCK, M, 8), LOCKED(1, W(1, X, 2))));
    expect_triples(0, 0);
    /* an update that would notice; a loop that polls; read-write-read outside a block */
    observe(LIST(EV(0, ALOAD, X, 1), EV(1, ASTORE, X, 2), EV(0, ARMW, X, 3)));
    expect_triples(0, 0);
    observe(LIST(R(0, X, 1), W(1, X, 2), R(0, X, 3)));
    expect_triples(0, 0);
    /* inside a block */
    observe(LIST(EV(0, ATOMIC_BEGIN, 0, 9, NOTED), R(0, X, 1), W(1, X, 2), R(0, X, 3)));
    expect_triples(1, 0);
    observe(LIST(EV(0, ATOMIC_BEGIN, 0, 9, NOTED), R(0, X, 1), EV(0, ATOMIC_END, 0, 9, NOTED),
                 W(1, X, 2), R(0, X, 3)));
    expect_triples(0, 0);
    /* the thread was created after it */
    observe(LIST(R(0, X, 1), W(0, X, 3), EV(0, CREATE, 1, 4), W(1, X, 2)));
    expect_triples(0, 0);
}

static bool triple(struct hd_event *ev, size_t n, bool in_block, u32 found[3])
{
    number(ev, n);
    return hd_triple_find(ev, (u32)n, (u64[]){1, 2, 3}, in_block, found);
}

static void finds_triples(void **state)
{
    u32 at[3];
    assert_true(triple(LIST(R(0, X, 1), W(1, X, 2), W(0, X, 3)), false, at));
    assert_int_equal(at[1], 1);
    assert_int_equal(at[2], 2);
    assert_false(triple(LIST(R(0, X, 1), W(1, Y, 2), W(0, X, 3)), false, at)); /* other bytes */
    assert_false(triple(LIST(R(0, X, 1), W(1, X, 2), R(0, X, 5), W(0, X, 3)), false, at)); /* once more */
    assert_false(triple(LIST(R(0, X, 1), W(0, X, 2), W(0, X, 3)), false, at)); /* the same thread */
    assert_false(triple(LIST(R(0, X, 1), W(1, X, 2), W(0, X, 3)), true, at));
    assert_true(triple(LIST(EV(0, ATOMIC_BEGIN, 0, 9, NOTED), R(0, X, 1), W(1, X, 2), W(0, X, 3)),
                       true, at));
}

/* ---- meetings ---------------------------------------------------------------------------- */

static bool meet(struct hd_event *ev, size_t n, u64 a, u64 b, bool is_ordered, struct hd_meeting *m)
{
    number(ev, n);
    return hd_meet_pending(ev, (u32)n, (u64[]){a, b}, is_ordered, m);
}

static bool first(struct hd_event *ev, size_t n, u32 from)
{
    number(ev, n);
    return hd_meet_is_first(ev, (u32)n, from, (u64[]){1, 2}, (u16[]){0, 1});
}

static void benign_places_are_no_meeting(void **state)
{
    struct hd_meeting m;
    assert_true(meet(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), R(1, X, 2)), 1, 2, false, &m));
    assert_false(meet(LIST(EV(1, BENIGN, X, 9, .arg = 8), W(0, X, 1), R(1, X, 2)), 1, 2, false, &m));
    assert_true(meet(LIST(EV(1, BENIGN, Y, 9, .arg = 4), W(0, X, 1), R(1, X, 2)), 1, 2, false, &m));
}

static void comes_first(void **state)
{
    assert_true(first(LIST(EV(1, YIELD, 0, 9), R(1, X, 2), W(0, X, 1)), 0));
    assert_false(first(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), R(1, X, 2)), 0));
    assert_false(first(LIST(EV(1, YIELD, 0, 9), R(2, X, 2), W(0, X, 1)), 0));  /* another thread */
    assert_false(first(LIST(EV(1, YIELD, 0, 9), EV(0, YIELD, 0, 9)), 0));      /* never */
    assert_false(first(LIST(R(1, X, 2), W(0, X, 1), R(1, X, 2)), 1));          /* before that step */
}

static void pending(void **state)
{
    struct hd_meeting m;
    assert_true(meet(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), EV(2, YIELD, 0, 9), R(1, X, 2)), 1, 2, false, &m));
    assert_int_equal(m.first, 1);
    assert_int_equal(m.second, 3);
    assert_true(meet(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), R(1, X, 2)), 2, 1, false, &m));
    assert_false(meet(LIST(EV(1, YIELD, 0, 9), W(0, X, 1), R(1, X, 2)), 2, 1, true, &m));
    assert_false(meet(LIST(W(0, X, 1), EV(1, YIELD, 0, 9), R(1, X, 2)), 1, 2, false, &m));
    assert_false(meet(LIST(W(0, X, 1), R(1, Y, 2)), 1, 2, false, &m)); /* other bytes */
    assert_false(meet(LIST(R(0, X, 1), R(1, X, 2)), 1, 2, false, &m)); /* two reads */
    assert_false(meet(LIST(EV(0, ASTORE, X, 1), EV(1, ALOAD, X, 2)), 1, 2, false, &m));
    assert_true(meet(LIST(W(0, X, 1), EV(1, ALOAD, X, 2)), 1, 2, false, &m));
    assert_true(meet(LIST(W(0, X, 1), W(1, X, 1)), 1, 1, false, &m)); /* one line, two threads */
    assert_false(meet(LIST(W(0, X, 1), W(0, X, 1)), 1, 1, false, &m));
    assert_true(meet(LIST(BYTES(0, WRITE, X, 1, 4), BYTES(1, READ, X + 3, 2, 1)), 1, 2, false, &m));
    assert_false(meet(LIST(BYTES(0, WRITE, X, 1, 4), BYTES(1, READ, X + 4, 2, 1)), 1, 2, false, &m));
}

static void weak(void **state)
{
    static const u64 site[2] = {1, 2};
    struct hd_meeting m;
    struct hd_event list[] = {W(0, X, 1), EV(0, ASTORE, Y, 3, .arg = HD_MO_RELAXED),
                              EV(1, ALOAD, Y, 4, .arg = HD_MO_ACQUIRE), R(1, X, 2)};
    number(list, 4);
    assert_true(hd_meet_weak(list, 4, site, &m));
    assert_int_equal(m.first, 0);
    assert_int_equal(m.second, 3);
    list[1].arg = HD_MO_RELEASE;
    assert_false(hd_meet_weak(list, 4, site, &m)); /* ordered */
    list[1].obj = M;
    assert_false(hd_meet_weak(list, 4, site, &m)); /* not ordered by anything */
    struct hd_event plain[] = {W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2)};
    number(plain, 4);
    assert_true(hd_meet_weak(plain, 4, site, &m)); /* by accesses that race themselves */
    plain[2].obj = M;
    assert_false(hd_meet_weak(plain, 4, site, &m));
}

/* ---- the table --------------------------------------------------------------------------- */

static void table(void **state)
{
    struct hd_races r;
    hd_races_init(&r);
    struct hd_race_seen s = {.site = {5, 7}, .addr = X}, turned = {.site = {7, 5}, .addr = X};
    hd_races_add(&r, &s, true);
    hd_races_add(&r, &turned, true);
    assert_int_equal(r.pair.n, 1); /* one pair, both orders */
    assert_int_equal(r.pair.at[0].order[0], 1);
    assert_int_equal(r.pair.at[0].order[1], 1);
    s.addr = Y;
    hd_races_add(&r, &s, true);
    assert_int_equal(r.pair.n, 2); /* another variable */
    for (u32 i = 0; i < 1000; i++) {
        s.addr = 0x10000 + 8 * i;
        hd_races_add(&r, &s, true);
    }
    assert_true(r.pair.n <= HD_RACES_VARIABLES + 1); /* an array */
    for (u64 i = 0; i < 2 * HD_RACES_MOST; i++)
        hd_races_add(&r, &(struct hd_race_seen){.site = {100 + i, 5}}, false);
    assert_int_equal(r.pair.n, HD_RACES_MOST);
    assert_true(r.lost > 0);
    hd_races_release(&r);
}

/* ---- locks in different orders ----------------------------------------------------------- */

enum { A = 0x4000, B = 0x5000, C = 0x6000 };

#define BOTH(t, first, second, s)                                                                \
    EV(t, LOCK, first, s), EV(t, LOCK, second, s + 1), EV(t, UNLOCK, second, s + 2),               \
        EV(t, UNLOCK, first, s + 3)

static void lock_order_two(void **state)
{
    observe(LIST(BOTH(0, A, B, 10), BOTH(1, B, A, 20)));
    assert_int_equal(races.locks.all.n, 1);
    const struct hd_lock_order_seen *is = &races.locks.all.at[0].is;
    assert_int_equal(is->n, 2);
    assert_int_equal(is->at[0].take, 20); /* the thread that closed the circle is the first */
    assert_int_equal(is->at[0].want, 21);
    assert_int_equal(is->at[0].lock, B);
    assert_int_equal(is->at[1].take, 10);
    assert_int_equal(is->at[1].lock, A);
    /* again, and in the other order: the same circle */
    observe(LIST(BOTH(0, A, B, 10), BOTH(1, B, A, 20), BOTH(0, A, B, 10), BOTH(1, B, A, 20)));
    assert_int_equal(races.locks.all.n, 1);
}

static void lock_order_three(void **state)
{
    observe(LIST(BOTH(0, A, B, 10), BOTH(1, B, C, 20), BOTH(2, C, A, 30)));
    assert_int_equal(races.locks.all.n, 1);
    assert_int_equal(races.locks.all.at[0].is.n, 3);
    observe(LIST(BOTH(0, A, B, 10), BOTH(1, B, C, 20), BOTH(0, C, A, 30)));
    assert_int_equal(races.locks.all.n, 0); /* two of them are one thread */
}

static void lock_order_none(void **state)
{
    observe(LIST(BOTH(0, A, B, 10), BOTH(0, B, A, 20)));
    assert_int_equal(races.locks.all.n, 0); /* one thread */
    observe(LIST(BOTH(0, A, B, 10), EV(0, CREATE, 1, 3), BOTH(1, B, A, 20)));
    assert_int_equal(races.locks.all.n, 0); /* after the thread was created */
    observe(LIST(EV(0, LOCK, C, 5), BOTH(0, A, B, 10), EV(0, UNLOCK, C, 6), EV(1, LOCK, C, 7),
                 BOTH(1, B, A, 20), EV(1, UNLOCK, C, 8)));
    assert_int_equal(races.locks.all.n, 0); /* a third lock keeps them apart */
    observe(LIST(BOTH(0, A, B, 10), EV(1, LOCK, B, 20), EV(1, TRYLOCK, A, 21),
                 EV(1, UNLOCK, A, 22), EV(1, UNLOCK, B, 23)));
    assert_int_equal(races.locks.all.n, 0); /* who tries does not wait */
    observe(LIST(EV(0, RDLOCK, A, 10), EV(0, RDLOCK, B, 11), EV(0, RW_UNLOCK, B, 12),
                 EV(0, RW_UNLOCK, A, 13), EV(1, RDLOCK, B, 20), EV(1, RDLOCK, A, 21),
                 EV(1, RW_UNLOCK, A, 22), EV(1, RW_UNLOCK, B, 23)));
    assert_int_equal(races.locks.all.n, 0); /* readers */
    observe(LIST(EV(0, RDLOCK, A, 10), EV(0, WRLOCK, B, 11), EV(0, RW_UNLOCK, B, 12),
                 EV(0, RW_UNLOCK, A, 13), EV(1, RDLOCK, B, 20), EV(1, WRLOCK, A, 21),
                 EV(1, RW_UNLOCK, A, 22), EV(1, RW_UNLOCK, B, 23)));
    assert_int_equal(races.locks.all.n, 1); /* who reads one writes the other */
}

/* By places alone, whatever variable and order; each once. */
static void knows_what_was_shown(void **state)
{
    struct hd_known known = {0};
    struct hd_known_upto upto = {0};
    observe(LIST(W(0, X, 1), R(1, X, 2)));
    assert_int_equal(hd_known_add(&known, &races, &upto), 1);
    assert_int_equal(hd_known_add(&known, &races, &upto), 0);
    observe(LIST(R(1, Y, 2), W(0, Y, 1)));
    upto = (struct hd_known_upto){0};
    assert_int_equal(hd_known_add(&known, &races, &upto), 0);
    observe(LIST(W(0, X, 1), R(1, X, 3)));
    upto = (struct hd_known_upto){0};
    assert_int_equal(hd_known_add(&known, &races, &upto), 1);
    hd_known_release(&known);
}

/* Locks that an access was under have a number, as long as the run goes on; those with one hash, too. */
static void locks_have_numbers(void **state)
{
    struct hd_race_possible p = {0};
    const u64 factor = 0x9e3779b97f4a7c15ull;
    const struct hd_race_locks set[] = {{0, 0}, {1, 0}, {0, factor}, {2, 0}, {1, 1}};
    u32 number[HD_COUNT(set)];
    (void)state;
    hd_race_possible_init(&p);
    for (u32 round = 0; round < 2; round++) {
        hd_race_possible_begin(&p);
        for (u32 i = 0; i < HD_COUNT(set); i++) {
            number[i] = hd_race_locks_number(&p, &set[i]);
            assert_int_equal(hd_race_locks_number(&p, &set[i]), number[i]);
            for (u32 k = 0; k < i; k++)
                assert_int_not_equal(number[i], number[k]);
        }
        for (u32 i = 0; i < HD_COUNT(set); i++)
            assert_memory_equal(hd_race_locks_of(&p, number[i]), &set[i], sizeof set[i]);
        assert_int_equal(number[0], 0);
    }
    hd_race_possible_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_pending), cmocka_unit_test(tells_weak), cmocka_unit_test(tells_carried), cmocka_unit_test(outside), cmocka_unit_test(tells_hidden), cmocka_unit_test(tells_older),
        cmocka_unit_test(knows_what_was_shown),
        cmocka_unit_test(tells_ends), cmocka_unit_test(owner_ends), cmocka_unit_test(heeds_benign), cmocka_unit_test(long_ranges), cmocka_unit_test(benign_places_are_no_meeting), cmocka_unit_test(passes),
        cmocka_unit_test(tells_triples), cmocka_unit_test(finds_triples),
        cmocka_unit_test(comes_first), cmocka_unit_test(pending), cmocka_unit_test(weak), cmocka_unit_test(table),
        cmocka_unit_test(lock_order_two), cmocka_unit_test(lock_order_three), cmocka_unit_test(lock_order_none),
        cmocka_unit_test(locks_have_numbers),
    };
    hd_races_init(&races);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hd_races_release(&races);
    return failed;
}
