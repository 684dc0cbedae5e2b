/* test_sched_livelock.c: a hang is reported if, and only if, it is proven that nobody
 * gets on. Each program is run with threads as coroutines; their local state and the
 * world's memory are hashed as the runtime does it with stacks and mappings.
 */
#include "sched/internal.h"
#include "sched_rig.h"

#define FLAG 8
#define M 0x1000
#define LIMIT 3000000

struct world {
    struct rig r;
    int flag, turn, want[64];
    u64 count;
    bool is_secret; /* memory is not known */
};
struct prog {
    int pc, i;
    void (*run)(struct world *w, struct prog *p, u16 t);
    u8 kind;
    u64 obj;
    s64 deadline;
};
static struct world w;
static struct prog prog[128];
static struct hd_learned learned;

#define BEGIN                                                                                      \
    switch (p->pc) {                                                                               \
    case 0:
#define DO_AT(k, o, d, line)                                                                       \
    p->kind = (k), p->obj = (o), p->deadline = (d), p->pc = line;                                  \
    return;                                                                                        \
    case line:;
#define DO(k, o) DO_AT(HD_EV_##k, o, HD_NEVER, __LINE__)
#define END                                                                                        \
    p->kind = HD_EV_EXIT;                                                                          \
    p->pc = -1;                                                                                    \
    }
#define ERR (w->r.s->thread[t].res.err)

/* ---- that hang ------------------------------------------------------------------------ */

static void waits_for_flag(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(ALOAD, FLAG);
        DO(YIELD, 0);
    } while (!w->flag);
    END
}

static void keeps_one_tries_other(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    DO(LOCK, M + 64 * (t & 1));
    w->count++;
    do {
        DO(ALOAD, 32);
    } while (w->count < 2);
    do {
        DO(TRYLOCK, M + 64 * (~t & 1));
        p->i = ERR;
        DO(YIELD, 0);
    } while (p->i);
    END
}

/* Each gives way as long as the other wants: every order leads back. */
static void polite(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (;;) {
        DO(ALOAD, 16);
        if (w->turn != (t & 1))
            continue;
        DO(ALOAD, 24);
        if (!w->want[t ^ 1])
            break;
        DO(ASTORE, 16);
        w->turn = !(t & 1);
    }
    END
}

/* ---- that do not ------------------------------------------------------------------------- */

/* Gives up both locks: some orders let it through. */
static void backs_off(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (;;) {
        DO(LOCK, M + 64 * (t & 1));
        DO(TRYLOCK, M + 64 * (~t & 1));
        if (!ERR)
            break;
        DO(UNLOCK, M + 64 * (t & 1));
    }
    DO(UNLOCK, M);
    DO(UNLOCK, M + 64);
    END
}

static void polls_so_often(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 200000; p->i++) {
        DO(ALOAD, FLAG);
    }
    END
}

static void counts_in_memory(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(LOCK, M);
        DO(UNLOCK, M);
    } while (++w->count < 200000);
    END
}

static void reads_the_clock(struct world *w, struct prog *p, u16 t)
{
    bool is_due;
    BEGIN
    do {
        DO(ALOAD, FLAG);
        p->i = hd_sched_clock_read(w->r.s, t, 0, &is_due) < 100000000;
    } while (!w->flag && p->i);
    END
}

static void sleeps_then_sets(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    DO_AT(HD_EV_SLEEP, 0, 50000000, __LINE__);
    DO(ASTORE, FLAG);
    w->flag = 1;
    END
}

static void sets_late(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 30000; p->i++) {
        DO(WRITE, 40);
    }
    w->flag = 1;
    END
}

static void joins_nobody(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    DO(SEM_WAIT, 0x5000); /* for ever: main is not in the way */
    END
}

/* ---- driver -------------------------------------------------------------------------------- */

static u64 hash(u64 h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const u8 *)p)[i]) * 0x100000001b3ull;
    return h | 1;
}

static u64 local(void *self, u16 t)
{
    struct prog p = {.pc = prog[t].pc, .i = prog[t].i};
    return hash(1, &p, sizeof p);
}

static u64 memory(void *self, u16 except, bool is_first)
{
    u64 h = hash(2, &w.count, sizeof w.count);
    if (w.is_secret)
        return 0;
    h = hash(h, &w.turn, sizeof w.turn);
    h = hash(h, w.want, sizeof w.want);
    return hash(h, &w.flag, sizeof w.flag);
}

static void state_next(struct prog *p, u16 t)
{
    p->run(&w, p, t);
    struct hd_op op = rig_op(p->kind, p->obj, 0);
    op.site = 0x400000 + (u64)(u32)p->pc;
    op.deadline = p->deadline ? p->deadline : HD_NEVER;
    if (p->deadline && p->deadline != HD_NEVER)
        op.flags = HD_OP_TIMED;
    hd_sched_post(w.r.s, t, &op);
}

typedef void role(struct world *w, struct prog *p, u16 t);

/* Threads 1..n of `other`, main waits for ever or does `first`. */
static enum hd_step drive(const struct hd_strategy *strategy, role *first, role *other, u16 n)
{
    u16 t = 0;
    enum hd_step e;
    bool is_secret = w.is_secret;
    memset(prog, 0, sizeof prog);
    memset(&w, 0, sizeof w);
    w.is_secret = is_secret;
    for (u32 i = 0; i < HD_COUNT(w.want); i++)
        w.want[i] = 1;
    rig_init(&w.r, strategy, 7);
    w.r.is_unchecked = true;
    w.r.log.cap = LIMIT;
    w.r.log.choice = realloc(w.r.log.choice, LIMIT * sizeof *w.r.log.choice);
    w.r.log.site = realloc(w.r.log.site, LIMIT * sizeof *w.r.log.site);
    w.r.log.check = realloc(w.r.log.check, LIMIT * sizeof *w.r.log.check);
    w.r.s->env.local = local;
    w.r.s->env.memory = memory;
    w.r.cfg.step_limit = LIMIT;
    w.r.cfg.strategy_arg.learned = &learned;
    hd_sched_begin(w.r.s, &w.r.cfg, NULL);
    for (u16 i = 1; i <= n; i++) {
        t = hd_sched_spawn(w.r.s, 0);
        prog[t].run = other;
        rig_post(&w.r, 0, HD_EV_CREATE, t, 0);
        while ((e = hd_sched_step(w.r.s, &t)) == HD_STEP_RESUME && t != 0)
            if (w.r.s->thread[t].state != HD_T_FINISHED)
                state_next(&prog[t], t);
        if (e != HD_STEP_RESUME)
            return e;
    }
    prog[0].run = first;
    state_next(&prog[0], 0);
    while ((e = hd_sched_step(w.r.s, &t)) == HD_STEP_RESUME) {
        if (w.r.s->thread[t].state != HD_T_FINISHED)
            state_next(&prog[t], t);
    }
    return e;
}

static enum hd_step run(const struct hd_strategy *strategy, role *first, role *other, u16 n)
{
    enum hd_step e = drive(strategy, first, other, n);
    rig_release(&w.r);
    return e;
}

static const struct hd_strategy *const all[] = {&rig_random, &rig_low, &rig_high, &rig_stay};
#define EACH(s) for (u32 s = 0; s < HD_COUNT(all); s++)

static void test_spin_for_ever(void **state)
{
    EACH(s) {
        assert_int_equal(run(all[s], joins_nobody, waits_for_flag, 1), HD_STEP_HANG);
        assert_int_equal(run(all[s], waits_for_flag, waits_for_flag, 3), HD_STEP_HANG);
        /* too many for a walk: alone is enough */
        assert_int_equal(run(all[s], joins_nobody, waits_for_flag, 40), HD_STEP_HANG);
    }
}

/* Where earlier runs were still at work the strategy says who goes; the proof comes later. */
static void test_not_while_at_work(void **state)
{
    assert_int_equal(drive(&rig_random, joins_nobody, waits_for_flag, 1), HD_STEP_HANG);
    assert_in_range(w.r.s->livelock.began, 4096, 2 * 40000 - 1);
    rig_release(&w.r);
    learned = (struct hd_learned){.whole_runs = 1, .max_threads = 2, .thread_points = {20000, 20000}};
    assert_int_equal(drive(&rig_random, joins_nobody, waits_for_flag, 1), HD_STEP_HANG);
    assert_in_range(w.r.s->livelock.began, 2 * 40000, LIMIT);
    rig_release(&w.r);
    learned = (struct hd_learned){0};
}

static void test_livelocks(void **state)
{
    EACH(s) {
        assert_int_equal(drive(all[s], joins_nobody, polite, 3), HD_STEP_HANG);
        assert_false(w.r.s->livelock.is_quiet);
        rig_release(&w.r);
    }
    EACH(s)
        assert_int_equal(run(all[s], joins_nobody, keeps_one_tries_other, 2), HD_STEP_HANG);
}

static void test_no_hang(void **state)
{
    EACH(s) {
        assert_int_equal(run(all[s], backs_off, backs_off, 3), HD_STEP_DONE);
        assert_int_equal(run(all[s], polls_so_often, polls_so_often, 2), HD_STEP_DONE);
        assert_int_equal(run(all[s], counts_in_memory, counts_in_memory, 2), HD_STEP_DONE);
        assert_int_equal(run(all[s], reads_the_clock, reads_the_clock, 2), HD_STEP_DONE);
        assert_int_equal(run(all[s], sleeps_then_sets, waits_for_flag, 2), HD_STEP_DONE);
        assert_int_equal(run(all[s], sets_late, waits_for_flag, 2), HD_STEP_DONE);
    }
}

/* What is not known is no hang: the limit of steps ends it. */
static void test_cannot_tell(void **state)
{
    w.is_secret = true;
    assert_int_equal(run(&rig_random, joins_nobody, waits_for_flag, 2), HD_STEP_LIMIT);
    assert_int_equal(w.r.n_chunk > 0, true);
    w.is_secret = false;
}

/* What a loop that gets nowhere may contain. */
static void test_kinds(void **state)
{
    static const u8 no[] = {HD_EV_FREE, HD_EV_ALLOC, HD_EV_MUTEX_INIT, HD_EV_SEM_INIT,
                            HD_EV_BARRIER_DESTROY, HD_EV_COND_INIT, HD_EV_CONSISTENT, HD_EV_CREATE,
                            HD_EV_EXIT, HD_EV_ONCE_BEGIN, HD_EV_SLEEP, HD_EV_IO, HD_EV_KILL};
    static const u8 yes[] = {HD_EV_READ, HD_EV_ARMW, HD_EV_FENCE, HD_EV_LOCK, HD_EV_RW_UNLOCK,
                             HD_EV_COND_WAIT, HD_EV_BARRIER_LEAVE, HD_EV_SEM_POST, HD_EV_FUTEX_WAKE,
                             HD_EV_YIELD, HD_EV_HB_RELEASE, HD_EV_JOIN};
    for (u32 i = 0; i < HD_COUNT(no); i++)
        assert_false(hd_livelock_allows(no[i]));
    for (u32 i = 0; i < HD_COUNT(yes); i++)
        assert_true(hd_livelock_allows(yes[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_spin_for_ever), cmocka_unit_test(test_livelocks),
        cmocka_unit_test(test_not_while_at_work),
        cmocka_unit_test(test_no_hang), cmocka_unit_test(test_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
