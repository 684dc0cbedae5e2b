/* The active strategy: who goes next in a given situation. */
#include "unit/active_rig.h"

enum { MUTEX = 0x3000, COND = 0x4000, SITE_A = 0x400100, SITE_B = 0x400200, SITE_C = 0x400300 };

static struct {
    struct hd_op op;
    u8 state;
} at[4];
static u64 can[1];

/* Thread t is about to do that, and can (or is blocked). */
static void stands(u32 t, bool is_enabled, u8 kind, u64 site, u64 obj)
{
    at[t].op = (struct hd_op){.kind = kind, .site = site, .obj = obj, .deadline = HD_NEVER,
                              .size = kind <= HD_EV_ARMW ? 4 : 0};
    at[t].state = HD_T_PENDING;
    can[0] = (can[0] & ~(1ull << t)) | (u64)is_enabled << t;
}

static struct hd_view situation(u64 step)
{
    return (struct hd_view){.step = step, .current = HD_NO_THREAD, .n_threads = HD_COUNT(at),
                            .n_enabled = (u32)__builtin_popcountll(can[0]), .words = 1,
                            .enabled = can, .threads = &at[0].op, .stride = sizeof at[0],
                            .states = &at[0].state};
}

static u32 picked(void)
{
    struct hd_view v = situation(1);
    return driver.strategy->pick(driver.state, &v);
}

static void goes(u32 t)
{
    struct hd_view v = situation(1);
    driver.strategy->stepped(driver.state, &v, t, &at[t].op);
}

/* Threads are created in the order of their numbers and nothing else is left to chance. */
static void begin(void)
{
    static const struct hd_learned nothing;
    struct hd_strategy_arg arg = {.rng = hd_rng_make(1, 1, HD_RNG_STRATEGY), .goals = &goals,
                                  .learned = &nothing};
    goals.order = HD_ORDER_LATER;
    memset(at, 0, sizeof at);
    can[0] = 0;
    memset(driver.state, 0, driver.strategy->state_size);
    driver.strategy->start(driver.state, &arg);
}

/* A thread has to wait before it can be woken, and whoever wakes it waits for that. */
static void test_woken(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WAKE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_WOKEN, 1, 0, 1)});
    begin();
    stands(0, true, HD_EV_COND_WAIT, SITE_B, COND);
    stands(1, true, HD_EV_COND_SIGNAL, SITE_A, COND);
    stands(2, true, HD_EV_WRITE, SITE_C, NOISE);
    assert_int_equal(picked(), 0);
    goes(0);
    stands(0, false, HD_EV_COND_WAKE, SITE_B, COND);
    assert_int_equal(picked(), 1);
    goes(1);
    stands(0, true, HD_EV_COND_WAKE, SITE_B, COND);
    stands(1, true, HD_EV_COND_SIGNAL, SITE_A, COND); /* once more: would come between */
    assert_int_equal(picked(), 0);
}

/* A signal that nobody hears is no first event: the next one is waited for. */
static void test_not_streamed(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WAKE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_WOKEN, 1, 0, 1)});
    begin();
    stands(1, true, HD_EV_COND_SIGNAL, SITE_A, COND);
    goes(1);
    stands(0, true, HD_EV_COND_WAIT, SITE_B, COND);
    stands(1, true, HD_EV_COND_SIGNAL, SITE_A, COND);
    assert_int_equal(picked(), 0);
}

/* Whoever waits for a lock is in sight: the goal is abandoned at once, not after all else. */
static void test_lock_in_sight(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_GIVE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_TAKE, 1, 0, 1)});
    begin();
    stands(0, true, HD_EV_UNLOCK, SITE_A, MUTEX);
    stands(1, true, HD_EV_WRITE, SITE_C, NOISE);
    stands(2, true, HD_EV_WRITE, SITE_C, NOISE);
    assert_int_equal(picked(), 2);
    stands(1, false, HD_EV_LOCK, SITE_B, MUTEX);
    assert_int_equal(picked(), 0);
}

/* Only one thread is held for an event to come: the others may have to pass by there
 * on their way to what comes first. */
static void test_one_is_held(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_READ, 1, 0, 1)});
    begin();
    stands(2, true, HD_EV_READ, SITE_B, X);
    stands(0, true, HD_EV_WRITE, SITE_C, NOISE);
    assert_int_equal(picked(), 0);
    stands(1, true, HD_EV_READ, SITE_B, X);
    can[0] &= ~1ull;
    assert_int_equal(picked(), 1);
    goals.holds_all = true;
    assert_int_equal(picked(), 2); /* all the same: the later one goes */
}

/* A thread that touches X once more between its two events: the goal starts over. */
static void test_touched_again(void **state)
{
    goal(3, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_WRITE, 1, 0, 1),
                                        EVENT(SITE_C, HD_GOAL_READ, 0, 0, 2)});
    for (u32 exclusive = 0; exclusive < 2; exclusive++) {
        goals.at[0].exclusive = (u8)exclusive;
        begin();
        stands(0, true, HD_EV_WRITE, SITE_A, X);
        stands(1, true, HD_EV_WRITE, SITE_B, X);
        goes(0);
        goes(1);
        stands(0, true, HD_EV_READ, SITE_A + 4, X);
        goes(0);
        if (exclusive) { /* otherwise it would be a write that comes between */
            stands(0, true, HD_EV_WRITE, SITE_A, X);
            goes(0);
        }
        stands(0, true, HD_EV_READ, SITE_C, X);
        assert_int_equal(picked(), exclusive ? 1 : 0);
    }
}

/* Too many steps of a thread between its two events: the goal starts over. */
static void test_window(void **state)
{
    goal(3, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_WRITE, 1, 0, 1),
                                        EVENT(SITE_C, HD_GOAL_READ, 0, 0, 2)});
    const u32 windows[] = {0, 3, 4, 100};
    for (u32 i = 0; i < HD_COUNT(windows); i++) {
        bool is_lost = windows[i] == 3;
        goals.at[0].window = windows[i];
        begin();
        stands(0, true, HD_EV_WRITE, SITE_A, X);
        stands(1, true, HD_EV_WRITE, SITE_B, X);
        goes(0);
        goes(1);
        for (u32 k = 0; k < 4; k++) {
            stands(0, true, HD_EV_READ, SITE_A + 4, NOISE);
            goes(0);
        }
        /* Its first event again: wanted, or a write that comes between. */
        stands(0, true, HD_EV_WRITE, SITE_A, X);
        stands(1, true, HD_EV_WRITE, SITE_B, X);
        stands(2, true, HD_EV_READ, SITE_C + 8, NOISE);
        assert_int_equal(picked(), is_lost ? 0 : 2);
    }
    goals.at[0].window = 0;
}

/* A lock that was the end of a pair may be released: the goal goes on (idiom 4). */
static void test_released(void **state)
{
    goal(4, 2, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_GIVE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_TAKE, 1, 0, 1),
                                        EVENT(SITE_C, HD_GOAL_WRITE, 1, 1, 2),
                                        EVENT(SITE_C + 4, HD_GOAL_READ, 0, 1, 4)});
    begin();
    stands(0, true, HD_EV_UNLOCK, SITE_A, MUTEX);
    goes(0);
    stands(1, true, HD_EV_LOCK, SITE_B, MUTEX);
    goes(1);
    stands(1, true, HD_EV_UNLOCK, SITE_B + 4, MUTEX);
    goes(1);
    stands(0, true, HD_EV_READ, SITE_C + 4, Y);
    stands(1, true, HD_EV_WRITE, SITE_C, Y);
    stands(2, true, HD_EV_READ, SITE_C + 8, NOISE);
    assert_int_equal(picked(), 1);
}

/* Everybody had better wait, and input may come from outside: it gets a chance, once for
 * each step and not for ever. */
static void test_input(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_READ, 1, 0, 1)});
    goals.patience = 8;
    goals.awaits = true;
    begin();
    stands(0, false, HD_EV_IO, SITE_C, 5);
    stands(1, true, HD_EV_READ, SITE_B, X);
    stands(2, true, HD_EV_WRITE, SITE_C, NOISE);
    struct hd_view v = situation(1);
    assert_false(driver.strategy->await(driver.state, &v)); /* somebody can go on */
    can[0] &= ~(1ull << 2);
    at[2].state = HD_T_FINISHED;
    u32 n = 0;
    for (u64 step = 1; step < 100; step++) {
        v = situation(step);
        bool is_awaited = driver.strategy->await(driver.state, &v);
        n += is_awaited;
        if (step == 1)
            assert_true(is_awaited);
        assert_false(driver.strategy->await(driver.state, &v)); /* it did not come */
    }
    assert_int_equal(n, 3); /* of 8: after each that was in vain half of the rest */
    goals.awaits = false; /* a candidate that does not depend on it */
    begin();
    v = situation(1);
    assert_false(driver.strategy->await(driver.state, &v));
    stands(1, true, HD_EV_READ, SITE_C, NOISE);
    assert_int_equal(picked(), 1);
}

/* A recorded run is left where the recorded thread is at an event, not another one. */
static void test_leave(void **state)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(SITE_A, HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(SITE_B, HD_GOAL_READ, 1, 0, 1)});
    goals.at[0].event[0].tid = 1;
    goals.at[0].event[1].tid = 2;
    begin();
    stands(0, true, HD_EV_READ, SITE_B, X);
    stands(1, true, HD_EV_READ, SITE_B, X);
    struct hd_view v = situation(1);
    assert_false(driver.strategy->leave(driver.state, &v));
    stands(2, true, HD_EV_READ, SITE_B, X);
    v = situation(1);
    assert_true(driver.strategy->leave(driver.state, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_woken),       cmocka_unit_test(test_not_streamed),
        cmocka_unit_test(test_lock_in_sight), cmocka_unit_test(test_one_is_held),
        cmocka_unit_test(test_touched_again), cmocka_unit_test(test_released),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_input),       cmocka_unit_test(test_leave),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
