/* test_shrink.c: schedules made small and the order that decides, on programs
 * that are lists of operations: the scheduler runs them, no thread does.
 *
 * Memory is a few words. READ takes a word into the thread's own, WRITE puts it
 * back plus one; what a program must end with is its `want`. */
#include "sched_rig.h"

#include "minimize/shrink.h"

#define X 0x100 /* words: address 0x100 + 8 * i */
#define Y 0x108
#define Z 0x110
#define M 0x1000
#define N 0x2000
#define O 0x3000
#define THREADS 6
#define OPS 24

struct code {
    u8 kind;
    u64 obj;
};
struct program {
    struct code op[THREADS + 1][OPS]; /* of thread 1..; ends at kind FENCE (FENCE is 5, not used) */
    u32 n_threads;
    s64 want_x;   /* value of X at the end, else it failed */
    u64 stop_obj; /* reading this word while it is 0 fails at once; 0 = none */
};
#define END {HD_EV_FENCE, 0}

struct world {
    const struct program *p;
    struct rig r;
    bool has_rig;
    u32 runs, max_runs;
    s64 word[8], own[THREADS + 1];
    u32 pc[THREADS + 1];
    bool is_bad;
    struct hd_event pending[THREADS + 1];
};

static struct hd_op next_op(struct world *w, u16 t)
{
    u32 i = w->pc[t]++, n = w->p->n_threads;
    struct hd_op op;
    if (t == 0)
        op = i < n       ? rig_op(HD_EV_CREATE, i + 1, 0)
             : i < 2 * n ? rig_op(HD_EV_JOIN, i - n + 1, 0)
                         : rig_op(HD_EV_EXIT, 0, 0);
    else if (w->p->op[t][i].kind == HD_EV_FENCE)
        op = rig_op(HD_EV_EXIT, 0, 0);
    else
        op = rig_op(w->p->op[t][i].kind, w->p->op[t][i].obj, 0);
    op.site = 0x400000 + t * 0x1000u + i;
    op.size = op.kind <= HD_EV_WRITE ? 4 : 0;
    return op;
}

/* What the operation t just completed does to memory. */
static void carry_out(struct world *w, u16 t)
{
    if (!t || !w->pc[t])
        return;
    const struct code *c = &w->p->op[t][w->pc[t] - 1];
    if (c->kind == HD_EV_READ) {
        w->own[t] = w->word[(c->obj - X) / 8];
        w->is_bad |= c->obj == w->p->stop_obj && !w->own[t];
    } else if (c->kind == HD_EV_WRITE) {
        w->word[(c->obj - X) / 8] = w->own[t] + 1;
    }
}

static void play(struct world *w, const struct hd_strategy *strategy, u64 param, u64 seed,
                 const struct hd_script *script, struct hd_ran *out)
{
    struct rig *r = &w->r;
    u16 t = 0;
    enum hd_step e = HD_STEP_RESUME;
    if (w->has_rig)
        rig_release(r);
    w->has_rig = true;
    memset(w->word, 0, sizeof w->word);
    memset(w->own, 0, sizeof w->own);
    memset(w->pc, 0, sizeof w->pc);
    w->is_bad = false;
    rig_init(r, strategy, seed);
    r->cfg.strategy_arg.param = param;
    r->cfg.step_limit = 1000;
    hd_sched_begin(r->s, &r->cfg, script);
    while (!w->is_bad) {
        if (r->s->thread[t].state == HD_T_RUNNING) {
            struct hd_op op = next_op(w, t);
            if (op.kind == HD_EV_CREATE)
                hd_sched_spawn(r->s, t);
            hd_sched_post(r->s, t, &op);
        }
        if ((e = rig_step(r, &t)) != HD_STEP_RESUME)
            break;
        carry_out(w, t);
    }
    bool is_fail = w->is_bad || e != HD_STEP_DONE || w->word[0] != w->p->want_x;
    assert_true(r->n_ev < RIG_EVENTS);
    *out = (struct hd_ran){.end = is_fail ? HD_END_SAME : HD_END_CLEAN,
                           .log = r->log.choice, .n = r->log.n,
                           .preemptions = r->s->preemptions, .switches = r->s->switches,
                           .steps = r->s->step, .events = r->ev, .n_events = r->n_ev,
                           .pending = w->pending};
    for (u16 i = 0; i < r->s->n_threads; i++)
        if (r->s->thread[i].state == HD_T_PENDING) {
            const struct hd_op *op = &r->s->thread[i].op;
            w->pending[out->n_pending++] =
                (struct hd_event){.tid = i, .kind = op->kind, .site = op->site, .obj = op->obj};
        }
}

static void run(void *self, const struct hd_choice *script, u32 n, u64 variant, struct hd_ran *out)
{
    struct world *w = self;
    struct hd_script s = {.n = n, .choice = script};
    *out = (struct hd_ran){.end = HD_END_STOP};
    if (w->max_runs && w->runs >= w->max_runs)
        return;
    w->runs++;
    play(w, hd_strategy_find("stay"), HD_MIN(variant, (u64)2), variant + 1, &s, out);
}

/* A failing schedule made by chance, with at least `preemptions` of them. */
static void start(struct world *w, const struct program *p, u64 preemptions, struct hd_shrunk *s)
{
    struct hd_ran ran;
    *w = (struct world){.p = p};
    for (u64 seed = 1;; seed++) {
        assert_true(seed < 20000);
        play(w, hd_strategy_find("random"), 0, seed, NULL, &ran);
        if (ran.end == HD_END_SAME && ran.preemptions >= preemptions)
            break;
    }
    *s = (struct hd_shrunk){.preemptions = ran.preemptions, .switches = ran.switches,
                            .steps = ran.steps};
    hd_list_set(&s->list, ran.log, ran.n);
}

static void finish(struct world *w, struct hd_shrunk *s)
{
    hd_list_release(&s->list);
    if (w->has_rig)
        rig_release(&w->r);
}

/* The result is exact: followed again it gives the numbers it claims. */
static void check_exact(struct world *w, const struct hd_shrunk *s)
{
    struct hd_ran ran;
    w->max_runs = 0;
    run(w, s->list.v.at, (u32)s->list.v.n, 0, &ran);
    assert_int_equal(ran.end, HD_END_SAME);
    assert_int_equal(ran.preemptions, s->preemptions);
    assert_int_equal(ran.switches, s->switches);
    assert_int_equal(ran.steps, s->steps);
    assert_int_equal(ran.n, s->list.v.n);
}

/* ---- programs --------------------------------------------------------------------- */

/* Two threads add to X without a lock; two others only make noise. */
static const struct program lost_update = {
    .op = {[1] = {{HD_EV_READ, Z}, {HD_EV_READ, X}, {HD_EV_WRITE, X}, {HD_EV_READ, Z}, END},
           [2] = {{HD_EV_READ, Z}, {HD_EV_READ, X}, {HD_EV_WRITE, X}, {HD_EV_READ, Z}, END},
           [3] = {{HD_EV_READ, Y}, {HD_EV_WRITE, Y}, {HD_EV_READ, Y}, {HD_EV_WRITE, Y}, END},
           [4] = {{HD_EV_READ, Y}, {HD_EV_WRITE, Y}, {HD_EV_READ, Y}, {HD_EV_WRITE, Y}, END}},
    .n_threads = 4,
    .want_x = 2,
};

/* A ring of three locks. */
static const struct program ring = {
    .op = {[1] = {{HD_EV_LOCK, M}, {HD_EV_LOCK, N}, {HD_EV_UNLOCK, N}, {HD_EV_UNLOCK, M}, END},
           [2] = {{HD_EV_LOCK, N}, {HD_EV_LOCK, O}, {HD_EV_UNLOCK, O}, {HD_EV_UNLOCK, N}, END},
           [3] = {{HD_EV_LOCK, O}, {HD_EV_LOCK, M}, {HD_EV_UNLOCK, M}, {HD_EV_UNLOCK, O}, END}},
    .n_threads = 3,
};

/* Thread 2 uses Y, which thread 1 has to set first: the order of start decides. */
static const struct program too_early = {
    .op = {[1] = {{HD_EV_WRITE, Z}, {HD_EV_WRITE, Y}, END},
           [2] = {{HD_EV_READ, Z}, {HD_EV_READ, Y}, END}},
    .n_threads = 2,
    .stop_obj = Y,
};

/* A check and an act, each under the lock, but not both: X goes up twice. */
static const struct program two_sections = {
    .op = {[1] = {{HD_EV_LOCK, M}, {HD_EV_READ, X}, {HD_EV_UNLOCK, M},
                  {HD_EV_LOCK, M}, {HD_EV_WRITE, X}, {HD_EV_UNLOCK, M}, END},
           [2] = {{HD_EV_LOCK, M}, {HD_EV_READ, X}, {HD_EV_WRITE, X}, {HD_EV_UNLOCK, M}, END},
           [3] = {{HD_EV_LOCK, N}, {HD_EV_READ, Y}, {HD_EV_WRITE, Y}, {HD_EV_UNLOCK, N}, END}},
    .n_threads = 3,
    .want_x = 2,
};

/* ---- lists ------------------------------------------------------------------------- */

#define PICK(t, n) {n, t, HD_CHOICE_PICK, 0}
#define CUTS(t, n) {n, t, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS}

static void expect_list(const struct hd_list *l, const struct hd_choice *want, u32 n)
{
    assert_int_equal(l->v.n, n);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(l->v.at[i].tid, want[i].tid);
        assert_int_equal(l->v.at[i].count, want[i].count);
        assert_int_equal(l->v.at[i].kind, want[i].kind);
    }
}
#define EXPECT(l, ...)                                                                             \
    do {                                                                                           \
        const struct hd_choice want_[] = {__VA_ARGS__};                                            \
        expect_list(l, want_, HD_COUNT(want_));                                                    \
    } while (0)

static void lists_leave_out_preemptions(void **state)
{
    /* 0 creates, is preempted; 1 is preempted; 0 goes on until it blocks; 2 wakes; 1 */
    const struct hd_choice log[] = {PICK(0, 2), CUTS(1, 3), CUTS(0, 1), PICK(2, 4),
                                    {1, 1, HD_CHOICE_WAKE, 0}, CUTS(1, 2), PICK(2, 1)};
    struct hd_list l = {0}, out = {0};
    hd_list_set(&l, log, HD_COUNT(log));
    assert_int_equal(hd_list_preemptions(&l), 3);

    const bool none[3] = {0}, first[3] = {true}, last[3] = {false, false, true},
               all[3] = {true, true, true};
    hd_list_without(&out, &l, none, HD_LIST_OLDEST, 0);
    expect_list(&out, log, HD_COUNT(log));
    /* who was passed over goes first, or who came there at that time */
    hd_list_without(&out, &l, first, HD_LIST_OLDEST, 0);
    EXPECT(&out, PICK(0, 3), PICK(1, 3), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0}, PICK(1, 2),
           PICK(2, 1));
    hd_list_without(&out, &l, first, 0, 0);
    EXPECT(&out, PICK(0, 3), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0}, PICK(1, 5), PICK(2, 1));
    /* the woken part stays with the step that wakes */
    hd_list_without(&out, &l, last, HD_LIST_OLDEST, 0);
    EXPECT(&out, PICK(0, 2), PICK(1, 3), PICK(0, 1), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0},
           PICK(2, 1), PICK(1, 2));
    hd_list_without(&out, &l, all, HD_LIST_OLDEST | HD_LIST_CUT, 0);
    assert_int_equal(out.v.n, 0);
    hd_list_without(&out, &l, last, HD_LIST_OLDEST | HD_LIST_CUT, 0);
    EXPECT(&out, PICK(0, 2), PICK(1, 3), PICK(0, 1));
    hd_list_without(&out, &l, last, HD_LIST_OLDEST | HD_LIST_CUT, 1);
    EXPECT(&out, PICK(0, 2), PICK(1, 3), PICK(0, 1), PICK(2, 1));

    hd_list_postpone(&out, &l, 0);
    EXPECT(&out, PICK(1, 3), PICK(0, 3), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0}, PICK(1, 2),
           PICK(2, 1));
    assert_true(hd_list_swap(&out, &l, 1));
    EXPECT(&out, PICK(0, 3), PICK(1, 3), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0}, PICK(1, 2),
           PICK(2, 1));
    assert_true(hd_list_swap(&out, &l, 4));
    assert_false(hd_list_swap(&out, &l, 5));
    hd_list_prefix(&out, &l, 4);
    EXPECT(&out, PICK(0, 2), PICK(1, 2));
    hd_list_without_thread(&out, &l, 1);
    EXPECT(&out, PICK(0, 3), PICK(2, 4), {1, 1, HD_CHOICE_WAKE, 0}, PICK(2, 1));
    hd_list_release(&l);
    hd_list_release(&out);
}

static void lists_hold_a_thread_back(void **state)
{
    const struct hd_choice log[] = {PICK(0, 2), PICK(1, 4), PICK(2, 3), PICK(1, 2), PICK(2, 1)};
    struct hd_list l = {0}, out = {0}, cut = {0};
    hd_list_set(&l, log, HD_COUNT(log));
    /* 1 stops before step 4, its second, until 2 has done step 8 */
    hd_list_delay(&out, &cut, &l, 1, 4, 8, 2, 0);
    EXPECT(&cut, PICK(0, 2), PICK(1, 1), PICK(2, 2));
    EXPECT(&out, PICK(0, 2), PICK(1, 1), PICK(2, 3), PICK(1, 5), PICK(2, 1));
    /* 2 stops before step 8 until 1, whose last step is 11, has done two more */
    hd_list_delay(&out, &cut, &l, 2, 8, 0, 1, 2);
    EXPECT(&out, PICK(0, 2), PICK(1, 4), PICK(2, 1), PICK(1, 4));
    /* the first 9 steps, those behind the third without 1 */
    hd_list_hold(&out, &l, 3, 9, 1);
    EXPECT(&out, PICK(0, 2), PICK(1, 1), PICK(2, 3));
    hd_list_hold(&out, &l, 0, 8, 2);
    EXPECT(&out, PICK(0, 2), PICK(1, 4));
    hd_list_release(&l);
    hd_list_release(&out);
    hd_list_release(&cut);
}

/* ---- preemptions --------------------------------------------------------------------- */

static void shrink_to(const struct program *p, u64 from, u64 to)
{
    struct world w;
    struct hd_shrunk s;
    start(&w, p, from, &s);
    u64 steps = s.steps;
    hd_shrink(&s, &(struct hd_runner){.self = &w, .run = run});
    assert_int_equal(s.preemptions, to);
    assert_true(s.is_complete && s.steps <= steps);
    assert_int_equal(hd_list_preemptions(&s.list), to);
    check_exact(&w, &s);
    finish(&w, &s);
}

static void one_preemption_is_enough(void **state)
{
    shrink_to(&lost_update, 8, 1);
    shrink_to(&two_sections, 6, 1);
}

/* 3 takes O and is preempted; 2 and 1 then block by themselves. */
static void a_ring_needs_one(void **state) { shrink_to(&ring, 3, 1); }

static void order_of_start_needs_none(void **state) { shrink_to(&too_early, 2, 0); }

/* Whatever the budget: what is left fails, and is not larger than before. */
static void any_budget_leaves_a_failing_schedule(void **state)
{
    for (u32 budget = 0; budget < 60; budget++) {
        struct world w;
        struct hd_shrunk s;
        start(&w, &lost_update, 8, &s);
        u64 before = s.preemptions;
        w.max_runs = budget;
        if (!budget)
            w.runs = w.max_runs = 1;
        hd_shrink(&s, &(struct hd_runner){.self = &w, .run = run});
        assert_true(w.runs <= w.max_runs);
        assert_true(s.preemptions <= before);
        assert_false(s.is_complete && budget < 20);
        check_exact(&w, &s);
        finish(&w, &s);
    }
}

/* ---- the order that decides ------------------------------------------------------------ */

static void decide(const struct program *p, u64 from, struct hd_decided *d)
{
    struct world w;
    struct hd_shrunk s;
    struct hd_runner r = {.self = &w, .run = run};
    memset(d, 0, sizeof *d);
    start(&w, p, from, &s);
    hd_shrink(&s, &r);
    assert_true(hd_shrink_pair(d, &s, &r, 20));
    assert_true(d->is && d->passes == 20 && d->passes_of == 20);
    finish(&w, &s);
}

static void the_read_that_slipped_in(void **state)
{
    struct hd_decided d;
    decide(&lost_update, 8, &d);
    const struct hd_event *before = &d.event[HD_DECIDED_BEFORE],
                          *first = &d.event[HD_DECIDED_FIRST],
                          *second = &d.event[HD_DECIDED_SECOND];
    assert_true(first->obj == X && second->obj == X && before->obj == X);
    assert_int_equal(before->tid, second->tid);
    assert_int_not_equal(first->tid, second->tid);
    assert_int_equal(before->kind, HD_EV_READ);
    assert_int_equal(first->kind, HD_EV_READ);
    assert_int_equal(second->kind, HD_EV_WRITE);
    assert_true(before->step < first->step && first->step < second->step);
}

/* Accesses under the lock cannot be turned round, taking the lock can; but what
 * happened under it is what people want to hear of. */
static void locks_taken_in_another_order(void **state)
{
    struct hd_decided d;
    decide(&two_sections, 6, &d);
    const struct hd_event *first = &d.event[HD_DECIDED_FIRST],
                          *second = &d.event[HD_DECIDED_SECOND];
    assert_int_equal(first->tid, 2);
    assert_int_equal(second->tid, 1);
    assert_true(first->kind == HD_EV_READ && first->obj == X);
    assert_true(second->kind == HD_EV_WRITE && second->obj == X);
    assert_int_equal(second->site & 0xfff, 4); /* in its second section */
}

/* The thread that would have helped had not even begun. */
static void an_event_that_never_came(void **state)
{
    struct hd_decided d;
    decide(&too_early, 2, &d);
    const struct hd_event *first = &d.event[HD_DECIDED_FIRST],
                          *second = &d.event[HD_DECIDED_SECOND];
    assert_true(first->tid == 2 && first->kind == HD_EV_READ && first->obj == Y);
    assert_true(second->tid == 1 && second->kind == HD_EV_WRITE && second->obj == Y);
    assert_int_equal(second->step, 0);
}

static void a_deadlock_has_one_too(void **state)
{
    struct hd_decided d;
    decide(&ring, 3, &d);
    assert_int_equal(d.event[HD_DECIDED_FIRST].kind, HD_EV_LOCK);
    assert_int_equal(d.event[HD_DECIDED_SECOND].kind, HD_EV_LOCK);
    assert_true(d.event[HD_DECIDED_FIRST].obj == d.event[HD_DECIDED_SECOND].obj);
}

/* A program that always fails: no order helps, and none is claimed. */
static void nothing_is_claimed_without_proof(void **state)
{
    static struct program hopeless;
    struct world w;
    struct hd_shrunk s;
    struct hd_decided d = {0};
    struct hd_runner r = {.self = &w, .run = run};
    hopeless = lost_update;
    hopeless.want_x = 77;
    start(&w, &hopeless, 4, &s);
    hd_shrink(&s, &r);
    assert_int_equal(s.preemptions, 0);
    assert_false(hd_shrink_pair(&d, &s, &r, 20));
    assert_false(d.is);
    finish(&w, &s);
}

/* ---- a runner that only answers ------------------------------------------------------- */

static void be_shrunk(struct hd_shrunk *s, const struct hd_choice *list, u32 n, u64 preemptions,
                      void (*run)(void *, const struct hd_choice *, u32, u64, struct hd_ran *),
                      void *self)
{
    *s = (struct hd_shrunk){.preemptions = preemptions, .switches = 9, .steps = 40};
    hd_list_set(&s->list, list, n);
    hd_shrink(s, &(struct hd_runner){.self = self, .run = run});
}

static const struct hd_choice one_preempted[] = {{2, 0, HD_CHOICE_PICK, 0},
                                                 {1, 2, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS}};

/* Every schedule fails; those with fewer switches are worse in nothing else. */
static void switches_differ(void *self, const struct hd_choice *script, u32 n, u64 variant,
                            struct hd_ran *out)
{
    u64 *fewest = self, switches = 3 + (variant * 7 + n) % 5;
    *fewest = HD_MIN(*fewest, switches);
    *out = (struct hd_ran){.end = HD_END_SAME, .log = one_preempted, .n = 2, .preemptions = 1,
                           .switches = switches, .steps = 40};
}

static void fewer_switches_are_better(void **state)
{
    struct hd_shrunk s;
    u64 fewest = 9;
    be_shrunk(&s, one_preempted, 2, 1, switches_differ, &fewest);
    assert_true(fewest < 9);
    assert_int_equal(s.switches, fewest);
    hd_list_release(&s.list);
}

/* Without a script thread 0 writes in step 3 and thread 1 in step 4. It fails if thread 1
 * is let in between steps 2 and 3, and by a schedule of two preemptions. */
static void fails_by_insertion(void *self, const struct hd_choice *script, u32 n, u64 variant,
                               struct hd_ran *out)
{
    static const struct hd_choice quiet[] = {{6, 0, HD_CHOICE_PICK, 0}};
    static struct hd_event events[] = {
        {.step = 3, .tid = 0, .kind = HD_EV_WRITE, .size = 4, .obj = 0x1000},
        {.step = 4, .tid = 1, .kind = HD_EV_WRITE, .size = 4, .obj = 0x1000}};
    u32 before = 0;
    for (u32 i = 0; i + 1 < n; i++)
        before += script[i].count;
    bool is_it = n > 1 && before == 2 && script[n - 1].tid == 1;
    *out = (struct hd_ran){.end = is_it ? HD_END_SAME : HD_END_CLEAN,
                           .log = is_it ? script : quiet, .n = is_it ? n : 1,
                           .preemptions = is_it, .switches = 2, .steps = 6, .events = events,
                           .n_events = 2};
}

static void inserts_before_the_step(void **state)
{
    static const struct hd_choice two[] = {{1, 0, HD_CHOICE_PICK, 0},
                                           {1, 2, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS},
                                           {1, 0, HD_CHOICE_PICK, 0},
                                           {1, 3, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS}};
    struct hd_shrunk s;
    be_shrunk(&s, two, 4, 2, fails_by_insertion, NULL);
    assert_int_equal(s.preemptions, 1);
    hd_list_release(&s.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_leave_out_preemptions),
        cmocka_unit_test(lists_hold_a_thread_back),
        cmocka_unit_test(one_preemption_is_enough),
        cmocka_unit_test(a_ring_needs_one),
        cmocka_unit_test(order_of_start_needs_none),
        cmocka_unit_test(any_budget_leaves_a_failing_schedule),
        cmocka_unit_test(the_read_that_slipped_in),
        cmocka_unit_test(locks_taken_in_another_order),
        cmocka_unit_test(an_event_that_never_came),
        cmocka_unit_test(a_deadlock_has_one_too),
        cmocka_unit_test(nothing_is_claimed_without_proof),
        cmocka_unit_test(fewer_switches_are_better),
        cmocka_unit_test(inserts_before_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
