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
            op.flags = HD_OP_TIMED | HD_OP_OUTSIDE;
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

/* ---- signals ------------------------------------------------------------------------ */

static void handler_interrupts_a_lock(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    rig_try(&r, 1, HD_EV_LOCK, M, 0);
    rig_block(&r, 2, HD_EV_LOCK, M, 0);
    hd_sched_sigmask(r.s, 2, SIG(10));
    hd_sched_signal(r.s, 2, 10);
    assert_false(rig_is_enabled(&r, 2)); /* blocked by its mask */
    hd_sched_sigmask(r.s, 2, 0);
    assert_true(rig_is_enabled(&r, 2));
    rig_turn(&r, 2);
    assert_true(rig_res(&r, 2).signal);
    assert_int_equal(rig_res(&r, 2).value, 10);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_HANDLER);
    assert_int_equal(rig_last_event(&r)->arg, 10);
    /* the handler works, with steps of others between */
    rig_do(&r, 2, HD_EV_WRITE, 8, 0);
    rig_post(&r, 2, HD_EV_FENCE, 0, 0);
    rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    rig_turn(&r, 2);
    hd_sched_resume_op(r.s, 2);
    rig_check(&r);
    assert_false(rig_is_enabled(&r, 2));
    rig_try(&r, 1, HD_EV_UNLOCK, M, 0);
    assert_int_equal(rig_finish(&r, 2).err, 0);
    assert_false(rig_res(&r, 2).signal);
    assert_int_equal(hd_sched_owner(r.s, M), 2);
    rig_release(&r);
}

/* t waits on C with M; committed. */
static void wait_on(struct rig *r, u16 t, s64 deadline)
{
    rig_try(r, t, HD_EV_LOCK, M, 0);
    rig_turn(r, t);
    rig_wait(r, t, C, M, 0, deadline);
    rig_hand(r, t);
    rig_expect(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
}

static void cond_waiter_keeps_its_place(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    wait_on(&r, 1, HD_NEVER);
    hd_sched_signal(r.s, 1, 12);
    rig_turn(&r, 1);
    assert_true(rig_res(&r, 1).signal);
    rig_post(&r, 1, HD_EV_FENCE, 0, 0); /* still inside the handler */
    assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 1);
    rig_turn(&r, 1);
    hd_sched_resume_op(r.s, 1);
    rig_check(&r);
    assert_int_equal(r.s->thread[1].phase, HD_PH_WOKEN); /* it was not lost */
    assert_int_equal(rig_expect(&r, 1).err, 0);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    rig_release(&r);
}

static void abandoned_wait_passes_the_signal_on(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    wait_on(&r, 1, HD_NEVER);
    hd_sched_signal(r.s, 1, 12);
    rig_turn(&r, 1);
    rig_post(&r, 1, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 1);
    wait_on(&r, 2, HD_NEVER);
    assert_false(rig_is_enabled(&r, 2));
    rig_turn(&r, 1);
    assert_true(hd_sched_abandon(r.s, 1)); /* must take the mutex itself */
    rig_check(&r);
    assert_true(rig_is_enabled(&r, 2));
    assert_int_equal(rig_err(&r, 1, HD_EV_LOCK, M, 0), 0);
    rig_do(&r, 1, HD_EV_UNLOCK, M, 0);
    rig_post(&r, 1, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_finish(&r, 2).err, 0);
    rig_release(&r);
}

static void nested_handlers(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    wait_on(&r, 1, 900000000);
    hd_sched_signal(r.s, 1, 12);
    hd_sched_signal(r.s, 1, 10);
    rig_turn(&r, 1);
    assert_int_equal(rig_res(&r, 1).value, 10); /* lowest first, one at a time */
    rig_post(&r, 1, HD_EV_SLEEP, 0, 0);         /* the handler of 10 is interrupted by 12 */
    rig_turn(&r, 1);
    assert_int_equal(rig_res(&r, 1).value, 12);
    assert_false(hd_sched_abandon(r.s, 1)); /* the sleep ends with EINTR */
    hd_sched_resume_op(r.s, 1);             /* the wait goes on */
    rig_check(&r);
    assert_int_equal(r.s->thread[1].phase, HD_PH_WAIT);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    rig_release(&r);
}

static void exit_inside_a_handler(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    wait_on(&r, 1, HD_NEVER);
    hd_sched_signal(r.s, 1, 12);
    rig_turn(&r, 1);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 0);
    rig_release(&r);
}

static void barrier_waiter_interrupted(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_try(&r, 0, HD_EV_BARRIER_INIT, C, 2);
    rig_turn(&r, 1);
    rig_post(&r, 1, HD_EV_BARRIER_WAIT, C, 0);
    rig_hand(&r, 1);
    rig_expect(&r, 0);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    hd_sched_signal(r.s, 1, 12);
    rig_turn(&r, 1);
    assert_true(rig_res(&r, 1).signal);
    rig_post(&r, 1, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_WAIT, C, 0).value, 1);
    rig_turn(&r, 1);
    hd_sched_resume_op(r.s, 1);
    assert_int_equal(rig_expect(&r, 1).value, 0);
    rig_release(&r);
}

static void sigwait(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 2);
    for (u16 i = 0; i <= 2; i++)
        hd_sched_sigmask(r.s, i, SIG(10) | SIG(12));
    rig_block(&r, 1, HD_EV_SIGWAIT, 0, SIG(10) | SIG(12));
    rig_turn(&r, 0);
    assert_int_equal(rig_do(&r, 0, HD_EV_KILL, 1, 12).err, 0);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_finish(&r, 1).value, 12);
    /* to the process: only the one that waits for it can get it */
    rig_block(&r, 1, HD_EV_SIGWAIT, 0, SIG(10));
    assert_int_equal(rig_try(&r, 0, HD_EV_KILL, ~(u64)0, 10).err, 0);
    rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_true(rig_is_enabled(&r, 1));
    assert_int_equal(rig_finish(&r, 1).value, 10);
    /* nobody waits: kept until somebody does */
    rig_try(&r, 0, HD_EV_KILL, ~(u64)0, 10);
    rig_try(&r, 0, HD_EV_WRITE, 8, 0);
    assert_int_equal(r.s->sig_process, SIG(10));
    rig_turn(&r, 2);
    rig_post(&r, 2, HD_EV_SIGWAIT, 0, SIG(10));
    rig_turn(&r, 0);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_finish(&r, 2).value, 10);
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_SIGWAIT, 0, SIG(10), r.s->now + 1000000);
    rig_turn(&r, 0);
    assert_int_equal(rig_err(&r, 0, HD_EV_KILL, 99, 10), ESRCH);
    assert_int_equal(rig_err(&r, 0, HD_EV_KILL, 2, 65), EINVAL);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    rig_turn(&r, 2);
    rig_do(&r, 2, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DONE);
    rig_release(&r);
}

/* Once signals may come from outside, whoever waits for one does it in another way. */
static void sigwait_again(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    for (u16 i = 0; i <= 1; i++)
        hd_sched_sigmask(r.s, i, SIG(10));
    rig_block(&r, 1, HD_EV_SIGWAIT, 0, SIG(10));
    rig_turn(&r, 0);
    assert_false(rig_is_enabled(&r, 1));
    hd_sched_sigwait_again(r.s);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_finish(&r, 1).err, EAGAIN);
    rig_release(&r);
}

/* Signals of other processes come in another order in a replay: the recorded one is waited
 * for, and the other one stays pending. */
static void foreign_signals_have_a_number(void **state)
{
    struct rig r;
    u16 t = 9;
    struct hd_choice c[] = {{1, 0, HD_CHOICE_FOREIGN, 12 << HD_CHOICE_SIGNO_SHIFT},
                            {1, 0, HD_CHOICE_PICK, 0}};
    struct hd_script script = {.n = 2, .choice = c, .strict = true};
    rig_init(&r, &rig_low, 1);
    hd_sched_begin(r.s, &r.cfg, &script);
    r.s->sig_foreign = SIG(10) | SIG(12);
    hd_sched_signal(r.s, HD_NO_THREAD, 10);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
    assert_int_equal(t, 0);
    hd_sched_signal(r.s, HD_NO_THREAD, 12);
    assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
    assert_true(rig_res(&r, 0).signal);
    assert_int_equal(rig_res(&r, 0).value, 12);
    assert_int_equal(r.s->sig_process, SIG(10));
    assert_int_equal(r.log.choice[0].kind, HD_CHOICE_FOREIGN);
    assert_int_equal(r.log.choice[0].flags >> HD_CHOICE_SIGNO_SHIFT, 12);
    rig_release(&r);
}

static void process_signal_is_a_choice(void **state)
{
    u32 seen = 0;
    for (u64 seed = 1; seed <= 40; seed++) {
        struct rig r;
        rig_team(&r, 3);
        hd_sched_sigmask(r.s, 2, SIG(10));
        r.s->rng = hd_rng_make(seed, 0, HD_RNG_CORE);
        hd_sched_signal(r.s, HD_NO_THREAD, 10);
        rig_hand(&r, 2);
        rig_expect(&r, 2);
        assert_int_equal(r.s->sig_process, 0);
        for (u16 t = 0; t <= 3; t++)
            if (r.s->thread[t].sig_pending)
                seen |= 1u << t;
        rig_release(&r);
    }
    /* each of 0, 1, 3 missed by 40 fair draws: 3 * (2/3)^40 < 3e-7 */
    assert_int_equal(seen, 1 | 2 | 8);
}

static void signal_before_start(void **state)
{
    struct rig r;
    rig_init(&r, &rig_steer, 1);
    hd_sched_sigmask(r.s, 0, SIG(10));
    u16 t = rig_spawn(&r, 0);
    assert_int_equal(r.s->thread[t].sig_blocked, SIG(10)); /* inherited */
    hd_sched_signal(r.s, t, 12);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    rig_turn(&r, t);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_START);
    assert_false(rig_res(&r, t).signal);
    rig_post(&r, t, HD_EV_READ, 8, 0);
    rig_expect(&r, t);
    assert_true(rig_res(&r, t).signal);
    hd_sched_resume_op(r.s, t);
    rig_expect(&r, t);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_READ);
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
        cmocka_unit_test(a_delay_is_told),
        cmocka_unit_test(delays_add_up),
        cmocka_unit_test(no_delay_is_longer_than_allowed),
        cmocka_unit_test(nothing_is_early_without_delay),
        cmocka_unit_test(spinners_are_not_delayed),
        cmocka_unit_test(slow_runs_know_no_limit),
        cmocka_unit_test(nothing_is_early_beside_real_time),
        cmocka_unit_test(loose_scripts_wait_for_the_world),
        cmocka_unit_test(loose_scripts_overtake_nothing_real),
        cmocka_unit_test(sleepers_are_late),
        cmocka_unit_test(beside_children_time_is_real),
        cmocka_unit_test(moves_are_recorded),
        cmocka_unit_test(moves_are_followed),
        cmocka_unit_test(timers_come_early),
        cmocka_unit_test(idle_goes_to_the_timer),
        cmocka_unit_test(begin_restarts_the_clock),
        cmocka_unit_test(handler_interrupts_a_lock),
        cmocka_unit_test(cond_waiter_keeps_its_place),
        cmocka_unit_test(abandoned_wait_passes_the_signal_on),
        cmocka_unit_test(nested_handlers),
        cmocka_unit_test(exit_inside_a_handler),
        cmocka_unit_test(barrier_waiter_interrupted),
        cmocka_unit_test(sigwait),
        cmocka_unit_test(sigwait_again),
        cmocka_unit_test(foreign_signals_have_a_number),
        cmocka_unit_test(process_signal_is_a_choice),
        cmocka_unit_test(signal_before_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
