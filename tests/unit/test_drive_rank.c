/* Unit tests of plan/drive/drive_rank.c and drive_goal.c: which candidate is next, as we do it and as the paper on
 * Maple does, and which address a goal asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/drive/drive.h"
#include "shm_rig.h"

enum { NAMED = 0x5000, HEAP = 0x900000 };

static struct hd_cover cover;
static struct hd_drive d;

static u32 add(u32 idiom, u64 first_site)
{
    struct hd_drive_candidate *c = hd_vec_add(&d.candidate);
    *c = (struct hd_drive_candidate){.element = {.metric = HD_METRIC_iroot, .sub = (u8)idiom, .n = 2}};
    c->is.n = 2;
    for (u32 i = 0; i < 2; i++)
        c->element.site[i] = first_site + i;
    return (u32)d.candidate.n - 1;
}

static int setup(void **state)
{
    memset(&cover, 0, sizeof cover);
    memset(&d, 0, sizeof d);
    d.o.cover = &cover;
    hd_map_init(&d.site_tries);
    d.rng = hd_rng_make(1, 0, 0);
    *hd_vec_add(&d.candidate) = (struct hd_drive_candidate){0}; /* [0] is nobody */
    return 0;
}

static int teardown(void **state)
{
    hd_vec_release(&d.candidate);
    hd_map_release(&d.site_tries);
    return 0;
}

static bool is_before(u32 a, u32 b)
{
    return hd_drive_score(&d, &d.candidate.at[a]) > hd_drive_score(&d, &d.candidate.at[b]);
}

/* Each of the factors that drive_rank.c names. */
static void by_expected_yield(void **state)
{
    u32 a = add(1, 10), b = add(1, 20), other = add(4, 30);
    assert_false(is_before(a, b) || is_before(b, a));
    assert_int_equal(hd_drive_choose(&d, 1), a);
    d.candidate.at[a].tries = 1;
    assert_int_equal(hd_drive_choose(&d, 1), b);
    d.candidate.at[a].tries = 0;
    *hd_map_ref(&d.site_tries, 11, 0) = 3; /* others with its site were tried */
    assert_true(is_before(b, a));
    hd_map_release(&d.site_tries);
    d.candidate.at[a].is_library = true;
    assert_true(is_before(b, a));
    d.candidate.at[a].is_library = false;
    d.candidate.at[b].is_changed = true;
    assert_true(is_before(b, a));
    d.candidate.at[b].is_changed = false;
    d.candidate.at[b].is_near = true;
    assert_true(is_before(b, a));
    d.candidate.at[b].is_near = false;
    d.candidate.at[b].is.is_deadlock = true;
    assert_true(is_before(b, a));
    d.candidate.at[b].is.is_deadlock = false;
    d.candidate.at[a].is_from_long = true;
    d.candidate.at[a].is.event[1].executed = 1000; /* chance shows what is hot */
    assert_true(is_before(b, a));
    assert_true(is_before(b, other));
    d.attempts[1] = 100; /* nothing came of those of idiom 1 */
    d.attempts[4] = d.hits[4] = 100;
    assert_true(is_before(other, b));
}

static void who_can_be_had(void **state)
{
    u32 a = add(1, 10), b = add(1, 20), lock = add(5, 30), out[4];
    d.candidate.at[lock].is.is_deadlock = true;
    assert_int_equal(hd_drive_idioms(&d), 1u << 5); /* a deadlock that was never tried comes first */
    d.candidate.at[lock].tries = 1;
    assert_int_equal(hd_drive_idioms(&d), 1u << 1 | 1u << 5);
    d.candidate.at[a].is_busy = true;
    assert_int_equal(hd_drive_choose(&d, 1), b);
    d.candidate.at[b].state = HD_DRIVE_EXPOSED;
    assert_int_equal(hd_drive_choose(&d, 1), 0);
    d.candidate.at[a].is_busy = false;
    assert_int_equal(hd_drive_choose_queue(&d, 1, out, 4), 1); /* a deadlock is driven alone */
    assert_int_equal(out[0], a);
    assert_int_equal(hd_drive_choose_queue(&d, 1, out, 0), 0);
}

/* The program's own before those of libraries, then by attempts; nothing else counts. */
static void as_the_paper(void **state)
{
    u32 library = add(1, 10), own = add(1, 20), tried = add(1, 30);
    d.o.as_paper = true;
    d.candidate.at[library].is_library = true;
    d.candidate.at[library].is.is_deadlock = true;
    d.candidate.at[tried].tries = 1;
    assert_true(is_before(own, tried));
    assert_true(is_before(tried, library));
}

/* A variable with a name is asked for where it was; of what lies on a heap half of the attempts take any. */
static void which_address(void **state)
{
    struct rig m = rig_make();
    struct hd_snapshot run;
    struct hd_goal goal;
    u32 at = add(1, 0);
    struct hd_drive_candidate *c = &d.candidate.at[at];
    m.run->n_modules = 1;
    hd_shm_modules(m.run)[0] = (struct hd_module){.start = NAMED, .end = NAMED + 64};
    rig_snapshot(&run, &m);
    for (u32 i = 0; i < 2; i++) {
        u32 place = hd_places_add(&cover.places, HD_NO_MODULE, 0x100 + i);
        c->is.event[i].site = cover.places.place.at[place].id;
    }
    for (u32 nth = 0; nth < 4; nth++) {
        c->is.event[0].addr = c->is.event[1].addr = NAMED + 8;
        assert_true(hd_drive_goal(c, nth, 1000, &cover.places, &run, &goal));
        assert_int_equal(goal.event[0].addr, NAMED + 8);
        assert_int_equal(goal.event[1].site, 0x101);
        c->is.event[0].addr = c->is.event[1].addr = HEAP;
        assert_true(hd_drive_goal(c, nth, 1000, &cover.places, &run, &goal));
        assert_int_equal(goal.event[1].addr, nth % 2 ? HEAP : 0);
    }
    hd_snapshot_release(&run);
    hd_places_release(&cover.places);
    rig_drop(&m);
}

/* Complementary schedules (4.3): two attempts, in the order of creation and the other way round. */
static void two_ways(void **state)
{
    struct hd_goals goals = {.is_eager = true, .holds_all = true, .lets_pass = true};
    hd_drive_paper_manner(&goals, 0);
    assert_int_equal(goals.order, HD_ORDER_EARLIER);
    assert_false(goals.is_eager || goals.holds_all || goals.lets_pass);
    hd_drive_paper_manner(&goals, 1);
    assert_int_equal(goals.order, HD_ORDER_LATER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(by_expected_yield, setup, teardown),
                                       cmocka_unit_test_setup_teardown(who_can_be_had, setup, teardown),
                                       cmocka_unit_test_setup_teardown(as_the_paper, setup, teardown),
                                       cmocka_unit_test(two_ways),
                                       cmocka_unit_test_setup_teardown(which_address, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
