/* Unit tests of plan/map/map_arm.c: patterns become goals by the events of runs, not without the metric,
 * and long looks make pauses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/map/map_arm.h"
#include "shm_rig.h"

enum { X = 0x1000 };

static struct hd_cover cover;
static struct hd_coverage total;

static int setup(void **state)
{
    memset(&cover, 0, sizeof cover);
    hd_coverage_init(&total, &(struct hd_observe_config){.metrics = 1u << HD_METRIC_map});
    cover.total = &total;
    cover.o.what.metrics = cover.now.metrics = (u64)1 << HD_METRIC_map;
    return 0;
}

static int teardown(void **state)
{
    hd_coverage_release(&total);
    return 0;
}

static struct hd_event access_by(u16 tid, u8 kind, u64 site)
{
    return (struct hd_event){.tid = tid, .kind = kind, .size = 4, .site = site, .obj = X};
}

static void not_without_the_metric(void **state)
{
    cover.o.what.metrics = (u64)1 << HD_METRIC_iroot;
    assert_null(hd_map_arm_open(&cover, 1));
    assert_false(hd_map_arm_is_open(NULL));
    hd_map_arm_look(NULL, NULL, 0);
    hd_map_arm_ran(NULL, 0);
    hd_map_arm_close(NULL);
}

static void goals_by_events(void **state)
{
    struct hd_map_arm *m = hd_map_arm_open(&cover, 1);
    struct hd_event ev[] = {access_by(1, HD_EV_READ, 4), access_by(2, HD_EV_WRITE, 9),
                            access_by(1, HD_EV_READ, 5)};
    assert_non_null(m);
    assert_false(hd_map_arm_is_open(m));
    hd_map_arm_look(m, ev, HD_COUNT(ev));
    assert_true(hd_map_arm_is_open(m));
    size_t n = m->source.open.n;
    hd_map_arm_look(m, ev, HD_COUNT(ev));
    assert_int_equal(m->source.open.n, n);
    cover.now.metrics = 0; /* runs became long: no longer observed */
    assert_false(hd_map_arm_is_open(m));
    hd_map_arm_close(m);
}

/* Many accesses to one variable: many combinations. */
static void pauses_after_long_looks(void **state)
{
    struct hd_map_arm *m = hd_map_arm_open(&cover, 1);
    struct hd_event ev[24 * 8];
    for (u32 i = 0; i < HD_COUNT(ev); i++) {
        ev[i] = access_by((u16)(i % 2 + 1), i % 3 ? HD_EV_READ : HD_EV_WRITE, 10 + i);
        ev[i].obj = X + 8 * (i / 24);
    }
    hd_map_arm_look(m, ev, HD_COUNT(ev));
    u64 skip = m->skip;
    assert_true(skip > 0);
    hd_map_arm_look(m, ev, HD_COUNT(ev));
    assert_int_equal(m->skip, skip - 1);
    hd_map_arm_close(m);
}

/* No interleaving is sure to show its pattern: each is tried twice, then nothing is left. */
static void two_attempts(void **state)
{
    struct rig rig = rig_make();
    static struct hd_worker w;
    struct hd_event ev[] = {access_by(1, HD_EV_READ, 4), access_by(2, HD_EV_WRITE, 9),
                            access_by(1, HD_EV_READ, 5)};
    struct hd_map_arm *m = hd_map_arm_open(&cover, 1);
    u32 picked = 0;
    for (u32 i = 0; i < HD_COUNT(ev); i++) {
        u32 place = hd_places_add(&cover.places, HD_NO_MODULE, 0x100 + i);
        ev[i].site = cover.places.place.at[place].id;
    }
    w = (struct hd_worker){.host = rig.host};
    rig_snapshot(&w.run, &rig);
    hd_map_arm_look(m, ev, HD_COUNT(ev));
    size_t n = m->source.open.n;
    assert_true(n > 0);
    for (u32 number; picked < 1000 && (number = hd_map_arm_begin(m, &w, 0)); picked++)
        hd_map_arm_ran(m, number);
    assert_int_equal(picked, 2 * n);
    assert_false(hd_map_arm_is_open(m));
    hd_map_arm_close(m);
    hd_snapshot_release(&w.run);
    hd_places_release(&cover.places);
    rig_drop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(not_without_the_metric, setup, teardown),
        cmocka_unit_test_setup_teardown(goals_by_events, setup, teardown),
        cmocka_unit_test_setup_teardown(pauses_after_long_looks, setup, teardown),
        cmocka_unit_test_setup_teardown(two_attempts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
