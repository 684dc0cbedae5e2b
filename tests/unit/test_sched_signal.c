/* test_sched_signal.c: signals: handlers that interrupt waits, sigwait, and who gets them. */
#include "sched_rig.h"

#define M 0x1000
#define C 0x3000
#define SIG(n) ((u64)1 << ((n) - 1))

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

/* A thread that begins or ends takes no signal of the process with it. */
static void process_signal_spares_edges(void **state)
{
    for (u64 seed = 1; seed <= 20; seed++) {
        struct rig r;
        rig_team(&r, 1);
        r.s->rng = hd_rng_make(seed, 0, HD_RNG_CORE);
        rig_turn(&r, 1);
        rig_post(&r, 1, HD_EV_EXIT, 0, 0);
        rig_turn(&r, 0);
        u16 young = rig_spawn(&r, 0);
        hd_sched_signal(r.s, HD_NO_THREAD, 10);
        rig_post(&r, 0, HD_EV_FENCE, 0, 0);
        rig_turn(&r, young);
        assert_int_equal(r.s->thread[1].sig_pending | r.s->thread[young].sig_pending, 0);
        assert_int_equal(r.s->thread[0].sig_pending, SIG(10));
        rig_release(&r);
    }
}

/* Nobody else may have it: it waits until the new thread has begun. */
static void process_signal_waits_for_a_start(void **state)
{
    struct rig r;
    rig_init(&r, &rig_steer, 1);
    u16 t = rig_spawn(&r, 0);
    hd_sched_sigmask(r.s, 0, SIG(10));
    hd_sched_signal(r.s, HD_NO_THREAD, 10);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    rig_turn(&r, t);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_START);
    rig_post(&r, t, HD_EV_FENCE, 0, 0);
    rig_turn(&r, t);
    assert_int_equal(rig_last_event(&r)->kind, HD_EV_HANDLER);
    rig_release(&r);
}

/* t is in sigwait for `set`, which all others of the team block. */
static void sigwait_of(struct rig *r, u16 t, u64 set)
{
    for (u32 i = 0; i < r->s->n_threads; i++)
        hd_sched_sigmask(r->s, (u16)i, set);
    rig_block(r, t, HD_EV_SIGWAIT, 0, set);
    rig_expect(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
}

/* Two signals of the process come to one that takes only the first: the other one may have the second. */
static void sigwait_leaves_the_rest(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    sigwait_of(&r, 1, SIG(10) | SIG(12));
    hd_sched_signal(r.s, HD_NO_THREAD, 10);
    hd_sched_signal(r.s, HD_NO_THREAD, 12);
    assert_int_equal(rig_finish(&r, 1).value, 10);
    rig_check(&r);
    assert_int_equal(r.s->thread[1].sig_pending, 0);
    assert_int_equal(r.s->sig_process, SIG(12));
    rig_release(&r);
}

/* ... likewise if a handler ends the wait, */
static void interrupted_sigwait_leaves_all(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    sigwait_of(&r, 1, SIG(12));
    hd_sched_signal(r.s, HD_NO_THREAD, 12);
    hd_sched_signal(r.s, 1, 10);
    rig_turn(&r, 1);
    assert_true(rig_res(&r, 1).signal);
    assert_int_equal(rig_res(&r, 1).value, 10);
    assert_int_equal(r.s->sig_process, SIG(12));
    hd_sched_abandon(r.s, 1);
    rig_check(&r);
    rig_release(&r);
}

/* ... if the thread ends before its turn, or one of its handlers blocks the signal. */
static void lent_signals_come_back(void **state)
{
    for (int ends = 0; ends < 2; ends++) {
        struct rig r;
        rig_team(&r, 1);
        hd_sched_sigmask(r.s, 0, SIG(10) | SIG(12));
        rig_turn(&r, 1);
        hd_sched_signal(r.s, HD_NO_THREAD, 10);
        hd_sched_signal(r.s, HD_NO_THREAD, 12);
        rig_post(&r, 1, HD_EV_FENCE, 0, 0);
        rig_turn(&r, 1);
        assert_int_equal(rig_res(&r, 1).value, 10);
        assert_int_equal(r.s->thread[1].sig_pending, SIG(12));
        hd_sched_abandon(r.s, 1);
        if (ends)
            rig_post(&r, 1, HD_EV_EXIT, 0, 0);
        else
            hd_sched_sigmask(r.s, 1, SIG(12));
        rig_check(&r);
        assert_int_equal(r.s->thread[1].sig_pending, 0);
        assert_int_equal(r.s->sig_process, SIG(12));
        rig_release(&r);
    }
}

/* One sent to the thread itself does not hide the process's. */
static void own_signal_beside_a_lent_one(void **state)
{
    struct rig r;
    rig_team(&r, 1);
    hd_sched_sigmask(r.s, 0, SIG(10));
    hd_sched_signal(r.s, HD_NO_THREAD, 10);
    rig_turn(&r, 0);
    rig_post(&r, 0, HD_EV_FENCE, 0, 0);
    rig_turn(&r, 0);
    assert_int_equal(r.s->thread[1].sig_lent, SIG(10));
    hd_sched_signal(r.s, 1, 10);
    assert_int_equal(r.s->thread[1].sig_lent, 0);
    assert_int_equal(r.s->thread[1].sig_pending, SIG(10));
    assert_int_equal(r.s->sig_process, SIG(10));
    rig_release(&r);
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
        cmocka_unit_test(process_signal_spares_edges),
        cmocka_unit_test(process_signal_waits_for_a_start),
        cmocka_unit_test(sigwait_leaves_the_rest),
        cmocka_unit_test(interrupted_sigwait_leaves_all),
        cmocka_unit_test(lent_signals_come_back),
        cmocka_unit_test(own_signal_beside_a_lent_one),
        cmocka_unit_test(signal_before_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
