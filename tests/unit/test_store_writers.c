/* test_store_writers.c: batches, several writers, and what writing costs. */
#include "store_rig.h"

#include <time.h>

/* ---- batches and writers --------------------------------------------------------------- */

static void test_batch(void **state)
{
    const char *dir = rig_path("batch");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_run run = {1, 1, "pct", "clean", 1, 1, 0};
    rig_ok(st, hd_store_run(st, r.campaign, &run));
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run"), 0);
    rig_ok(st, hd_store_tick(st)); /* not yet */
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run"), 0);
    st->batch_ns -= HD_STORE_BATCH_NS;
    rig_ok(st, hd_store_tick(st));
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run"), 1);
    run.number = 2;
    rig_ok(st, hd_store_curve_add(st, r.campaign, "iroot", 2, 0, 1));
    st->batch_ns -= HD_STORE_BATCH_NS; /* due, but the run is not over */
    rig_ok(st, hd_store_curve_add(st, r.campaign, "pset", 2, 0, 1));
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM curve"), 0);
    rig_ok(st, hd_store_run(st, r.campaign, &run));
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM curve"), 2);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run"), 2);
    rig_close(st);
}

/* A child that opens the store, says so, and holds it until it is told. */
struct child {
    pid_t pid;
    int say, hear;
};

static struct child hold(const char *dir)
{
    int a[2], b[2];
    char c = 0;
    assert_true(!pipe(a) && !pipe(b));
    struct child k = {fork(), b[1], a[0]};
    if (!k.pid) {
        struct hd_store *st = NULL;
        close(b[1]);
        if (hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err) || write(a[1], &c, 1) != 1 ||
            read(b[0], &c, 1) < 0)
            _exit(1);
        usleep(200000);
        _exit(hd_store_close(st, &rig_err) ? 1 : 0);
    }
    close(a[1]);
    close(b[0]);
    assert_int_equal(read(k.hear, &c, 1), 1);
    close(k.hear);
    return k;
}

static void test_two_writers(void **state)
{
    const char *dir = rig_path("writers");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_start(st, 1);
    rig_close(st);
    struct child k = hold(dir);
    char pid[32];
    snprintf(pid, sizeof pid, "process %d)", (int)k.pid);
    assert_int_equal(hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err), -EBUSY);
    assert_null(st);
    assert_non_null(strstr(rig_err.text, pid));
    assert_non_null(strstr(rig_err.text, "--wait"));
    assert_int_equal(hd_store_open(&st, dir, HD_STORE_WRITE, 0.1, &rig_err), -EBUSY);
    assert_non_null(strstr(rig_err.text, "0.1 seconds"));
    st = rig_open(dir, HD_STORE_READ); /* readers are welcome */
    rig_id(st, hd_store_program(st, "/opt/prog"));
    rig_close(st);
    close(k.say); /* it goes on 0.2 seconds, and so do we */
    assert_int_equal(hd_store_open(&st, dir, HD_STORE_WRITE, 20, &rig_err), 0);
    rig_close(st);
    int status;
    waitpid(k.pid, &status, 0);
    assert_int_equal(status, 0);
}

static void test_killed_writer(void **state)
{
    const char *dir = rig_path("killed");
    struct child k = hold(dir);
    kill(k.pid, SIGKILL);
    waitpid(k.pid, NULL, 0);
    close(k.say);
    rig_close(rig_open(dir, HD_STORE_WRITE));
}

/* ---- cost -------------------------------------------------------------------------------- */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A run cannot be cheaper than fork, exit and wait: 0.4 ms (DESIGN). Storing may
 * cost 5 % of that: 20 us of processor time for a run with one new element. */
static void test_cost(void **state)
{
    enum { RUNS = 20000, ELEMENTS = 100000 };
    struct hd_store *st = rig_open(rig_path("cost"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_rng rng = {1};
    s64 site[300];
    for (u32 i = 0; i < HD_COUNT(site); i++)
        site[i] = rig_site(st, r.build, i);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    for (u32 i = 0; i < RUNS; i++) {
        struct hd_store_element e = {.metric = "iroot", .sub = i % 6, .n = 4};
        for (u32 k = 0; k < 4; k++)
            e.site[k] = site[hd_rng_below(&rng, HD_COUNT(site))];
        hd_store_element_add(st, r.campaign, &e, i, 1);
        hd_store_run(st, r.campaign, &(struct hd_store_run){i, i, "pct", "clean", 9, 9, 1});
    }
    rig_ok(st, hd_store_commit(st));
    cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / RUNS;
    wall = (seconds(CLOCK_MONOTONIC) - wall) / RUNS;
    print_message("run + new element: %.1f us of processor, %.1f us in all\n", cpu * 1e6,
                  wall * 1e6);
    double t = seconds(CLOCK_MONOTONIC);
    for (u32 i = 0; i < ELEMENTS; i++) {
        struct hd_store_element e = {.metric = "pset", .n = 2};
        e.site[0] = site[i % 300];
        e.site[1] = site[i / 300 % 300];
        hd_store_element_add(st, r.campaign, &e, i, 1);
    }
    rig_ok(st, hd_store_commit(st));
    print_message("%.0f elements/s\n", ELEMENTS / (seconds(CLOCK_MONOTONIC) - t));
    rig_close(st);
#ifndef __SANITIZE_ADDRESS__
    assert_true(cpu < 20e-6);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_killed_writer),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
