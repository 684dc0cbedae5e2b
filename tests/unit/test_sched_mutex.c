/* test_sched_mutex.c: mutexes, spin locks and rwlocks answer as glibc does. */
#include "sched_rig.h"

#define M 0x1000
#define NORMAL HD_MTX_NORMAL
#define RECURSIVE HD_MTX_RECURSIVE
#define ERRORCHECK HD_MTX_ERRORCHECK

static u8 misuse(struct rig *r, u32 i)
{
    return r->s->n_misuse > i ? r->s->misuse[i].kind : HD_MISUSE_NONE;
}

static void normal(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_LOCK, M, NORMAL).err, 0);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    assert_int_equal(r.s->thread[1].n_held, 1);
    assert_int_equal(rig_try(&r, 2, HD_EV_TRYLOCK, M, NORMAL).err, EBUSY);
    rig_block(&r, 2, HD_EV_LOCK, M, NORMAL);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, NORMAL).err, 0);
    assert_true(rig_is_enabled(&r, 2));
    /* 1 may overtake the waiter: then that one is blocked again */
    assert_int_equal(rig_try(&r, 1, HD_EV_TRYLOCK, M, NORMAL).err, 0);
    assert_false(rig_is_enabled(&r, 2));
    rig_try(&r, 1, HD_EV_UNLOCK, M, NORMAL);
    assert_int_equal(rig_finish(&r, 2).err, 0);
    assert_int_equal(hd_sched_owner(r.s, M), 2);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

static void normal_misuse(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, NORMAL).err, 0);
    assert_int_equal(misuse(&r, 0), HD_MISUSE_UNLOCK_FREE);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    assert_int_equal(rig_try(&r, 2, HD_EV_UNLOCK, M, NORMAL).err, 0);
    assert_int_equal(misuse(&r, 1), HD_MISUSE_UNLOCK_NOT_OWNER);
    assert_int_equal(r.s->misuse[1].tid, 2);
    assert_int_equal(r.s->misuse[1].owner, 1);
    assert_int_equal(hd_sched_owner(r.s, M), HD_NO_THREAD);
    assert_int_equal(r.s->thread[1].n_held, 0);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    assert_int_equal(rig_try(&r, 2, HD_EV_MUTEX_DESTROY, M, NORMAL).err, EBUSY);
    assert_int_equal(misuse(&r, 2), HD_MISUSE_DESTROY_HELD);
    rig_try(&r, 1, HD_EV_UNLOCK, M, NORMAL);
    assert_int_equal(rig_try(&r, 2, HD_EV_MUTEX_DESTROY, M, NORMAL).err, 0);
    assert_int_equal(r.s->n_misuse, 3);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    rig_turn(&r, 1);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    assert_int_equal(misuse(&r, 3), HD_MISUSE_EXIT_HOLDING);
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    rig_release(&r);
}

static void relock_is_a_cycle_of_one(void **state)
{
    struct rig r;
    for (int kind = 0; kind < 2; kind++) {
        u64 arg = kind ? HD_MTX_SPIN : NORMAL;
        u16 t;
        rig_team(&r, 2);
        rig_try(&r, 1, HD_EV_LOCK, M, arg);
        rig_block(&r, 1, HD_EV_LOCK, M, arg);
        assert_int_equal(misuse(&r, 0), HD_MISUSE_RELOCK);
        assert_true(rig_is_enabled(&r, 2)); /* others could run on */
        assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
        assert_true(r.s->cycle.is_cycle);
        assert_int_equal(r.s->cycle.n, 1);
        assert_int_equal(r.s->cycle.tid[0], 1);
        assert_int_equal(r.s->cycle.obj[0], M);
        rig_release(&r);
    }
}

static void timed_relock_times_out(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    rig_turn(&r, 1);
    rig_post_timed(&r, 1, HD_EV_LOCK, M, NORMAL, r.s->now + 5000000);
    assert_int_equal(misuse(&r, 0), HD_MISUSE_RELOCK);
    rig_turn(&r, 0);
    rig_do(&r, 0, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_expect(&r, 1).err, ETIMEDOUT);
    assert_true(r.s->now >= 5000000);
    rig_release(&r);
}

static void recursive(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rig_try(&r, 1, i == 1 ? HD_EV_TRYLOCK : HD_EV_LOCK, M, RECURSIVE).err, 0);
    assert_int_equal(r.s->thread[1].n_held, 1);
    rig_block(&r, 2, HD_EV_LOCK, M, RECURSIVE);
    for (int i = 0; i < 3; i++) {
        assert_false(rig_is_enabled(&r, 2));
        assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, RECURSIVE).err, 0);
    }
    assert_int_equal(rig_finish(&r, 2).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, RECURSIVE).err, EPERM);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

static void errorcheck(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, ERRORCHECK).err, EPERM);
    assert_int_equal(rig_try(&r, 1, HD_EV_LOCK, M, ERRORCHECK).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_LOCK, M, ERRORCHECK).err, EDEADLK);
    assert_int_equal(rig_try(&r, 1, HD_EV_TRYLOCK, M, ERRORCHECK).err, EBUSY);
    assert_int_equal(rig_try(&r, 2, HD_EV_UNLOCK, M, ERRORCHECK).err, EPERM);
    assert_int_equal(rig_try(&r, 1, HD_EV_UNLOCK, M, ERRORCHECK).err, 0);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_UNLOCK);
    assert_int_equal(rig_last_event(&r)->arg, 0);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

static void timed(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    rig_turn(&r, 2);
    rig_post_timed(&r, 2, HD_EV_LOCK, M, NORMAL, r.s->now + 3 * 1000);
    for (int i = 0; i < 2; i++) {
        assert_false(rig_is_enabled(&r, 2));
        rig_try(&r, 0, HD_EV_READ, 1, 0);
    }
    assert_int_equal(rig_finish(&r, 2).err, ETIMEDOUT);
    /* past deadline but free: taken, as glibc tries first */
    rig_try(&r, 1, HD_EV_UNLOCK, M, NORMAL);
    rig_turn(&r, 2);
    rig_post_timed(&r, 2, HD_EV_LOCK, M, NORMAL, -5);
    rig_expect(&r, 2);
    assert_int_equal(rig_res(&r, 2).err, 0);
    rig_release(&r);
}

static void robust(void **state)
{
    const u64 kind = HD_MTX_NORMAL | HD_MTX_ROBUST;
    struct rig r;
    rig_team(&r, 4);
    rig_try(&r, 1, HD_EV_LOCK, M, kind);
    assert_int_equal(rig_try(&r, 2, HD_EV_UNLOCK, M, kind).err, EPERM);
    assert_int_equal(rig_try(&r, 2, HD_EV_CONSISTENT, M, kind).err, EINVAL);
    rig_block(&r, 2, HD_EV_LOCK, M, kind);
    rig_turn(&r, 1);
    rig_do(&r, 1, HD_EV_EXIT, 0, 0);
    assert_int_equal(r.s->n_misuse, 0); /* that is what robust is for */
    assert_int_equal(rig_finish(&r, 2).err, EOWNERDEAD);
    assert_int_equal(hd_sched_owner(r.s, M), 2);
    assert_int_equal(rig_try(&r, 3, HD_EV_TRYLOCK, M, kind).err, EBUSY);
    /* healed */
    assert_int_equal(rig_try(&r, 2, HD_EV_CONSISTENT, M, kind).err, 0);
    assert_int_equal(rig_try(&r, 2, HD_EV_UNLOCK, M, kind).err, 0);
    assert_int_equal(rig_try(&r, 2, HD_EV_LOCK, M, kind).err, 0);
    /* dies again; not healed this time */
    rig_turn(&r, 2);
    rig_do(&r, 2, HD_EV_EXIT, 0, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_TRYLOCK, M, kind).err, EOWNERDEAD);
    rig_block(&r, 4, HD_EV_LOCK, M, kind);
    assert_int_equal(rig_try(&r, 3, HD_EV_UNLOCK, M, kind).err, 0);
    assert_int_equal(rig_finish(&r, 4).err, ENOTRECOVERABLE);
    assert_int_equal(rig_try(&r, 3, HD_EV_TRYLOCK, M, kind).err, ENOTRECOVERABLE);
    assert_int_equal(rig_try(&r, 3, HD_EV_MUTEX_DESTROY, M, kind).err, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_MUTEX_INIT, M, kind).err, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_LOCK, M, kind).err, 0);
    rig_release(&r);
}

static void forget(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    rig_try(&r, 1, HD_EV_LOCK, M, NORMAL);
    rig_block(&r, 2, HD_EV_LOCK, M, NORMAL);
    hd_sched_forget(r.s, M + 1, 100000); /* not this one */
    assert_int_equal(hd_sched_owner(r.s, M), 1);
    hd_sched_forget(r.s, M - 8, 16); /* freed while held and waited for */
    rig_check(&r);
    assert_int_equal(hd_sched_owner(r.s, M), HD_NO_THREAD);
    assert_int_equal(rig_finish(&r, 2).err, 0);
    /* many objects: the tables grow and shrink without losing any */
    for (u64 i = 0; i < 2000; i++)
        rig_try(&r, 1, HD_EV_LOCK, 0x100000 + i * 24, NORMAL);
    for (u64 i = 0; i < 2000; i += 2)
        hd_sched_forget(r.s, 0x100000 + i * 24, 8);
    rig_check(&r);
    for (u64 i = 0; i < 2000; i++)
        assert_int_equal(hd_sched_owner(r.s, 0x100000 + i * 24), i & 1 ? 1 : HD_NO_THREAD);
    hd_sched_forget(r.s, 0, ~(u64)0);
    rig_check(&r);
    assert_int_equal(r.s->thread[1].n_held, 0);
    rig_release(&r);
}

/* ---- rwlock --------------------------------------------------------------------- */

#define RW 0x2000

static void rwlock(void **state)
{
    struct rig r;
    rig_team(&r, 3);
    assert_int_equal(rig_try(&r, 1, HD_EV_RDLOCK, RW, 0).err, 0);
    assert_int_equal(rig_try(&r, 1, HD_EV_RDLOCK, RW, 0).err, 0); /* recursive */
    assert_int_equal(rig_try(&r, 2, HD_EV_TRYRDLOCK, RW, 0).err, 0);
    assert_int_equal(rig_try(&r, 3, HD_EV_TRYWRLOCK, RW, 0).err, EBUSY);
    rig_block(&r, 3, HD_EV_WRLOCK, RW, 0);
    /* readers go on before a waiting writer */
    assert_int_equal(rig_try(&r, 2, HD_EV_RDLOCK, RW, 0).err, 0);
    for (int i = 0; i < 2; i++) {
        assert_false(rig_is_enabled(&r, 3));
        rig_try(&r, 1, HD_EV_RW_UNLOCK, RW, 0);
        rig_try(&r, 2, HD_EV_RW_UNLOCK, RW, 0);
    }
    assert_int_equal(rig_finish(&r, 3).err, 0);
    assert_int_equal(hd_sched_owner(r.s, RW), 3);
    assert_int_equal(rig_try(&r, 3, HD_EV_WRLOCK, RW, 0).err, EDEADLK);
    assert_int_equal(rig_try(&r, 3, HD_EV_RDLOCK, RW, 0).err, EDEADLK);
    assert_int_equal(rig_try(&r, 3, HD_EV_TRYRDLOCK, RW, 0).err, EBUSY);
    rig_block(&r, 1, HD_EV_RDLOCK, RW, 0);
    rig_turn(&r, 2);
    rig_post_timed(&r, 2, HD_EV_WRLOCK, RW, 0, r.s->now + 1);
    rig_try(&r, 3, HD_EV_READ, 1, 0);
    assert_int_equal(rig_finish(&r, 2).err, ETIMEDOUT);
    rig_try(&r, 3, HD_EV_RW_UNLOCK, RW, 0);
    assert_int_equal(rig_finish(&r, 1).err, 0);
    assert_int_equal(r.s->n_misuse, 0);
    rig_release(&r);
}

static void rwlock_misuse(void **state)
{
    struct rig r;
    rig_team(&r, 2);
    assert_int_equal(rig_try(&r, 1, HD_EV_RW_UNLOCK, RW, 0).err, 0);
    assert_int_equal(misuse(&r, 0), HD_MISUSE_UNLOCK_FREE);
    rig_try(&r, 1, HD_EV_RDLOCK, RW, 0);
    rig_try(&r, 2, HD_EV_RW_UNLOCK, RW, 0);
    assert_int_equal(misuse(&r, 1), HD_MISUSE_UNLOCK_NOT_OWNER);
    rig_try(&r, 1, HD_EV_WRLOCK, RW, 0);
    rig_try(&r, 2, HD_EV_RW_DESTROY, RW, 0);
    assert_int_equal(misuse(&r, 2), HD_MISUSE_DESTROY_HELD);
    rig_try(&r, 2, HD_EV_RW_UNLOCK, RW, 0);
    assert_int_equal(misuse(&r, 3), HD_MISUSE_UNLOCK_NOT_OWNER);
    assert_int_equal(hd_sched_owner(r.s, RW), HD_NO_THREAD);
    assert_int_equal(rig_try(&r, 2, HD_EV_RW_DESTROY, RW, 0).err, 0);
    assert_int_equal(r.s->n_misuse, 4);
    rig_release(&r);
}

static void rwlock_upgrade_deadlocks(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 1);
    rig_try(&r, 1, HD_EV_RDLOCK, RW, 0);
    rig_block(&r, 1, HD_EV_WRLOCK, RW, 0);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_true(r.s->cycle.is_cycle && r.s->cycle.n == 1 && r.s->cycle.tid[0] == 1);
    rig_release(&r);
}

static void rwlock_prefers_writer(void **state)
{
    struct rig r;
    u16 t;
    rig_team(&r, 3);
    rig_try(&r, 1, HD_EV_RW_INIT, RW, 1);
    rig_try(&r, 1, HD_EV_RDLOCK, RW, 1);
    rig_turn(&r, 2);
    rig_post(&r, 2, HD_EV_RDLOCK, RW, 1);
    assert_true(rig_is_enabled(&r, 2));
    rig_block(&r, 3, HD_EV_WRLOCK, RW, 1);
    assert_false(rig_is_enabled(&r, 2)); /* now behind the writer */
    assert_int_equal(rig_try(&r, 1, HD_EV_TRYRDLOCK, RW, 1).err, EBUSY);
    rig_try(&r, 1, HD_EV_RW_UNLOCK, RW, 1);
    assert_false(rig_is_enabled(&r, 2)); /* the writer waited, it goes first */
    assert_int_equal(rig_finish(&r, 3).err, 0);
    rig_try(&r, 3, HD_EV_RW_UNLOCK, RW, 1);
    assert_int_equal(rig_finish(&r, 2).err, 0);
    /* a reader that reads again behind a waiting writer: both are stuck */
    rig_block(&r, 3, HD_EV_WRLOCK, RW, 1);
    rig_block(&r, 2, HD_EV_RDLOCK, RW, 1);
    assert_int_equal(rig_step(&r, &t), HD_STEP_DEADLOCK);
    assert_true(r.s->cycle.is_cycle);
    assert_int_equal(r.s->cycle.n, 2);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal),
        cmocka_unit_test(normal_misuse),
        cmocka_unit_test(relock_is_a_cycle_of_one),
        cmocka_unit_test(timed_relock_times_out),
        cmocka_unit_test(recursive),
        cmocka_unit_test(errorcheck),
        cmocka_unit_test(timed),
        cmocka_unit_test(robust),
        cmocka_unit_test(forget),
        cmocka_unit_test(rwlock),
        cmocka_unit_test(rwlock_misuse),
        cmocka_unit_test(rwlock_upgrade_deadlocks),
        cmocka_unit_test(rwlock_prefers_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
