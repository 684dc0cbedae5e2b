/* Guidance by history-aware predecessor sets: the paper's examples, what it
 * leaves out, and that nothing is left out once its budget is spent. */
#include "search_brute.h"
#include "search_programs.h"

static struct machine machine;

/* Figure 2 of the paper: one thread polls x under a lock, the other sets it. The
 * setter has the smaller number, so it goes first when nobody preempts. */
static const struct program busy_wait = {
    "busy wait", 2, {0},
    {{{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
     {{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {JZ, 0, 0, 0}}}};

/* Figure 1: a pointer set, used after a check, and cleared. reg of thread 2 is 1
 * if the check passed and the use found it cleared. */
static const struct program use_after_check = {
    "use after check", 2, {0},
    {{{W, 0, 0, 1}, {W, 0, 0, 0}},
     {{R, 0, 0, 0}, {JZ, 0, 0, 5}, {R, 0, 0, 0}, {JNZ, 0, 0, 5}, {W, 1, 0, 1}}}};

static void test_busy_wait(void **state)
{
    (void)state;
    struct found f;
    search_all(&machine, &busy_wait, "hapset", ~0ull, 1000, &f);
    assert_true(f.result.is_over);
    assert_int_equal(f.result.runs, 2);
    assert_int_equal(f.result.guided, 2);
    assert_true(f.result.limits & 1u << HD_LIMIT_GUIDED);
    assert_false(f.result.is_complete);
    found_release(&f);
    search_all(&machine, &busy_wait, "dpor", ~0ull, 1000, &f);
    assert_true(f.result.runs > 4);
    found_release(&f);
}

static bool finds_violation(u64 param, u64 *runs)
{
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = param};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    bool is_found = false;
    for (*runs = 0; !is_found && *runs < 100 && search_next(s, &plan); ++*runs) {
        run_plan(&machine, &use_after_check, &plan, &t);
        search_ran(s, &t);
        is_found = machine.mem.var[1] == 1;
    }
    hd_search_close(s);
    return is_found;
}

static void test_use_after_check(void **state)
{
    (void)state;
    u64 runs;
    assert_true(finds_violation(HD_NO_BOUND, &runs));
    assert_true(runs <= 6);
    assert_true(finds_violation(2, &runs)); /* on top of the preemption bound */
    assert_true(runs <= 20);
}

/* Guided runs are far fewer; then dpor follows and meets everything. */
static void test_then_everything(void **state)
{
    (void)state;
    u64 guided = 0, traces = 0;
    for (u32 i = 0; i < HD_COUNT(programs); i++) {
        const struct program *p = &programs[i];
        struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND};
        struct hd_search *s = hd_search_open(&o);
        struct brute b;
        struct set finals = {0};
        struct hd_plan plan;
        struct hd_trace t;
        brute_all(&b, p);
        while (search_next(s, &plan)) {
            run_plan(&machine, p, &plan, &t);
            search_ran(s, &t);
            if (machine.how != HOW_CUT)
                set_add(&finals, machine.final);
        }
        const struct hd_search_result *r = hd_search_result(s);
        for (u32 k = 0; k < b.finals.n; k++)
            if (!set_has(&finals, b.finals.at[k]))
                fail_msg("%s: %u of %u final states", p->name, finals.n, b.finals.n);
        assert_true(r->is_complete);
        assert_true(r->guided > 0);
        guided += r->guided;
        traces += b.traces;
        free(finals.at);
        brute_release(&b);
        hd_search_close(s);
    }
    print_message("%lu guided runs, %lu classes\n", (unsigned long)guided, (unsigned long)traces);
    assert_true(guided < traces);
}

/* Only good runs teach: if every run fails, nothing is left out as known. */
static void test_bad_runs_teach_nothing(void **state)
{
    (void)state;
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND,
                               .guided_only = true};
    u64 runs[2] = {0};
    for (u32 good = 0; good < 2; good++) {
        struct hd_search *s = hd_search_open(&o);
        struct hd_plan plan;
        struct hd_trace t;
        while (runs[good] < 500 && search_next(s, &plan)) {
            run_plan(&machine, &busy_wait, &plan, &t);
            t.is_good = good;
            search_ran(s, &t);
            runs[good]++;
        }
        hd_search_close(s);
    }
    assert_true(runs[0] > runs[1]);
}

/* Guided runs alone; *finals: different final states they meet. */
static u64 guided_runs(const struct program *p, u32 *finals)
{
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND,
                               .guided_only = true};
    struct hd_search *s = hd_search_open(&o);
    struct set met = {0};
    struct hd_plan plan;
    struct hd_trace t;
    while (search_next(s, &plan)) {
        run_plan(&machine, p, &plan, &t);
        search_ran(s, &t);
        if (machine.how != HOW_CUT)
            set_add(&met, machine.final);
    }
    u64 runs = hd_search_result(s)->runs;
    assert_true(hd_search_result(s)->limits & 1u << HD_LIMIT_GUIDED);
    *finals = met.n;
    free(met.at);
    hd_search_close(s);
    return runs;
}

/* Where the latest race of a step is an order that was tested, earlier ones are looked
 * at: without them one of these final states is not met. */
static void test_past_known_orders(void **state)
{
    (void)state;
    static const struct program p = {"past known orders", 3, {0},
                                     {{{R, 0, 0, 1}, {ADD, 1, 0, 1}},
                                      {{WR, 0, 0, 1}, {R, 1, 0, 1}, {W, 0, 0, 3}},
                                      {{WR, 1, 0, 1}, {W, 0, 0, 3}}}};
    u32 finals;
    guided_runs(&p, &finals);
    assert_int_equal(finals, 3);
}

/* Who is woken is an order of statements like others: of waiters in the same code one is enough. */
static void test_waiters_alike(void **state)
{
    (void)state;
    static const struct program p = {
        "waiters alike", 3, {0},
        {{{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {JNZ, 0, 0, 4}, {WAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}},
         {{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {JNZ, 0, 0, 4}, {WAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}},
         {{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}, {SIG, 0, 0, 0}, {SIG, 0, 0, 0}}}};
    u32 finals;
    u64 apart = guided_runs(&p, &finals);
    machine.alike = 2;
    u64 alike = guided_runs(&p, &finals);
    machine.alike = 0;
    print_message("%lu runs, waiters alike %lu\n", (unsigned long)apart, (unsigned long)alike);
    assert_true(alike < apart);
}

/* An order that a good run has shown since it was asked for is not run again. The same final
 * states took 9 runs before. */
static void test_shown_meanwhile(void **state)
{
    (void)state;
    static const struct program p = {"shown meanwhile", 3, {0},
                                     {{{ADD, 0, 0, 3}, {W, 0, 0, 2}},
                                      {{R, 0, 0, 2}, {ADD, 1, 0, 2}},
                                      {{R, 0, 0, 1}, {ADD, 0, 0, 2}}}};
    u32 finals;
    assert_int_equal(guided_runs(&p, &finals), 7);
    assert_int_equal(finals, 3);
}

/* Nor is one that a good run was led to in vain: here something always comes in between. The
 * same final states took 11 runs before. */
static void test_led_in_vain(void **state)
{
    (void)state;
    static const struct program p = {
        "led in vain", 2, {0},
        {{{CAS, 0, 0, 3}, {WR, 0, 0, 3}, {W, 1, 0, 3}, {WR, 1, 0, 3}},
         {{CAS, 0, 0, 3}, {ADD, 1, 0, 1}, {CAS, 0, 0, 3}, {R, 1, 0, 3}}}};
    u32 finals;
    assert_int_equal(guided_runs(&p, &finals), 9);
    assert_int_equal(finals, 5);
}

/* Guided runs, up to the first that is stuck, after learning from all good runs there are. */
static u64 runs_to_deadlock(const struct program *p)
{
    struct hd_search_opts all = {.method = hd_search_find("dfs")};
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND,
                               .guided_only = true};
    struct hd_search *teacher = hd_search_open(&all), *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    u64 runs = 0;
    bool is_stuck = false;
    while (search_next(teacher, &plan)) {
        run_plan(&machine, p, &plan, &t);
        search_ran(teacher, &t);
        if (t.is_good)
            hd_search_learn(s, t.event, t.n_events, t.n_threads);
    }
    for (; !is_stuck && search_next(s, &plan); runs++) {
        run_plan(&machine, p, &plan, &t);
        search_ran(s, &t);
        is_stuck = machine.how == HOW_DEADLOCK;
    }
    hd_search_close(teacher);
    hd_search_close(s);
    print_message("%s: %lu runs\n", p->name, (unsigned long)runs);
    return is_stuck ? runs : 0;
}

/* Good runs show both orders of each of two locks that are taken crosswise, but never that a thread
 * takes one while the other thread, which wants it, holds a lock: an order by itself. */
static void test_crossed_locks(void **state)
{
    (void)state;
    static const struct program mutexes = {
        "crossed locks", 2, {0},
        {{{LOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {UNLOCK, 0, 0, 0}},
         {{LOCK, 1, 0, 0}, {LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {UNLOCK, 1, 0, 0}}}};
    static const struct program rwlocks = {
        "crossed read-write locks", 2, {0},
        {{{RD, 0, 0, 0}, {WRL, 1, 0, 0}, {RUN, 1, 0, 0}, {RUN, 0, 0, 0}},
         {{RD, 1, 0, 0}, {WRL, 0, 0, 0}, {RUN, 0, 0, 0}, {RUN, 1, 0, 0}}}};
    static const struct program let_go = {
        "a lock given up before", 2, {0},
        {{{LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}},
         {{LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}}}};
    static const struct program same_way = {
        "locks in one order", 2, {0},
        {{{LOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {UNLOCK, 0, 0, 0}},
         {{LOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {UNLOCK, 0, 0, 0}}}};
    u32 finals;
    assert_in_range(runs_to_deadlock(&mutexes), 1, 3);
    assert_in_range(runs_to_deadlock(&rwlocks), 1, 3);
    assert_int_equal(runs_to_deadlock(&let_go), 0);
    assert_int_equal(runs_to_deadlock(&same_way), 0);
    assert_int_equal(guided_runs(&same_way, &finals), 2); /* what cannot be is not asked for */
    assert_int_equal(guided_runs(&let_go, &finals), 3);
}

/* Without synchronization in the sets nothing is left out of a loop under a lock. */
static void test_pset(void **state)
{
    (void)state;
    struct found f;
    search_all(&machine, &busy_wait, "pset", ~0ull, 1000, &f);
    assert_true(f.result.runs > 4);
    assert_true(f.result.is_over);
    found_release(&f);
    search_all(&machine, &use_after_check, "pset", ~0ull, 1000, &f);
    assert_true(f.result.guided > 0);
    found_release(&f);
}

static u32 learned_from(bool is_recursive)
{
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND};
    struct hd_search *s = hd_search_open(&o);
    struct hd_event e[] = {{.step = 1, .tid = 1, .kind = HD_EV_LOCK, .obj = 64, .site = 1},
                           {.step = 2, .tid = 1, .kind = HD_EV_UNLOCK, .obj = 64, .site = 2},
                           {.step = 3, .tid = 2, .kind = HD_EV_LOCK, .obj = 64, .site = 3},
                           {.step = 4, .tid = 2, .kind = HD_EV_UNLOCK, .obj = 64, .site = 4}};
    e[0].size = e[2].size = is_recursive;
    hd_search_learn(s, e, HD_COUNT(e), 3);
    u32 n = hd_search_learned(s, NULL, 0);
    hd_search_close(s);
    return n;
}

/* The unlock before counts beside the lock before it, where the lock is recursive. */
static void test_recursive(void **state)
{
    (void)state;
    u32 plain = learned_from(false);
    assert_true(plain > 0);
    assert_int_equal(learned_from(true), 2 * plain);
}

/* What another search of the program has learned (--learn-from) need not be tried again. */
static void test_given(void **state)
{
    (void)state;
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND,
                               .guided_only = true};
    u64 known[64], runs[2];
    u32 n = 0;
    for (u32 k = 0; k < 2; k++) {
        struct hd_search *s = hd_search_open(&o);
        struct hd_plan plan;
        struct hd_trace t;
        hd_search_give(s, known, n);
        while (search_next(s, &plan)) {
            run_plan(&machine, &busy_wait, &plan, &t);
            search_ran(s, &t);
        }
        runs[k] = hd_search_result(s)->runs;
        n = hd_search_learned(s, known, HD_COUNT(known));
        assert_in_range(n, 1, HD_COUNT(known));
        hd_search_restart(s); /* the program has more points: what was given holds all the same */
        assert_int_equal(hd_search_learned(s, NULL, 0), k ? n : 0);
        hd_search_close(s);
    }
    assert_int_equal(runs[0], 2);
    assert_int_equal(runs[1], 1);
}

/* Guidance alone, a run that was not the search's, then the rest: everything is met all the same, and
 * what its own runs taught is forgotten when it begins again, what was given is not. */
static void test_go_on(void **state)
{
    (void)state;
    struct hd_search_opts o = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND,
                               .guided_only = true};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    struct brute b;
    struct set finals = {0};
    brute_all(&b, &use_after_check);
    assert_true(hd_search_is_guided_only(s));
    for (u32 part = 0; part < 2; part++) {
        while (search_next(s, &plan)) {
            run_plan(&machine, &use_after_check, &plan, &t);
            search_ran(s, &t);
            if (machine.how != HOW_CUT)
                set_add(&finals, machine.final);
        }
        assert_int_equal(hd_search_result(s)->is_complete, part);
        hd_search_learn(s, t.event, t.n_events, t.n_threads);
        hd_search_go_on(s);
        assert_false(hd_search_is_guided_only(s));
        assert_false(hd_search_result(s)->is_over);
    }
    for (u32 k = 0; k < b.finals.n; k++)
        assert_true(set_has(&finals, b.finals.at[k]));
    u32 all = hd_search_learned(s, NULL, 0);
    hd_search_restart(s);
    assert_in_range(hd_search_learned(s, NULL, 0), 1, all - 1);
    free(finals.at);
    brute_release(&b);
    hd_search_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_wait), cmocka_unit_test(test_use_after_check),
        cmocka_unit_test(test_then_everything), cmocka_unit_test(test_bad_runs_teach_nothing),
        cmocka_unit_test(test_past_known_orders), cmocka_unit_test(test_waiters_alike),
        cmocka_unit_test(test_shown_meanwhile), cmocka_unit_test(test_led_in_vain),
        cmocka_unit_test(test_crossed_locks),
        cmocka_unit_test(test_pset),
        cmocka_unit_test(test_recursive), cmocka_unit_test(test_given), cmocka_unit_test(test_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
