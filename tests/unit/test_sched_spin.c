/* test_sched_spin.c: programs that wait by looping end under every strategy,
 * strict priorities included.
 *
 * A program is a function called when its thread is resumed; DO states the next
 * operation and comes back after it. Main (thread 0) runs first_main, the others
 * `other`; a run ends when all have ended. `spin` is run with thread numbers as
 * priorities both ways, so each role is once the strongest.
 */
#include "sched_rig.h"

#define FLAG 8
#define LOCKED 16
#define COUNT 24
#define M 0x1000
#define C 0x3000
#define LIMIT 400000

struct world {
    struct rig r;
    int flag, lock, count;
    u64 deadline;
};

struct prog {
    int pc;
    int i, n;
    void (*run)(struct world *w, struct prog *p, u16 t);
    u8 kind;           /* operation stated */
    u64 obj, obj2, arg;
    s64 deadline;
};

#define BEGIN                                                                                      \
    switch (p->pc) {                                                                               \
    case 0:
#define DO_AT(k, o, a, d, o2, line)                                                                \
    p->kind = (k), p->obj = (o), p->arg = (a), p->deadline = (d), p->obj2 = (o2);                  \
    p->pc = line;                                                                                  \
    return;                                                                                        \
    case line:;
#define DO(k, o) DO_AT(HD_EV_##k, o, 0, HD_NEVER, 0, __LINE__)
#define DO_UNTIL(k, o, o2, d) DO_AT(HD_EV_##k, o, 0, d, o2, __LINE__)
#define END                                                                                        \
    p->kind = HD_EV_EXIT;                                                                          \
    p->pc = -1;                                                                                    \
    }
#define ERR (w->r.s->thread[t].res.err)

/* ---- roles -------------------------------------------------------------------------- */

static void setter(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 20; p->i++) {
        DO(WRITE, COUNT);
    }
    DO(LOCK, M);
    DO(WRITE, FLAG);
    w->flag = 1;
    DO(UNLOCK, M);
    END
}

static void read_spinner(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(READ, FLAG);
    } while (!w->flag);
    END
}

static void yield_spinner(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(ALOAD, FLAG);
        DO_AT(HD_EV_YIELD, 0, HD_YIELD_CALL, HD_NEVER, 0, __LINE__);
    } while (!w->flag);
    END
}

static void wide_spinner(struct world *w, struct prog *p, u16 t) /* reads many places per round */
{
    BEGIN
    do {
        for (p->i = 0; p->i < 10; p->i++) {
            DO(READ, 0x4000 + 8 * (u64)p->i);
        }
        DO(READ, FLAG);
    } while (!w->flag);
    END
}

static void lock_spinner(struct world *w, struct prog *p, u16 t) /* polls under the lock */
{
    BEGIN
    do {
        DO(LOCK, M);
        DO(READ, FLAG);
        p->n = w->flag;
        DO(UNLOCK, M);
    } while (!p->n);
    END
}

static void lock_yield_spinner(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(LOCK, M);
        p->n = w->flag;
        DO(UNLOCK, M);
        DO_AT(HD_EV_YIELD, 0, HD_YIELD_CALL, HD_NEVER, 0, __LINE__);
    } while (!p->n);
    END
}

static void sleep_spinner(struct world *w, struct prog *p, u16 t) /* usleep(0) */
{
    BEGIN
    do {
        DO(LOCK, M);
        p->n = w->flag;
        DO(UNLOCK, M);
        DO_UNTIL(SLEEP, 0, 0, w->r.s->now);
    } while (!p->n);
    END
}

static void timedwait_spinner(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    DO(LOCK, M);
    while (!w->flag) {
        DO_UNTIL(COND_WAIT, C, M, w->r.s->now - 1);
    }
    DO(UNLOCK, M);
    END
}

/* A test-and-set lock, taken and given back three times. */
static void test_and_set(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 3; p->i++) {
        for (;;) {
            DO(ARMW, LOCKED);
            p->n = w->lock;
            w->lock = 1;
            if (!p->n)
                break;
        }
        DO(READ, COUNT);
        p->n = w->count;
        DO(WRITE, COUNT);
        w->count = p->n + 1;
        DO(ASTORE, LOCKED);
        w->lock = 0;
    }
    END
}

static void trylock_loop(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 3; p->i++) {
        do {
            DO(TRYLOCK, M);
        } while (ERR);
        DO(READ, COUNT);
        DO(UNLOCK, M);
    }
    END
}

/* Takes two locks with back-off, the second half of the threads the other way. */
static void back_off(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    for (p->i = 0; p->i < 3; p->i++) {
        for (;;) {
            DO(LOCK, M + 64 * (t & 1));
            DO(TRYLOCK, M + 64 * (~t & 1));
            if (!ERR)
                break;
            DO(UNLOCK, M + 64 * (t & 1));
        }
        DO(READ, COUNT);
        DO(UNLOCK, M);
        DO(UNLOCK, M + 64);
    }
    END
}

/* while (!stop) work(); the work writes, so it does not look like spinning. */
static void worker(struct world *w, struct prog *p, u16 t)
{
    BEGIN
    do {
        DO(WRITE, COUNT + 64 * t);
        DO(LOCK, M);
        DO(WRITE, COUNT);
        DO(UNLOCK, M);
        DO(ALOAD, FLAG);
    } while (!w->flag);
    END
}

/* ---- driver --------------------------------------------------------------------------- */

typedef void role(struct world *w, struct prog *p, u16 t);

static void state_next(struct world *w, struct prog *p, u16 t)
{
    p->run(w, p, t);
    struct hd_op op = rig_op(p->kind, p->obj, p->arg);
    op.site = 0x400000 + (u64)(u32)p->pc;
    op.obj2 = p->obj2;
    op.deadline = p->deadline;
    if (p->deadline != HD_NEVER)
        op.flags = HD_OP_TIMED;
    hd_sched_post(w->r.s, t, &op);
}

/* n threads of `other` besides main; returns the steps it took. */
static u64 run(const struct hd_strategy *strategy, role *first, role *other, u16 n)
{
    static struct world w;
    static struct prog prog[64];
    u16 t;
    enum hd_step e;
    memset(prog, 0, sizeof prog);
    w.flag = w.lock = w.count = 0;
    rig_init(&w.r, strategy, 7);
    w.r.cfg.step_limit = LIMIT;
    hd_sched_begin(w.r.s, &w.r.cfg, NULL);
    for (u16 i = 1; i <= n; i++) {
        /* made before the race begins, so strict priorities see them all */
        t = hd_sched_spawn(w.r.s, 0);
        rig_post(&w.r, 0, HD_EV_CREATE, t, 0);
        while ((e = rig_step(&w.r, &t)) == HD_STEP_RESUME && t != 0) {
            prog[t].run = other;
            if (w.r.s->thread[t].state != HD_T_FINISHED)
                state_next(&w, &prog[t], t);
        }
        assert_int_equal(e, HD_STEP_RESUME);
    }
    prog[0].run = first;
    state_next(&w, &prog[0], 0);
    w.r.is_unchecked = true; /* too slow for all of it: every 64th */
    while ((e = rig_step(&w.r, &t)) == HD_STEP_RESUME) {
        w.r.is_unchecked = w.r.s->step % 64 != 0;
        if (w.r.s->thread[t].state == HD_T_FINISHED)
            continue;
        if (!prog[t].run)
            prog[t].run = other;
        state_next(&w, &prog[t], t);
    }
    u64 steps = w.r.s->step;
    if (e != HD_STEP_DONE)
        fail_msg("strategy %s: ended as %d after %lu steps", strategy->name, e,
                 (unsigned long)steps);
    if (first == test_and_set)
        assert_int_equal(w.count, 3 * (n + 1));
    rig_release(&w.r);
    return steps;
}

static void all_ways(role *first, role *other, u16 n)
{
    const struct hd_strategy *const way[] = {&rig_low, &rig_high, &rig_stay, &rig_random};
    for (u32 i = 0; i < HD_COUNT(way); i++) {
        run(way[i], first, other, n);
        if (first != other && n == 1)
            run(way[i], other, first, n);
    }
}

static void reads(void **state)
{
    all_ways(read_spinner, setter, 1);
    all_ways(setter, read_spinner, 6);
}

static void wide_reads(void **state)
{
    all_ways(wide_spinner, setter, 1);
    all_ways(setter, wide_spinner, 4);
}

static void yields(void **state)
{
    all_ways(yield_spinner, setter, 1);
    all_ways(setter, yield_spinner, 6);
}

static void polls_under_a_lock(void **state)
{
    all_ways(lock_spinner, setter, 1);
    all_ways(setter, lock_spinner, 4);
    all_ways(lock_yield_spinner, setter, 1);
    all_ways(setter, lock_yield_spinner, 12);
}

static void sleeps_of_no_time(void **state)
{
    all_ways(sleep_spinner, setter, 1);
    all_ways(setter, sleep_spinner, 5);
    all_ways(timedwait_spinner, setter, 1);
    all_ways(setter, timedwait_spinner, 3);
}

static void locks_by_hand(void **state)
{
    all_ways(test_and_set, test_and_set, 1);
    all_ways(test_and_set, test_and_set, 4);
    all_ways(trylock_loop, trylock_loop, 4);
    all_ways(back_off, back_off, 1);
    all_ways(back_off, back_off, 3);
}

static void works_until_told_to_stop(void **state)
{
    all_ways(worker, setter, 1);
    all_ways(setter, worker, 3);
}

/* The spinner of reads costs the setter's work a small factor, no more. */
static void spinning_is_cheap(void **state)
{
    assert_true(run(&rig_low, read_spinner, setter, 1) < 150);
    assert_true(run(&rig_high, setter, read_spinner, 1) < 150);
}

/* Who yields a few times and then sleeps must get there although nobody writes
 * what it waits for: the wait itself may be the bug. */
static void demotion_ends(void **state)
{
    struct rig r;
    rig_init(&r, &rig_low, 1);
    u16 t = rig_spawn(&r, 0), got;
    u32 yields = 0, locks = 0;
    rig_post(&r, 0, HD_EV_YIELD, 0, 0);
    while (yields < 4 && locks < 1000) {
        assert_int_equal(rig_step(&r, &got), HD_STEP_RESUME);
        if (got == 0) {
            yields++;
            rig_post(&r, 0, HD_EV_YIELD, 0, 0);
        } else {
            rig_post(&r, t, locks++ % 2 ? HD_EV_UNLOCK : HD_EV_LOCK, 0x800, 0);
        }
    }
    assert_int_equal(yields, 4);
    assert_in_range(locks, 3, 40);
    rig_release(&r);
}

/* The program's own yields give way in some runs; in others the thread goes on at once, but
 * not for ever. The runtime's always give way. */
static void own_yields_may_be_ignored(void **state)
{
    u32 ignored = 0;
    for (u64 seed = 1; seed <= 64; seed++)
        for (u64 arg = 0; arg <= HD_YIELD_CALL; arg++) {
            struct rig r;
            u16 t = 0;
            u32 n = 0;
            rig_init(&r, &rig_low, seed); /* thread 0 has priority */
            rig_spawn(&r, 0);
            for (; t == 0; n++) {
                rig_post(&r, 0, HD_EV_YIELD, 0, arg);
                assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
            }
            assert_true(n == 2 || (arg == HD_YIELD_CALL && n == r.cfg.spin_limit + 2));
            ignored += n > 2;
            rig_release(&r);
        }
    assert_in_range(ignored, 16, 48); /* of 64: half. Outside by chance: below 1e-4 */
}

static void demotion_is_visible(void **state)
{
    struct rig r;
    rig_init(&r, &rig_low, 1);
    u16 t = rig_spawn(&r, 0);
    for (u32 i = 0; i < r.cfg.spin_limit; i++)
        rig_do(&r, 0, HD_EV_READ, FLAG, 0);
    r.s->thread[0].spin.paroles = 6; /* not its first time: it stays behind a while */
    assert_false(r.s->thread[0].is_yielded);
    rig_do(&r, 0, HD_EV_READ, FLAG, 0);
    assert_true(r.s->thread[0].is_yielded);
    rig_post(&r, 0, HD_EV_READ, FLAG, 0);
    rig_expect(&r, t); /* though 0 has priority */
    assert_true(r.s->thread[0].is_yielded);
    rig_do(&r, t, HD_EV_READ, FLAG, 0); /* no progress */
    assert_true(r.s->thread[0].is_yielded);
    rig_do(&r, t, HD_EV_WRITE, COUNT, 0); /* progress */
    assert_false(r.s->thread[0].is_yielded);
    rig_release(&r);
    /* a yield takes effect at once */
    rig_init(&r, &rig_low, 1);
    t = rig_spawn(&r, 0);
    r.s->thread[0].spin.paroles = 6;
    rig_do(&r, 0, HD_EV_YIELD, 0, 0);
    assert_true(r.s->thread[0].is_yielded);
    rig_post(&r, 0, HD_EV_WRITE, COUNT, 0);
    rig_expect(&r, t);
    rig_post(&r, t, HD_EV_YIELD, 0, 0);
    rig_expect(&r, t); /* 0 is still behind */
    rig_post(&r, t, HD_EV_YIELD, 0, 0);
    rig_expect(&r, 0); /* both yielded: a new round, 0 has priority */
    rig_release(&r);
    /* scanning memory is not spinning */
    rig_init(&r, &rig_low, 1);
    rig_spawn(&r, 0);
    for (u32 i = 0; i < 300; i++)
        rig_do(&r, 0, HD_EV_READ, 0x8000 + 8 * (u64)i, 0);
    assert_false(r.s->thread[0].is_yielded);
    rig_release(&r);
}

/* Tries that fail are a loop after `spin_limit` of them, whatever is read between. */
static void failed_tries_give_way(void **state)
{
    struct rig r;
    rig_init(&r, &rig_high, 1); /* the last thread has priority */
    rig_do(&r, 0, HD_EV_LOCK, M, 0);
    u16 t = hd_sched_spawn(r.s, 0);
    rig_post(&r, 0, HD_EV_CREATE, t, 0);
    rig_expect(&r, 0);
    rig_post(&r, 0, HD_EV_UNLOCK, M, 0);
    rig_expect(&r, t);
    r.s->thread[t].spin.paroles = 6; /* not its first time: it stays behind a while */
    for (u32 i = 1; i < r.cfg.spin_limit; i++) {
        rig_do(&r, t, HD_EV_TRYLOCK, M, 0);
        rig_do(&r, t, HD_EV_READ, 0x8000 + 8 * (u64)i, 0);
        assert_false(r.s->thread[t].is_yielded);
    }
    rig_do(&r, t, HD_EV_TRYLOCK, M, 0);
    assert_true(r.s->thread[t].is_yielded);
    rig_post(&r, t, HD_EV_TRYLOCK, M, 0);
    rig_expect(&r, 0); /* unlocks: what it waits for */
    assert_false(r.s->thread[t].is_yielded);
    rig_release(&r);
}

static u64 hold_first(void *state, const struct hd_view *v, u32 tid) { return tid == 1 ? 5000 : 0; }

static const struct hd_strategy holding = {
    .name = "holding", .state_size = 8, .start = rig_none_start, .pick = rig_low_pick, .holds = hold_first};

/* Thread 0 yields until thread 1 has had a turn, by itself or because it is stopped. How many steps
 * that took, and did it circle? */
static u64 yields_beside(const struct hd_strategy *how, bool is_stopped, bool *has_circled)
{
    struct rig r;
    u16 t = 0;
    rig_init(&r, how, 1);
    rig_spawn(&r, 0);
    u64 from = r.s->step;
    while (t == 0) {
        if (is_stopped)
            hd_sched_stopped(r.s, 0, 4000000);
        rig_post(&r, 0, HD_EV_YIELD, 0, 0);
        assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
    }
    from = r.s->step - from;
    *has_circled = r.s->n_circles != 0;
    rig_release(&r);
    return from;
}

/* What is learned from the length of a run must not depend on how long a thread was held. */
static void circles_beside_a_held_thread(void **state)
{
    bool has_circled;
    assert_true(yields_beside(&holding, false, &has_circled) >= 5000);
    assert_true(has_circled);
    assert_true(yields_beside(&rig_low, false, &has_circled) < 1000);
    assert_false(has_circled);
}

/* A thread that is held at each of its steps comes to its end all the same. */
static void holds_add_up(void **state)
{
    struct rig r;
    u16 t = 0;
    u32 turns = 0;
    rig_init(&r, &holding, 1);
    rig_spawn(&r, 0);
    u64 from = r.s->step;
    rig_post(&r, 0, HD_EV_YIELD, 0, 0);
    while (turns < 100) {
        assert_int_equal(rig_step(&r, &t), HD_STEP_RESUME);
        turns += t == 1;
        if (t == 1)
            rig_post(&r, 1, HD_EV_WRITE, FLAG, 0);
        else
            rig_post(&r, 0, HD_EV_YIELD, 0, 0);
    }
    assert_in_range(r.s->step - from, 5000, 20000);
    rig_release(&r);
}

/* Each stop is milliseconds: no thread is held for thousands of them. */
static void stops_end_a_hold(void **state)
{
    bool has_circled;
    u64 n = yields_beside(&holding, true, &has_circled);
    assert_in_range(n, 32, 256);
    assert_true(has_circled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_tries_give_way),
        cmocka_unit_test(reads),
        cmocka_unit_test(wide_reads),
        cmocka_unit_test(yields),
        cmocka_unit_test(polls_under_a_lock),
        cmocka_unit_test(sleeps_of_no_time),
        cmocka_unit_test(locks_by_hand),
        cmocka_unit_test(works_until_told_to_stop),
        cmocka_unit_test(spinning_is_cheap),
        cmocka_unit_test(demotion_is_visible),
        cmocka_unit_test(own_yields_may_be_ignored),
        cmocka_unit_test(demotion_ends),
        cmocka_unit_test(circles_beside_a_held_thread),
        cmocka_unit_test(holds_add_up),
        cmocka_unit_test(stops_end_a_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
