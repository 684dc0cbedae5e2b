/* Searches with a bound run exactly the schedules within it, each once, fewest
 * first; and what a search says about its own limits is true. */
#include "search_brute.h"
#include "search_programs.h"

static struct machine machine;

/* The schedule of the run in `m` as search_brute.h hashes it. */
static u64 schedule_of(const struct machine *m)
{
    u64 h = 0;
    for (u32 i = 0; i < m->n_options && m->option[i].tid != HD_NO_THREAD; i++) {
        bool is_woken = i + 1 < m->n_options && m->option[i + 1].kind == HD_CHOICE_WAKE;
        if (m->option[i].kind == HD_CHOICE_PICK)
            h = schedule_mix(h, m->option[i].tid, is_woken ? m->option[i + 1].tid + 1u : 0);
    }
    return h;
}

static u32 preemptions_of(const struct machine *m)
{
    u32 n = 0, last = 0;
    for (u32 i = 0; i < m->n_options && m->option[i].tid != HD_NO_THREAD; i++) {
        const struct hd_option *o = &m->option[i];
        if (o->kind != HD_CHOICE_PICK)
            continue;
        n += o->tid != last && (o->could >> last & 1);
        last = o->tid;
    }
    return n;
}

/* Delays of the deterministic scheduler: same thread, else the next number. */
static void delayed_go(struct bounded *b, const struct model *m, u32 last, u32 used, u64 hash)
{
    bool is_end = true;
    u32 cost = used;
    for (u32 i = 0; i < 64; i++) {
        u32 t = (last + i) % 64;
        if (t > b->p->threads || !model_can(m, b->p, t))
            continue;
        is_end = false;
        if (cost > b->most)
            break;
        struct ins at = ins_at(b->p, t, m->pc[t]);
        u8 waiters = m->at[t] == 2 && at.op == SIG ? m->waiters[at.x] : 0;
        bool is_choice = __builtin_popcount(waiters) > 1;
        for (u32 k = 0; (waiters ? waiters : 1u) >> k; k++) {
            if (!((waiters ? waiters : 1u) >> k & 1))
                continue;
            struct model next = *m;
            model_step(&next, b->p, t, k);
            delayed_go(b, &next, t, cost, schedule_mix(hash, t, is_choice ? k + 1 : 0));
        }
        cost++;
    }
    if (is_end) {
        b->n++;
        b->sum += hash;
    }
}

static void expect_exactly(const struct program *p, const char *method, u32 bound,
                           const struct bounded *b)
{
    struct hd_search_opts o = {.method = hd_search_find(method), .param = bound};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    u64 n = 0, sum = 0;
    u32 last = 0;
    while (n < 200000 && search_next(s, &plan)) {
        run_plan(&machine, p, &plan, &t);
        search_ran(s, &t);
        n++;
        sum += schedule_of(&machine);
        if (!strcmp(method, "pcb")) { /* fewest first */
            assert_true(preemptions_of(&machine) >= last);
            last = preemptions_of(&machine);
        }
    }
    if (n != b->n || sum != b->sum)
        fail_msg("%s %s=%u: %lu runs, %lu schedules", p->name, method, bound, (unsigned long)n,
                 (unsigned long)b->n);
    const struct hd_search_result *r = hd_search_result(s);
    assert_true(r->is_over);
    assert_true(r->is_complete || r->bound == bound + 1);
    assert_true(!(r->limits & ~(1u << HD_LIMIT_BOUND)));
    hd_search_close(s);
}

static void test_pcb(void **state)
{
    (void)state;
    for (u32 i = 0; i < HD_COUNT(programs); i++)
        for (u32 bound = 0; bound <= 2 && !is_timed(&programs[i]); bound++) {
            struct bounded b = {.p = &programs[i], .most = bound};
            struct model m;
            model_init(&m, &programs[i]);
            bounded_go(&b, &m, 0, 0, 0);
            if (b.n < 5000)
                expect_exactly(&programs[i], "pcb", bound, &b);
            free(b.finals.at);
        }
}

/* chess: the same final states as all those schedules, in no more runs. */
static void test_chess(void **state)
{
    (void)state;
    u64 with = 0, without = 0;
    for (u32 i = 0; i < HD_COUNT(programs); i++)
        for (u32 bound = 0; bound <= 2; bound++) {
            struct found all, f;
            search_all(&machine, &programs[i], "pcb", bound, 5000, &all);
            search_all(&machine, &programs[i], "chess", bound, 5000, &f);
            assert_true(f.result.runs <= all.result.runs);
            with += f.result.runs;
            without += all.result.runs;
            if (all.result.is_over) {
                assert_true(f.result.is_over);
                assert_true(f.result.is_complete || !all.result.is_complete);
                assert_int_equal(f.finals.n, all.finals.n);
                for (u32 k = 0; k < all.finals.n; k++)
                    assert_true(set_has(&f.finals, all.finals.at[k]));
            }
            found_release(&all);
            if (f.result.is_complete) { /* what the bound cut was met within it */
                search_all(&machine, &programs[i], "dpor", ~0ull, 5000, &all);
                assert_int_equal(f.finals.n, all.finals.n);
                found_release(&all);
            }
            found_release(&f);
        }
    print_message("%lu runs instead of %lu\n", (unsigned long)with, (unsigned long)without);
    assert_true(with * 2 < without);
}

static void test_delaybound(void **state)
{
    (void)state;
    for (u32 i = 0; i < HD_COUNT(programs); i++)
        for (u32 bound = 0; bound <= 3 && !is_timed(&programs[i]); bound++) {
            struct bounded b = {.p = &programs[i], .most = bound};
            struct model m;
            model_init(&m, &programs[i]);
            delayed_go(&b, &m, 0, 0, 0);
            if (b.n < 5000)
                expect_exactly(&programs[i], "delaybound", bound, &b);
        }
}

/* With a bound that nothing exceeds, pcb has explored everything and says so. */
static void test_pcb_complete(void **state)
{
    (void)state;
    struct found f, g;
    search_all(&machine, &programs[0], "pcb", 20, 100000, &f);
    search_all(&machine, &programs[0], "dfs", 0, 100000, &g);
    assert_true(f.result.is_complete && g.result.is_complete);
    assert_int_equal(f.result.runs, g.result.runs);
    assert_int_equal(f.finals.n, g.finals.n);
    found_release(&f);
    found_release(&g);
    search_all(&machine, &programs[0], "pcb", 1, 100000, &f);
    assert_true(f.result.is_over && !f.result.is_complete);
    assert_int_equal(f.result.limits, 1u << HD_LIMIT_BOUND);
    found_release(&f);
}

/* ---- limits are named ------------------------------------------------------------------- */

static const struct program spin = {
    "spin", 2, {0}, {{{R, 0, 0, 0}, {JZ, 0, 0, 0}}, {{W, 0, 0, 1}}}};
static const struct program endless = {
    "endless", 2, {0}, {{{R, 0, 0, 0}, {JZ, 0, 0, 0}}, {{R, 0, 0, 0}, {JZ, 0, 0, 0}}}};
static const struct program yields = {
    "yields", 2, {0}, {{{YIELD, 0, 0, 0}, {R, 0, 0, 0}, {JZ, 0, 0, 0}}, {{W, 0, 0, 1}}}};

static void test_fair(void **state)
{
    (void)state;
    const struct program *loops[] = {&spin, &yields};
    for (u32 i = 0; i < 2; i++) {
        struct found f;
        search_all(&machine, loops[i], "dpor", ~0ull, 2000, &f);
        assert_true(f.result.is_over);
        assert_true(f.result.runs < 200);
        assert_false(f.result.is_complete);
        assert_int_equal(f.result.limits, 1u << HD_LIMIT_FAIR);
        assert_int_equal(f.finals.n, 1);
        found_release(&f);
        search_all(&machine, loops[i], "pcb", 1, 5000, &f);
        assert_true(f.result.is_over && f.result.limits & 1u << HD_LIMIT_FAIR);
        found_release(&f);
    }
}

static void test_steps(void **state)
{
    (void)state;
    struct found f;
    machine.step_limit = 60;
    search_all(&machine, &endless, "dpor", ~0ull, 20, &f);
    machine.step_limit = 0;
    assert_true(f.result.limits & 1u << HD_LIMIT_STEPS);
    assert_false(f.result.is_complete);
    found_release(&f);
}

static void test_memory(void **state)
{
    (void)state;
    struct hd_search_opts o = {.method = hd_search_find("pcb"), .param = 2, .memory = 400};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    while (search_next(s, &plan)) {
        run_plan(&machine, &programs[0], &plan, &t);
        search_ran(s, &t);
    }
    assert_true(hd_search_result(s)->limits & 1u << HD_LIMIT_MEMORY);
    assert_false(hd_search_result(s)->is_complete);
    hd_search_close(s);
}

/* A program that is not the same every time: here another one in every third run. */
static void test_chance(void **state)
{
    (void)state;
    static const struct program other = {
        "other", 2, {0}, {{{R, 0, 0, 0}, {WR, 0, 0, 1}}, {{LOCK, 0, 0, 0}, {R, 0, 0, 0}}}};
    static const struct program held = {
        "held", 2, {0}, {{{LOCK, 0, 0, 0}, {R, 0, 0, 0}}, {{LOCK, 0, 0, 0}, {R, 0, 0, 0}}}};
    struct hd_search_opts o = {.method = hd_search_find("dfs")};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    for (u32 n = 1; n < 500 && search_next(s, &plan); n++) {
        run_plan(&machine, n % 3 ? &other : &held, &plan, &t);
        search_ran(s, &t);
    }
    const struct hd_search_result *r = hd_search_result(s);
    assert_true(r->limits & 1u << HD_LIMIT_CHANCE);
    assert_false(r->is_complete);
    assert_true(r->chance.step > 0);
    assert_true(r->chance.expected != r->chance.met);
    hd_search_close(s);
}

/* Lost events and too many threads end the search, and it says so. */
static void test_lost(void **state)
{
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct hd_search_opts o = {.method = hd_search_find("dpor"), .param = HD_NO_BOUND};
        struct hd_search *s = hd_search_open(&o);
        struct hd_plan plan;
        struct hd_trace t;
        assert_true(search_next(s, &plan));
        run_plan(&machine, &programs[0], &plan, &t);
        t.is_lost = i == 0;
        t.n_threads = i == 1 ? 65 : t.n_threads;
        search_ran(s, &t);
        assert_false(search_next(s, &plan));
        assert_false(hd_search_result(s)->is_complete);
        assert_int_equal(hd_search_result(s)->limits,
                         1u << (i ? HD_LIMIT_THREADS : HD_LIMIT_LENGTH));
        hd_search_close(s);
    }
}

/* After a restart everything is tried again; runs go on counting. */
static void test_restart(void **state)
{
    (void)state;
    struct hd_search_opts o = {.method = hd_search_find("dpor"), .param = HD_NO_BOUND};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    u32 n = 0;
    for (; search_next(s, &plan); n++) {
        if (n == 2)
            hd_search_restart(s), search_next(s, &plan);
        run_plan(&machine, &programs[0], &plan, &t);
        search_ran(s, &t);
    }
    assert_int_equal(n, 2 + 4);
    assert_true(hd_search_result(s)->is_complete);
    hd_search_close(s);
}

/* Two looks at a variable, and a write between them: one preemption is enough where the way back, when the
 * writer has ended, is free. (The HaPSet paper, 6.2, counts it and asks for two.) */
static void test_atomicity_needs_one(void **state)
{
    (void)state;
    static const struct program p = {
        "two looks", 2, {0},
        {{{R, 0, 0, 0}, {JNZ, 0, 0, 5}, {R, 0, 0, 0}, {JZ, 0, 0, 5}, {W, 1, 0, 1}}, {{W, 0, 0, 1}}}};
    for (u64 bound = 0; bound <= 1; bound++) {
        struct hd_search_opts o = {.method = hd_search_find("pcb"), .param = bound};
        struct hd_search *s = hd_search_open(&o);
        struct hd_plan plan;
        struct hd_trace t;
        bool is_found = false;
        while (search_next(s, &plan)) {
            run_plan(&machine, &p, &plan, &t);
            search_ran(s, &t);
            is_found |= machine.mem.var[1] == 1;
        }
        assert_int_equal(is_found, bound == 1);
        hd_search_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomicity_needs_one), cmocka_unit_test(test_pcb),    cmocka_unit_test(test_chess),
        cmocka_unit_test(test_delaybound),
        cmocka_unit_test(test_pcb_complete), cmocka_unit_test(test_fair),
        cmocka_unit_test(test_steps),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_chance), cmocka_unit_test(test_lost),
        cmocka_unit_test(test_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
