/* Unit tests of plan/map/map_instance.c and plan/map/map_pattern.c: which instances of memory-access
 * patterns the events of a run allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "observe/observe.h"
#include "plan/map/map_instance.h"

enum { X = 0x1000, Y = 0x2000, M = 0x9000 };

static struct hd_map_run run;
static u32 feasible[HD_MAP_PATTERNS + 1], infeasible[HD_MAP_PATTERNS + 1];

static int setup(void **state)
{
    hd_map_run_init(&run);
    hd_map_run_begin(&run);
    memset(feasible, 0, sizeof feasible);
    memset(infeasible, 0, sizeof infeasible);
    return 0;
}

static int teardown(void **state)
{
    hd_map_run_release(&run);
    return 0;
}

static void add(u16 tid, u8 kind, u64 site, u64 obj)
{
    struct hd_event ev = {.tid = tid, .kind = kind, .size = 4, .site = site, .obj = obj};
    hd_map_run_event(&run, &ev);
}

static void count(void *self, u32 pattern, const u64 *site, bool is_feasible)
{
    (is_feasible ? feasible : infeasible)[pattern]++;
}

static void look(void)
{
    struct hd_rng rng = hd_rng_make(1, 0, 0);
    hd_map_run_each(&run, &rng, count, NULL);
}

/* Two reads by one thread, one write by another, nothing between them: the example of the paper. */
static void reads_around_a_write(void **state)
{
    add(1, HD_EV_READ, 4, X);
    add(1, HD_EV_READ, 5, X);
    add(2, HD_EV_WRITE, 9, X);
    look();
    assert_int_equal(feasible[1], 2);
    assert_int_equal(feasible[2], 2);
    assert_int_equal(feasible[4], 1); /* 4, 9, 5: the reads have their order */
    assert_int_equal(infeasible[4], 0);
}

/* The reads are under one lock that the writer takes as well. */
static void a_lock_held_all_the_time(void **state)
{
    add(1, HD_EV_LOCK, 1, M);
    add(1, HD_EV_READ, 4, X);
    add(1, HD_EV_READ, 5, X);
    add(1, HD_EV_UNLOCK, 2, M);
    add(2, HD_EV_LOCK, 8, M);
    add(2, HD_EV_WRITE, 9, X);
    add(2, HD_EV_UNLOCK, 7, M);
    look();
    assert_int_equal(feasible[1], 2); /* one before the other is possible */
    assert_int_equal(feasible[4], 0);
    assert_int_equal(infeasible[4], 1);
}

/* The same with the lock given up between the reads. */
static void a_lock_released_between(void **state)
{
    add(1, HD_EV_LOCK, 1, M);
    add(1, HD_EV_READ, 4, X);
    add(1, HD_EV_UNLOCK, 2, M);
    add(1, HD_EV_LOCK, 3, M);
    add(1, HD_EV_READ, 5, X);
    add(1, HD_EV_UNLOCK, 6, M);
    add(2, HD_EV_LOCK, 8, M);
    add(2, HD_EV_WRITE, 9, X);
    add(2, HD_EV_UNLOCK, 7, M);
    look();
    assert_int_equal(feasible[4], 1);
}

/* What a thread did before it made the other cannot come later. */
static void creation_orders(void **state)
{
    add(1, HD_EV_WRITE, 4, X);
    add(1, HD_EV_CREATE, 5, 2);
    add(2, HD_EV_START, 6, 1);
    add(2, HD_EV_READ, 9, X);
    look();
    assert_int_equal(feasible[2], 1); /* write, read */
    assert_int_equal(feasible[1], 0);
    assert_int_equal(infeasible[1], 1); /* read, write */
}

static void two_variables(void **state)
{
    add(1, HD_EV_WRITE, 4, X);
    add(1, HD_EV_WRITE, 5, Y);
    add(2, HD_EV_READ, 8, X);
    add(2, HD_EV_READ, 9, Y);
    look();
    assert_true(feasible[12] > 0); /* aWx bRx bRy aWy */
    assert_int_equal(feasible[9], 0);
    assert_int_equal(feasible[14] > 0, 1); /* bRx aWx aWy bRy */
}

/* Steps as they are in the table of the paper. */
static void patterns(void **state)
{
    static const char *const text[] = {NULL,
                                       "aRx bWx",
                                       "aWx bRx",
                                       "aWx bWx",
                                       "aRx bWx aRx",
                                       "aWx bWx aRx",
                                       "aWx bRx aWx",
                                       "aRx bWx aWx",
                                       "aWx bWx aWx",
                                       "aWx bWx bWy aWy",
                                       "aWx bWy bWx aWy",
                                       "aWx bWy aWy bWx",
                                       "aWx bRx bRy aWy",
                                       "aWx bRy bRx aWy",
                                       "aRx bWx bWy aRy",
                                       "aRx bWy bWx aRy",
                                       "aRx bWy aRy bWx",
                                       "aWx bRy aWy bRx"};
    for (u32 p = 1; p <= HD_MAP_PATTERNS; p++) {
        const struct hd_map_pattern *is = &hd_map_pattern[p];
        char got[32] = "";
        for (u32 i = 0; i < is->n; i++)
            sprintf(got + strlen(got), "%s%c%c%c", i ? " " : "", "ab"[is->step[i].role],
                    "RW"[is->step[i].is_write], "xy"[is->step[i].var]);
        assert_string_equal(got, text[p]);
    }
}

/* What is looked at: 24 different accesses of a variable, 16 threads, 512 variables; a loop's count once. */
static void bounds(void **state)
{
    for (u32 i = 0; i < 100; i++)
        add(1, HD_EV_READ, 4, X);
    for (u64 i = 0; i < 40; i++)
        add(2, HD_EV_WRITE, 100 + i, X);
    add(15, HD_EV_WRITE, 8, Y);
    add(16, HD_EV_READ, 9, Y); /* too many threads */
    look();
    assert_int_equal(feasible[1] + infeasible[1], 23);
    for (u64 i = 0; i < 600; i++) {
        add(1, HD_EV_READ, 4, 0x10000 + 8 * i);
        add(2, HD_EV_WRITE, 9, 0x10000 + 8 * i);
    }
    assert_int_equal(run.n_vars, 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_around_a_write, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_held_all_the_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_released_between, setup, teardown),
        cmocka_unit_test_setup_teardown(creation_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(two_variables, setup, teardown),
        cmocka_unit_test(patterns),
        cmocka_unit_test_setup_teardown(bounds, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
