/* test_sched_end.c: the end of the process: held back in most runs, never for ever, not
 * for those that wait, and not in a search. */
#include "sched_rig.h"

#define HOLD 200
#define RUNS 800
#define WORK 30 /* steps of the other thread */

static bool has_handlers; /* in earlier runs */

/* main posts END; thread 1 is at its first operation. */
static void begin(struct rig *r, u64 seed, bool is_search)
{
    rig_init(r, hd_strategy_find("random"), seed);
    r->s->cfg.end_hold = HOLD;
    r->s->cfg.has_handlers = has_handlers;
    r->s->cfg.is_search = is_search;
    r->is_unchecked = true; /* thousands of steps */
    u16 t = hd_sched_spawn(r->s, 0);
    rig_post(r, 0, HD_EV_CREATE, t, 0);
    rig_expect(r, 0);
    rig_post(r, 0, HD_EV_END, 0, 0);
}

/* Thread 1 makes up to `work` writes, then ends. How many came before the end of the
 * process. */
static u32 steps_before_end(struct rig *r, u32 work)
{
    for (u32 n = 0;;) {
        u16 t;
        if (rig_step(r, &t) != HD_STEP_RESUME || t == 0)
            return n;
        if (n == work)
            rig_post(r, 1, HD_EV_EXIT, 0, 0);
        else
            rig_post(r, 1, HD_EV_ASTORE, 0x1000 + n % 7 * 8, 0);
        n++;
        if (r->s->thread[1].op.kind == HD_EV_EXIT) { /* nobody is left but main */
            assert_int_equal(rig_step(r, &t), HD_STEP_RESUME);
            return t ? n : n - 1;
        }
    }
}

/* 6 of 8 runs hold it until the other is done. P(fewer than 5 of 8 do) is at most
 * exp(-2 * 800 * (1/8)^2) < 2e-11 by Hoeffding. Free runs (1 of 8) end it within a step with
 * probability 1/2, so some of 800 runs end it at once: all miss with (15/16)^800 < 1e-22. */
static void held_in_most_runs(void **state)
{
    u32 whole = 0, at_once = 0, between = 0;
    for (u64 seed = 1; seed <= RUNS; seed++) {
        struct rig r;
        begin(&r, seed, false);
        u32 n = steps_before_end(&r, WORK);
        whole += n > WORK;
        at_once += n == 0;
        between += n > 0 && n <= WORK;
        rig_release(&r);
    }
    assert_true(whole >= RUNS * 5 / 8);
    assert_true(at_once > 0);
    assert_true(between > 0);
}

static void not_for_ever(void **state)
{
    for (u64 seed = 1; seed <= 100; seed++) {
        struct rig r;
        begin(&r, seed, false);
        u32 n = steps_before_end(&r, ~0u);
        assert_in_range(n, 0, HOLD + 64); /* then by chance, 1/2 each */
        if (n > HOLD)
            assert_int_equal(r.s->end_hold_was, HD_HOLD_VAIN);
        rig_release(&r);
    }
}

/* Others that sleep or wait for a lock do not keep it. */
static void not_for_those_who_wait(void **state)
{
    for (u64 seed = 1; seed <= 50; seed++) {
        struct rig r;
        u16 t;
        begin(&r, seed, false);
        if (rig_step(&r, &t) == HD_STEP_RESUME && t == 1) {
            rig_post_timed(&r, 1, HD_EV_SLEEP, 0, 0, r.s->now + 1000000000);
            assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
            assert_int_equal(t, 0);
            assert_int_equal(r.s->end_hold_was, HD_HOLD_LAST);
        }
        rig_release(&r);
    }
}

/* A spinning thread is let go of soon. */
static void not_for_a_loop(void **state)
{
    for (u64 seed = 1; seed <= 50; seed++) {
        struct rig r;
        u16 t;
        u32 n = 0;
        begin(&r, seed, false);
        while (rig_step(&r, &t) == HD_STEP_RESUME && t == 1 && n++ < 1000)
            rig_post(&r, 1, HD_EV_ALOAD, 0x2000, 0);
        assert_int_equal(t, 0);
        assert_true(n < HOLD);
        rig_release(&r);
    }
}

static void handlers_run(void **state)
{
    for (u64 seed = 1; seed <= 20; seed++) {
        struct rig r;
        u16 t;
        u32 n = 0;
        begin(&r, seed, false);
        hd_sched_signal(r.s, 0, 10);
        while (rig_step(&r, &t) == HD_STEP_RESUME && t == 1 && n++ < 60)
            rig_post(&r, 1, HD_EV_ASTORE, 0x1000 + n % 7 * 8, 0);
        assert_int_equal(t, 0); /* by chance 1/2 each: not held */
        assert_true(rig_res(&r, 0).signal);
        rig_release(&r);
    }
}

static void search_decides_itself(void **state)
{
    struct rig r;
    begin(&r, 1, true);
    assert_int_equal(r.s->n_ending, 1);
    assert_int_equal(r.s->end_until, r.s->step);
    rig_release(&r);
}

/* main goes on from the beginning of exit() to its end, with `handled` writes between;
 * thread 1 writes. How many of its writes came before the beginning; *after: and then. */
static u32 steps_before_exit(struct rig *r, u32 handled, u32 *after)
{
    u32 n = 0, left = handled;
    u16 t;
    bool has_begun = false;
    *after = 0;
    while (n + *after < WORK && rig_step(r, &t) == HD_STEP_RESUME) {
        if (t == 1) {
            *(has_begun ? after : &n) += 1;
            rig_post(r, 1, HD_EV_ASTORE, 0x1000 + (n + *after) % 7 * 8, 0);
        } else if (r->s->thread[0].op.kind == HD_EV_END && has_begun) {
            return n;
        } else {
            has_begun = true;
            if (left && left--)
                rig_post(r, 0, HD_EV_ASTORE, 0x2000, 0);
            else
                rig_post(r, 0, HD_EV_END, 0, HD_END_LAST);
        }
    }
    return n;
}

/* Handlers that others notice: exit() begins within a few steps (1/2 each) in 3 of 4 runs, and
 * in most of all runs the other thread goes on to its end. */
static void handlers_meet_threads(void **state)
{
    u32 soon = 0, whole = 0, after;
    for (u64 seed = 1; seed <= RUNS; seed++) {
        struct rig r;
        has_handlers = true;
        begin(&r, seed, false);
        has_handlers = false;
        soon += steps_before_exit(&r, 2, &after) < WORK / 2;
        whole += after >= WORK / 2;
        assert_true(r.s->had_handlers || after == 0);
        rig_release(&r);
    }
    assert_true(soon >= RUNS * 5 / 8 && soon <= RUNS * 7 / 8);
    assert_true(whole >= RUNS * 3 / 8);
}

static void handlers_are_noticed(void **state)
{
    for (u32 handled = 0; handled < 3; handled++) {
        struct rig r;
        u32 after;
        begin(&r, 5, true); /* nothing is held */
        steps_before_exit(&r, handled, &after);
        assert_int_equal(r.s->had_handlers, handled > 0);
        rig_release(&r);
    }
}

/* Going to others while the end waits is no preemption. */
static void no_preemption(void **state)
{
    struct rig r;
    begin(&r, 3, false);
    steps_before_end(&r, WORK);
    assert_int_equal(r.s->preemptions, 0);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_in_most_runs), cmocka_unit_test(not_for_ever),
        cmocka_unit_test(not_for_those_who_wait), cmocka_unit_test(not_for_a_loop),
        cmocka_unit_test(handlers_run), cmocka_unit_test(search_decides_itself),
        cmocka_unit_test(no_preemption), cmocka_unit_test(handlers_meet_threads),
        cmocka_unit_test(handlers_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
