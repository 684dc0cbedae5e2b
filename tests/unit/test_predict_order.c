/* test_predict_order.c: the order and the locks as the other predictions use
 * them, condensed histories and their garbage. */
#include "unit/predict_script.h"

/* ---- locksets ------------------------------------------------------------------------ */

/* Bit of the lock in the set, 0 if it is not in it. */
static u32 lockset_bit(const struct hd_locksets *l, u32 set, u32 lock)
{
    const struct hd_lockset *s = &l->set.at[set];
    for (u32 i = 0; i < s->n; i++)
        if (l->member.at[s->at + i].lock == lock)
            return 1u << i;
    return 0;
}

static void locksets(void **state)
{
    struct hd_locksets l;
    hd_locksets_init(&l);
    const struct hd_member ab[] = {{1, false}, {2, false}}, bc[] = {{2, false}, {3, true}},
                           c_shared[] = {{3, true}}, c_own[] = {{3, false}};
    u32 x = hd_lockset_number(&l, ab, 2), y = hd_lockset_number(&l, bc, 2);
    assert_int_equal(hd_lockset_number(&l, NULL, 0), 0);
    assert_int_not_equal(x, y);
    assert_int_equal(hd_lockset_number(&l, ab, 2), x);
    assert_int_not_equal(hd_lockset_number(&l, c_shared, 1), hd_lockset_number(&l, c_own, 1));
    struct hd_common c = hd_lockset_common(&l, x, y);
    assert_int_equal(c.a, 2);
    assert_int_equal(c.b, 1);
    /* readers do not keep readers out */
    c = hd_lockset_common(&l, y, hd_lockset_number(&l, c_shared, 1));
    assert_int_equal(c.a, 0);
    c = hd_lockset_common(&l, y, hd_lockset_number(&l, c_own, 1));
    assert_int_equal(c.a, 2);
    assert_int_equal(lockset_bit(&l, y, 3), 2);
    assert_int_equal(lockset_bit(&l, y, 1), 0);
    hd_locksets_release(&l);
}

/* ---- the order ----------------------------------------------------------------------- */

struct rig {
    struct hd_set set;
    struct hd_feed feed;
    struct hd_must order;
};

static void rig_init(struct rig *r)
{
    hd_set_init(&r->set);
    hd_feed_init(&r->feed, &r->set, 16);
    hd_must_init(&r->order, 0);
}

static void rig_release(struct rig *r)
{
    hd_must_release(&r->order);
    hd_feed_release(&r->feed);
    hd_set_release(&r->set);
}

struct place {
    u16 tid;
    u32 epoch, clock, lockset, time;
};

/* Feeds the event; where it stands. */
static struct place go(struct rig *r, struct hd_event ev)
{
    const struct hd_seen *s = hd_feed_decode(&r->feed, &ev);
    hd_must_before(&r->order, &r->feed, s);
    struct hd_must_thread *th = hd_must_thread(&r->order, ev.tid);
    struct place p = {ev.tid, *hd_must_epoch(&r->order, ev.tid), hd_must_clock(&r->order, ev.tid), th->lockset, s->time};
    hd_feed_done(&r->feed);
    hd_must_after(&r->order, &r->feed, s);
    return p;
}
#define GO(r, ...) go(r, (struct hd_event)__VA_ARGS__)

static bool before(const struct rig *r, struct place a, struct place b)
{
    return hd_must_knows(&r->order, b.clock, a.tid, a.epoch);
}

static void create_join(void **state)
{
    struct rig r;
    rig_init(&r);
    struct place a = GO(&r, W(0, X, 1));
    GO(&r, CREATE(0, 1, 9));
    struct place b = GO(&r, W(0, X, 2)), c = GO(&r, W(1, X, 3));
    assert_true(before(&r, a, c));
    assert_false(before(&r, b, c));
    assert_false(before(&r, c, b));
    /* still running: nothing of thread 0 after the create is settled */
    const struct hd_vclock *settled = hd_must_settled(&r.order);
    assert_in_range(hd_vclock_at(settled, 0), a.epoch, b.epoch - 1);
    assert_true(hd_vclock_at(settled, 1) < c.epoch);
    GO(&r, EXIT(1));
    GO(&r, JOIN(0, 1, 9));
    struct place d = GO(&r, W(0, X, 4));
    assert_true(before(&r, c, d));
    settled = hd_must_settled(&r.order);
    assert_true(hd_vclock_at(settled, 1) >= c.epoch);
    rig_release(&r);
}

/* A signal sent with the mutex held: the waiter takes the mutex after the
 * signaller has given it up, so it is after everything up to there. */
static void wait_and_mutex(void **state)
{
    struct rig r;
    rig_init(&r);
    GO(&r, CREATE(0, 1, 9));
    GO(&r, LOCK(0, M, 1));
    GO(&r, UNLOCK(0, M, 2));
    GO(&r, EV(0, COND_WAIT, C, 2));
    GO(&r, LOCK(1, M, 3));
    struct place a = GO(&r, W(1, X, 4));
    GO(&r, EV(1, COND_SIGNAL, C, 5, .arg = 1));
    struct place b = GO(&r, W(1, X, 6));
    GO(&r, UNLOCK(1, M, 7));
    struct place c = GO(&r, W(1, X, 8));
    struct place woken = GO(&r, EV(0, COND_WAKE, C, 2));
    assert_true(before(&r, a, woken));
    assert_false(before(&r, b, woken));
    struct place locked = GO(&r, LOCK(0, M, 2));
    assert_true(before(&r, b, locked));
    assert_false(before(&r, c, locked));
    rig_release(&r);
}

/* Locks alone order nothing. */
static void locks_do_not_order(void **state)
{
    struct rig r;
    rig_init(&r);
    GO(&r, CREATE(0, 1, 9));
    GO(&r, LOCK(0, M, 1));
    struct place a = GO(&r, W(0, X, 2));
    GO(&r, UNLOCK(0, M, 3));
    GO(&r, LOCK(1, M, 4));
    struct place b = GO(&r, W(1, X, 5));
    assert_false(before(&r, a, b));
    assert_int_equal(a.lockset, b.lockset);
    assert_int_not_equal(a.lockset, 0);
    rig_release(&r);
}

static void kept_locks(void **state)
{
    struct rig r;
    rig_init(&r);
    GO(&r, LOCK(0, M, 1));
    GO(&r, LOCK(0, N, 2));
    struct place a = GO(&r, W(0, X, 3));
    const struct hd_must_thread *th = hd_must_thread(&r.order, 0);
    assert_int_equal(hd_must_kept(&r.order, 0, a.lockset, a.time), 3);
    assert_int_equal(hd_must_taken_since(th, 0), 3);
    assert_int_equal(hd_must_taken_since(th, a.time), 0);
    GO(&r, UNLOCK(0, N, 4));
    GO(&r, LOCK(0, N, 5));
    u32 kept = hd_must_kept(&r.order, 0, a.lockset, a.time);
    assert_int_equal(__builtin_popcount(kept), 1);
    assert_int_equal(kept, lockset_bit(&r.order.locksets, a.lockset,
                                       (u32)r.feed.object[hd_feed_sync(&r.feed, M)].generation));
    assert_int_equal(__builtin_popcount(hd_must_taken_since(th, a.time)), 1);
    rig_release(&r);
}

/* Used like a lock: nothing is ordered, round after round. */
static void semaphore_as_lock(void **state)
{
    struct rig r;
    rig_init(&r);
    GO(&r, EV(0, SEM_INIT, S, 1, .arg = 1));
    GO(&r, CREATE(0, 1, 9));
    struct place last = {0};
    for (u32 i = 0; i < 20; i++) {
        u16 t = (u16)(i & 1);
        GO(&r, EV(t, SEM_WAIT, S, 2));
        struct place now = GO(&r, W(t, X, 3));
        GO(&r, EV(t, SEM_POST, S, 4));
        if (i)
            assert_false(before(&r, last, now));
        last = now;
    }
    rig_release(&r);
}

/* One poster, one waiter: the n-th wait is after the n-th post, not after later
 * ones. */
static void semaphore_as_queue(void **state)
{
    struct rig r;
    struct place put[10];
    rig_init(&r);
    GO(&r, EV(0, SEM_INIT, S, 1));
    GO(&r, CREATE(0, 1, 9));
    for (u32 i = 0; i < 10; i++) {
        put[i] = GO(&r, W(0, X, 2));
        GO(&r, EV(0, SEM_POST, S, 3));
    }
    for (u32 i = 0; i < 10; i++) {
        GO(&r, EV(1, SEM_WAIT, S, 4));
        struct place got = GO(&r, R(1, X, 5));
        for (u32 k = 0; k < 10; k++)
            assert_int_equal(before(&r, put[k], got), k <= i);
    }
    rig_release(&r);
}

/* ---- histories --------------------------------------------------------------------------- */

/* A loop is a few nodes, however long it runs; if something is passed on in every round,
 * a few are compared. */
static void condensed(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.no_passes = *state != NULL});
    hd_predict_begin_run(&p, 1);
    const struct hd_event create = CREATE(0, 1, 9);
    hd_predict_event(&p, &create);
    for (u32 i = 0; i < 1000; i++) {
        u16 t = (u16)(i & 1);
        const struct hd_event ev[] = {LOCK(t, M, 1), R(t, X, 2), R(t, X, 3), W(t, X, 4),
                                      UNLOCK(t, M, 5), R(t, Y, 6)};
        for (u32 k = 0; k < HD_COUNT(ev); k++)
            hd_predict_event(&p, &ev[k]);
    }
    hd_predict_end_run(&p);
    assert_int_equal(p.count.history.judged, 6000);
    if (*state)
        assert_true(p.count.history.nodes <= 40);
    else
        assert_true(p.count.history.nodes - p.count.history.dropped <= 80);
    hd_predict_release(&p);
}

/* Of a loop that synchronizes in every round the first access is kept, of one that
 * does not the last: those are what other threads' accesses follow on. */
static void first_and_last(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){0});
    hd_predict_begin_run(&p, 1);
    const struct hd_event begin[] = {EV(0, SEM_INIT, S, 8), W(0, X, 1), CREATE(0, 1, 9)},
                          round[] = {R(1, X, 2), EV(1, SEM_POST, S, 7), W(1, Y, 3)},
                          end[] = {EV(1, SEM_POST, S, 6)}, wait = EV(0, SEM_WAIT, S, 5),
                          read = R(0, Y, 4);
    for (u32 i = 0; i < HD_COUNT(begin); i++)
        hd_predict_event(&p, &begin[i]);
    for (u32 i = 0; i < 20; i++)
        for (u32 k = 0; k < HD_COUNT(round); k++)
            hd_predict_event(&p, &round[k]);
    for (u32 i = 0; i < 20; i++)
        hd_predict_event(&p, &round[2]);
    hd_predict_event(&p, &end[0]);
    for (u32 i = 0; i < 21; i++)
        hd_predict_event(&p, &wait);
    hd_predict_event(&p, &read);
    hd_predict_end_run(&p);
    assert_true(p.count.history.dropped > 0);
    assert_true(predicts(&p, "iroot/1:1,2"));
    assert_true(predicts(&p, "iroot/1:3,4"));
    assert_false(predicts(&p, "iroot/1:4,3"));
    hd_predict_release(&p);
}

/* Thread after thread, each joined: only the last ones can matter. */
static void garbage(void **state)
{
    struct hd_predict p;
    enum { ROUNDS = 500 };
    hd_predict_init(&p, &(struct hd_predict_config){0});
    hd_predict_begin_run(&p, 1);
    for (u16 i = 1; i <= ROUNDS; i++) {
        const struct hd_event ev[] = {W(0, X, 1), CREATE(0, i, 9), R(i, X, 2), W(i, X, 3),
                                      EXIT(i), JOIN(0, i, 9), R(0, X, 4)};
        for (u32 k = 0; k < HD_COUNT(ev); k++)
            hd_predict_event(&p, &ev[k]);
    }
    u32 most = 0;
    for (u32 i = 0; i < p.history.n_objects; i++)
        most = HD_MAX(most, p.history.object[i].n_nodes);
    hd_predict_end_run(&p);
    assert_true(p.count.history.collected > ROUNDS);
    assert_true(most < 70);
    assert_true(predicts(&p, "iroot/1:1,2"));
    assert_true(predicts(&p, "iroot/1:3,4"));
    assert_false(predicts(&p, "iroot/1:2,1"));
    assert_false(predicts(&p, "iroot/1:3,1")); /* 4 is in between, always */
    assert_false(predicts(&p, "iroot/1:3,2")); /* 1 is */
    hd_predict_release(&p);
}

/* Who knows of the newest of another thread's accesses is not compared with the older ones, one by one. */
static void known_ones_are_left_alone(void **state)
{
    struct hd_predict p;
    enum { ROUNDS = 50, SITES = 32, BACK = 0x9000 };
    hd_predict_init(&p, &(struct hd_predict_config){0});
    hd_predict_begin_run(&p, 1);
    const struct hd_event begin[] = {EV(0, SEM_INIT, S, 8), EV(0, SEM_INIT, BACK, 8), CREATE(0, 1, 9)},
                          there[] = {EV(0, SEM_POST, S, 7), EV(1, SEM_WAIT, S, 6)},
                          back[] = {EV(1, SEM_POST, BACK, 5), EV(0, SEM_WAIT, BACK, 4)};
    for (u32 i = 0; i < HD_COUNT(begin); i++)
        hd_predict_event(&p, &begin[i]);
    for (u32 i = 0; i < ROUNDS * 2; i++) {
        for (u32 k = 0; k < SITES; k++) {
            const struct hd_event write = W(0, X, 0x100 + k), read = R(1, X, 0x200 + k);
            hd_predict_event(&p, i % 2 ? &read : &write);
        }
        for (u32 k = 0; k < 2; k++)
            hd_predict_event(&p, i % 2 ? &back[k] : &there[k]);
    }
    hd_predict_end_run(&p);
    assert_true(p.count.history.nodes >= 2 * ROUNDS * SITES);
    assert_true(p.count.history.checks <= 4 * p.count.history.nodes);
    assert_true(predicts(&p, "iroot/1:11f,200"));
    assert_true(predicts(&p, "iroot/1:21f,100"));
    assert_false(predicts(&p, "iroot/1:11e,200"));
    assert_false(predicts(&p, "iroot/1:200,11f"));
    hd_predict_release(&p);
}

static bool no_passes = true;

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locksets), cmocka_unit_test(create_join),
        cmocka_unit_test(wait_and_mutex), cmocka_unit_test(locks_do_not_order),
        cmocka_unit_test(kept_locks), cmocka_unit_test(semaphore_as_lock),
        cmocka_unit_test(semaphore_as_queue), cmocka_unit_test(condensed),
        cmocka_unit_test_prestate(condensed, &no_passes),
        cmocka_unit_test(first_and_last),
        cmocka_unit_test(garbage),
        cmocka_unit_test(known_ones_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
