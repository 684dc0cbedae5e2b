/* test_sched_rule.c: long runs and small logs (sched/rule.c): a log that was full long
 * ago is enough, and what the rule chose is chosen again by a strict replay.
 */
#include "sched_rig.h"

#define M 0x1000
#define C 0x3000
#define SEM 0x5000
#define SMALL 512
#define THREADS 4

/* A long program of three threads and main: an op of thread t after it made `i` of them
 * is a function of t, i and the results so far, which is all a replay has. */
struct player {
    u32 at[THREADS];
    u32 rounds;
    bool has_time;
};

static struct hd_op next_op(struct rig *r, struct player *p, u16 t)
{
    u32 i = p->at[t]++;
    if (t == 0) {
        if (i < 3)
            return rig_op(HD_EV_CREATE, i + 1, 0);
        return i < 6 ? rig_op(HD_EV_JOIN, i - 2, 0) : rig_op(HD_EV_EXIT, 0, 0);
    }
    if (i / 8 >= p->rounds)
        return rig_op(HD_EV_EXIT, 0, 0);
    struct hd_op op;
    switch (i % 8) {
    case 0: op = rig_op(HD_EV_LOCK, M, 0); break;
    case 1: op = rig_op(HD_EV_WRITE, 8, 0); break;
    case 2: op = rig_op(HD_EV_UNLOCK, M, 0); break;
    case 3: op = rig_op(t == 3 ? HD_EV_YIELD : HD_EV_ALOAD, 16, 0); break;
    case 4: op = rig_op(t == 3 ? HD_EV_ARMW : HD_EV_SEM_POST, t == 3 ? 16 : SEM, 0); break;
    case 5: op = rig_op(t == 3 ? HD_EV_YIELD : HD_EV_SEM_WAIT, t == 3 ? 16 : SEM, 0); break;
    case 6: op = rig_op(HD_EV_ALOAD, 24, 0); break;
    default:
        op = rig_op(HD_EV_ASTORE, 24 + 8 * t, 0);
        if (p->has_time && i % 64 == 7) {
            op = rig_op(HD_EV_SLEEP, 0, 0);
            op.deadline = r->s->now + 3000;
            op.flags = HD_OP_TIMED;
        }
    }
    op.site = 0x400000 + t * 0x1000u + i % 8;
    return op;
}

static enum hd_step play(struct rig *r, struct player *p, const struct hd_strategy *strategy,
                         u64 seed, u32 cap, const struct hd_script *script)
{
    u16 t = 0;
    enum hd_step e;
    rig_init(r, strategy, seed);
    r->log.cap = cap;
    r->is_unchecked = true;
    r->cfg.early_per_1024 = p->has_time ? 64 : 0;
    hd_sched_begin(r->s, &r->cfg, script);
    memset(p->at, 0, sizeof p->at);
    do {
        if (r->s->thread[t].state == HD_T_RUNNING) {
            struct hd_op op = next_op(r, p, t);
            if (op.kind == HD_EV_CREATE)
                hd_sched_spawn(r->s, t);
            hd_sched_post(r->s, t, &op);
        }
    } while ((e = rig_step(r, &t)) == HD_STEP_RESUME);
    return e;
}

static u64 steps_of(const struct hd_log *l, u8 kind)
{
    u64 n = 0;
    for (u32 i = 0; i < l->n; i++)
        n += l->choice[i].kind == kind ? l->choice[i].count : 0;
    return n;
}

static struct hd_script script_of(const struct rig *r)
{
    return (struct hd_script){.n = r->log.n, .choice = r->log.choice, .site = r->log.site,
                              .check = r->log.check, .strict = true};
}

/* Many times the steps that the log has entries for, and the same again. */
static void long_runs_end_and_replay(void **state)
{
    const struct hd_strategy *const way[] = {&rig_random, &rig_low, &rig_high, &rig_stay};
    for (u32 k = 0; k < HD_COUNT(way); k++)
        for (u64 seed = 1; seed <= 8; seed++) {
            struct player p = {.rounds = 2000, .has_time = seed % 2};
            struct rig a, b;
            assert_int_equal(play(&a, &p, way[k], seed, SMALL, NULL), HD_STEP_DONE);
            assert_true(a.s->step > 40000 && a.log.n < SMALL);
            u64 by_rule = steps_of(&a.log, HD_CHOICE_RULE);
            if (way[k] == &rig_random)
                assert_true(by_rule > a.s->step / 2);
            assert_true(by_rule + steps_of(&a.log, HD_CHOICE_PICK) == a.s->step);
            struct hd_script script = script_of(&a);
            assert_int_equal(play(&b, &p, &rig_low, seed + 77, SMALL, &script), HD_STEP_DONE);
            assert_true(a.s->hash == b.s->hash);
            assert_int_equal(a.log.n, b.log.n);
            assert_memory_equal(a.log.check, b.log.check, a.log.n * sizeof *a.log.check);
            rig_release(&a);
            rig_release(&b);
        }
}

/* The strategy is asked up to the end, and less and less often. */
static void choices_become_rare(void **state)
{
    struct player p = {.rounds = 20000};
    struct rig r;
    assert_int_equal(play(&r, &p, &rig_random, 5, SMALL, NULL), HD_STEP_DONE);
    u32 first = 0, most = 0, last = 0;
    for (u32 i = 0; i < r.log.n; i++) {
        if (r.log.choice[i].kind != HD_CHOICE_RULE)
            continue;
        first = first ? first : i;
        assert_true(last <= r.log.choice[i].count || i + 8 > r.log.n);
        most = last = r.log.choice[i].count;
    }
    assert_true(first >= SMALL / 2 && first < SMALL / 2 + 4);
    assert_true(r.log.choice[first].count == 1024 && most >= 2048);
    rig_release(&r);
}

/* A log with room for all choices has no such entry. */
static void short_runs_do_not_change(void **state)
{
    struct player p = {.rounds = 200, .has_time = true};
    struct rig r;
    assert_int_equal(play(&r, &p, &rig_random, 5, RIG_LOG, NULL), HD_STEP_DONE);
    assert_true(!steps_of(&r.log, HD_CHOICE_RULE));
    rig_release(&r);
}

/* Another program leaves the schedule where the rule begins, or at the end of its entry. */
static void divergence_is_noticed(void **state)
{
    struct player p = {.rounds = 2000}, q = {.rounds = 1990};
    struct rig a, b;
    assert_int_equal(play(&a, &p, &rig_random, 3, SMALL, NULL), HD_STEP_DONE);
    struct hd_script script = script_of(&a);
    enum hd_step e = play(&b, &q, &rig_low, 1, SMALL, &script);
    assert_int_equal(e, HD_STEP_DIVERGED);
    rig_release(&a);
    rig_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_runs_end_and_replay),
        cmocka_unit_test(choices_become_rare),
        cmocka_unit_test(short_runs_do_not_change),
        cmocka_unit_test(divergence_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
