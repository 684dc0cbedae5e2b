/* Unit tests of strategy/directed/map.c: runs of simulated programs are driven into memory-access patterns. */
#include "unit/active_sim.h"

#include "plan/map/map_pattern.h"

static int choose(void **state)
{
    driver = sim_driver_new(hd_strategy_find("map"));
    return driver.state == NULL;
}

static void aim(u32 pattern, const u64 *site)
{
    memset(&goals, 0, sizeof goals);
    hd_map_goal(pattern, site, &goals.at[0]);
    goals.n = 1;
}

/* Did the steps come in this order, by these two threads? */
static bool is_shown(u32 pattern, const u64 *site)
{
    const struct hd_map_pattern *p = &hd_map_pattern[pattern];
    for (u32 i = 0, at = 0; i < p->n; i++, at++) {
        at = when(p->step[i].role, site[i], at);
        if (at == LONGEST)
            return false;
    }
    return true;
}

/* `n` steps that are no accesses: a site is a place in a thread here, the same in both. */
static void go_on(struct sim_program *p, u32 tid, u32 n)
{
    while (n--)
        sim_add(p, tid, HD_EV_FUTEX_WAKE, 60 + tid);
}

/* Figures 1 to 3 of the paper: a test of `th`, its use, and a thread that sets it in between. */
static void test_example(void **state)
{
    struct sim_program *p = sim_program_new("example", 2);
    u64 s4 = add(p, 0, HD_EV_READ, X), s5 = add(p, 0, HD_EV_READ, X);
    go_on(p, 1, 9);
    u64 s9 = add(p, 1, HD_EV_WRITE, X);
    sim_program_end(p);
    u64 site[3] = {s4, s9, s5};
    aim(4, site);
    for (u64 seed = 1; seed <= 50; seed++) {
        run(p, seed);
        assert_true(is_shown(4, site));
    }
    sim_program_free(p);
}

/* Each pattern, its partner far away: whoever would be too early is held. */
static void test_all(void **state)
{
    for (u32 pattern = 1; pattern <= HD_MAP_PATTERNS; pattern++) {
        const struct hd_map_pattern *is = &hd_map_pattern[pattern];
        struct sim_program *p = sim_program_new("pattern", 2);
        u64 site[HD_GOAL_EVENTS];
        go_on(p, 0, 3);
        go_on(p, 1, 60);
        for (u32 i = 0; i < is->n; i++) {
            site[i] = add(p, is->step[i].role, is->step[i].is_write ? HD_EV_WRITE : HD_EV_READ,
                          is->step[i].var ? Y : X);
            go_on(p, is->step[i].role, 2);
        }
        sim_program_end(p);
        aim(pattern, site);
        for (u64 seed = 1; seed <= 20; seed++) {
            run(p, seed);
            assert_true(is_shown(pattern, site));
        }
        sim_program_free(p);
    }
}

/* Two threads do the same; who has which part may be said. */
static void test_threads_are_said(void **state)
{
    struct sim_program *p = sim_program_new("same", 3);
    u64 site[3];
    go_on(p, 0, 1);
    for (u32 tid = 1; tid < 3; tid++) {
        site[0] = add(p, tid, HD_EV_READ, X);
        site[1] = site[2] = add(p, tid, HD_EV_WRITE, X);
    }
    sim_program_end(p);
    aim(7, site);
    for (u32 i = 0; i < 3; i++)
        goals.at[0].event[i].tid = i == 1 ? 2 : 1;
    for (u64 seed = 1; seed <= 50; seed++) {
        run(p, seed);
        u32 read = when(1, site[0], 0), write = when(2, site[1], read + 1);
        assert_true(read < write && write < LONGEST && when(1, site[2], write + 1) < LONGEST);
    }
    sim_program_free(p);
}

/* What no schedule shows ends all the same: the second thread waits for the end of the first. */
static void test_infeasible(void **state)
{
    struct sim_program *p = sim_program_new("infeasible", 2);
    u64 first = add(p, 0, HD_EV_READ, X), second = add(p, 0, HD_EV_READ, X);
    sim_add(p, 0, HD_EV_FUTEX_WAKE, 3);
    go_on(p, 1, 20);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 3, 1);
    u64 write = add(p, 1, HD_EV_WRITE, X);
    sim_program_end(p);
    u64 site[3] = {first, write, second};
    aim(4, site);
    for (u64 seed = 1; seed <= 20; seed++) {
        run(p, seed);
        assert_false(is_shown(4, site));
        assert_int_equal(sim.thread[0].state, HD_T_FINISHED);
        assert_int_equal(sim.thread[1].state, HD_T_FINISHED);
    }
    sim_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_threads_are_said),
        cmocka_unit_test(test_infeasible),
    };
    return cmocka_run_group_tests(tests, choose, teardown);
}
