/* test_sched_thread.c: threads from creation to join, deadlock cycles, I/O, limits. */
#include "sched_rig.h"

#define M 0x1000

static void create_to_join(void **state)
{
    struct rig r;
    u16 t;
    rig_init(&r, &rig_stay, 1);
    u16 a = hd_sched_spawn(r.s, 0);
    assert_int_equal(a, 1);
    assert_int_equal(r.s->thread[a].state, HD_T_NEW);
    assert_int_equal(rig_err(&r, 0, HD_EV_CREATE, a, 0), 0);
    assert_int_equal(r.s->thread[a].state, HD_T_PENDING);
    assert_int_equal(r.s->thread[a].op.kind, HD_EV_START);
    rig_post(&r, 0, HD_EV_JOIN, a, 0);
    rig_expect(&r, a);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_START);
    assert_int_equal(rig_last_event(&r)->obj, 0);
    rig_do(&r, a, HD_EV_EXIT, 0, 0);
    assert_int_equal(r.s->thread[a].state, HD_T_FINISHED);
    assert_int_equal(rig_expect(&r, 0).err, 0);
    assert_int_equal(rig_err(&r, 0, HD_EV_JOIN, a, 0), ESRCH);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DONE);
    assert_int_equal(r.s->switches, 2);
    for (u32 i = 0; i < r.n_ev; i++)
        assert_int_equal(r.ev[i].step, i + 1);
    rig_release(&r);
}

static void spawn_undo(void **state)
{
    struct rig r;
    rig_init(&r, &rig_stay, 1);
    u16 a = hd_sched_spawn(r.s, 0);
    hd_sched_spawn_undo(r.s, a); /* before CREATE */
    rig_check(&r);
    u16 b = rig_spawn(&r, 0);
    assert_int_equal(a, b);
    hd_sched_spawn_undo(r.s, b); /* after */
    rig_check(&r);
    assert_int_equal(r.s->n_live, 1);
    assert_int_equal(rig_err(&r, 0, HD_EV_JOIN, b, 0), ESRCH);
    for (u32 i = 1; i < HD_MAX_THREADS; i++)
        assert_int_equal(hd_sched_spawn(r.s, 0), i);
    assert_int_equal(hd_sched_spawn(r.s, 0), HD_NO_THREAD);
    rig_release(&r);
}

/* Only threads that exist at a time count: numbers of those that were joined are given
 * again, the main thread's never. */
static void numbers_again(void **state)
{
    struct rig r;
    rig_init(&r, &rig_stay, 1);
    for (u32 i = 0; i < 2 * HD_MAX_THREADS; i++) {
        u16 t = rig_spawn(&r, 0);
        assert_int_equal(t, i % (HD_MAX_THREADS - 1) + 1);
        rig_post(&r, 0, HD_EV_JOIN, t, 0);
        rig_expect(&r, t);
        rig_do(&r, t, HD_EV_EXIT, 0, 0);
        assert_int_equal(rig_expect(&r, 0).err, 0);
        r.n_ev = 0;
    }
    rig_release(&r);
}

/* A thread that was cancelled leaves its join: then nothing is mutual. */
static void join_cancelled(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    rig_block(&r, 1, HD_EV_JOIN, 2, 0);
    assert_int_equal(rig_try(&r, 2, HD_EV_JOIN, 1, 0).err, EDEADLK);
    hd_sched_signal(r.s, 1, HD_SIG_CANCEL);
    rig_block(&r, 2, HD_EV_JOIN, 1, 0);
    assert_true(rig_is_enabled(&r, 1));
    rig_release(&r);
}

static void join_errors(void **state)
{
    struct rig r;
    rig_team(&r, 4);
    assert_int_equal(rig_try(&r, 1, HD_EV_JOIN, 1, 0).err, EDEADLK);
    assert_int_equal(rig_try(&r, 1, HD_EV_JOIN, 77, 0).err, ESRCH);
    assert_int_equal(rig_try(&r, 1, HD_EV_JOIN, 2, 1).err, EBUSY); /* try */
    rig_block(&r, 1, HD_EV_JOIN, 2, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_JOIN, 2, 0).err, EINVAL);  /* has a joiner */
    assert_int_equal(rig_try(&r, 2, HD_EV_JOIN, 1, 0).err, EDEADLK); /* mutual */
    assert_int_equal(rig_try(&r, 3, HD_EV_DETACH, 2, 0).err, 0);     /* claimed: no effect */
    assert_int_equal(rig_try(&r, 3, HD_EV_DETACH, 4, 0).err, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_DETACH, 4, 0).err, EINVAL);
    assert_int_equal(rig_try(&r, 3, HD_EV_JOIN, 4, 0).err, EINVAL);
    rig_turn(&r, 2);
    rig_do(&r, 2, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_JOIN, 2, 0).err, ESRCH);
    assert_int_equal(rig_try(&r, 3, HD_EV_DETACH, 2, 0).err, ESRCH);
    /* timed: the claim goes to the next when the time is up */
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_JOIN, 3, 0, r.s->now + 2000);
    rig_turn(&r, 0);
    rig_post(&r, 0, HD_EV_JOIN, 3, 0);
    assert_true(rig_is_enabled(&r, 0)); /* would get EINVAL */
    hd_sched_clock_jump(r.s, r.s->now + 5000);
    assert_int_equal(rig_finish(&r, 1).err, ETIMEDOUT);
    rig_check(&r);
    assert_false(rig_is_enabled(&r, 0)); /* now it is the one that joins */
    rig_turn(&r, 3);
    rig_do(&r, 3, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_finish(&r, 0).err, 0);
    rig_release(&r);
}

/* Threads 1..n each hold lock i and want lock i+1. */
static void ring_of(u16 n)
{
    struct rig r;
    u16 t;
    rig_team(&r, (u16)(n + 1)); /* one more that could run on */
    for (u16 i = 1; i <= n; i++)
        rig_try(&r, i, HD_EV_LOCK, M + 64ull * i, HD_MTX_NORMAL);
    for (u16 i = 1; i <= n; i++) {
        rig_turn(&r, i);
        rig_post(&r, i, HD_EV_LOCK, M + 64ull * (i % n + 1), HD_MTX_NORMAL);
    }
    assert_true(rig_is_enabled(&r, (u16)(n + 1)));
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    const struct hd_cycle *c = &r.s->cycle;
    assert_true(c->is_cycle);
    assert_int_equal(c->n, n);
    for (u32 i = 0; i < c->n; i++) {
        assert_int_equal(c->obj[i], r.s->thread[c->tid[i]].op.obj);
        assert_int_equal(hd_sched_owner(r.s, c->obj[i]), c->tid[(i + 1) % c->n]);
    }
    rig_release(&r);
}

static void lock_cycles(void **state)
{
    ring_of(1);
    ring_of(2);
    ring_of(3);
    ring_of(20);
}

static void cycle_over_join_and_rwlock(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 3);
    rig_try(&r, 1, HD_EV_RDLOCK, M, 0); /* 1 reads, 2 reads */
    rig_try(&r, 2, HD_EV_RDLOCK, M, 0);
    rig_block(&r, 3, HD_EV_WRLOCK, M, 0); /* 3 waits for 1 and 2 */
    rig_block(&r, 2, HD_EV_JOIN, 3, 0);   /* 2 waits for 3 */
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_true(r.s->cycle.is_cycle);
    assert_int_equal(r.s->cycle.n, 2);
    assert_int_equal(r.s->cycle.tid[0], 2);
    assert_int_equal(r.s->cycle.obj[0], 3);
    assert_int_equal(r.s->cycle.tid[1], 3);
    assert_int_equal(r.s->cycle.obj[1], M);
    rig_release(&r);
}

static void timed_cycle_is_no_deadlock(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    rig_try(&r, 1, HD_EV_LOCK, M, 0);
    rig_try(&r, 2, HD_EV_LOCK, M + 64, 0);
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_LOCK, M + 64, 0, 1000000);
    rig_block(&r, 2, HD_EV_LOCK, M, 0);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    rig_release(&r);
}

static void owner_gone_is_a_deadlock_without_cycle(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    rig_try(&r, 1, HD_EV_LOCK, M, 0);
    rig_turn(&r, 1);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    rig_block(&r, 0, HD_EV_LOCK, M, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_false(r.s->cycle.is_cycle);
    assert_int_equal(r.s->cycle.n, 1);
    rig_release(&r);
}

static void io(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_IO, 4, 1).err, 0); /* cannot block */
    rig_block(&r, 1, HD_EV_IO, 4, 0);
    hd_sched_io_ready(r.s, 1, true);
    rig_check(&r);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_IO, 4, 0, 70000000);
    rig_turn(&r, 2);
    rig_post(&r, 2, HD_EV_SLEEP, 0, 0);
    r.s->thread[2].op.deadline = HD_NEVER;
    rig_turn(&r, 0);
    struct hd_op op = rig_op(HD_EV_SLEEP, 0, 0);
    op.deadline = 50000000;
    hd_sched_post(r.s, 0, &op);
    /* the clock does not run away from the outside world */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
        assert_int_equal(t, HD_NO_THREAD);
        assert_int_equal(r.s->io_deadline, 50000000);
    }
    hd_sched_clock_jump(r.s, r.s->io_deadline);
    rig_expect(&r, 0);
    rig_post(&r, 0, HD_EV_SLEEP, 0, 0);
    r.s->thread[0].op.deadline = HD_NEVER;
    assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
    hd_sched_clock_jump(r.s, 70000000);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    rig_release(&r);
}

static void outside(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    rig_turn(&r, 1);
    hd_sched_blocked_outside(r.s, 1);
    rig_check(&r);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_LOCK, M, 0);
    rig_post(&r, 0, HD_EV_JOIN, 1, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_IO);
    assert_int_equal(r.s->io_deadline, HD_NEVER);
    rig_post(&r, 1, HD_EV_RETURN, 0, 0);
    rig_expect(&r, 1);
    u16 adopted = hd_sched_adopt(r.s);
    assert_int_equal(adopted, 2);
    rig_check(&r);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    rig_hand(&r, 2);
    rig_expect(&r, 2);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_RETURN);
    rig_release(&r);
}

static void limits(void **state)
{
    struct rig r;
    u16 t;
    rig_init(&r, &rig_stay, 1);
    r.cfg.step_limit = 5;
    hd_sched_begin(r.s, &r.cfg, NULL);
    for (int i = 0; i < 5; i++)
        rig_do(&r, 0, HD_EV_WRITE, 8, 0);
    rig_post(&r, 0, HD_EV_WRITE, 8, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_LIMIT);
    assert_int_equal(r.s->step, 5);
    rig_release(&r);
    /* a full log ends the run before a choice is lost */
    rig_init(&r, &rig_high, 1);
    rig_spawn(&r, 0);
    r.log.cap = 6;
    rig_post(&r, 0, HD_EV_YIELD, 0, 0);
    u32 n = 0;
    while (rig_step(&r, &t) == HD_STEP_RESUME && ++n < 100) {
        rig_post(&r, t, HD_EV_YIELD, 0, 0);
        hd_sched_clock_move(r.s, r.s->now + 5000); /* no rule can leave that out */
    }
    assert_true(n < 100);
    assert_int_equal(r.log.n, 6);
    u32 picks = 0;
    for (u32 i = 0; i < r.log.n; i++)
        picks += r.log.choice[i].kind == HD_CHOICE_CLOCK ? 0 : r.log.choice[i].count;
    assert_int_equal(picks, r.s->step);
    rig_release(&r);
}

static void notes_and_hash(void **state)
{
    struct rig r;
    u64 hash[4];
    for (int i = 0; i < 4; i++) { /* 0 and 1 are the same, 2 differs in obj, 3 in order */
        rig_init(&r, &rig_stay, 1);
        rig_do(&r, 0, i == 3 ? HD_EV_READ : HD_EV_WRITE, i == 2 ? 16 : 8, 0);
        struct hd_op op = rig_op(HD_EV_ALLOC, 0x900, 64);
        hd_sched_note(r.s, 0, &op);
        assert_int_equal(rig_last_event(&r)->kind, HD_EV_ALLOC);
        assert_int_equal(rig_last_event(&r)->arg, 64);
        assert_int_equal(rig_last_event(&r)->step, 1);
        rig_do(&r, 0, i == 3 ? HD_EV_WRITE : HD_EV_READ, 8, 0);
        hash[i] = r.s->hash;
        rig_release(&r);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2] && hash[0] != hash[3]);
}

static u64 page_offset(void *self, u64 obj)
{
    (void)self;
    return obj & 0xfff;
}

static void hash_is_normalised(void **state)
{
    struct rig r;
    u64 hash[2];
    for (int i = 0; i < 2; i++) {
        rig_init(&r, &rig_stay, 1);
        r.s->env.normal = page_offset;
        rig_do(&r, 0, HD_EV_WRITE, 0x7f0000001234 + i * 0x1000u, 0);
        hash[i] = r.s->hash;
        rig_release(&r);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_to_join),
        cmocka_unit_test(spawn_undo),
        cmocka_unit_test(numbers_again),
        cmocka_unit_test(join_errors), cmocka_unit_test(join_cancelled),
        cmocka_unit_test(lock_cycles),
        cmocka_unit_test(cycle_over_join_and_rwlock),
        cmocka_unit_test(timed_cycle_is_no_deadlock),
        cmocka_unit_test(owner_gone_is_a_deadlock_without_cycle),
        cmocka_unit_test(io),
        cmocka_unit_test(outside),
        cmocka_unit_test(limits),
        cmocka_unit_test(notes_and_hash),
        cmocka_unit_test(hash_is_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
