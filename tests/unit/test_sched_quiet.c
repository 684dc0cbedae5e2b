/* test_sched_quiet.c: the short way of accesses (sched/long/quiet.c) against the whole one: random
 * programs run twice, side by side, once with every step by hd_sched_post and hd_sched_step. After
 * every operation both must be in the same state; then the same for their logs as scripts, strict and
 * with pieces torn out, and where the clock is moved or a signal comes without a step in between.
 */
#include "sched_rig.h"
#include "strategy/strategy.h"

#define THREADS 4
#define OPS 3000
#define SEEDS 12
#define SLEEPS_FROM 8 /* seeds: programs without timed waits have more quiet stretches */

struct side {
    struct rig r;
    u16 running;
    u32 pc[THREADS];
    struct hd_rng rng[THREADS];
    u64 quick; /* operations by the short way */
};

struct how {
    const struct hd_strategy *strategy;
    u64 seed;
    u32 early;
    const struct hd_script *script;
    bool has_sleeps;
};

/* Mostly accesses, in loops of different kinds: same place, a few places, many. */
static struct hd_op next_op(struct side *x, const struct how *h, u16 t)
{
    struct hd_rng *g = &x->rng[t];
    u32 i = x->pc[t]++;
    struct hd_op op;
    if (!t && i < THREADS - 1)
        return rig_op(HD_EV_CREATE, i + 1, 0);
    if (i >= OPS)
        return !t && i < OPS + THREADS - 1 ? rig_op(HD_EV_JOIN, i - OPS + 1, 0)
                                           : rig_op(HD_EV_EXIT, 0, 0);
    static const u8 access[] = {HD_EV_READ, HD_EV_WRITE, HD_EV_ALOAD, HD_EV_ASTORE, HD_EV_ARMW};
    u32 phase = i / 500 % 3;
    u64 what = hd_rng_below(g, 200);
    if (what == 0 && t)
        op = rig_op(HD_EV_YIELD, 0, hd_rng_below(g, 2));
    else if (what == 1 && h->has_sleeps) {
        op = rig_op(HD_EV_SLEEP, 0, 0);
        op.deadline = x->r.s->now + (s64)hd_rng_below(g, 300) * 1000;
    } else if (what == 2)
        op = rig_op(HD_EV_LOCK, 0x1000, 0);
    else if (what == 3)
        op = rig_op(HD_EV_FENCE, 0, 0);
    else
        op = rig_op(phase ? HD_EV_ARMW : access[hd_rng_below(g, HD_COUNT(access))],
                    8 * hd_rng_below(g, phase == 1 ? 1 : phase ? 64 : 3), HD_MO_RELAXED);
    if (op.kind == HD_EV_ARMW && !hd_rng_below(g, 4))
        op.flags = HD_OP_PLAIN_SPIN;
    op.size = 8;
    op.site = 0x400000 + t * 0x1000u + phase;
    return op;
}

static void begin(struct side *x, const struct how *h)
{
    memset(x, 0, sizeof *x);
    rig_init(&x->r, h->strategy, h->seed);
    x->r.cfg.early_per_1024 = h->early;
    hd_sched_begin(x->r.s, &x->r.cfg, h->script);
    for (u16 t = 0; t < THREADS; t++)
        x->rng[t] = hd_rng_make(h->seed, t, HD_RNG_DATA);
}

/* One operation of the thread that runs; a lock it took is given back at once. */
static enum hd_step advance(struct side *x, const struct how *h, bool is_quick)
{
    struct hd_sched *s = x->r.s;
    u16 t = x->running;
    if (s->thread[t].state == HD_T_RUNNING) {
        bool has_lock = s->thread[t].n_held;
        struct hd_op op = has_lock ? rig_op(HD_EV_UNLOCK, 0x1000, 0) : next_op(x, h, t);
        if (is_quick && hd_is_access(op.kind) && hd_sched_quiet(s, t, &op)) {
            x->quick++;
            rig_check(&x->r);
            return HD_STEP_RESUME;
        }
        if (op.kind == HD_EV_CREATE)
            hd_sched_spawn(s, t);
        hd_sched_post(s, t, &op);
    }
    return rig_step(&x->r, &x->running);
}

static void compare(const struct side *a, const struct side *b)
{
    const struct hd_sched *p = a->r.s, *q = b->r.s;
    assert_true(p->step == q->step && p->hash == q->hash && p->now == q->now);
    assert_true(p->points == q->points && p->preemptions == q->preemptions);
    assert_true(p->switches == q->switches && p->n_yielded == q->n_yielded);
    assert_true(p->script_pos == q->script_pos && p->script_used == q->script_used);
    assert_int_equal(a->running, b->running);
    assert_int_equal(a->r.log.n, b->r.log.n);
    u32 last = a->r.log.n - 1;
    if (a->r.log.n) {
        assert_memory_equal(&a->r.log.choice[last], &b->r.log.choice[last], sizeof *a->r.log.choice);
        assert_true(a->r.log.check[last] == b->r.log.check[last]);
        assert_true(a->r.log.site[last] == b->r.log.site[last]);
    }
    for (u32 t = 0; t < p->n_threads; t++) {
        const struct hd_sthread *x = &p->thread[t], *y = &q->thread[t];
        assert_true(x->points == y->points && x->last_site == y->last_site &&
                    x->last_obj == y->last_obj && x->is_yielded == y->is_yielded &&
                    x->clock_reads == y->clock_reads && x->pace == y->pace);
        assert_memory_equal(&x->spin, &y->spin, sizeof x->spin);
        assert_true(x->held_ns == y->held_ns);
        if (x->state != HD_T_RUNNING) /* what it posted last says nothing while it runs */
            assert_true(x->wait_step == y->wait_step && x->post_step == y->post_step);
    }
    assert_int_equal(a->r.n_ev, b->r.n_ev);
    if (a->r.n_ev)
        assert_memory_equal(rig_last_event(&a->r), rig_last_event(&b->r), sizeof(struct hd_event));
}

/* Things that happen to a running thread without a step. */
static void disturb(struct side *x, u64 kind)
{
    struct hd_sched *s = x->r.s;
    bool is_due;
    if (kind == 0)
        hd_sched_clock_read(s, x->running, 0, &is_due);
    else if (kind == 1)
        hd_sched_clock_move(s, s->now + 5000);
    else
        hd_sched_sigmask(s, x->running, s->step % 2 ? 0x200 : 0);
}

static u64 both(struct side *a, struct side *b, const struct how *h, bool is_disturbed)
{
    enum hd_step e, f;
    struct hd_rng g = hd_rng_make(h->seed, 99, HD_RNG_DATA);
    begin(a, h);
    begin(b, h);
    do {
        if (is_disturbed && a->r.s->thread[a->running].state == HD_T_RUNNING && !hd_rng_below(&g, 50)) {
            u64 kind = hd_rng_below(&g, 3);
            disturb(a, kind);
            disturb(b, kind);
        }
        e = advance(a, h, true);
        f = advance(b, h, false);
        assert_int_equal(e, f);
        compare(a, b);
        if (e == HD_STEP_IO || e == HD_STEP_TIMER)
            break;
    } while (e == HD_STEP_RESUME);
    assert_int_equal(e, HD_STEP_DONE);
    assert_int_equal(b->quick, 0);
    return a->quick;
}

static void tell(struct side *a, struct side *b)
{
    rig_release(&a->r);
    rig_release(&b->r);
}

/* The log of `x`, with every `hole`-th entry left out; 0 = whole. */
static struct hd_script script_of(const struct side *x, u32 hole, struct hd_choice *room)
{
    u32 n = 0;
    for (u32 i = 0; i < x->r.log.n; i++)
        if (!hole || i % hole)
            room[n++] = x->r.log.choice[i];
    return (struct hd_script){.n = n, .choice = room, .strict = !hole,
                              .site = hole ? NULL : x->r.log.site, .check = hole ? NULL : x->r.log.check};
}

static void the_same_both_ways(void **state)
{
    static const char *const name[] = {"pct", "stay", "random", "pos", "delay"};
    static struct hd_choice room[RIG_LOG];
    u64 quick[HD_COUNT(name)] = {0}, replayed = 0, torn = 0, all = 0;
    for (u64 seed = 1; seed <= SEEDS; seed++)
        for (u32 k = 0; k < HD_COUNT(name); k++) {
            struct side a, b, c, d;
            struct how h = {.strategy = hd_strategy_find(name[k]), .seed = seed,
                            .early = seed % 3 ? 0 : 20, .has_sleeps = seed >= SLEEPS_FROM};
            quick[k] += both(&a, &b, &h, false);
            all += a.r.s->step;
            struct hd_script strict = script_of(&b, 0, room);
            struct how again = {.strategy = hd_strategy_find("stay"), .seed = seed, .script = &strict,
                                .has_sleeps = h.has_sleeps};
            replayed += both(&c, &d, &again, false);
            assert_true(c.r.s->hash == a.r.s->hash);
            tell(&c, &d);
            struct hd_script loose = script_of(&b, 5, room);
            again.script = &loose;
            torn += both(&c, &d, &again, false);
            tell(&c, &d);
            tell(&a, &b);
        }
    /* It is taken: by half of the steps where a strategy tells, by few where chance is drawn at each. */
    print_message("of %lu steps each: pct %lu, stay %lu, random %lu, pos %lu, delay %lu; all replayed %lu, torn %lu\n",
                  (unsigned long)all / 5, (unsigned long)quick[0], (unsigned long)quick[1],
                  (unsigned long)quick[2], (unsigned long)quick[3], (unsigned long)quick[4],
                  (unsigned long)replayed, (unsigned long)torn);
    assert_true(quick[0] > all / 5 / 2 && quick[1] > all / 5 / 2);
    assert_true(replayed > all / 4 && torn > all / 4);
}

static void disturbed(void **state)
{
    u64 quick = 0;
    for (u64 seed = 1; seed <= SEEDS; seed++) {
        struct side a, b;
        struct how h = {.strategy = hd_strategy_find(seed % 2 ? "pct" : "stay"), .seed = seed};
        quick += both(&a, &b, &h, true);
        tell(&a, &b);
    }
    assert_true(quick > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_both_ways),
        cmocka_unit_test(disturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
