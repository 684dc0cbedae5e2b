/* test_sched_delay.c: threads that are slow: how far timeouts may come early. */
#include "sched_rig.h"

#define M 0x1000
#define C 0x3000

static void sleep_until(struct rig *r, u16 t, s64 deadline)
{
    struct hd_op op = rig_op(HD_EV_SLEEP, 0, 0);
    op.deadline = deadline;
    hd_sched_post(r->s, t, &op);
    rig_check(r);
}

/* ---- delays ------------------------------------------------------------------------- */

static void a_delay_is_told(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 100000000);
    rig_turn(&r, 2);
    struct hd_op op = rig_op(HD_EV_WRITE, 8, 0);
    op.site = 0x77;
    hd_sched_post(r.s, 2, &op);
    rig_hand(&r, 2);
    r.s->cfg.early_per_1024 = 1024;
    rig_expect(&r, 2); /* thread 1's time came before */
    assert_true(rig_is_enabled(&r, 1));
    assert_in_range(r.s->delay.ns, 99000000, 100000000);
    assert_int_equal(r.s->delay.waiter, 1);
    assert_true(r.s->delay.is_sleep);
    assert_int_equal(r.s->delay.others, 1);
    rig_release(&r);
}

/* Two jumps while a thread stands still are one delay; after it went on, two. */
static void delays_add_up(void **state)
{
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        struct rig r;
        rig_team(&r, 3);
        rig_turn(&r, 1);
        sleep_until(&r, 1, r.s->now + 100000000);
        rig_turn(&r, 3);
        sleep_until(&r, 3, r.s->now + 240000000);
        r.s->cfg.early_per_1024 = 1024;
        rig_hand(&r, 0);
        while (!rig_is_enabled(&r, 1) || !rig_is_enabled(&r, 3)) {
            rig_try(&r, 0, HD_EV_WRITE, 8, 0);
            if (goes_on)
                rig_try(&r, 2, HD_EV_WRITE, 8, 0);
        }
        u32 n = 0;
        for (u32 i = 0; i < r.log.n; i++)
            n += r.log.choice[i].kind == HD_CHOICE_TIMEOUT;
        /* by chance the later one may have come first, in one jump */
        s64 want = goes_on && n == 2 ? 140000000 : 240000000;
        assert_in_range(r.s->delay.ns, want - 1000000, want);
        assert_int_equal(r.s->delay.tid, n == 2 && !goes_on ? 2 : r.s->delay.tid);
        rig_release(&r);
    }
}

static void no_delay_is_longer_than_allowed(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    r.s->cfg.early_per_1024 = 1024;
    for (int i = 0; i < 50; i++) { /* thread 2 is never picked */
        rig_turn(&r, 1);
        sleep_until(&r, 1, r.s->now + 100000000);
        rig_hand(&r, 0);
        for (int k = 0; k < 50 && !rig_is_enabled(&r, 1); k++)
            rig_try(&r, 0, HD_EV_WRITE, 8, 0);
        if (!rig_is_enabled(&r, 1))
            break;
    }
    assert_true(r.s->has_far);
    assert_in_range(r.s->delay.ns, 100000000, 250000000);
    rig_release(&r);
}

static void nothing_is_early_without_delay(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    r.s->cfg.max_delay = 0;
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 100000000);
    for (int i = 0; i < 1000; i++)
        rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_false(rig_is_enabled(&r, 1));
    assert_int_equal(r.s->delay.ns, 0);
    rig_release(&r);
}

/* While only spinners are left nobody is held back. */
static void spinners_are_not_delayed(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 200000000);
    rig_turn(&r, 0);
    for (int i = 0; i < 50; i++)
        rig_do(&r, 0, HD_EV_READ, 8, 0);
    r.s->cfg.early_per_1024 = 1024;
    rig_post(&r, 0, HD_EV_READ, 8, 0);
    rig_expect(&r, 1);
    assert_int_equal(r.s->delay.ns, 0);
    rig_release(&r);
}

/* The delay when T1's sleep of a minute is overtaken while T0 does the same again and again. */
static s64 delay_beside(u8 kind, u64 obj, bool is_waiting)
{
    struct rig r;
    rig_team(&r, 1);
    r.s->cfg.max_delay = HD_NEVER / 2;
    r.s->cfg.is_slow = true;
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 60ll * 1000000000);
    rig_turn(&r, 0);
    for (int i = 0; i < 40; i++)
        rig_do(&r, 0, kind, obj, 0);
    assert_int_equal(r.s->thread[0].spin.is_waiting, is_waiting);
    r.s->cfg.early_per_1024 = 1024;
    rig_post(&r, 0, kind, obj, 0);
    rig_expect(&r, 1);
    s64 delay = r.s->delay.ns;
    rig_release(&r);
    return delay;
}

/* ... but a loop that looks at a flag may be work, which comes to its end in a minute. */
static void spinners_do_not_wait_for_ever(void **state)
{
    assert_in_range(delay_beside(HD_EV_READ, 8, true), 59ll * 1000000000, 60ll * 1000000000);
}

/* Who yields now and then, or reads the clock, may be at work: to overtake it takes a delay. */
static void yielding_is_not_waiting(void **state)
{
    assert_in_range(delay_beside(HD_EV_YIELD, 0, false), 59ll * 1000000000, 60ll * 1000000000);
}

/* Slow runs try delays of any length. */
static void slow_runs_know_no_limit(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    r.s->cfg.max_delay = HD_NEVER / 2;
    r.s->cfg.is_slow = true;
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 3600ll * 1000000000);
    rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_true(rig_is_enabled(&r, 1));
    assert_in_range(r.s->delay.ns, 3599ll * 1000000000, 3600ll * 1000000000);
    rig_release(&r);
}

static bool has_children(void *self) { return true; }

/* While others run in real time, the clock does not run ahead of them. */
static void nothing_is_early_beside_real_time(void **state)
{
    for (int k = 0; k < 2; k++) {
        struct rig r;
        rig_team(&r, 1);
        r.s->cfg.early_per_1024 = 1024;
        rig_turn(&r, 1);
        if (k == 0) {
            r.s->env.has_children = has_children;
            sleep_until(&r, 1, r.s->now + 100000000);
        } else {
            struct hd_op op = rig_op(HD_EV_IO, 5, 0);
            op.deadline = r.s->now + 100000000;
            op.flags = HD_OP_TIMED | HD_OP_EXTERNAL;
            hd_sched_post(r.s, 1, &op);
        }
        for (int i = 0; i < 1000; i++)
            rig_try(&r, 0, HD_EV_WRITE, 8, 0);
        assert_false(rig_is_enabled(&r, 1));
        rig_release(&r);
    }
}

/* A loose script that names a sleeper does not make time jump past the world. */
static void loose_scripts_wait_for_the_world(void **state)
{
    for (int has_io = 0; has_io < 2; has_io++) {
        struct rig r;
        u16 t;
        struct hd_choice c[] = {{1, 1, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_PICK, 0}};
        struct hd_script script = {.n = 2, .choice = c};
        rig_init(&r, &rig_low, 1);
        rig_spawn(&r, 0);
        hd_sched_begin(r.s, &r.cfg, &script);
        rig_post(&r, 0, has_io ? HD_EV_IO : HD_EV_SIGWAIT, 3, 0);
        rig_expect(&r, 1);
        sleep_until(&r, 1, r.s->now + 60000000000);
        enum hd_step e = rig_step(&r, &t);
        assert_int_equal(e, has_io ? HD_STEP_IO : HD_STEP_RESUME);
        assert_int_equal(r.s->now >= 60000000000, !has_io);
        rig_release(&r);
    }
}

/* Nor does one that lets a timeout come early, or moves the clock: what was a delay of a
 * thread in the recorded run would be none here. A strict one is followed. */
static void loose_scripts_overtake_nothing_real(void **state)
{
    static const u8 kinds[] = {HD_CHOICE_TIMEOUT, HD_CHOICE_CLOCK};
    for (int k = 0; k < 2; k++)
        for (int real = 0; real < 3; real++) /* nobody, a child, what everybody waits for */
            for (int strict = 0; strict < 2; strict++) {
                struct rig r;
                u16 t;
                struct hd_choice c[] = {{1, 1, HD_CHOICE_PICK, 0},
                                        {kinds[k] == HD_CHOICE_CLOCK ? 60000000 : 1, 1, kinds[k], 0},
                                        {1, 1, HD_CHOICE_PICK, 0}};
                struct hd_script script = {.n = 3, .choice = c, .strict = strict};
                rig_init(&r, &rig_low, 1);
                rig_spawn(&r, 0);
                if (real == 1)
                    r.s->env.has_children = has_children;
                hd_sched_begin(r.s, &r.cfg, &script);
                rig_post(&r, 0, real == 2 ? HD_EV_IO : HD_EV_WRITE, 3, 0);
                rig_expect(&r, 1);
                sleep_until(&r, 1, r.s->now + 60000000000);
                enum hd_step e = rig_step(&r, &t);
                bool is_early = strict || !real;
                assert_int_equal(e, is_early || real == 1 ? HD_STEP_RESUME : HD_STEP_IO);
                assert_int_equal(r.s->now >= 60000000000, is_early);
                if (is_early && real != 2) /* thread 0 could have gone on */
                    assert_in_range(r.s->delay.ns, 59000000000, 60000000000);
                rig_release(&r);
            }
}

/* With fewer steps before it than in the record, a clock entry comes to the same timer: short of it the
 * timer would come by itself some steps later, and nobody would be late. Where no timer is near, real time
 * passed, which is none of a loose script's. */
static void loose_scripts_come_to_the_timer(void **state)
{
    static const s64 timers[] = {60000100000, 60000900000, 119000000000, 130000000000, HD_NEVER};
    for (int k = 0; k < (int)HD_COUNT(timers); k++)
        for (int strict = 0; strict < 2; strict++) {
            struct rig r;
            u16 t;
            bool is_near = timers[k] < 120000000000;
            struct hd_choice c[] = {{1, 0, HD_CHOICE_PICK, 0}, {60000000, 0, HD_CHOICE_CLOCK, 0},
                                    {2, 0, HD_CHOICE_PICK, 0}};
            struct hd_script script = {.n = 3, .choice = c, .strict = strict};
            rig_init(&r, &rig_low, 1);
            rig_spawn(&r, 0);
            hd_sched_begin(r.s, &r.cfg, &script);
            r.s->timer = timers[k];
            rig_post(&r, 0, HD_EV_FENCE, 0, 0);
            enum hd_step e = rig_step(&r, &t);
            if (e == HD_STEP_RESUME) {
                rig_post(&r, 0, HD_EV_FENCE, 0, 0);
                e = rig_step(&r, &t);
            }
            assert_int_equal(e == HD_STEP_TIMER, is_near && !strict);
            if (strict)
                assert_in_range(r.s->now, 60000000000, 60000010000);
            else if (is_near)
                assert_in_range(r.s->delay.ns, timers[k] - 10000, timers[k]);
            else
                assert_in_range(r.s->now, 1000, 10000);
            rig_release(&r);
        }
}

/* Nor past a timer of the runtime or the end of somebody else's sleep: nothing that a thread
 * does takes that long. */
static void loose_scripts_overtake_no_timer(void **state)
{
    static const u8 kinds[] = {HD_CHOICE_PICK, HD_CHOICE_TIMEOUT};
    for (int k = 0; k < 2; k++) {
        struct rig r;
        u16 t;
        struct hd_choice c[] = {{1, 0, kinds[k], 0}, {1, 0, HD_CHOICE_PICK, 0}};
        struct hd_script script = {.n = 2, .choice = c};
        rig_init(&r, &rig_low, 1);
        hd_sched_begin(r.s, &r.cfg, &script);
        r.s->timer = 10000000;
        sleep_until(&r, 0, 100000000000);
        enum hd_step e = rig_step(&r, &t);
        if (e == HD_STEP_IO) /* the runtime is asked, and says no */
            e = rig_step(&r, &t);
        assert_int_equal(e, HD_STEP_TIMER);
        assert_int_equal(r.s->now, 10000000);
        rig_release(&r);
    }
}

/* Somebody can run: no time passes for the one that is named, which waits for the world or sleeps. */
static void loose_scripts_hold_nobody_back(void **state)
{
    for (int is_io = 0; is_io < 2; is_io++)
        for (int strict = 0; strict < 2; strict++) {
            struct rig r;
            u16 t;
            struct hd_choice c[] = {{1, 1, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_PICK, 0}, {1, 0, HD_CHOICE_PICK, 0}};
            struct hd_script script = {.n = 3, .choice = c, .strict = strict};
            rig_init(&r, &rig_low, 1);
            rig_spawn(&r, 0);
            hd_sched_begin(r.s, &r.cfg, &script);
            r.s->timer = 60000000000;
            rig_post(&r, 0, HD_EV_FENCE, 0, 0);
            rig_expect(&r, 1);
            if (is_io)
                rig_post(&r, 1, HD_EV_IO, 3, 0);
            else
                sleep_until(&r, 1, 100000000000);
            enum hd_step e = rig_step(&r, &t);
            if (e == HD_STEP_IO) {
                assert_int_equal(r.s->io_deadline, strict ? 60000000000 : HD_NEVER);
                e = strict ? e : rig_step(&r, &t);
            }
            assert_int_equal(e, strict ? HD_STEP_IO : HD_STEP_RESUME);
            assert_true(r.s->now < 1000000);
            rig_release(&r);
        }
}

/* Nor does it pass the end of somebody's sleep when the world is waited for. */
static void loose_scripts_wake_sleepers_first(void **state)
{
    struct rig r;
    u16 t;
    struct hd_choice c[] = {{1, 1, HD_CHOICE_PICK, 0}, {2, 1, HD_CHOICE_PICK, 0}};
    struct hd_script script = {.n = 2, .choice = c};
    rig_init(&r, &rig_low, 1);
    rig_spawn(&r, 0);
    hd_sched_begin(r.s, &r.cfg, &script);
    r.s->timer = 60000000000;
    sleep_until(&r, 0, 300000000);
    rig_expect(&r, 1);
    rig_post(&r, 1, HD_EV_IO, 3, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
    assert_int_equal(r.s->io_deadline, 300000000);
    rig_release(&r);
}

static void loose_scripts_overtake_no_sleep(void **state)
{
    struct rig r;
    struct hd_choice c[] = {{1, 1, HD_CHOICE_PICK, 0}, {1, 0, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_PICK, 0}};
    struct hd_script script = {.n = 3, .choice = c};
    rig_init(&r, &rig_low, 1);
    rig_spawn(&r, 0);
    hd_sched_begin(r.s, &r.cfg, &script);
    rig_post(&r, 0, HD_EV_WRITE, 3, 0);
    rig_expect(&r, 1);
    sleep_until(&r, 1, 100000000000);
    rig_expect(&r, 0);
    sleep_until(&r, 0, 10000000);
    rig_expect(&r, 0); /* though the script says 1 */
    assert_in_range(r.s->now, 10000000, 11000000);
    assert_int_equal(r.s->delay.ns, 0);
    rig_release(&r);
}

/* When everybody sleeps the clock may go past the end of some sleeps: those threads are
 * late then, and not by more than is allowed. */
static void sleepers_are_late(void **state)
{
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        u32 n_late = 0;
        for (u64 seed = 1; seed <= 40; seed++) {
            struct rig r;
            u16 t;
            rig_team(&r, 1);
            r.s->rng = hd_rng_make(seed, 0, HD_RNG_CORE);
            rig_turn(&r, 1);
            sleep_until(&r, 1, r.s->now + 1000000000);
            rig_turn(&r, 0);
            sleep_until(&r, 0, r.s->now + 1000000);
            r.s->cfg.early_per_1024 = 1024;
            r.s->cfg.max_delay = is_slow ? HD_NEVER / 2 : 1000000000 - 2000000;
            r.s->cfg.is_slow = true;
            r.s->delay = (struct hd_held_back){0};
            rig_step(&r, &t);
            bool is_late = r.s->now >= 1000000000;
            if (is_late)
                assert_in_range(r.s->delay.ns, 998000000, 1000000000);
            else
                assert_int_equal(r.s->delay.ns, 0);
            n_late += is_late;
            rig_release(&r);
        }
        assert_int_equal(n_late > 0, is_slow); /* none in 40 fair draws: 2^-40 */
    }
}

/* Beside children the clock moves with real time only: loops and steps do not make it
 * overtake them, reads of it are recorded, and sleepers wait for real. */
static void beside_children_time_is_real(void **state)
{
    struct rig r, again;
    bool is_due;
    u16 t;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 5000000000);
    r.s->is_beside_real = true;
    s64 before = r.s->now;
    for (int i = 0; i < 1000; i++)
        rig_try(&r, 0, HD_EV_READ, 8, 0);
    assert_in_range(r.s->now - before, 1, 2 * 1000 * 1000 / 10); /* two steps each */
    assert_true(r.s->real_spins > 900);
    rig_turn(&r, 0);
    before = r.s->now;
    s64 now = hd_sched_clock_read(r.s, 0, before + 2000000000, &is_due);
    assert_int_equal(now, before + 2000000000);
    u32 entry = r.log.n - 1;
    assert_int_equal(r.log.choice[entry].kind, HD_CHOICE_READ);
    assert_int_equal(hd_sched_clock_read(r.s, 0, 0, &is_due), now + 1000); /* never back */
    assert_int_equal(r.log.n - 1, entry + 1);
    rig_post_timed(&r, 0, HD_EV_SLEEP, 0, 0, r.s->now + 1000);
    assert_int_equal(rig_step(&r, &t), HD_STEP_IO); /* and no jump */
    /* The same reads by the script, whatever real time says. */
    struct hd_script script = {.n = 2, .choice = r.log.choice + entry, .strict = true};
    rig_init(&again, &rig_low, 1);
    hd_sched_begin(again.s, &again.cfg, &script);
    again.s->is_beside_real = true;
    now = again.s->now + r.log.choice[entry].count * 1000ll;
    assert_int_equal(hd_sched_clock_read(again.s, 0, 9000000000, &is_due), now);
    assert_int_equal(hd_sched_clock_read(again.s, 0, 9000000000, &is_due), now + 1000);
    assert_int_equal(again.s->script_pos, 2);
    rig_release(&again);
    rig_release(&r);
}

/* A strategy that lets the sleeper's time come, because it wants to see it go on: the sleeper is
 * offered at once, not only after somebody else has gone. */
static bool wants_sleeper(void *state, const struct hd_view *v)
{
    return !hd_bit_is_set(v->enabled, 1);
}

static void who_is_hurried_goes_on(void **state)
{
    struct rig r;
    struct hd_strategy hurries = rig_steer;
    hurries.wait = wants_sleeper;
    rig_team(&r, 2);
    rig_turn(&r, 1);
    r.s->cfg.strategy = &hurries;
    sleep_until(&r, 1, r.s->now + 100000000);
    rig_hand(&r, 1);
    rig_expect(&r, 1); /* its sleep is over */
    hurries.wait = NULL;
    rig_post(&r, 1, HD_EV_WRITE, 8, 0);
    rig_expect(&r, 1);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_is_told),
        cmocka_unit_test(delays_add_up),
        cmocka_unit_test(no_delay_is_longer_than_allowed),
        cmocka_unit_test(nothing_is_early_without_delay),
        cmocka_unit_test(spinners_are_not_delayed),
        cmocka_unit_test(spinners_do_not_wait_for_ever),
        cmocka_unit_test(yielding_is_not_waiting),
        cmocka_unit_test(slow_runs_know_no_limit),
        cmocka_unit_test(nothing_is_early_beside_real_time),
        cmocka_unit_test(loose_scripts_wait_for_the_world),
        cmocka_unit_test(loose_scripts_overtake_nothing_real),
        cmocka_unit_test(loose_scripts_come_to_the_timer),
        cmocka_unit_test(loose_scripts_hold_nobody_back),
        cmocka_unit_test(loose_scripts_wake_sleepers_first),
        cmocka_unit_test(loose_scripts_overtake_no_timer),
        cmocka_unit_test(loose_scripts_overtake_no_sleep),
        cmocka_unit_test(sleepers_are_late),
        cmocka_unit_test(beside_children_time_is_real),
        cmocka_unit_test(who_is_hurried_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
