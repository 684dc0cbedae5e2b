/* test_sched_cond.c: condition variables, semaphores, barriers, once, futexes. */
#include "sched_rig.h"

#define C 0x3000
#define M 0x1000
#define X 0x5000

/* The wait that t has posted takes effect: it is queued and blocked. */
static void commit(struct rig *r, u16 t)
{
    rig_hand(r, t);
    rig_expect(r, 0); /* t is blocked now, 0 is the lowest that can go */
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
}

static void lock_and_wait(struct rig *r, u16 t, s64 deadline)
{
    assert_int_equal(rig_try(r, t, HD_EV_LOCK, M, HD_MTX_NORMAL).err, 0);
    rig_turn(r, t);
    rig_wait(r, t, C, M, HD_MTX_NORMAL, deadline);
    commit(r, t);
    assert_int_equal(r->s->thread[t].phase, HD_PH_WAIT);
    assert_false(rig_is_enabled(r, t));
}

static void wait_is_three_steps(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    lock_and_wait(&r, 1, HD_NEVER);
    assert_int_equal(hd_sched_owner(r.s, M), HD_NO_THREAD);
    rig_try(&r, 0, HD_EV_LOCK, M, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 1);
    u64 step = r.s->step;
    rig_hand(&r, 1);
    rig_expect(&r, 0); /* 1 woke but cannot have the mutex */
    assert_int_equal(r.s->step, step + 2);
    assert_int_equal(r.ev[r.n_ev - 2].kind, HD_EV_COND_WAKE);
    assert_int_equal(r.s->thread[1].phase, HD_PH_RELOCK);
    assert_int_equal(r.s->thread[1].op.kind, HD_EV_LOCK);
    assert_int_equal(r.s->thread[1].op.obj, M);
    assert_int_equal(rig_err(&r, 0, HD_EV_READ, 1, 0), 0);
    rig_hand(&r, 0);
    rig_do(&r, 0, HD_EV_UNLOCK, M, 0);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    rig_turn(&r, 1);
    assert_int_equal(rig_res(&r, 1).err, 0);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_LOCK);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

static void signal_chooses_one(void **state)
{
    u32 seen = 0;
    for (u64 seed = 1; seed <= 40; seed++) {
        struct rig r;
        rig_team(&r, 3);
        r.s->rng = hd_rng_make(seed, 0, HD_RNG_CORE);
        for (u16 t = 1; t <= 3; t++)
            lock_and_wait(&r, t, HD_NEVER);
        assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 1);
        u32 woken = 0;
        for (u16 t = 1; t <= 3; t++)
            if (rig_is_enabled(&r, t)) {
                woken++;
                seen |= 1u << t;
                bool is_logged = false;
                for (u32 i = 0; i < r.log.n; i++)
                    is_logged |= r.log.choice[i].kind == HD_CHOICE_WAKE && r.log.choice[i].tid == t;
                assert_true(is_logged);
            }
        assert_int_equal(woken, 1);
        assert_int_equal(rig_try(&r, 0, HD_EV_COND_BROADCAST, C, 0).woken, 2);
        assert_int_equal(rig_try(&r, 0, HD_EV_COND_BROADCAST, C, 0).woken, 0);
        assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 0);
        for (u16 t = 1; t <= 3; t++) {
            rig_turn(&r, t);
            assert_int_equal(rig_do(&r, t, HD_EV_UNLOCK, M, 0).err, 0);
            rig_post(&r, t, HD_EV_FENCE, 0, 0);
        }
        rig_release(&r);
    }
    /* each of three missed by 40 fair draws: 3 * (2/3)^40 < 3e-7 */
    assert_int_equal(seen, 2 | 4 | 8);
}

static void timed_wait(void **state)
{
    struct rig r;
    /* alone: the clock jumps, it takes the mutex again, ETIMEDOUT */
    rig_team(&r, 1);
    lock_and_wait(&r, 1, 1000000);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    assert_true(r.s->now >= 1000000);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_LOCK);
    assert_int_equal(rig_last_event(&r)->arg, 0); /* the lock itself went well */
    rig_release(&r);

    /* its time is up but it has not left: a signal still finds it */
    rig_team(&r, 1);
    lock_and_wait(&r, 1, 1000000);
    hd_sched_clock_jump(r.s, 2000000);
    assert_true(rig_is_enabled(&r, 1));
    assert_int_equal(rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0).woken, 1);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    rig_release(&r);
}

static void cond_misuse(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    rig_turn(&r, 1); /* normal mutex not held */
    rig_wait(&r, 1, C, M, HD_MTX_NORMAL, HD_NEVER);
    commit(&r, 1);
    assert_int_equal(r.s->misuse[0].kind, HD_MISUSE_WAIT_WITHOUT);
    assert_int_equal(r.s->thread[1].phase, HD_PH_WAIT);
    u32 n = r.s->n_misuse;
    for (int i = 0; i < 3; i++) { /* refused; misuse only where POSIX does not promise it */
        static const u8 kind[] = {HD_MTX_ERRORCHECK, HD_MTX_ROBUST, HD_MTX_RECURSIVE};
        rig_turn(&r, 2);
        rig_wait(&r, 2, C + 4096, M + 192 + 64 * (u64)i, kind[i], HD_NEVER);
        assert_int_equal(rig_expect(&r, 2).err, EPERM);
        rig_post(&r, 2, HD_EV_FENCE, 0, 0);
        assert_int_equal(r.s->n_misuse, i < 2 ? n : n + 1);
    }
    assert_int_equal(r.s->misuse[n++].kind, HD_MISUSE_WAIT_WITHOUT);
    rig_try(&r, 3, HD_EV_LOCK, M + 128, 0); /* another mutex, same cond */
    rig_turn(&r, 3);
    rig_wait(&r, 3, C, M + 128, HD_MTX_NORMAL, HD_NEVER);
    commit(&r, 3);
    assert_int_equal(r.s->misuse[n].kind, HD_MISUSE_WAIT_TWO);
    assert_int_equal(rig_try(&r, 2, HD_EV_COND_DESTROY, C, 0).err, EBUSY);
    assert_int_equal(r.s->misuse[n + 1].kind, HD_MISUSE_DESTROY_HELD);
    assert_int_equal(rig_try(&r, 2, HD_EV_MUTEX_DESTROY, M + 128, 0).err, EBUSY);
    assert_int_equal(rig_try(&r, 2, HD_EV_COND_BROADCAST, C, 0).woken, 2);
    assert_int_equal(rig_try(&r, 2, HD_EV_COND_DESTROY, C, 0).err, 0);
    rig_turn(&r, 1);
    rig_post(&r, 1, HD_EV_FENCE, 0, 0);
    rig_turn(&r, 3);
    rig_release(&r);
}

static void recursive_mutex_stays_locked(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_try(&r, 1, HD_EV_LOCK, M, HD_MTX_RECURSIVE);
    rig_try(&r, 1, HD_EV_LOCK, M, HD_MTX_RECURSIVE);
    rig_turn(&r, 1);
    rig_wait(&r, 1, C, M, HD_MTX_RECURSIVE, HD_NEVER);
    commit(&r, 1);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    assert_int_equal(rig_try(&r, 0, HD_EV_TRYLOCK, M, HD_MTX_RECURSIVE).err, EBUSY);
    rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, HD_MTX_RECURSIVE).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, HD_MTX_RECURSIVE).err, EPERM);
    rig_release(&r);
}

static void lost_wakeup_is_a_deadlock(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    rig_try(&r, 0, HD_EV_COND_SIGNAL, C, 0);
    lock_and_wait(&r, 1, HD_NEVER);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_false(r.s->cycle.is_cycle);
    assert_int_equal(r.s->cycle.n, 1);
    assert_int_equal(r.s->cycle.tid[0], 1);
    assert_int_equal(r.s->cycle.obj[0], C);
    rig_release(&r);
}

static void semaphore(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_SEM_INIT, X, 1).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_SEM_INIT, X + 8, 0x80000000u).err, EINVAL);
    assert_int_equal(rig_try(&r, 1, HD_EV_SEM_WAIT, X, 0).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_SEM_TRYWAIT, X, 0).err, EAGAIN);
    rig_block(&r, 1, HD_EV_SEM_WAIT, X, 0);
    rig_block(&r, 2, HD_EV_SEM_WAIT, X, 0);
    rig_try(&r, 0, HD_EV_SEM_POST, X, 0);
    assert_true(rig_is_enabled(&r, 1) && rig_is_enabled(&r, 2));
    assert_int_equal(rig_finish(&r, 2).err, 0);
    assert_false(rig_is_enabled(&r, 1)); /* only one gets it */
    rig_try(&r, 0, HD_EV_SEM_POST, X, 0);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    rig_try(&r, 0, HD_EV_SEM_INIT, X, 0x7fffffff);
    assert_int_equal(rig_try(&r, 0, HD_EV_SEM_POST, X, 0).err, EOVERFLOW);
    assert_int_equal(rig_try(&r, 0, HD_EV_SEM_GETVALUE, X, 0).value, 0x7fffffff);
    /* lazily made with the value found in memory */
    assert_int_equal(rig_try(&r, 0, HD_EV_SEM_GETVALUE, X + 64, 5).value, 5);
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_SEM_WAIT, X + 128, 0, r.s->now + 1);
    rig_try(&r, 0, HD_EV_READ, 1, 0);
    assert_int_equal(rig_finish(&r, 1).err, ETIMEDOUT);
    assert_int_equal(r.s->n_misuse, 0);
    rig_block(&r, 1, HD_EV_SEM_WAIT, X + 128, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_SEM_DESTROY, X + 128, 0).err, 0);
    assert_int_equal(r.s->misuse[0].kind, HD_MISUSE_DESTROY_HELD);
    rig_release(&r);
}

static void barrier(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_INIT, X, 0).err, EINVAL);
    assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_WAIT, X, 0).err, EINVAL);
    assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_INIT, X, 3).err, 0);
    for (int round = 0; round < 3; round++) {
        for (u16 t = 1; t <= 2; t++) {
            rig_turn(&r, t);
            rig_post(&r, t, HD_EV_BARRIER_WAIT, X, 0);
            commit(&r, t);
            assert_false(rig_is_enabled(&r, t));
        }
        assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_DESTROY, X, 0).err, EBUSY);
        rig_turn(&r, 3);
        assert_int_equal(rig_do(&r, 3, HD_EV_BARRIER_WAIT, X, 0).value, 1); /* last: serial */
        rig_post(&r, 3, HD_EV_FENCE, 0, 0);
        assert_int_equal(rig_last_event(&r)->kind, HD_EV_BARRIER_LEAVE);
        assert_int_equal(rig_finish(&r, 2).value, 0);
        assert_int_equal(rig_finish(&r, 1).value, 0);
    }
    assert_int_equal(rig_try(&r, 0, HD_EV_BARRIER_DESTROY, X, 0).err, 0);
    rig_release(&r);
}

static void once(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    assert_int_equal(rig_try(&r, 1, HD_EV_ONCE_BEGIN, X, 0).value, 1);
    rig_block(&r, 2, HD_EV_ONCE_BEGIN, X, 0);
    rig_block(&r, 3, HD_EV_ONCE_BEGIN, X, 0);
    rig_try(&r, 1, HD_EV_ONCE_END, X, 1); /* left by cancellation */
    assert_int_equal(rig_finish(&r, 3).value, 1);
    assert_false(rig_is_enabled(&r, 2));
    assert_int_equal(hd_sched_owner(r.s, X), 3);
    rig_try(&r, 3, HD_EV_ONCE_END, X, 0);
    assert_int_equal(rig_finish(&r, 2).value, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_ONCE_BEGIN, X, 0).value, 0);
    rig_release(&r);
}

static void futex_post(struct rig *r, u16 t, u64 addr, u32 value, u32 bits, s64 deadline)
{
    struct hd_op op = rig_op(HD_EV_FUTEX_WAIT, addr, value);
    op.arg2 = bits;
    op.deadline = deadline;
    op.flags = deadline == HD_NEVER ? 0 : HD_OP_TIMED;
    rig_turn(r, t);
    hd_sched_post(r->s, t, &op);
}

static struct hd_res futex_do(struct rig *r, u8 kind, u64 from, u64 to, u64 n, u64 m)
{
    struct hd_op op = rig_op(kind, from, n);
    op.obj2 = to;
    op.arg2 = m;
    rig_turn(r, 0);
    hd_sched_post(r->s, 0, &op);
    struct hd_res res = rig_expect(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
    return res;
}

static void futex(void **state)
{
    struct rig r;
    rig_team(&r, 4);
    r.word[3] = 7;
    futex_post(&r, 1, 3, 8, 0, HD_NEVER);
    assert_int_equal(rig_finish(&r, 1).err, EAGAIN);
    /* the word is compared when the wait takes effect, not when posted */
    futex_post(&r, 1, 3, 7, 0, HD_NEVER);
    r.word[3] = 8;
    assert_int_equal(rig_finish(&r, 1).err, EAGAIN);
    for (u16 t = 1; t <= 4; t++) {
        futex_post(&r, t, 3, 8, 1u << t, HD_NEVER);
        commit(&r, t);
        assert_false(rig_is_enabled(&r, t));
    }
    assert_int_equal(futex_do(&r, HD_EV_FUTEX_WAKE, 3, 0, 10, 1 << 2).value, 1);
    assert_true(rig_is_enabled(&r, 2));
    assert_int_equal(rig_finish(&r, 2).err, 0);
    assert_int_equal(futex_do(&r, HD_EV_FUTEX_WAKE, 5, 0, 10, 0).value, 0);
    struct hd_res res = futex_do(&r, HD_EV_FUTEX_REQUEUE, 3, 5, 1, 1);
    assert_int_equal(res.woken, 1);
    assert_int_equal(res.value, 2);
    assert_int_equal(futex_do(&r, HD_EV_FUTEX_WAKE, 3, 0, 10, ~0u).value, 1);
    u32 left = 0;
    for (u16 t = 1; t <= 4; t++)
        if (!rig_is_enabled(&r, t)) {
            left++;
            assert_int_equal(r.s->thread[t].op.obj, 5);
        }
    assert_int_equal(left, 1);
    assert_int_equal(futex_do(&r, HD_EV_FUTEX_WAKE, 5, 0, 10, ~0u).value, 1);
    for (u16 t = 1; t <= 4; t++)
        if (t != 2)
            assert_int_equal(rig_finish(&r, t).err, 0);
    futex_post(&r, 1, 3, 8, 0, r.s->now + 1000000);
    commit(&r, 1);
    hd_sched_clock_jump(r.s, r.s->now + 2000000);
    assert_int_equal(rig_finish(&r, 1).err, ETIMEDOUT);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_FUTEX_WOKEN);
    rig_release(&r);
}

/* Objects that other processes come to share: whoever waits in them, or is about to
 * use them, is let go; what is held is forgotten, and other objects are as before. */
static void handed_over(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    lock_and_wait(&r, 1, HD_NEVER);
    assert_int_equal(rig_try(&r, 0, HD_EV_LOCK, M, HD_MTX_NORMAL).err, 0);
    assert_int_equal(rig_try(&r, 0, HD_EV_LOCK, X, HD_MTX_NORMAL).err, 0);
    rig_block(&r, 2, HD_EV_LOCK, M, HD_MTX_NORMAL);
    rig_block(&r, 3, HD_EV_LOCK, X, HD_MTX_NORMAL); /* stays so */
    assert_false(rig_is_enabled(&r, 2));
    hd_sched_hand_over(r.s, M);
    hd_sched_hand_over(r.s, C);
    assert_true(rig_is_enabled(&r, 1) && rig_is_enabled(&r, 2));
    assert_false(rig_is_enabled(&r, 3));
    assert_int_equal(hd_sched_owner(r.s, M), HD_NO_THREAD);
    assert_int_equal(hd_sched_owner(r.s, X), 0);
    assert_int_equal(rig_finish(&r, 1).err, HD_HANDED_OVER);
    assert_int_equal(rig_finish(&r, 2).err, HD_HANDED_OVER);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handed_over),
        cmocka_unit_test(wait_is_three_steps),
        cmocka_unit_test(signal_chooses_one),
        cmocka_unit_test(timed_wait),
        cmocka_unit_test(cond_misuse),
        cmocka_unit_test(recursive_mutex_stays_locked),
        cmocka_unit_test(lost_wakeup_is_a_deadlock),
        cmocka_unit_test(semaphore),
        cmocka_unit_test(barrier),
        cmocka_unit_test(once),
        cmocka_unit_test(futex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
