/* Maple's scheduler on the situations its paper draws: what complementary schedules, watching and
 * arbitration reach, and what they do not. */
#include "unit/active_sim.h"

static int choose(void **state)
{
    driver = sim_driver_new(hd_strategy_find("maple"));
    return driver.state == NULL;
}

static bool is_pair(const u64 *site)
{
    u32 a = when(0, site[0], 0), b = when(1, site[1], 0);
    return a < b && b < LONGEST && !is_touched(X, a, b);
}

static bool is_hit_in(struct sim_program *p, u8 order, u64 seed, bool (*is_hit)(const u64 *site),
                      const u64 *site)
{
    goals.order = order;
    run(p, seed);
    return is_hit(site);
}

static void pair_goal(const u64 *site)
{
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
}

/* Figure 7 (a): whoever comes first waits for the other. */
static void test_ideal(void **state)
{
    struct sim_program *p = sim_program_new("ideal", 2);
    pad(p, 0, 20);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 1, 5);
    site[1] = add(p, 1, HD_EV_READ, X);
    sim_program_end(p);
    pair_goal(site);
    assert_true(is_hit_in(p, HD_ORDER_EARLIER, 1, is_pair, site));
    assert_true(is_hit_in(p, HD_ORDER_LATER, 1, is_pair, site));
    sim_program_free(p);
}

/* Figure 7 (b): the partner cannot come before the first one goes: it goes, and the object is
 * watched until the partner comes, also if a third thread would write in between. */
static void test_watch(void **state)
{
    struct sim_program *p = sim_program_new("watch", 3);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    sim_add(p, 0, HD_EV_FUTEX_WAKE, 3);
    pad(p, 0, 5);
    pad(p, 1, 3);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 3, 1);
    pad(p, 1, 9);
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 2, 2);
    sim_add_arg(p, 2, HD_EV_FUTEX_WAIT, 3, 1);
    sim_add(p, 2, HD_EV_WRITE, X);
    sim_program_end(p);
    pair_goal(site);
    assert_true(is_hit_in(p, HD_ORDER_EARLIER, 1, is_pair, site));
    assert_true(is_hit_in(p, HD_ORDER_LATER, 1, is_pair, site));
    sim_program_free(p);
}

/* Figure 7 (c): both events under one lock. The second attempt gives the lock to the wrong thread
 * first; the first one does not. */
static void test_complementary(void **state)
{
    struct sim_program *p = sim_program_new("complementary", 2);
    u64 site[2];
    pad(p, 0, 4);
    sim_add(p, 0, HD_EV_LOCK, 1);
    site[0] = add(p, 0, HD_EV_WRITE, X);
    sim_add(p, 0, HD_EV_UNLOCK, 1);
    pad(p, 1, 9);
    sim_add(p, 1, HD_EV_LOCK, 1);
    site[1] = add(p, 1, HD_EV_READ, X);
    sim_add(p, 1, HD_EV_UNLOCK, 1);
    sim_program_end(p);
    pair_goal(site);
    assert_true(is_hit_in(p, HD_ORDER_EARLIER, 1, is_pair, site));
    assert_false(is_hit_in(p, HD_ORDER_LATER, 1, is_pair, site));
    assert_int_equal(sim.thread[0].state, HD_T_FINISHED); /* and nobody waits for ever */
    assert_int_equal(sim.thread[1].state, HD_T_FINISHED);
    sim_program_free(p);
}

/* Locks in two orders: both first ones are taken before either second one is asked for. */
static void test_deadlock(void **state)
{
    struct sim_program *p = sim_program_new("deadlock", 2);
    u64 site[4] = {add(p, 0, HD_EV_LOCK, 1)};
    site[3] = add(p, 0, HD_EV_LOCK, 2);
    sim_add(p, 0, HD_EV_UNLOCK, 2);
    sim_add(p, 0, HD_EV_UNLOCK, 1);
    pad(p, 1, 50);
    site[2] = add(p, 1, HD_EV_LOCK, 2);
    site[1] = add(p, 1, HD_EV_LOCK, 1);
    sim_program_end(p);
    goal(4, 2, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_TAKE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_TAKE, 1, 0, 5),
                                        EVENT(site[2], HD_GOAL_TAKE, 1, 1, 0),
                                        EVENT(site[3], HD_GOAL_TAKE, 0, 1, 5)});
    for (u8 order = HD_ORDER_EARLIER; order <= HD_ORDER_LATER; order++) {
        goals.order = order;
        run(p, 1);
        assert_true(sim.owner[1] == 1 && sim.owner[2] == 2);
    }
    sim_program_free(p);
}

/* Two writes around two reads, of two variables. */
static void test_four(void **state)
{
    struct sim_program *p = sim_program_new("four", 2);
    pad(p, 0, 3);
    u64 site[4] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 0, 5);
    site[3] = add(p, 0, HD_EV_WRITE, Y);
    pad(p, 1, 40);
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 1, 2);
    site[2] = add(p, 1, HD_EV_READ, Y);
    sim_program_end(p);
    goal(4, 2, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1),
                                        EVENT(site[2], HD_GOAL_READ, 1, 1, 2),
                                        EVENT(site[3], HD_GOAL_WRITE, 0, 1, 4)});
    for (u8 order = HD_ORDER_EARLIER; order <= HD_ORDER_LATER; order++) {
        goals.order = order;
        run(p, 1);
        u32 a = when(0, site[0], 0), b = when(1, site[1], 0), c = when(1, site[2], 0),
            d = when(0, site[3], 0);
        assert_true(a < b && b < c && c < d && d < LONGEST);
    }
    sim_program_free(p);
}

/* ---- arbitration ----------------------------------------------------------------------- */

enum { SEEDS = 1000 };

/* Steps that are no writes: places in the code of different threads are the same here. */
static void pad_reads(struct sim_program *p, u32 tid, u32 n)
{
    while (n--)
        sim_add(p, tid, HD_EV_READ, NOISE + 64 * tid);
}

/* A second thread comes to the event that the first is parked at. Whoever is there stays with 1/2;
 * the other one is asked again then, so the first is there in the end with
 * 1/2 + 1/2 * 1/2 * (the same) = 2/3. Binomial: 1000 runs are within 0.06 of it but for one in 10,000. */
static void test_equal_chances(void **state)
{
    struct sim_program *p = sim_program_new("equal", 3);
    u32 kept = 0;
    pad(p, 0, 3);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 0, 1);
    pad(p, 1, 3);
    add(p, 1, HD_EV_WRITE, Y); /* the same place in the code, another object */
    pad(p, 1, 1);
    pad_reads(p, 2, 30);
    site[1] = add(p, 2, HD_EV_READ, X);
    sim_program_end(p);
    pair_goal(site);
    goals.at[0].event[0].addr = goals.at[0].event[1].addr = 0;
    goals.order = HD_ORDER_EARLIER;
    for (u64 seed = 1; seed <= SEEDS; seed++) {
        run(p, seed);
        kept += when(1, site[0], 0) < when(0, site[0], 0);
    }
    assert_in_range(kept, SEEDS * 2 / 3 - 60, SEEDS * 2 / 3 + 60);
    sim_program_free(p);
}

/* The same after the first dependency of two was shown: who is there stays with 4/5. If not, the one
 * at the second half comes to a goal that has started over and takes its place with 1/2, then it is
 * asked again: 4/5 + 1/5 * 1/3 = 0.87. */
static void test_biased_chances(void **state)
{
    struct sim_program *p = sim_program_new("biased", 3);
    u32 kept = 0;
    pad(p, 0, 3);
    u64 site[4] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 0, 2);
    site[3] = add(p, 0, HD_EV_WRITE, Y);
    pad_reads(p, 1, 40);
    site[1] = add(p, 1, HD_EV_READ, X);
    sim_add(p, 1, HD_EV_FUTEX_WAKE, 3);
    pad(p, 1, 2);
    site[2] = add(p, 1, HD_EV_READ, Y);
    sim_add_arg(p, 2, HD_EV_FUTEX_WAIT, 3, 1);
    pad(p, 2, 2);
    add(p, 2, HD_EV_WRITE, NOISE + 256); /* at the place of the first event */
    sim_program_end(p);
    goal(4, 2, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1),
                                        EVENT(site[2], HD_GOAL_READ, 1, 1, 2),
                                        EVENT(site[3], HD_GOAL_WRITE, 0, 1, 4)});
    for (u32 i = 0; i < 4; i++)
        goals.at[0].event[i].addr = 0;
    goals.order = HD_ORDER_LATER;
    for (u64 seed = 1; seed <= SEEDS; seed++) {
        run(p, seed);
        kept += when(2, site[0], 0) < when(1, site[2], 0);
    }
    assert_in_range(kept, 830, 910);
    sim_program_free(p);
}

/* ---- the world outside ------------------------------------------------------------------- */

/* Figure 8: it is waited for if the candidate depends on it, not otherwise, and not for ever. */
static void test_outside(void **state)
{
    struct sim_program *p = sim_program_new("outside", 2);
    u64 site[2] = {0x400000 + 16 * 77};
    pad(p, 0, 1);
    site[1] = add(p, 0, HD_EV_READ, X);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 3, 1);
    sim_program_end(p);
    static const struct hd_learned nothing;
    struct hd_strategy_arg arg = {.goals = &goals, .learned = &nothing};
    for (u32 awaits = 0; awaits < 2; awaits++) {
        struct hd_view v;
        struct hd_op done;
        pair_goal(site);
        goals.patience = 3;
        goals.awaits = awaits;
        memset(driver.state, 0, driver.strategy->state_size);
        driver.strategy->start(driver.state, &arg);
        sim_init(&sim, p);
        sim_look(&sim, &v);
        assert_false(driver.strategy->await(driver.state, &v)); /* nobody is parked */
        sim_step(&sim, 0, &done);
        driver.strategy->stepped(driver.state, &v, 0, &done);
        sim_look(&sim, &v);
        assert_int_equal(driver.strategy->pick(driver.state, &v), 0); /* parked, and alone */
        u32 n = 0;
        while (driver.strategy->await(driver.state, &v))
            n++;
        assert_int_equal(n, awaits ? 3 : 0);
    }
    sim_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal),         cmocka_unit_test(test_watch),
        cmocka_unit_test(test_complementary), cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_four),          cmocka_unit_test(test_equal_chances),
        cmocka_unit_test(test_biased_chances), cmocka_unit_test(test_outside),
    };
    return cmocka_run_group_tests(tests, choose, teardown);
}
