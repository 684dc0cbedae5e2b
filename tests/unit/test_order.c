/* test_order.c: the order of events, against the naive reference of order_random.h, under
 * every policy; barriers that begin in the middle; clocks of steps; vector clocks. */
#include "order/order.h"
#include "order/steps.h"
#include "unit/order_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { LISTS = 1500 };

static struct list list;

static void feed(struct hd_order *o, u32 i)
{
    hd_order_thread(o, list.ev[i].tid)->time = i + 1; /* events by number */
    hd_order_event(o, &list.ev[i]);
}

/* Every pair of events, when the later one has just happened. Returns how many pairs of
 * different threads were ordered. */
static u64 compare(u32 policy)
{
    struct hd_order o;
    u64 ordered = 0;
    hd_order_init(&o, policy);
    for (u32 j = 0; j < list.n; j++) {
        feed(&o, j);
        for (u32 i = 0; i < j; i++) {
            bool is_before = hd_order_is_before(&o, list.ev[i].tid, i + 1, list.ev[j].tid);
            if (is_before != list_is_before(&list, i, j))
                fail_msg("policy %x: %u (%s by %u) and %u (%s by %u): %s", policy, i,
                         hd_event_text(list.ev[i].kind), list.ev[i].tid, j,
                         hd_event_text(list.ev[j].kind), list.ev[j].tid,
                         is_before ? "ordered, should not be" : "not ordered, should be");
            ordered += is_before && list.ev[i].tid != list.ev[j].tid;
        }
    }
    hd_order_release(&o);
    return ordered;
}

static void as_the_reference(void **state)
{
    static const u32 policies[] = {HD_ORDER_ALL, HD_ORDER_NO_LOCKS, HD_ORDER_STRUCTURE};
    u64 ordered[HD_COUNT(policies)] = {0};
    for (u32 seed = 0; seed < LISTS; seed++)
        for (u32 p = 0; p < HD_COUNT(policies); p++) {
            list_make(&list, seed, ~0u, policies[p]);
            ordered[p] += compare(policies[p]);
        }
    assert_true(ordered[0] > ordered[1] && ordered[1] > ordered[2] && ordered[2] > 1000);
}

/* What a run taught is gone in the next one. */
static void begins_anew(void **state)
{
    struct hd_order o;
    hd_order_init(&o, HD_ORDER_ALL);
    for (u32 seed = 0; seed < 20; seed++) {
        hd_order_begin(&o);
        list_make(&list, seed, ~0u, HD_ORDER_ALL);
        for (u32 j = 0; j < list.n; j++) {
            feed(&o, j);
            for (u32 i = 0; i < j; i++)
                assert_int_equal(hd_order_is_before(&o, list.ev[i].tid, i + 1, list.ev[j].tid),
                                 list_is_before(&list, i, j));
        }
    }
    hd_order_release(&o);
}

static void event(struct hd_order *o, u16 tid, u8 kind, u64 obj)
{
    hd_order_event(o, &(struct hd_event){.tid = tid, .kind = kind, .obj = obj});
}

/* A lock that was destroyed and made anew in the same place orders nothing with the old one. */
static void another_generation(void **state)
{
    struct hd_order o;
    const struct hd_event unlock = {.tid = 1, .kind = HD_EV_UNLOCK, .obj = 9};
    const struct hd_event lock = {.tid = 2, .kind = HD_EV_LOCK, .obj = 9};
    hd_order_init(&o, HD_ORDER_ALL);
    hd_order_thread(&o, 1);
    hd_order_thread(&o, 2);
    assert_true(hd_order_after(&o, &unlock, hd_effects(&unlock), 5, 1));
    hd_order_before(&o, &lock, hd_effects(&lock), 5, 2);
    assert_false(hd_order_is_before(&o, 1, 1, 2));
    assert_true(hd_order_after(&o, &unlock, hd_effects(&unlock), 5, 2));
    hd_order_before(&o, &lock, hd_effects(&lock), 5, 2);
    assert_true(hd_order_is_before(&o, 1, 1, 2));
    hd_order_release(&o);
}

/* Events from the middle of a run: thread 2 arrived before the first of them. */
static void barrier_from_the_middle(void **state)
{
    struct hd_order o;
    hd_order_init(&o, HD_ORDER_ALL);
    event(&o, 1, HD_EV_BARRIER_WAIT, 9);
    event(&o, 2, HD_EV_BARRIER_LEAVE, 9);
    assert_true(hd_order_is_before(&o, 1, 1, 2));
    event(&o, 3, HD_EV_BARRIER_LEAVE, 9); /* nor was this one seen to arrive */
    assert_true(hd_order_is_before(&o, 1, 1, 3));
    assert_false(hd_order_is_before(&o, 1, 2, 3)); /* but not what follows */
    hd_order_release(&o);
}

/* The same, and thread 1, which leaves late, has no round that anybody knows. In the next one thread
 * 2 learns of it all the same. */
static void barrier_from_the_middle_goes_on(void **state)
{
    struct hd_order o;
    hd_order_init(&o, HD_ORDER_ALL);
    event(&o, 2, HD_EV_BARRIER_WAIT, 9);
    event(&o, 2, HD_EV_BARRIER_LEAVE, 9);
    event(&o, 2, HD_EV_BARRIER_WAIT, 9);
    event(&o, 1, HD_EV_BARRIER_LEAVE, 9);
    event(&o, 1, HD_EV_BARRIER_WAIT, 9);
    event(&o, 2, HD_EV_BARRIER_LEAVE, 9);
    assert_true(hd_order_is_before(&o, 1, 1, 2));
    hd_order_release(&o);
}

/* Rounds of a barrier are left out: all that arrived are known to who leaves. */
static void barrier_behind_a_gap(void **state)
{
    struct hd_order o;
    hd_order_init(&o, HD_ORDER_ALL);
    for (u16 t = 1; t <= 2; t++)
        event(&o, t, HD_EV_BARRIER_WAIT, 9);
    event(&o, 2, HD_EV_BARRIER_LEAVE, 9);
    hd_order_gap(&o); /* 1 leaves and arrives */
    event(&o, 2, HD_EV_BARRIER_WAIT, 9);
    event(&o, 1, HD_EV_BARRIER_LEAVE, 9);
    assert_true(hd_order_is_before(&o, 2, 2, 1));
    hd_order_begin(&o);
    assert_false(o.has_gap);
    hd_order_release(&o);
}

/* One round after the other, by different threads: they do not know of each other. */
static void barrier_of_others(void **state)
{
    struct hd_order o;
    hd_order_init(&o, HD_ORDER_ALL);
    for (u16 t = 1; t <= 3; t += 2) {
        event(&o, t, HD_EV_BARRIER_WAIT, 9);
        event(&o, t + 1, HD_EV_BARRIER_WAIT, 9);
        event(&o, t, HD_EV_BARRIER_LEAVE, 9);
        event(&o, t + 1, HD_EV_BARRIER_LEAVE, 9);
    }
    assert_true(hd_order_is_before(&o, 4, 1, 3));
    assert_false(hd_order_is_before(&o, 1, 1, 3));
    assert_false(hd_order_is_before(&o, 2, 1, 4));
    hd_order_release(&o);
}

/* What a record that was overwritten may contain. */
static void nonsense(void **state)
{
    struct hd_order o;
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    hd_order_init(&o, HD_ORDER_ALL);
    for (u32 i = 0; i < 100000; i++) {
        struct hd_event ev;
        u64 r[4];
        for (u32 k = 0; k < 4; k++)
            r[k] = hd_rng_next(&rng);
        memcpy(&ev, r, sizeof ev);
        ev.tid %= 64;
        hd_order_event(&o, &ev);
    }
    assert_true(o.n_threads <= HD_MAX_THREADS);
    hd_order_release(&o);
}

static void steps(void **state)
{
    struct hd_order_steps s = {0};
    hd_order_steps_cut(&s, 0, 2);
    hd_order_steps_add(&s, (u32[]){1, 0}); /* T0 */
    hd_order_steps_add(&s, (u32[]){1, 1}); /* T1, after it */
    hd_order_steps_add(&s, (u32[]){2, 0}); /* T0 again */
    assert_true(hd_order_steps_knows(&s, 1, 0, 1));
    assert_false(hd_order_steps_knows(&s, 2, 1, 1));
    hd_order_steps_cut(&s, 2, 4); /* a third and a fourth thread */
    assert_int_equal(s.n, 2);
    assert_int_equal(s.threads, 4);
    assert_memory_equal(hd_order_steps_clock(&s, 0), ((u32[]){1, 0, 0, 0}), 16);
    assert_memory_equal(hd_order_steps_clock(&s, 1), ((u32[]){1, 1, 0, 0}), 16);
    hd_order_steps_add(&s, (u32[]){1, 1, 0, 1});
    assert_true(hd_order_steps_knows(&s, 2, 3, 1));
    hd_order_steps_cut(&s, 9, 1); /* neither grows nor gets narrower */
    assert_int_equal(s.n, 3);
    assert_int_equal(s.threads, 4);
    hd_order_steps_release(&s);
}

static void vclocks(void **state)
{
    struct hd_vclock a = {0}, b = {0};
    hd_vclock_learn(&a, 3, 7);
    hd_vclock_learn(&a, 3, 5); /* known already */
    hd_vclock_learn(&a, 40, 1);
    hd_vclock_learn(&b, 3, 9);
    hd_vclock_learn(&b, 0, 2);
    assert_int_equal(hd_vclock_at(&a, 3), 7);
    assert_int_equal(hd_vclock_at(&a, 1000), 0);
    hd_vclock_join(&b, &a);
    assert_int_equal(hd_vclock_at(&b, 0), 2);
    assert_int_equal(hd_vclock_at(&b, 3), 9);
    assert_int_equal(hd_vclock_at(&b, 40), 1);
    hd_vclock_meet(&b, &a);
    assert_int_equal(hd_vclock_at(&b, 0), 0);
    assert_int_equal(hd_vclock_at(&b, 3), 7);
    hd_vclock_clear(&b);
    hd_vclock_learn(&b, 5, 1);
    assert_int_equal(hd_vclock_at(&b, 3), 0); /* cleared is empty */
    hd_vclock_release(&a);
    hd_vclock_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_reference),        cmocka_unit_test(begins_anew),
        cmocka_unit_test(another_generation),
        cmocka_unit_test(barrier_from_the_middle),
        cmocka_unit_test(barrier_from_the_middle_goes_on), cmocka_unit_test(barrier_behind_a_gap),
        cmocka_unit_test(barrier_of_others),
        cmocka_unit_test(nonsense),                cmocka_unit_test(steps),
        cmocka_unit_test(vclocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
