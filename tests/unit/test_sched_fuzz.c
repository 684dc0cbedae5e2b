/* test_sched_fuzz.c: thousands of random programs against a simple oracle
 * (sched_oracle.h), which judges every event and, after every step, who is
 * enabled. Each run is then replayed from its log (same events, same end), and
 * again from a log with pieces torn out, loosely. Signals, early timeouts and an
 * outside world that is ready at other times than before take part.
 */
#include "sched_oracle.h"

/* ---- programs --------------------------------------------------------------------------- */

static struct hd_op *add(struct program *p, u32 t, u8 kind, u64 obj, u64 arg)
{
    struct hd_op *op = &p->op[t][p->n[t]];
    if (p->n[t] < OPS - 1)
        p->n[t]++;
    *op = rig_op(kind, obj, arg);
    op->site = 0x400000 + t * 0x1000 + p->n[t];
    return op;
}

static void maybe_timed(struct program *p, struct hd_op *op, struct hd_rng *g)
{
    if (hd_rng_below(g, 3) && !p->is_gentle)
        return;
    op->flags = HD_OP_TIMED;
    op->deadline = (s64)hd_rng_below(g, 400) * 1000;
}

static void add_random(struct program *p, u32 t, struct hd_rng *g)
{
    u64 i = hd_rng_below(g, 4), j = hd_rng_below(g, 2), x = hd_rng_below(g, 4);
    struct hd_op *op;
    u64 what = hd_rng_below(g, 26);
    if (p->is_gentle && (what == 4 || what == 5 || what == 11 || what == 14))
        what = 25;
    switch (what) {
    case 0 ... 3: /* a critical section, perhaps with a wait */
        op = add(p, t, HD_EV_LOCK, MUTEX(i), mutex_kind[i]);
        if (!p->is_gentle)
            maybe_timed(p, op, g);
        add(p, t, HD_EV_WRITE, 8 * x, 0);
        if (!hd_rng_below(g, 3)) {
            op = add(p, t, HD_EV_COND_WAIT, COND(j), mutex_kind[i]);
            op->obj2 = MUTEX(i);
            maybe_timed(p, op, g);
        }
        add(p, t, HD_EV_UNLOCK, MUTEX(i), mutex_kind[i]);
        break;
    case 4: add(p, t, HD_EV_TRYLOCK, MUTEX(i), mutex_kind[i]); break;
    case 5: add(p, t, HD_EV_UNLOCK, MUTEX(i), mutex_kind[i]); break;
    case 6: add(p, t, HD_EV_CONSISTENT, MUTEX(3), mutex_kind[3]); break;
    case 7 ... 8: add(p, t, x ? HD_EV_COND_SIGNAL : HD_EV_COND_BROADCAST, COND(j), 0); break;
    case 9 ... 10:
        op = add(p, t, x ? HD_EV_RDLOCK : HD_EV_WRLOCK, RWLOCK(j), j);
        if (!p->is_gentle)
            maybe_timed(p, op, g);
        add(p, t, HD_EV_READ, 8 * x, 0);
        add(p, t, HD_EV_RW_UNLOCK, RWLOCK(j), j);
        break;
    case 11: add(p, t, x & 1 ? HD_EV_TRYRDLOCK : HD_EV_TRYWRLOCK, RWLOCK(j), j); break;
    case 12: maybe_timed(p, add(p, t, HD_EV_SEM_WAIT, SEM(j), 0), g); break;
    case 13: add(p, t, x ? HD_EV_SEM_POST : HD_EV_SEM_TRYWAIT, SEM(j), 0); break;
    case 14:
        if (!x)
            add(p, t, HD_EV_BARRIER_WAIT, BARRIER, 2);
        break;
    case 15:
        add(p, t, HD_EV_ONCE_BEGIN, ONCE(j), 0);
        add(p, t, HD_EV_WRITE, 8 * x, 0);
        break;
    case 16:
        op = add(p, t, HD_EV_FUTEX_WAIT, 3, x > 1);
        op->arg2 = 1u << hd_rng_below(g, 3);
        maybe_timed(p, op, g);
        break;
    case 17: add(p, t, HD_EV_FUTEX_WAKE, 3, x)->arg2 = 1 + hd_rng_below(g, 7); break;
    case 18:
        op = add(p, t, HD_EV_SLEEP, 0, 0);
        op->deadline = (s64)hd_rng_below(g, 500) * 1000;
        break;
    case 19: add(p, t, HD_EV_YIELD, 0, 0); break;
    case 20: add(p, t, HD_EV_IO, 5, x == 0); break;
    case 21: /* may name a thread that is not there yet, or oneself */
        maybe_timed(p, add(p, t, HD_EV_JOIN, hd_rng_below(g, THREADS), x == 0), g);
        break;
    case 22: add(p, t, HD_EV_KILL, x ? hd_rng_below(g, p->n_threads) : ~0ull, 10 + j); break;
    case 23:
        if (!x)
            add(p, t, HD_EV_DETACH, hd_rng_below(g, THREADS), 0);
        break;
    case 24: maybe_timed(p, add(p, t, HD_EV_SIGWAIT, 0, 0x600), g); break;
    default: add(p, t, x & 1 ? HD_EV_ARMW : HD_EV_READ, 8 * x, 0); break;
    }
}

static void make_program(struct program *p, u64 seed)
{
    struct hd_rng g = hd_rng_make(seed, 1, HD_RNG_DATA);
    memset(p, 0, sizeof *p);
    p->is_gentle = seed % 2;
    p->n_threads = 2 + (u32)hd_rng_below(&g, THREADS - 1);
    for (u32 t = 0; t < p->n_threads; t++) {
        if (!t)
            for (u32 c = 1; c < p->n_threads; c++)
                add(p, 0, HD_EV_CREATE, c, 0);
        u32 want = p->n[t] + 4 + (u32)hd_rng_below(&g, OPS - 16);
        while (p->n[t] < want)
            add_random(p, t, &g);
        if (!t)
            for (u32 c = 1; c < p->n_threads; c++)
                if (hd_rng_below(&g, 4))
                    add(p, 0, HD_EV_JOIN, c, 0);
        p->n[t] = HD_MIN(p->n[t], (u32)OPS - 1);
        p->op[t][p->n[t]++] = rig_op(HD_EV_EXIT, 0, 0);
    }
}

/* ---- running a program ----------------------------------------------------------------------- */

static void post_next(struct run *x, u16 t)
{
    if (x->cur[t].kind == HD_EV_ONCE_BEGIN && x->r.s->thread[t].res.value == 1) {
        /* run the routine, i.e. end it; every third time by throwing */
        bool throws = x->r.s->thread[t].points % 3 == 0;
        struct hd_op end = rig_op(HD_EV_ONCE_END, x->cur[t].obj, throws);
        end.site = x->cur[t].site + 0x800;
        x->cur[t] = end;
        hd_sched_post(x->r.s, t, &end);
        return;
    }
    const struct hd_op *op = &x->p->op[t][x->pc[t]++];
    x->cur[t] = *op;
    if (op->kind == HD_EV_CREATE)
        assert_int_equal(hd_sched_spawn(x->r.s, t), op->obj);
    if (op->kind == HD_EV_SIGWAIT)
        hd_sched_sigmask(x->r.s, t, 0x600);
    else if (x->pc[t] % 7 == 0)
        hd_sched_sigmask(x->r.s, t, x->pc[t] % 2 ? 0x200 : 0);
    if (op->kind == HD_EV_FUTEX_WAKE)
        x->r.word[3] ^= 1;
    hd_sched_post(x->r.s, t, op);
}

/* t was resumed: go on with what it does. */
static void go_on(struct run *x, u16 t)
{
    struct hd_sched *s = x->r.s;
    if (s->thread[t].res.signal) { /* the handler writes once */
        struct hd_op op = rig_op(HD_EV_WRITE, 0x700, 0);
        x->depth[t]++;
        hd_sched_post(s, t, &op);
        return;
    }
    while (x->depth[t]) { /* the handler's write is done */
        x->depth[t]--;
        if (s->thread[t].points % 3) {
            hd_sched_resume_op(s, t);
            return;
        }
        const struct hd_op *op = &x->cur[t];
        u64 i = INDEX(op->obj);
        if (hd_sched_abandon(s, t)) {
            struct hd_op lock = rig_op(HD_EV_LOCK, op->obj2, op->arg);
            assert_int_equal(x->depth[t], 0);
            /* The oracle does not know whether it had been signalled: the
             * number of waiters is taken from the machine, credit is let be. */
            x->o.cond_waiting[i] = 0;
            for (u16 k = 0; k < s->n_threads; k++)
                x->o.cond_waiting[i] += k != t && s->thread[k].phase == HD_PH_WAIT &&
                                        s->thread[k].state == HD_T_PENDING &&
                                        s->thread[k].op.kind == HD_EV_COND_WAKE &&
                                        s->thread[k].op.obj == op->obj;
            x->cur[t] = lock;
            hd_sched_post(s, t, &lock);
            return;
        }
    }
    post_next(x, t);
}

static void world_moves(struct run *x, u16 wanted)
{
    struct hd_sched *s = x->r.s;
    if (wanted != HD_NO_THREAD) {
        hd_sched_io_ready(s, wanted, true);
        return;
    }
    if (s->io_deadline != HD_NEVER && hd_rng_below(&x->world, 2)) {
        hd_sched_clock_jump(s, s->io_deadline);
        return;
    }
    for (u16 t = 0; t < s->n_threads; t++)
        if (s->thread[t].state == HD_T_PENDING && s->thread[t].op.kind == HD_EV_IO) {
            hd_sched_io_ready(s, t, true);
            return;
        }
}

static void execute(struct run *x, const struct program *p, const struct hd_strategy *strategy,
                    u64 seed, u64 world_seed, const struct hd_script *script)
{
    struct hd_sched *s;
    u16 t;
    memset(x, 0, sizeof *x);
    x->p = p;
    x->end = HD_STEP_RESUME;
    x->world = hd_rng_make(world_seed, 2, HD_RNG_DATA);
    for (int i = 0; i < 4; i++)
        x->o.mutex_owner[i] = NONE;
    for (int i = 0; i < 2; i++)
        x->o.writer[i] = x->o.once_owner[i] = NONE;
    x->o.created[0] = true;
    rig_init(&x->r, strategy, seed);
    s = x->r.s;
    s->env.self = x;
    s->env.emit = on_event;
    x->r.cfg.early_per_1024 = 20;
    x->r.cfg.step_limit = 3000;
    hd_sched_begin(s, &x->r.cfg, script);
    post_next(x, 0);
    for (;;) {
        if (!hd_rng_below(&x->world, 8)) {
            t = (u16)hd_rng_below(&x->world, s->n_threads);
            hd_sched_io_ready(s, t, true);
        }
        enum hd_step e = rig_step(&x->r, &t);
        if (x->end == HD_STEP_LIMIT)
            break;
        check_enabled(x);
        if (e == HD_STEP_IO) {
            world_moves(x, t);
        } else if (e != HD_STEP_RESUME) {
            x->end = e;
            break;
        } else if (s->thread[t].state != HD_T_FINISHED) {
            go_on(x, t);
            rig_check(&x->r);
        }
    }
    if (x->end == HD_STEP_DEADLOCK)
        check_deadlock(x);
}

/* ---- tests -------------------------------------------------------------------------------------- */

static const struct hd_strategy *const strategies[] = {&rig_random, &rig_low, &rig_high,
                                                      &rig_stay};

static void same_run(const struct run *a, const struct run *b)
{
    if (b->r.s->diverged.is)
        fail_msg("entry %u step %lu: %s, want %u got %u", b->r.s->diverged.entry,
                 (unsigned long)b->r.s->diverged.step, b->r.s->diverged.why,
                 b->r.s->diverged.want_tid, b->r.s->diverged.got_tid);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->r.s->step, b->r.s->step);
    assert_true(a->r.s->hash == b->r.s->hash);
    assert_int_equal(a->r.log.n, b->r.log.n);
    for (u32 i = 0; i < a->r.log.n; i++) { /* flags depend on when the world made threads ready */
        const struct hd_choice *x = &a->r.log.choice[i], *y = &b->r.log.choice[i];
        assert_true(x->count == y->count && x->tid == y->tid && x->kind == y->kind);
    }
    assert_memory_equal(a->r.log.check, b->r.log.check, a->r.log.n * sizeof(u64));
}

static struct hd_script script_of(const struct run *x, bool strict)
{
    return (struct hd_script){.n = x->r.log.n,
                              .choice = x->r.log.choice,
                              .site = x->r.log.site,
                              .check = x->r.log.check,
                              .strict = strict};
}

static u32 ends[HD_STEP_DONE + 1];

static void fuzz(u64 first, u64 last, bool tear)
{
    static struct program p;
    static struct run a, b, c;
    for (u64 seed = first; seed < last; seed++) {
        make_program(&p, seed);
        execute(&a, &p, strategies[seed % HD_COUNT(strategies)], seed, seed, NULL);
        ends[a.end]++;
        struct hd_script script = script_of(&a, true);
        if (!tear) {
            execute(&b, &p, &rig_stay, seed, seed + 12345, &script);
            same_run(&a, &b);
        } else { /* every fourth entry is missing */
            struct hd_choice *left = calloc(a.r.log.n, sizeof *left);
            u32 n = 0;
            for (u32 i = 0; i < a.r.log.n; i++)
                if (i % 4 != seed % 4)
                    left[n++] = a.r.log.choice[i];
            script = (struct hd_script){.n = n, .choice = left};
            execute(&b, &p, &rig_random, seed, seed + 12345, &script);
            assert_int_not_equal(b.end, HD_STEP_DIVERGED);
            script = script_of(&b, true);
            execute(&c, &p, &rig_high, seed, seed, &script);
            same_run(&b, &c);
            rig_release(&c.r);
            free(left);
        }
        rig_release(&a.r);
        rig_release(&b.r);
    }
}

static void random_programs(void **state)
{
    fuzz(1, 4000, false);
    print_message("ends: %u done, %u deadlock, %u limit\n", ends[HD_STEP_DONE],
                  ends[HD_STEP_DEADLOCK], ends[HD_STEP_LIMIT]);
    /* the generator must reach both ends often for the rules to mean anything */
    assert_true(ends[HD_STEP_DONE] > 100 && ends[HD_STEP_DEADLOCK] > 100);
}

static void torn_scripts(void **state) { fuzz(50000, 51000, true); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(torn_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
