/* The active strategy on simulated programs: in every way to fill what a goal leaves
 * open, the first attempt at a feasible goal has to reach it. */
#include "unit/active_sim.h"

/* Runs in every manner; `is_hit` looks at the trace. */
static void in_every_manner(struct sim_program *p, bool (*is_hit)(const u64 *site), const u64 *site)
{
    for (u8 order = 0; order < HD_ORDER_COUNT; order++)
        for (u64 seed = 1; seed <= 20; seed++) {
            goals.order = order;
            goals.is_eager = false;
            run(p, seed);
            if (!is_hit(site))
                fail_msg("order %u, seed %llu: not reached", order, (unsigned long long)seed);
        }
}

static bool is_pair(const u64 *site)
{
    u32 a = when(0, site[0], 0), b = when(1, site[1], 0);
    return a < b && b < LONGEST && !is_touched(X, a, b);
}

/* A write at the far end of one thread, a read at the beginning of the other, and a
 * third that writes all the time. */
static void test_pair(void **state)
{
    struct sim_program *p = sim_program_new("pair", 3);
    pad(p, 0, 100);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 1, 20);
    for (u32 i = 0; i < 30; i++)
        sim_add(p, 2, HD_EV_WRITE, X);
    sim_program_end(p);
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
    in_every_manner(p, is_pair, site);
    sim_program_free(p);
}

static bool is_triple(const u64 *site)
{
    u32 a = when(0, site[0], 0), b = when(1, site[1], 0), c = when(0, site[2], 0);
    return a < b && b < c && c < LONGEST && !is_touched(X, a, b) && !is_touched(X, b, c);
}

static void test_triple(void **state)
{
    struct sim_program *p = sim_program_new("triple", 2);
    pad(p, 0, 60);
    u64 site[3] = {add(p, 0, HD_EV_READ, X)};
    site[2] = add(p, 0, HD_EV_WRITE, X);
    pad(p, 1, 7);
    site[1] = add(p, 1, HD_EV_WRITE, X);
    sim_program_end(p);
    goal(3, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_READ, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_WRITE, 1, 0, 1),
                                        EVENT(site[2], HD_GOAL_WRITE, 0, 0, 2)});
    in_every_manner(p, is_triple, site);
    sim_program_free(p);
}

static bool is_four(const u64 *site)
{
    u32 a = when(0, site[0], 0), b = when(1, site[1], 0), c = when(1, site[2], 0),
        d = when(0, site[3], 0);
    return a < b && b < c && c < d && d < LONGEST;
}

/* Two writes in one thread around two reads in another: one variable, and two. */
static void four(u64 second)
{
    struct sim_program *p = sim_program_new("four", 2);
    pad(p, 0, 3);
    u64 site[4] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 0, 5);
    site[3] = add(p, 0, HD_EV_WRITE, second);
    pad(p, 1, 40);
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 1, 2);
    site[2] = add(p, 1, HD_EV_READ, second);
    sim_program_end(p);
    u8 var = second != X;
    goal(4, 1u + var, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                               EVENT(site[1], HD_GOAL_READ, 1, 0, 1),
                                               EVENT(site[2], HD_GOAL_READ, 1, var, 2),
                                               EVENT(site[3], HD_GOAL_WRITE, 0, var, 4)});
    in_every_manner(p, is_four, site);
    sim_program_free(p);
}

static void test_four(void **state)
{
    four(X);
    four(Y);
}

static bool is_stuck(const u64 *site)
{
    return sim.thread[0].state != HD_T_FINISHED && sim.thread[1].state != HD_T_FINISHED &&
           sim.owner[1] && sim.owner[2];
}

/* Locks in two orders, at different times. */
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
    sim_add(p, 1, HD_EV_UNLOCK, 1);
    sim_add(p, 1, HD_EV_UNLOCK, 2);
    sim_program_end(p);
    goal(4, 2, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_TAKE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_TAKE, 1, 0, 5),
                                        EVENT(site[2], HD_GOAL_TAKE, 1, 1, 0),
                                        EVENT(site[3], HD_GOAL_TAKE, 0, 1, 5)});
    in_every_manner(p, is_stuck, site);
    sim_program_free(p);
}

/* The fifth of eight passes of a loop, and no other. */
static u32 wanted_pass;
static bool is_fifth(const u64 *site)
{
    u32 at = 0;
    for (u32 i = 0; i < wanted_pass; i++)
        at = when(0, site[0], at) + 1;
    u32 b = when(1, site[1], 0);
    return at <= b && b < LONGEST && !is_touched(X, at - 1, b);
}

static void test_instance(void **state)
{
    struct sim_program *p = sim_program_new("instance", 2);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    pad(p, 0, 4);
    p->code[0].loops = true;
    pad(p, 1, 3);
    site[1] = add(p, 1, HD_EV_READ, X);
    sim_add(p, 1, HD_EV_EXIT, 0);
    wanted_pass = 5;
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
    goals.at[0].event[0].nth = wanted_pass;
    in_every_manner(p, is_fifth, site);
    sim_program_free(p);
}

/* Two orders at once, which chance would bring together rarely. */
static bool is_both(const u64 *site)
{
    return when(0, site[0], 0) < when(1, site[1], 0) && when(3, site[3], 0) > when(2, site[2], 0) &&
           when(1, site[1], 0) < LONGEST && when(3, site[3], 0) < LONGEST;
}

static void test_set(void **state)
{
    struct sim_program *p = sim_program_new("set", 4);
    u64 site[4];
    pad(p, 0, 50);
    site[0] = add(p, 0, HD_EV_WRITE, X);
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 2, 51);
    site[2] = add(p, 2, HD_EV_WRITE, Y);
    pad(p, 3, 1);
    site[3] = add(p, 3, HD_EV_READ, Y);
    sim_program_end(p);
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
    goals.at[1] = goals.at[0];
    goals.at[1].event[0].site = site[2];
    goals.at[1].event[1].site = site[3];
    goals.at[1].event[0].addr = goals.at[1].event[1].addr = Y;
    goals.n = 2;
    in_every_manner(p, is_both, site);
    sim_program_free(p);
}

/* Both threads run the same code, and one has to be past the first event to come to the second:
 * whoever waits at the first for its partner lets the other one pass. */
static bool is_crossed(const u64 *site)
{
    for (u32 t = 0; t < 2; t++) {
        u32 a = when(t, site[0], 0), b = when(!t, site[1], 0);
        if (a < b && b < LONGEST && !is_touched(X, a, b))
            return true;
    }
    return false;
}

static void test_same_code(void **state)
{
    struct sim_program *p = sim_program_new("same code", 2);
    u64 site[2];
    for (u32 t = 0; t < 2; t++) {
        pad(p, t, 40);
        site[0] = add(p, t, HD_EV_ARMW, X);
        site[1] = add(p, t, HD_EV_ALOAD, X);
    }
    sim_program_end(p);
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_UPDATE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
    goals.lets_pass = true;
    in_every_manner(p, is_crossed, site);
    sim_program_free(p);
}

/* A goal that cannot be had must not keep anybody from ending. */
static bool is_over(const u64 *site)
{
    return sim.thread[0].state == HD_T_FINISHED && sim.thread[1].state == HD_T_FINISHED;
}

static void test_infeasible(void **state)
{
    struct sim_program *p = sim_program_new("infeasible", 2);
    u64 site[2] = {add(p, 0, HD_EV_WRITE, X)};
    sim_add(p, 0, HD_EV_FUTEX_WAKE, 3);
    pad(p, 0, 2);
    sim_add_arg(p, 1, HD_EV_FUTEX_WAIT, 3, 1);
    pad(p, 1, 9);
    site[1] = add(p, 1, HD_EV_WRITE, X);
    sim_program_end(p);
    /* The other way round: thread 1's write first. */
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[1], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[0], HD_GOAL_WRITE, 1, 0, 1)});
    in_every_manner(p, is_over, site);
    sim_program_free(p);
}

/* One run shows many orders, one after the other: every second variable is written before it is
 * read, the others after. A goal whose events do not come was not tried. */
enum { QUEUED = 12, NEVER = QUEUED };

static bool are_all(const u64 *site)
{
    for (u32 i = 0; i < QUEUED; i++) {
        u32 w = when(0, site[2 * i], 0), r = when(1, site[2 * i + 1], 0);
        if (w == LONGEST || r == LONGEST || (i % 2 ? r > w : w > r))
            return false;
    }
    return driver.strategy->tried(driver.state) == (1u << QUEUED) - 1;
}

static void add_order(u32 i, u64 write, u64 read)
{
    struct hd_goal_event w = EVENT(write, HD_GOAL_WRITE, 0, 0, 0),
                         r = EVENT(read, HD_GOAL_READ, 1, 0, 0);
    w.addr = r.addr = X + 64 * i;
    goals.at[i] = (struct hd_goal){.n = 2, .n_vars = 1, .event = {i % 2 ? r : w, i % 2 ? w : r}};
    goals.at[i].event[0].role = 0;
    goals.at[i].event[1].role = 1;
    goals.at[i].event[1].after = 1;
}

static void test_queue(void **state)
{
    struct sim_program *p = sim_program_new("queue", 2);
    u64 site[2 * QUEUED];
    pad(p, 1, 1); /* so that no two threads have a site in common */
    goals = (struct hd_goals){.n = NEVER + 1, .n_queued = NEVER};
    for (u32 i = 0; i < QUEUED; i++) {
        pad(p, 0, 2 * i + 3);
        site[2 * i] = add(p, 0, HD_EV_WRITE, X + 64 * i);
        pad(p, 1, 2 * i + 7);
        site[2 * i + 1] = add(p, 1, HD_EV_READ, X + 64 * i);
        add_order(i, site[2 * i], site[2 * i + 1]);
    }
    add_order(NEVER, 0x500000, 0x500010);
    sim_program_end(p);
    in_every_manner(p, are_all, site);
    sim_program_free(p);
}

/* What the queue holds gives way to the goal that the run is for. */
static void test_queue_gives_way(void **state)
{
    struct sim_program *p = sim_program_new("gives way", 2);
    u64 site[4];
    pad(p, 0, 4);
    site[2] = add(p, 0, HD_EV_WRITE, Y); /* in the queue: after the other one's, ... */
    pad(p, 0, 30);
    site[0] = add(p, 0, HD_EV_WRITE, X);
    pad(p, 1, 2);
    site[1] = add(p, 1, HD_EV_READ, X);
    pad(p, 1, 50);
    site[3] = add(p, 1, HD_EV_READ, Y); /* ... which the first goal does not allow */
    sim_program_end(p);
    goal(2, 1, (struct hd_goal_event[]){EVENT(site[0], HD_GOAL_WRITE, 0, 0, 0),
                                        EVENT(site[1], HD_GOAL_READ, 1, 0, 1)});
    goals.at[1] = goals.at[0];
    goals.at[1].event[0] = (struct hd_goal_event)EVENT(site[3], HD_GOAL_READ, 0, 0, 0);
    goals.at[1].event[1] = (struct hd_goal_event)EVENT(site[2], HD_GOAL_WRITE, 1, 0, 1);
    goals.n = 2;
    goals.n_queued = 1;
    in_every_manner(p, is_pair, site);
    sim_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),     cmocka_unit_test(test_triple),
        cmocka_unit_test(test_four),     cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_instance), cmocka_unit_test(test_set),
        cmocka_unit_test(test_same_code), cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_queue),    cmocka_unit_test(test_queue_gives_way),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
