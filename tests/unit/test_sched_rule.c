/* test_sched_rule.c: long runs and small logs: choices that do not fit are packed and followed
 * again (sched/packed.c); strategies that preempt all the time are asked less often; the rule of
 * older records is still followed (sched/rule.c).
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

/* `cap` entries fit, the others are packed if `is_packed`. */
static enum hd_step play(struct rig *r, struct player *p, const struct hd_strategy *strategy,
                         u64 seed, u32 cap, bool is_packed, const struct hd_script *script)
{
    u16 t = 0;
    enum hd_step e;
    u8 *packed = r->script;
    rig_init(r, strategy, seed);
    r->script = packed;
    r->log.cap = cap;
    if (is_packed) {
        r->log.ring = calloc(1, HD_LOG_RING);
        r->file = calloc(1, RIG_FILE);
    }
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

/* The log as a script: arrays, packed entries, and the last one packed as well. */
static struct hd_script script_of(struct rig *r)
{
    const struct hd_log *l = &r->log;
    struct hd_script s = {.n = l->n, .choice = l->choice, .site = l->site, .check = l->check,
                          .strict = true, .packed = l->packed};
    if (!l->packed)
        return s;
    for (u64 i = l->packed / HD_LOG_BLOCK * HD_LOG_BLOCK; i < l->packed; i++)
        r->file[i] = l->ring[i % HD_LOG_RING];
    s.n--;
    s.packed += hd_packed_put(r->file + l->packed, &l->choice[l->n - 1], l->check[l->n - 1]);
    return s;
}

static u64 steps_of(const struct hd_script *s, const u8 *packed, u64 *entries, u64 *checks)
{
    u64 n = 0, check;
    *entries = s->n;
    *checks = 0;
    for (u32 i = 0; i < s->n; i++)
        n += s->choice[i].kind == HD_CHOICE_PICK ? s->choice[i].count : 0;
    for (u64 at = 0; at < s->packed; ++*entries) {
        struct hd_choice c;
        u32 used = hd_packed_get(packed + at, (u32)(s->packed - at), &c, &check);
        assert_true(used);
        n += c.kind == HD_CHOICE_PICK ? c.count : 0;
        *checks += check != 0;
        at += used;
    }
    return n;
}

/* Many times as many choices as the log has entries for, and the same again. */
static void long_runs_end_and_replay(void **state)
{
    const struct hd_strategy *const way[] = {&rig_random, &rig_low, &rig_high, &rig_stay};
    for (u32 k = 0; k < HD_COUNT(way); k++)
        for (u64 seed = 1; seed <= 8; seed++) {
            struct player p = {.rounds = 2000, .has_time = seed % 2};
            struct rig a, b = {.script = NULL};
            u64 entries, checks;
            a.script = NULL;
            assert_int_equal(play(&a, &p, way[k], seed, SMALL, true, NULL), HD_STEP_DONE);
            assert_true(a.s->step > 40000 && a.log.n <= SMALL);
            struct hd_script script = script_of(&a);
            assert_true(steps_of(&script, a.file, &entries, &checks) == a.s->step);
            if (way[k] == &rig_random) {
                assert_true(entries > 20000 && checks >= (entries - SMALL) / 2048);
                assert_true(script.packed < 4 * entries);
            }
            b.script = a.file;
            assert_int_equal(play(&b, &p, &rig_low, seed + 77, SMALL, true, &script), HD_STEP_DONE);
            assert_true(a.s->hash == b.s->hash && a.s->step == b.s->step);
            assert_true(a.log.packed == b.log.packed && a.log.n == b.log.n);
            struct hd_script again = script_of(&b);
            assert_memory_equal(a.file, b.file, again.packed);
            rig_release(&a);
            rig_release(&b);
        }
}

/* The same choices whether they are packed or not. */
static void packing_changes_nothing(void **state)
{
    struct player p = {.rounds = 500, .has_time = true};
    struct rig a = {.script = NULL}, b = {.script = NULL};
    assert_int_equal(play(&a, &p, &rig_random, 5, SMALL, true, NULL), HD_STEP_DONE);
    assert_int_equal(play(&b, &p, &rig_random, 5, RIG_LOG, false, NULL), HD_STEP_DONE);
    assert_true(a.s->hash == b.s->hash && a.log.packed && !b.log.packed);
    struct hd_script whole = script_of(&b), packed = script_of(&a);
    whole.site = whole.check = NULL;
    struct rig c = {.script = NULL}, d = {.script = a.file};
    assert_int_equal(play(&c, &p, &rig_low, 6, RIG_LOG, false, &whole), HD_STEP_DONE);
    assert_int_equal(play(&d, &p, &rig_low, 6, RIG_LOG, false, &packed), HD_STEP_DONE);
    assert_true(c.s->hash == a.s->hash && d.s->hash == a.s->hash);
    rig_release(&a);
    rig_release(&b);
    rig_release(&c);
    rig_release(&d);
}

/* No file, or no room: the run ends with a limit of ours. */
static void full_is_a_limit(void **state)
{
    struct player p = {.rounds = 20000};
    struct rig r = {.script = NULL};
    assert_int_equal(play(&r, &p, &rig_random, 5, SMALL, false, NULL), HD_STEP_LIMIT);
    assert_int_equal(r.s->limit, HD_RUN_LIMIT_LOG);
    assert_int_equal(r.log.n, SMALL);
    rig_release(&r);
}

/* A strategy that preempts at each step does so to the end, and less and less often. */
static void preemptions_become_rare(void **state)
{
    struct player p = {.rounds = 400000};
    struct rig r = {.script = NULL};
    enum hd_step e = play(&r, &p, &rig_random, 5, 1u << 15, true, NULL);
    u64 entries, checks;
    struct hd_script s = script_of(&r);
    assert_true(steps_of(&s, r.file, &entries, &checks) == r.s->step);
    assert_int_equal(e, HD_STEP_DONE);
    assert_true(r.s->step > 9000000);
    /* half a million before, and then one in a thousand steps or fewer */
    assert_true(r.s->preemptions > 1u << 19 && r.s->preemptions < (1u << 19) + r.s->step / 900);
    rig_release(&r);
}

/* Another program leaves the schedule, at a check at the latest. */
static void divergence_is_noticed(void **state)
{
    struct player p = {.rounds = 2000}, q = {.rounds = 1990};
    struct rig a = {.script = NULL}, b;
    assert_int_equal(play(&a, &p, &rig_random, 3, SMALL, true, NULL), HD_STEP_DONE);
    struct hd_script script = script_of(&a);
    b.script = a.file;
    assert_int_equal(play(&b, &q, &rig_low, 1, SMALL, true, &script), HD_STEP_DIVERGED);
    assert_true(b.s->diverged.entry > SMALL);
    rig_release(&b);
    a.file[script.packed / 2] ^= 8; /* another thread */
    b.script = a.file;
    assert_int_equal(play(&b, &p, &rig_low, 1, SMALL, true, &script), HD_STEP_DIVERGED);
    rig_release(&a);
    rig_release(&b);
}

/* Bytes that are no choices end the script; nothing is read past them. */
static void garbage_ends_a_script(void **state)
{
    struct player p = {.rounds = 50};
    u8 junk[256];
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    for (u32 i = 0; i < 2000; i++) {
        struct rig r = {.script = junk};
        for (u32 k = 0; k < sizeof junk; k++)
            junk[k] = (u8)hd_rng_next(&rng);
        struct hd_script s = {.packed = 1 + hd_rng_below(&rng, sizeof junk)};
        assert_int_equal(play(&r, &p, &rig_random, i, RIG_LOG, false, &s), HD_STEP_DONE);
        rig_release(&r);
    }
}

/* Records of version 4: `rule` entries name nobody. What they led to is logged as picks, which
 * lead to the same. */
static void older_records_are_followed(void **state)
{
    static const struct hd_choice old[] = {{7, 0, HD_CHOICE_PICK, 0}, {1500, 0, HD_CHOICE_RULE, 0},
                                           {3, 2, HD_CHOICE_PICK, 0}, {9000, 0, HD_CHOICE_RULE, 0}};
    struct player p = {.rounds = 2000};
    struct rig a = {.script = NULL}, b = {.script = NULL};
    struct hd_script s = {.n = HD_COUNT(old), .choice = old};
    u64 entries, checks;
    assert_int_equal(play(&a, &p, &rig_random, 3, RIG_LOG, false, &s), HD_STEP_DONE);
    struct hd_script picks = script_of(&a);
    for (u32 i = 0, n = 0; i < picks.n && n < 5000; n += picks.choice[i++].count)
        assert_true(picks.choice[i].kind != HD_CHOICE_RULE && picks.choice[i].count <= 263);
    assert_true(steps_of(&picks, NULL, &entries, &checks) == a.s->step);
    assert_int_equal(play(&b, &p, &rig_low, 4, RIG_LOG, false, &picks), HD_STEP_DONE);
    assert_true(a.s->hash == b.s->hash);
    rig_release(&a);
    rig_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_runs_end_and_replay),
        cmocka_unit_test(packing_changes_nothing),
        cmocka_unit_test(full_is_a_limit),
        cmocka_unit_test(preemptions_become_rare),
        cmocka_unit_test(divergence_is_noticed),
        cmocka_unit_test(garbage_ends_a_script),
        cmocka_unit_test(older_records_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
