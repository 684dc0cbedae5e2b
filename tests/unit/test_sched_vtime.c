/* test_sched_vtime.c: virtual time and signals. */
#include "sched_rig.h"

#define M 0x1000
#define C 0x3000
#define SIG(n) ((u64)1 << ((n) - 1))

static void sleep_until(struct rig *r, u16 t, s64 deadline)
{
    struct hd_op op = rig_op(HD_EV_SLEEP, 0, 0);
    op.deadline = deadline;
    hd_sched_post(r->s, t, &op);
    rig_check(r);
}

/* ---- time ------------------------------------------------------------------------ */

static void clock_jumps_to_the_earliest(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    s64 start = r.s->now;
    rig_turn(&r, 1);
    assert_int_equal(r.s->now, start + 1000);
    sleep_until(&r, 1, 9000000000);
    rig_turn(&r, 2);
    sleep_until(&r, 2, 5000000000);
    rig_turn(&r, 0);
    sleep_until(&r, 0, 7000000000);
    const u16 order[] = {2, 0, 1};
    const s64 when[] = {5000000000, 7000000000, 9000000000};
    for (int i = 0; i < 3; i++) {
        rig_expect(&r, order[i]);
        assert_in_range(r.s->now, when[i], when[i] + 1000);
        rig_do(&r, order[i], HD_EV_EXIT, 0, 0);
    }
    rig_release(&r);
}

static void steps_reach_a_deadline(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 10 * 1000);
    u32 n = 0;
    while (!rig_is_enabled(&r, 1) && n++ < 100)
        rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_in_range(n, 4, 6); /* two steps each */
    rig_release(&r);
}

static void early_timeouts(void **state)
{
    u32 early = 0;
    for (u64 seed = 1; seed <= 20; seed++) {
        struct rig r;
        rig_team(&r, 2);
        r.s->cfg.early_per_1024 = 100;
        r.s->rng = hd_rng_make(seed, 0, HD_RNG_CORE);
        rig_turn(&r, 1);
        sleep_until(&r, 1, 200000000);
        rig_turn(&r, 2);
        sleep_until(&r, 2, 100000000);
        for (int i = 0; i < 100 && !rig_is_enabled(&r, 1); i++)
            rig_try(&r, 0, HD_EV_WRITE, 8, 0);
        if (rig_is_enabled(&r, 1)) {
            early++;
            /* never before its time: the clock moved, and for both */
            assert_true(r.s->now >= 200000000);
            assert_true(rig_is_enabled(&r, 2));
            u32 logged = 0;
            for (u32 i = 0; i < r.log.n; i++)
                logged += r.log.choice[i].kind == HD_CHOICE_TIMEOUT;
            assert_in_range(logged, 1, 2);
        }
        rig_release(&r);
    }
    /* 200 draws of 1/20 for 1 at first: all 20 runs miss with p < 1e-50 */
    assert_true(early > 10);
}

/* Who sleeps again and again does not make a long run his own. */
static void early_timeouts_get_rare(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    u32 early = 0;
    for (int i = 0; i < 5000; i++) {
        if (rig_is_enabled(&r, 1)) {
            early++;
            rig_turn(&r, 1);
            sleep_until(&r, 1, r.s->now + 200000000);
        }
        rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    }
    assert_in_range(early, 60, 300); /* 16 for each time that runs get twice as long */
    rig_release(&r);
}

/* A long timeout is there to say that something is broken: it never fires
 * while others can run. */
static void far_deadlines_do_not_fire_early(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    rig_turn(&r, 1);
    sleep_until(&r, 1, 5000000000);
    for (int i = 0; i < 1000; i++)
        rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_false(rig_is_enabled(&r, 1));
    rig_release(&r);
}

static void clock_reads_speed_up(void **state)
{
    struct rig r;
    bool is_due;
    rig_init(&r, &rig_stay, 1);
    s64 start = hd_sched_clock_read(r.s, 0, 0, &is_due);
    assert_int_equal(hd_sched_clock_read(r.s, 0, 0, &is_due), start + 1000);
    u32 reads = 0;
    while (hd_sched_clock_read(r.s, 0, 0, &is_due) < start + 1000000000)
        reads++;
    assert_in_range(reads, 9000, 11000); /* 100 us each: there may be work between them */
    rig_do(&r, 0, HD_EV_WRITE, 8, 0);
    s64 now = r.s->now;
    assert_int_equal(hd_sched_clock_read(r.s, 0, 0, &is_due), now + 1000);
    rig_release(&r);
}

/* Who measures a thousand times does not make a minute pass for the others. */
static void clock_reads_are_no_minutes(void **state)
{
    struct rig r;
    bool is_due;
    rig_init(&r, &rig_stay, 1);
    s64 start = r.s->now;
    for (int i = 0; i < 1000; i++)
        hd_sched_clock_read(r.s, 0, 0, &is_due);
    assert_true(r.s->now - start <= 1000 * 100000ll);
    rig_release(&r);
}

/* A loop of reads lets others run: after some reads, and when somebody's time has come. */
static void clock_reads_give_turns(void **state)
{
    struct rig r;
    bool is_due;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 5000000);
    rig_turn(&r, 0);
    u32 due = 0, reads = 0;
    do {
        hd_sched_clock_read(r.s, 0, 0, &is_due);
        due += is_due;
    } while (++reads < 1000 && r.s->now < r.s->thread[1].op.deadline);
    assert_true(reads < 1000);
    assert_true(is_due);
    assert_in_range(due, reads / 16 - 1, reads / 16 + 1);
    rig_release(&r);
}

/* ---- loops that wait ------------------------------------------------------------------ */

/* Steps of thread 0 until thread 1, which sleeps for `ns`, goes on. */
static u32 steps_beside_sleep(u8 kind, s64 ns, u8 flags)
{
    struct rig r;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + ns);
    rig_turn(&r, 0);
    u32 n = 0;
    u16 t;
    do {
        struct hd_op op = rig_op(kind, 8, 0);
        op.flags = flags;
        hd_sched_post(r.s, 0, &op);
        assert_int_equal(hd_sched_step(r.s, &t), HD_STEP_RESUME);
    } while (n++ < 2000000 && t == 0 && !rig_is_enabled(&r, 1));
    rig_check(&r);
    rig_release(&r);
    return n;
}

static void time_passes_for_spinners(void **state)
{
    assert_true(steps_beside_sleep(HD_EV_READ, 1000000000, 0) < 12000);
    assert_true(steps_beside_sleep(HD_EV_ALOAD, 1000000000, 0) < 12000);
    assert_true(steps_beside_sleep(HD_EV_YIELD, 1000000000, 0) < 12000);
    assert_true(steps_beside_sleep(HD_EV_YIELD, 60000000000, HD_OP_PLAIN_SPIN) < 70000);
}

/* What may be work takes no more than some microseconds a step. */
static void time_follows_work(void **state)
{
    assert_in_range(steps_beside_sleep(HD_EV_WRITE, 100000000, 0), 99000, 101000);
    assert_in_range(steps_beside_sleep(HD_EV_ARMW, 1000000000, 0), 120000, 400000);
}

/* It does not run away while nobody waits for it. */
static void spinning_alone_takes_no_time(void **state)
{
    struct rig r;
    rig_init(&r, &rig_stay, 1);
    s64 start = r.s->now;
    for (int i = 0; i < 10000; i++)
        rig_do(&r, 0, HD_EV_READ, 8, 0);
    assert_int_equal(r.s->now - start, 10000 * 1000);
    rig_release(&r);
}

/* ---- clock entries ---------------------------------------------------------------------- */

static void moves_are_recorded(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 5000000);
    s64 now = r.s->now;
    hd_sched_clock_move(r.s, now + 1500);
    assert_int_equal(r.s->now, now + 2000); /* whole microseconds */
    hd_sched_clock_move(r.s, r.s->now + 1000);
    assert_int_equal(r.log.choice[r.log.n - 1].kind, HD_CHOICE_CLOCK);
    assert_int_equal(r.log.choice[r.log.n - 1].count, 3); /* one entry */
    hd_sched_clock_move(r.s, r.s->now - 5);
    assert_int_equal(r.s->now, now + 3000);
    rig_turn(&r, 0);
    hd_sched_stopped(r.s, 0, 60000000);
    assert_int_equal(r.log.choice[r.log.n - 1].kind, HD_CHOICE_STOP);
    assert_int_equal(r.log.choice[r.log.n - 1].count, 60000);
    assert_true(rig_is_enabled(&r, 1)); /* its time came meanwhile */
    rig_release(&r);
}

/* A run with a stop, a real wait and a timer, and the same again by its log. */
static s64 run_with_moves(struct rig *r, struct hd_script *script)
{
    bool is_due;
    rig_init(r, &rig_low, 1);
    hd_sched_begin(r->s, &r->cfg, script);
    rig_spawn(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
    rig_expect(r, 0);
    if (script)
        assert_int_equal(hd_sched_wants_stop(r->s, 0), 70000000);
    else
        hd_sched_stopped(r->s, 0, 70000000);
    rig_post(r, 0, HD_EV_YIELD, 0, 0);
    rig_expect(r, 0);
    assert_int_equal(hd_sched_wants_stop(r->s, 0), 0);
    hd_sched_clock_read(r->s, 0, 0, &is_due);
    r->s->timer = r->s->now + 2000000000;
    sleep_until(r, 0, r->s->now + 9000000000);
    rig_expect(r, 1);
    rig_post(r, 1, HD_EV_IO, 3, 0);
    u16 t;
    enum hd_step e = rig_step(r, &t);
    if (script) { /* the clock entry is carried out without the world */
        assert_int_equal(e, HD_STEP_TIMER);
    } else {
        assert_int_equal(e, HD_STEP_IO);
        hd_sched_clock_move(r->s, r->s->now + 3000000000);
        assert_int_equal(rig_step(r, &t), HD_STEP_TIMER);
    }
    r->s->timer = HD_NEVER;
    hd_sched_io_ready(r->s, 1, true);
    rig_expect(r, 1);
    return r->s->now;
}

static void moves_are_followed(void **state)
{
    struct rig a, b;
    s64 then = run_with_moves(&a, NULL);
    struct hd_script script = {.n = a.log.n, .choice = a.log.choice, .site = a.log.site,
                               .check = a.log.check, .strict = true};
    assert_int_equal(run_with_moves(&b, &script), then);
    assert_int_equal(b.log.n, a.log.n);
    assert_memory_equal(a.log.choice, b.log.choice, a.log.n * sizeof *a.log.choice);
    assert_false(b.s->diverged.is);
    rig_release(&a);
    rig_release(&b);
}

/* The runtime's timers come early, too, as a clock entry. */
static void timers_come_early(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    r.s->timer = r.s->now + 100000000;
    rig_hand(&r, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_TIMER);
    assert_true(r.s->now >= r.s->timer);
    assert_int_equal(r.log.choice[r.log.n - 1].kind, HD_CHOICE_CLOCK);
    assert_in_range(r.s->delay.ns, 99000000, 101000000);
    assert_int_equal(r.s->delay.waiter, HD_NO_THREAD);
    r.s->timer = HD_NEVER;
    rig_expect(&r, 0);
    rig_release(&r);
}

static bool is_watchdog(void *self) { return true; }

/* One that would end the program comes when nobody can run. */
static void watchdogs_do_not_come_early(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    r.s->cfg.early_per_1024 = 1024;
    r.s->env.has_watchdog = is_watchdog;
    r.s->timer = r.s->now + 100000000;
    rig_hand(&r, 0);
    rig_expect(&r, 0);
    assert_true(r.s->now < r.s->timer);
    sleep_until(&r, 0, r.s->now + 9000000000);
    rig_hand(&r, 1);
    rig_expect(&r, 1);
    sleep_until(&r, 1, r.s->now + 9000000000);
    assert_int_equal(rig_step(&r, &t), HD_STEP_TIMER);
    r.s->timer = HD_NEVER;
    rig_release(&r);
}

/* While a client took 3 s a timer came, or none; then the other thread goes on. The delay noted. */
static s64 delay_beside_a_client(struct rig *r, struct hd_script *script, s64 timer)
{
    u16 t;
    rig_init(r, &rig_high, 1);
    hd_sched_begin(r->s, &r->cfg, script);
    rig_spawn(r, 0);
    r->s->timer = timer;
    if (!script)
        hd_sched_clock_move(r->s, r->s->now + 3000000000);
    rig_post(r, 0, HD_EV_YIELD, 0, 0);
    if (timer != HD_NEVER) {
        assert_int_equal(rig_step(r, &t), HD_STEP_TIMER);
        r->s->timer = HD_NEVER;
    }
    rig_expect(r, 1);
    return r->s->delay.ns;
}

/* A recorded run says how far the clock moved, not why: without a timer nobody was late for one. */
static void real_time_is_no_delay(void **state)
{
    for (int is_timed = 0; is_timed < 2; is_timed++) {
        struct rig a, b;
        s64 timer = is_timed ? 2000000000 : HD_NEVER;
        delay_beside_a_client(&a, NULL, timer);
        struct hd_script script = {.n = a.log.n, .choice = a.log.choice, .site = a.log.site,
                                   .check = a.log.check, .strict = true};
        assert_int_equal(delay_beside_a_client(&b, &script, timer) > 0, is_timed);
        assert_false(b.s->diverged.is);
        rig_release(&a);
        rig_release(&b);
    }
}

static void idle_goes_to_the_timer(void **state)
{
    struct rig r;
    u16 t;
    rig_init(&r, &rig_stay, 1);
    r.s->timer = r.s->now + 100000000;
    sleep_until(&r, 0, r.s->now + 200000000);
    assert_int_equal(rig_step(&r, &t), HD_STEP_TIMER);
    assert_true(r.s->now >= r.s->timer);
    r.s->timer = HD_NEVER;
    rig_expect(&r, 0);
    rig_release(&r);
}

static void begin_restarts_the_clock(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    sleep_until(&r, 1, r.s->now + 1000000);
    rig_turn(&r, 0);
    s64 left = r.s->thread[1].op.deadline - r.s->now;
    hd_sched_begin(r.s, &r.cfg, NULL);
    rig_check(&r);
    assert_int_equal(r.s->now, 0);
    assert_int_equal(r.s->step, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    rig_expect(&r, 1);
    assert_in_range(r.s->now, left, left + 1000);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_jumps_to_the_earliest),
        cmocka_unit_test(steps_reach_a_deadline),
        cmocka_unit_test(early_timeouts),
        cmocka_unit_test(early_timeouts_get_rare),
        cmocka_unit_test(far_deadlines_do_not_fire_early),
        cmocka_unit_test(clock_reads_speed_up),
        cmocka_unit_test(clock_reads_are_no_minutes),
        cmocka_unit_test(clock_reads_give_turns),
        cmocka_unit_test(time_passes_for_spinners),
        cmocka_unit_test(time_follows_work),
        cmocka_unit_test(spinning_alone_takes_no_time),
        cmocka_unit_test(moves_are_recorded),
        cmocka_unit_test(moves_are_followed),
        cmocka_unit_test(timers_come_early),
        cmocka_unit_test(watchdogs_do_not_come_early),
        cmocka_unit_test(real_time_is_no_delay),
        cmocka_unit_test(idle_goes_to_the_timer),
        cmocka_unit_test(begin_restarts_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
