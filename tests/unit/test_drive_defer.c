/* Unit tests of plan/drive/drive_defer.c and of how many attempts a candidate gets
 * (drive_candidate.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/drive/drive.h"

static struct hd_cover cover;
static struct hd_coverage total;
static struct hd_drive d;

static int setup(void **state)
{
    memset(&cover, 0, sizeof cover);
    memset(&d, 0, sizeof d);
    hd_coverage_init(&total, &(struct hd_observe_config){.metrics = 1u << HD_METRIC_iroot});
    cover.total = &total;
    d.o.cover = &cover;
    d.o.tries = 2;
    d.o.tries_all = 6;
    *hd_vec_add(&d.candidate) = (struct hd_drive_candidate){0}; /* [0] is nobody */
    return 0;
}

static int teardown(void **state)
{
    hd_vec_release(&d.candidate);
    hd_vec_release(&d.waiting);
    hd_vec_release(&d.unsaved);
    hd_coverage_release(&total);
    return 0;
}

/* Sites 1 to n. */
static struct hd_element iroot(u32 idiom, u32 n)
{
    struct hd_element e = {.metric = HD_METRIC_iroot, .sub = (u8)idiom, .n = (u8)n};
    for (u32 i = 0; i < n; i++)
        e.site[i] = i + 1;
    return e;
}

static void show(u64 first, u64 second)
{
    struct hd_element e = {.metric = HD_METRIC_iroot, .sub = 1, .n = 2, .site = {first, second}};
    hd_coverage_add(&total, &e, &(struct hd_first_seen){.run = 1, .runs = 1});
}

static bool waits(const struct hd_drive_candidate *c) { return hd_drive_must_wait(&d, c); }

/* A compound candidate waits until each of its two dependencies was shown. */
static void until_both_parts_were_shown(void **state)
{
    static const u8 sites[7] = {0, 2, 3, 4, 4, 4, 4};
    static const u8 second[7][2] = {
        [2] = {2, 3}, [3] = {3, 4}, [4] = {3, 4}, [5] = {3, 4}, [6] = {3, 4}};
    for (u32 idiom = 1; idiom <= 6; idiom++) {
        struct hd_drive_candidate c = {.element = iroot(idiom, sites[idiom])};
        assert_int_equal(waits(&c), idiom > 1);
        if (idiom == 1)
            continue;
        show(second[idiom][0], second[idiom][1]);
        assert_true(waits(&c));
        show(1, 2);
        assert_false(waits(&c));
        teardown(state);
        setup(state);
    }
}

/* A deadlock's second half never happens; the paper's manner waits for nothing; nor does one that
 * is asked for by name, or one whose parts are not driven. */
static void who_does_not_wait(void **state)
{
    struct hd_drive_candidate c = {.element = iroot(5, 4)};
    assert_true(waits(&c));
    c.is.is_deadlock = true;
    assert_false(waits(&c));
    c.is.is_deadlock = false;
    d.o.as_paper = true;
    assert_false(waits(&c));
    d.o.as_paper = false;
    d.only = 1;
    assert_false(waits(&c));
    d.only = 0;
    d.o.idioms = 1u << 5;
    assert_false(waits(&c));
    d.o.idioms = 1u << 5 | 1u << 1;
    assert_true(waits(&c));
}

/* It counts as predicted from the moment that it is due. */
static void counted_when_due(void **state)
{
    struct hd_drive_candidate *c = hd_vec_add(&d.candidate);
    *c = (struct hd_drive_candidate){.element = iroot(4, 4), .state = HD_DRIVE_WAITING};
    *hd_vec_add(&d.waiting) = 1;
    show(1, 2);
    hd_drive_check_waiting(&d);
    assert_int_equal(d.waiting.n, 1);
    assert_int_equal(d.result.count[4].predicted, 0);
    show(3, 4);
    hd_drive_check_waiting(&d);
    assert_int_equal(d.waiting.n, 0);
    assert_int_equal(c->state, HD_DRIVE_OPEN);
    assert_int_equal(d.result.count[4].predicted, 1);
    assert_int_equal(d.result.count[0].predicted, 1);
}

/* Two attempts under an input, six in all; one where 64 or more of the idiom showed fewer than one
 * in fifty, if
 * --tries is not given; twice as many for changed code. */
static void attempts(void **state)
{
    struct hd_drive_candidate c = {.element = iroot(3, 4), .tries = 1};
    assert_false(hd_drive_is_tried_out(&d, &c));
    assert_true(hd_drive_is_last_try(&d, &c));
    c.tries = 2;
    assert_true(hd_drive_is_tried_out(&d, &c));
    c.is_changed = true;
    assert_false(hd_drive_is_tried_out(&d, &c));
    c.tries = 4;
    assert_true(hd_drive_is_tried_out(&d, &c));
    c = (struct hd_drive_candidate){.element = iroot(3, 4), .all_tries = 5};
    assert_false(hd_drive_is_tried_out(&d, &c));
    c.all_tries = 6;
    assert_true(hd_drive_is_tried_out(&d, &c));
    c = (struct hd_drive_candidate){.element = iroot(3, 4), .tries = 1};
    d.attempts[3] = 63;
    assert_false(hd_drive_is_tried_out(&d, &c));
    d.attempts[3] = 64;
    assert_true(hd_drive_is_tried_out(&d, &c));
    d.hits[3] = 2;
    assert_false(hd_drive_is_tried_out(&d, &c));
    d.attempts[3] = 101;
    assert_true(hd_drive_is_tried_out(&d, &c));
    d.is_tries_set = true;
    assert_false(hd_drive_is_tried_out(&d, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(until_both_parts_were_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(who_does_not_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(counted_when_due, setup, teardown),
        cmocka_unit_test_setup_teardown(attempts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
