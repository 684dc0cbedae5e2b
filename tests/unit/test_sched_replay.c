/* test_sched_replay.c: the log and how scripts are followed: alignment, what
 * strict replay reports as divergence, what loose replay skips.
 * (Random programs are replayed in test_sched_fuzz.c.)
 */
#include "sched_rig.h"

#define M 0x1000
#define C 0x3000

/* ---- a small fixed program ---------------------------------------------------------
 * Threads 1 and 2 lock, write, unlock three times each; main joins them. */

struct twist { /* how the replayed program differs */
    u16 tid;
    u32 at;    /* its at-th operation */
    u64 site, obj;
};

static struct hd_op program(u16 t, u32 i, const struct twist *w)
{
    struct hd_op op;
    if (t == 0) {
        static const u8 kind[] = {HD_EV_CREATE, HD_EV_CREATE, HD_EV_JOIN, HD_EV_JOIN, HD_EV_EXIT};
        op = rig_op(kind[i], i < 2 ? i + 1 : i - 1, 0);
    } else if (i == 9) {
        op = rig_op(HD_EV_EXIT, 0, 0);
    } else {
        static const u8 kind[] = {HD_EV_LOCK, HD_EV_WRITE, HD_EV_UNLOCK};
        op = rig_op(kind[i % 3], i % 3 == 1 ? 8 : M, 0);
    }
    op.site = 0x400000 + t * 0x1000u + i;
    if (w && w->tid == t && w->at == i) {
        op.site = w->site ? w->site : op.site;
        op.obj = w->obj ? w->obj : op.obj;
    }
    return op;
}

static enum hd_step play(struct rig *r, const struct hd_strategy *strategy,
                         const struct hd_script *script, const struct twist *w)
{
    u32 pc[3] = {0};
    u16 t = 0;
    enum hd_step e;
    rig_init(r, strategy, 3);
    hd_sched_begin(r->s, &r->cfg, script);
    do {
        if (r->s->thread[t].state == HD_T_RUNNING) {
            struct hd_op op = program(t, pc[t]++, w);
            if (op.kind == HD_EV_CREATE)
                hd_sched_spawn(r->s, t);
            hd_sched_post(r->s, t, &op);
        }
    } while ((e = rig_step(r, &t)) == HD_STEP_RESUME);
    return e;
}

static struct hd_script script_of(const struct rig *r, bool strict)
{
    return (struct hd_script){.n = r->log.n,
                              .choice = r->log.choice,
                              .site = r->log.site,
                              .check = r->log.check,
                              .strict = strict};
}

static void log_tells_the_run(void **state)
{
    const struct hd_strategy *const way[] = {&rig_random, &rig_low, &rig_high, &rig_stay};
    for (u32 k = 0; k < HD_COUNT(way); k++) {
        struct rig a, b;
        assert_int_equal(play(&a, way[k], NULL, NULL), HD_STEP_DONE);
        u64 step = 0, preemptions = 0;
        for (u32 i = 0; i < a.log.n; i++) {
            const struct hd_choice *c = &a.log.choice[i];
            assert_int_equal(c->kind, HD_CHOICE_PICK);
            preemptions += c->flags & HD_CHOICE_PREEMPTS;
            if (i) /* merged as far as can be */
                assert_int_not_equal(c->tid, c[-1].tid);
            assert_true(a.log.site[i] == a.ev[step].site);
            for (u32 n = 0; n < c->count; n++)
                assert_int_equal(a.ev[step++].tid, c->tid);
        }
        assert_int_equal(step, a.s->step);
        assert_int_equal(preemptions, a.s->preemptions);
        assert_true(way[k] == &rig_stay ? !preemptions : preemptions <= a.s->switches);
        assert_true(a.log.check[a.log.n - 1] == a.s->hash);
        struct hd_script script = script_of(&a, true);
        assert_int_equal(play(&b, way[(k + 1) % HD_COUNT(way)], &script, NULL), HD_STEP_DONE);
        assert_true(a.s->hash == b.s->hash);
        assert_int_equal(a.log.n, b.log.n);
        assert_int_equal(a.s->preemptions, b.s->preemptions);
        rig_release(&a);
        rig_release(&b);
    }
}

/* Switches from a thread that could go on count, others do not. */
static void preemptions_are_told(void **state)
{
    const struct hd_choice c[] = {
        {.count = 2, .tid = 0, .kind = HD_CHOICE_PICK}, /* both creates */
        {.count = 2, .tid = 1, .kind = HD_CHOICE_PICK}, /* 0 waits in join: none */
        {.count = 1, .tid = 2, .kind = HD_CHOICE_PICK}, /* 1 holds the lock, could go on: one */
        {.count = 3, .tid = 1, .kind = HD_CHOICE_PICK}, /* 2 waits for the lock: none */
        {.count = 1, .tid = 2, .kind = HD_CHOICE_PICK}, /* 1 takes it again meanwhile: 2 cannot */
    };
    struct hd_script script = {.n = HD_COUNT(c), .choice = c};
    struct rig r;
    assert_int_equal(play(&r, &rig_stay, &script, NULL), HD_STEP_DONE);
    assert_int_equal(r.s->preemptions, 1);
    for (u32 i = 0; i < r.log.n; i++)
        assert_int_equal(r.log.choice[i].flags, i == 2 ? HD_CHOICE_PREEMPTS : 0);
    rig_release(&r);
}

static void expect_divergence(const struct twist *w, struct hd_script *script, const char *why,
                              u16 want)
{
    struct rig r;
    assert_int_equal(play(&r, &rig_stay, script, w), HD_STEP_DIVERGED);
    assert_true(r.s->diverged.is);
    assert_string_equal(r.s->diverged.why, why);
    assert_int_equal(r.s->diverged.want_tid, want);
    rig_release(&r);
}

static void divergences(void **state)
{
    struct rig a;
    play(&a, &rig_high, NULL, NULL);
    struct hd_script script = script_of(&a, true);
    u32 of2 = 0; /* entry in which thread 2 starts */
    while (a.log.choice[of2].tid != 2)
        of2++;
    /* 2's first operation after START is not the first of an entry: the check
     * at the end of it tells */
    assert_true(a.log.choice[of2].count > 1);
    expect_divergence(&(struct twist){.tid = 2, .at = 0, .obj = M + 8}, &script, "other events", 2);
    expect_divergence(&(struct twist){.tid = 2, .at = 1, .site = 77}, &script, "other events", 2);
    /* first of an entry: seen before it happens */
    expect_divergence(&(struct twist){.tid = 0, .at = 2, .site = 77}, &script, "other site", 0);
    /* without sites and checks nothing is compared */
    script.site = script.check = NULL;
    struct rig r;
    assert_int_equal(play(&r, &rig_stay, &script, &(struct twist){.tid = 2, .at = 1, .site = 77}),
                     HD_STEP_DONE);
    rig_release(&r);
    /* a thread that is not there, or cannot run */
    const struct hd_choice early[] = {{.count = 1, .tid = 2, .kind = HD_CHOICE_PICK}};
    script = (struct hd_script){.n = 1, .choice = early, .strict = true};
    expect_divergence(NULL, &script, "thread cannot run", 2);
    const struct hd_choice wake[] = {{.count = 1, .tid = 0, .kind = HD_CHOICE_WAKE}};
    script.choice = wake;
    expect_divergence(NULL, &script, "no waiter to choose", 0);
    const struct hd_choice timeout[] = {{.count = 1, .tid = 0, .kind = HD_CHOICE_TIMEOUT}};
    script.choice = timeout;
    expect_divergence(NULL, &script, "no timeout to come", 0);
    const struct hd_choice signal[] = {{.count = 1, .tid = 0, .kind = HD_CHOICE_SIGNAL}};
    script.choice = signal;
    expect_divergence(NULL, &script, "no signal to receive", 0);
    rig_release(&a);
}

static void loose_skips_and_goes_on(void **state)
{
    const struct hd_choice c[] = {
        {.count = 5, .tid = 9, .kind = HD_CHOICE_PICK},    /* nobody */
        {.count = 1, .tid = 0, .kind = HD_CHOICE_WAKE},    /* nowhere */
        {.count = 2, .tid = 0, .kind = HD_CHOICE_PICK},    /* both creates */
        {.count = 1, .tid = 0, .kind = HD_CHOICE_TIMEOUT}, /* none */
        {.count = 3, .tid = 2, .kind = HD_CHOICE_PICK},    /* start, lock, write */
        {.count = 3, .tid = 1, .kind = HD_CHOICE_PICK},    /* start, then cannot: two skipped */
        {.count = 1, .tid = 2, .kind = HD_CHOICE_PICK},    /* unlock */
        {.count = 1, .tid = 1, .kind = HD_CHOICE_PICK},    /* lock */
    };
    struct hd_script script = {.n = HD_COUNT(c), .choice = c};
    struct rig r;
    assert_int_equal(play(&r, &rig_stay, &script, NULL), HD_STEP_DONE);
    const u16 order[] = {0, 0, 2, 2, 2, 1, 2, 1, 1};
    for (u32 i = 0; i < HD_COUNT(order); i++)
        assert_int_equal(r.ev[i].tid, order[i]);
    assert_false(r.s->diverged.is);
    rig_release(&r);
}

/* ---- wake-ups ---------------------------------------------------------------------------- */

/* Threads 1..3 wait on C, main signals once; returns who could go on. */
static u16 signalled(struct rig *r, const struct hd_script *script, enum hd_step *end)
{
    rig_init(r, &rig_steer, 5);
    hd_sched_begin(r->s, &r->cfg, script);
    struct hd_script none = r->s->script;
    r->s->script.n = 0; /* the script is about what comes after setting up */
    for (u16 t = 1; t <= 3; t++)
        rig_spawn(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
    for (u16 t = 1; t <= 3; t++) {
        rig_hand(r, t);
        rig_expect(r, t);
        rig_do(r, t, HD_EV_LOCK, M, 0);
        rig_wait(r, t, C, M, 0, HD_NEVER);
        rig_expect(r, 0);
        rig_post(r, 0, HD_EV_FENCE, 0, 0);
    }
    rig_hand(r, 0);
    rig_expect(r, 0);
    r->s->script = none;
    r->log.n = 0;
    u16 t;
    rig_post(r, 0, HD_EV_COND_SIGNAL, C, 0);
    *end = rig_step(r, &t);
    for (t = 1; t <= 3; t++)
        if (rig_is_enabled(r, t))
            return t;
    return HD_NO_THREAD;
}

static void script_chooses_the_waiter(void **state)
{
    struct rig r;
    enum hd_step e;
    for (u16 want = 1; want <= 3; want++) {
        const struct hd_choice c[] = {{.count = 1, .tid = 0, .kind = HD_CHOICE_PICK},
                                      {.count = 1, .tid = want, .kind = HD_CHOICE_WAKE}};
        struct hd_script script = {.n = 2, .choice = c, .strict = true};
        assert_int_equal(signalled(&r, &script, &e), want);
        assert_int_equal(e, HD_STEP_RESUME);
        assert_int_equal(r.log.n, 2);
        assert_memory_equal(r.log.choice, c, sizeof c);
        rig_release(&r);
    }
    const struct hd_choice bad[] = {{.count = 1, .tid = 0, .kind = HD_CHOICE_PICK},
                                    {.count = 1, .tid = 0, .kind = HD_CHOICE_WAKE}};
    struct hd_script script = {.n = 2, .choice = bad, .strict = true};
    signalled(&r, &script, &e);
    assert_int_equal(e, HD_STEP_DIVERGED);
    assert_string_equal(r.s->diverged.why, "thread does not wait here");
    rig_release(&r);
    const struct hd_choice missing[] = {{.count = 2, .tid = 0, .kind = HD_CHOICE_PICK}};
    script = (struct hd_script){.n = 1, .choice = missing, .strict = true};
    signalled(&r, &script, &e);
    assert_int_equal(e, HD_STEP_DIVERGED);
    assert_string_equal(r.s->diverged.why, "a waiter to choose");
    rig_release(&r);
    script = (struct hd_script){.n = 2, .choice = bad};
    assert_int_not_equal(signalled(&r, &script, &e), HD_NO_THREAD);
    assert_int_equal(e, HD_STEP_RESUME);
    rig_release(&r);
}

/* ---- the outside world and time ------------------------------------------------------------ */

/* Main and thread 1 with what they wait for, then the script takes over. */
static void two(struct rig *r, const struct hd_choice *c, u32 n, bool strict)
{
    rig_team(r, 1);
    r->s->script = (struct hd_script){.n = n, .choice = c, .strict = strict};
}

static void script_waits_for_io(void **state)
{
    const struct hd_choice c[] = {{.count = 1, .tid = 1, .kind = HD_CHOICE_PICK}};
    for (int strict = 0; strict < 2; strict++) {
        struct rig r;
        u16 t;
        two(&r, c, 0, strict);
        rig_block(&r, 1, HD_EV_IO, 5, 0);
        r.s->script.n = 1;
        assert_true(rig_is_enabled(&r, 0)); /* could run, but it is not its turn */
        assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
        assert_int_equal(t, 1);
        hd_sched_io_ready(r.s, 1, true);
        rig_expect(&r, 1);
        rig_release(&r);

        two(&r, c, 0, strict);
        rig_block(&r, 1, HD_EV_IO, 5, 0);
        r.s->script.n = 1;
        assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
        /* it does not come */
        assert_int_equal(rig_step(&r, &t), strict ? HD_STEP_DIVERGED : HD_STEP_RESUME);
        assert_int_equal(t, strict ? HD_NO_THREAD : 0);
        rig_release(&r);
    }
}

static void script_moves_the_clock(void **state)
{
    const struct hd_choice c[] = {{.count = 1, .tid = 1, .kind = HD_CHOICE_PICK}};
    for (u16 t = 0; t < 2; t++) {
        struct rig r;
        two(&r, c, 0, t == 1);
        rig_turn(&r, 1);
        struct hd_op op = rig_op(HD_EV_SLEEP, 0, 0);
        op.deadline = 5000000000;
        hd_sched_post(r.s, 1, &op);
        r.s->script.n = 1;
        rig_expect(&r, t); /* a loose one only when nobody else can run */
        assert_true((r.s->now >= 5000000000) == (t == 1));
        rig_release(&r);
    }
}

static void script_may_pick_a_demoted_thread(void **state)
{
    const struct hd_choice c[] = {{.count = 3, .tid = 1, .kind = HD_CHOICE_PICK}};
    struct rig r;
    two(&r, c, 0, true);
    rig_turn(&r, 1);
    r.s->script.n = 1;
    for (int i = 0; i < 3; i++)
        rig_do(&r, 1, HD_EV_YIELD, 0, 0);
    assert_true(r.s->thread[1].is_yielded);
    rig_post(&r, 1, HD_EV_YIELD, 0, 0);
    rig_expect(&r, 0); /* the script is over */
    rig_release(&r);
}

/* A thread is stopped where the script says nothing about it: a loose one may have come to where the
 * recorded run never was, and the stop is logged; a strict one is the record. */
static void a_stop_beside_the_script(void **state)
{
    const struct hd_choice c[] = {{.count = 9, .tid = 1, .kind = HD_CHOICE_PICK}};
    for (int strict = 0; strict < 2; strict++) {
        struct rig r;
        two(&r, c, 0, strict);
        rig_turn(&r, 1);
        r.s->script.n = 1;
        u32 n = r.log.n;
        s64 then = r.s->now;
        assert_int_equal(hd_sched_wants_stop(r.s, 1), 0);
        hd_sched_stopped(r.s, 1, 4000000);
        assert_int_equal(r.s->now - then, strict ? 0 : 4000000);
        assert_int_equal(r.log.n, strict ? n : n + 1);
        if (!strict)
            assert_int_equal(r.log.choice[n].kind, HD_CHOICE_STOP);
        rig_release(&r);
    }
}

/* ---- what the strategy is told --------------------------------------------------------------- */

static u32 n_picks, n_steps;

static u32 counting_pick(void *state, const struct hd_view *v)
{
    assert_true(v->n_enabled >= 2);
    assert_int_equal(v->n_enabled, hd_bits_count(v->enabled, v->words));
    if (v->current != HD_NO_THREAD)
        assert_true(hd_bit_is_set(v->enabled, v->current));
    n_picks++;
    return rig_low_pick(state, v);
}

static void counting_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    assert_true(hd_bit_is_set(v->enabled, tid));
    assert_ptr_equal(op, hd_view_op(v, tid));
    assert_int_equal(v->step, n_steps);
    n_steps++;
}

static void strategy_is_told(void **state)
{
    static const struct hd_strategy counting = {.name = "counting",
                                                .start = rig_none_start,
                                                .pick = counting_pick,
                                                .stepped = counting_stepped};
    struct rig a, b;
    n_picks = n_steps = 0;
    play(&a, &counting, NULL, NULL);
    assert_int_equal(n_steps, a.s->step);
    assert_int_equal(n_picks, a.s->points);
    assert_in_range(n_picks, 3, n_steps - 1);
    n_picks = n_steps = 0;
    struct hd_script script = script_of(&a, true);
    play(&b, &counting, &script, NULL);
    assert_int_equal(n_steps, b.s->step);
    assert_int_equal(n_picks, 0); /* the script decides */
    assert_int_equal(a.s->points, b.s->points);
    rig_release(&a);
    rig_release(&b);
}

static bool await_once(void *state, const struct hd_view *v)
{
    return n_picks++ == 0;
}

/* A strategy that wants to wait for input, although somebody could go on: the runtime
 * is told for how long, and nothing happens to the clock if it does not come. */
static void strategy_waits_for_io(void **state)
{
    static const struct hd_strategy patient = {
        .name = "patient", .start = rig_none_start, .pick = rig_low_pick, .await = await_once};
    struct rig r;
    u16 t;
    for (int comes = 0; comes < 2; comes++) {
        n_picks = 1;
        rig_team(&r, 1);
        rig_block(&r, 1, HD_EV_IO, 5, 0);
        n_picks = 0;
        r.s->cfg.strategy = &patient;
        s64 then = r.s->now;
        assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
        assert_int_equal(t, HD_NO_THREAD);
        assert_int_equal(r.s->io_patience, HD_AWAIT_NS);
        assert_int_equal(r.s->now, then);
        if (comes)
            hd_sched_io_ready(r.s, 1, true);
        assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
        assert_int_equal(t, 0); /* the strategy decides again, with or without it */
        assert_int_equal(rig_is_enabled(&r, 1), comes);
        rig_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_tells_the_run),
        cmocka_unit_test(preemptions_are_told),
        cmocka_unit_test(divergences),
        cmocka_unit_test(loose_skips_and_goes_on),
        cmocka_unit_test(script_chooses_the_waiter),
        cmocka_unit_test(script_waits_for_io),
        cmocka_unit_test(script_moves_the_clock),
        cmocka_unit_test(script_may_pick_a_demoted_thread),
        cmocka_unit_test(a_stop_beside_the_script),
        cmocka_unit_test(strategy_is_told),
        cmocka_unit_test(strategy_waits_for_io),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
