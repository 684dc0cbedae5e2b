/* Several workers in one search, and a search that is interrupted and goes on:
 * whatever the order in which runs come back, and wherever it was saved, the same
 * schedules are run (dfs, pcb, delaybound), the same final states met in hardly more
 * runs than there are classes (dpor), and the same things claimed. */
#include "search_brute.h"
#include "search_programs.h"
#include "search_random.h"
#include "event/shm.h"
#include "text/words.h"

#define MOST_SLOTS 7

static struct machine machine;

/* A plan that is under way somewhere. */
struct going {
    bool is;
    u64 asleep;
    u32 n;
    struct hd_choice choice[RIG_OPTIONS];
};

struct how {
    const char *method;
    u64 param;
    u32 slots;
    u32 save_every; /* about so many runs; 0 = never */
    u64 seed;
};

struct outcome {
    struct set finals;
    u64 runs, schedules; /* all; sum of the hashes of the schedules */
    u32 saves;
    struct hd_search_result result;
};

static struct going going[MOST_SLOTS];

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

static struct hd_search *open_one(const struct how *h)
{
    struct hd_search_opts o = {.method = hd_search_find(h->method),
                               .param = h->param,
                               .guided_only = !strcmp(h->method, "hapset")};
    return hd_search_open(&o);
}

/* Closed with runs under way, opened again from what it saved. */
static struct hd_search *through_text(struct hd_search *s, const struct how *h)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    hd_search_save(s, f);
    assert_int_equal(fclose(f), 0);
    hd_search_close(s);
    s = open_one(h);
    struct hd_words w = hd_words_of(bytes, size);
    assert_true(hd_search_load(s, &w));
    free(bytes);
    memset(going, 0, sizeof going);
    return s;
}

/* Gives every idle slot a plan; returns how many are busy. */
static u32 give(struct hd_search *s, u32 slots)
{
    u32 busy = 0;
    for (u32 i = 0; i < slots; i++) {
        struct hd_plan plan;
        if (!going[i].is && hd_search_next_at(s, i, &plan) == HD_NEXT_RUN) {
            going[i].is = true;
            going[i].asleep = plan.asleep;
            going[i].n = plan.n;
            if (plan.n)
                memcpy(going[i].choice, plan.choice, plan.n * sizeof *plan.choice);
        }
        busy += going[i].is;
    }
    return busy;
}

static void search_with(const struct program *p, const struct how *h, struct outcome *out)
{
    struct hd_search *s = open_one(h);
    struct hd_rng rng = hd_rng_make(h->seed, 1, 99);
    struct hd_trace t;
    memset(out, 0, sizeof *out);
    memset(going, 0, sizeof going);
    for (u32 busy; (busy = give(s, h->slots)) > 0;) {
        if (h->save_every && hd_rng_below(&rng, h->save_every) == 0) {
            s = through_text(s, h);
            out->saves++;
            continue;
        }
        u64 k = hd_rng_below(&rng, busy);
        u32 i = 0;
        while (!going[i].is || k--)
            i++;
        struct hd_plan plan = {going[i].choice, going[i].n, going[i].asleep};
        u64 before = hd_search_result(s)->runs;
        run_plan(&machine, p, &plan, &t);
        going[i].is = false;
        hd_search_ran_at(s, i, &t);
        if (hd_search_result(s)->runs == before)
            continue; /* only to know the path again */
        out->runs++;
        out->schedules += schedule_of(&machine);
        if (machine.how != HOW_CUT && machine.how != HOW_LIMIT)
            set_add(&out->finals, machine.final);
        assert_true(out->runs < 100000);
    }
    out->result = *hd_search_result(s);
    assert_true(out->result.is_over);
    assert_int_equal(out->result.runs, out->runs);
    hd_search_close(s);
}

static void expect_same_finals(const struct program *p, const struct set *want,
                               const struct set *got)
{
    if (want->n != got->n)
        fail_msg("%s: %u of %u final states", p->name, got->n, want->n);
    for (u32 i = 0; i < want->n; i++)
        if (!set_has(got, want->at[i]))
            fail_msg("%s: a final state is missing", p->name);
}

/* Methods without reduction: the same schedules, each once. */
static void expect_equal(const struct program *p, struct how h)
{
    struct outcome one, many;
    u32 slots = h.slots, save_every = h.save_every;
    h.slots = 1;
    h.save_every = 0;
    search_with(p, &h, &one);
    h.slots = slots;
    h.save_every = save_every;
    search_with(p, &h, &many);
    if (one.runs != many.runs || one.schedules != many.schedules)
        fail_msg("%s, %s=%lu: %lu runs, with %u slots %lu", p->name, h.method,
                 (unsigned long)h.param, (unsigned long)one.runs, h.slots,
                 (unsigned long)many.runs);
    expect_same_finals(p, &one.finals, &many.finals);
    assert_int_equal(one.result.limits, many.result.limits);
    assert_int_equal(one.result.bound, many.result.bound);
    assert_int_equal(one.result.explored, many.result.explored);
    free(one.finals.at);
    free(many.finals.at);
}

static void same_schedules(u32 slots, u32 save_every)
{
    static const struct {
        const char *method;
        u64 param;
    } ways[] = {{"dfs", 0}, {"pcb", 1}, {"pcb", 2}, {"delaybound", 3}};
    for (u32 i = 0; i < HD_COUNT(programs); i++) {
        struct brute b;
        brute_all(&b, &programs[i]);
        for (u32 k = 0; k < HD_COUNT(ways); k++)
            if (b.schedules < 500 || k)
                expect_equal(&programs[i],
                             (struct how){ways[k].method, ways[k].param, slots, save_every, i});
        brute_release(&b);
    }
}

static void all_classes(u32 slots, u32 save_every)
{
    u64 runs = 0, traces = 0, saves = 0;
    for (u32 i = 0; i < HD_COUNT(programs); i++)
        for (u64 seed = 0; seed < 2; seed++) {
            struct brute b;
            struct outcome o;
            brute_all(&b, &programs[i]);
            search_with(&programs[i], &(struct how){"dpor", HD_NO_BOUND, slots, save_every, seed},
                        &o);
            expect_same_finals(&programs[i], &b.finals, &o.finals);
            assert_true(o.result.is_complete);
            if (o.runs * 5 > b.traces * 6 + 5)
                fail_msg("%s: %lu runs for %lu classes", programs[i].name, (unsigned long)o.runs,
                         (unsigned long)b.traces);
            runs += o.runs;
            traces += b.traces;
            saves += o.saves;
            free(o.finals.at);
            brute_release(&b);
        }
    print_message("%u slots, %lu times saved: %lu runs for %lu classes\n", slots,
                  (unsigned long)saves, (unsigned long)runs, (unsigned long)traces);
    assert_true(!save_every || saves > 20);
}

/* Random programs, whose trees are larger. */
static void all_random(u32 slots, u32 save_every, u32 n)
{
    u64 runs = 0, traces = 0, saves = 0;
    for (u64 seed = 1; seed <= n; seed++) {
        struct program p;
        struct brute b;
        struct outcome o;
        generate(&p, seed, false, seed & 1);
        brute_all(&b, &p);
        search_with(&p, &(struct how){"dpor", HD_NO_BOUND, slots, save_every, seed}, &o);
        expect_same_finals(&p, &b.finals, &o.finals);
        assert_true(o.result.is_complete);
        runs += o.runs;
        traces += b.traces;
        saves += o.saves;
        free(o.finals.at);
        brute_release(&b);
    }
    print_message("%u slots, %lu times saved, random: %lu runs for %lu classes\n", slots,
                  (unsigned long)saves, (unsigned long)runs, (unsigned long)traces);
    assert_true(runs * 10 < traces * 11);
}

static void test_slots_schedules(void **state)
{
    (void)state;
    same_schedules(3, 0);
}

static void test_slots_classes(void **state)
{
    (void)state;
    all_classes(2, 0);
    all_classes(MOST_SLOTS, 0);
    all_random(2, 0, 40);
    all_random(5, 0, 40);
}

static void test_saved_schedules(void **state)
{
    (void)state;
    same_schedules(4, 9);
}

static void test_saved_classes(void **state)
{
    (void)state;
    all_classes(1, 4);
    all_classes(4, 5);
    all_random(1, 20, 30);
    all_random(4, 20, 30);
}

/* With a bound, and guided: every final state that one worker meets. */
static void test_slots_bounded(void **state)
{
    (void)state;
    for (u32 i = 0; i < HD_COUNT(programs); i++) {
        struct outcome one, many;
        search_with(&programs[i], &(struct how){"dpor", 1, 1, 0, i}, &one);
        search_with(&programs[i], &(struct how){"dpor", 1, 4, 7, i}, &many);
        expect_same_finals(&programs[i], &one.finals, &many.finals);
        free(one.finals.at);
        free(many.finals.at);
        search_with(&programs[i], &(struct how){"hapset", HD_NO_BOUND, 3, 7, i}, &many);
        assert_true(many.finals.n > 0);
        free(many.finals.at);
    }
}

/* A worker that has nothing to do waits; one whose run is lost is not waited for. */
static void test_lost(void **state)
{
    (void)state;
    struct how h = {"dpor", HD_NO_BOUND, 2, 0, 0};
    struct hd_search *s = open_one(&h);
    struct hd_plan plan;
    struct hd_trace t;
    assert_int_equal(hd_search_next_at(s, 0, &plan), HD_NEXT_RUN);
    assert_int_equal(hd_search_next_at(s, 1, &plan), HD_NEXT_WAIT);
    plan = (struct hd_plan){0};
    run_plan(&machine, &programs[0], &plan, &t);
    hd_search_ran_at(s, 0, &t);
    assert_int_equal(hd_search_next_at(s, 0, &plan), HD_NEXT_RUN);
    hd_search_ran_at(s, 0, NULL);
    while (search_next(s, &plan)) {
        run_plan(&machine, &programs[0], &plan, &t);
        search_ran(s, &t);
    }
    assert_false(hd_search_result(s)->is_complete);
    assert_true(hd_search_result(s)->limits & 1u << HD_LIMIT_DEATH);
    hd_search_close(s);
}

/* A run that was given before a restart comes back to nobody. */
static void test_restart(void **state)
{
    (void)state;
    struct how h = {"dfs", 0, 2, 0, 0};
    struct hd_search *s = open_one(&h);
    struct hd_plan plan;
    struct hd_trace t;
    assert_int_equal(hd_search_next_at(s, 0, &plan), HD_NEXT_RUN);
    run_plan(&machine, &programs[0], &plan, &t);
    hd_search_ran_at(s, 0, &t);
    assert_int_equal(hd_search_next_at(s, 0, &plan), HD_NEXT_RUN);
    assert_int_equal(hd_search_next_at(s, 1, &plan), HD_NEXT_RUN);
    hd_search_restart(s);
    run_plan(&machine, &programs[0], &plan, &t);
    hd_search_ran_at(s, 1, &t);
    assert_int_equal(hd_search_result(s)->runs, 0);
    assert_int_equal(hd_search_next_at(s, 1, &plan), HD_NEXT_RUN);
    assert_int_equal(plan.n, 0);
    hd_search_close(s);
}

/* What a search of the first program leaves after some runs. */
static char *saved_text(const struct how *h, size_t *size)
{
    struct hd_search *s = open_one(h);
    struct hd_plan plan;
    struct hd_trace t;
    char *text = NULL;
    for (u32 i = 0; i < 5 && search_next(s, &plan); i++) {
        run_plan(&machine, &programs[0], &plan, &t);
        search_ran(s, &t);
    }
    FILE *f = open_memstream(&text, size);
    hd_search_save(s, f);
    fclose(f);
    hd_search_close(s);
    return text;
}

static bool load_text(struct hd_search *s, const char *text, size_t n)
{
    struct hd_words w = hd_words_of(text, n);
    return hd_search_load(s, &w);
}

/* Text that is no search, or half of one, is refused; the search starts anew. */
static void test_bad_text(void **state)
{
    (void)state;
    struct how h = {"pcb", 2, 1, 0, 0};
    struct hd_plan plan;
    size_t size = 0;
    char *text = saved_text(&h, &size);
    struct hd_search *s;
    for (size_t n = 0; n < size; n += 1 + size / 97) {
        s = open_one(&h);
        assert_false(load_text(s, text, n));
        assert_true(search_next(s, &plan));
        assert_int_equal(plan.n, 0);
        hd_search_close(s);
    }
    s = open_one(&h);
    assert_true(load_text(s, text, size));
    hd_search_close(s);
    h.param = 1;
    s = open_one(&h);
    assert_false(load_text(s, text, size)); /* another bound */
    hd_search_close(s);
    free(text);
}

/* Values that lead out of some table. Each edit of a sound text is refused. */
static void test_bad_values(void **state)
{
    static const struct {
        const char *method, *line, *to;
    } c[] = {
        {"pcb", "later ", "later 3 0 0 0 1 0\n"},                    /* a cost past the bound */
        {"pcb", "later ", "later 1 ffff 0 0 1 0\n"},                 /* no such schedule */
        {"pcb", "later ", "later 1 0 0 40 1 0\n"},                   /* thread 64 */
        {"pcb", "later ", "later 1 0 0 0 3 0\n"},                    /* no choice of the search */
        {"pcb", "schedule ", "schedule 1 0 0\n"},                    /* zero times */
        {"pcb", "schedule ", "schedule 3 0 ffffffff\n"},             /* a plan without end */
        {"pcb", "schedule ", "schedule 1 0\n"},                      /* half a choice */
        {"pcb", "state ", "state 1 3 0 0\n"},                        /* a round past the last */
        {"pcb", "state ", "state 1 0 1 0\n"},                        /* guidance is hapset's */
        {"dfs", "state ", "state 1 0 0 0\n"},                        /* dfs has no bound */
        {"dfs", "branch ", "branch 1 1 0 0 0\n"},                    /* its own owner */
        {"dfs", "branch ", "branch 0 1 0 0 0\n"},                    /* shares with nobody */
        {"dfs", "branch ", "branch 0 0 0 0 0\nbranch 0 0 0 0 0\n"},  /* one without a path */
        {"dfs", "node ", "node 1 0 1 0 1 1 0 40 0 0 0 0 1 1 0 0\n"}, /* thread 64 */
        {"dfs", "node ", "node 1 0 3 0 1 1 0 0 0 0 0 0 1 1 0 0\n"},  /* an early timeout alone */
        {"dfs", "node ", "node 1 0 1 0 1 1 0 0 0 0 0 0 3 1 0 0\n"},  /* who cannot go is to go */
        {"dfs", "node ", "node 1 0 1 0 1 1 0 0 50 0 0 0 1 1 0 0\n"}, /* comes from thread 80 */
        {"dfs", "result ", "result 1 2 0 0 0 0 0 0 0 0 0\n"},        /* more cut than run */
        {"dfs", "result ", "result 1 0 1 0 0 0 ffffff 0 0 0 0\n"},   /* unknown limits */
        {"hapset", "learned ", "learned 1 4\n"},                     /* told apart by what? */
        {"dfs", "end", "learned 1 1\nend\n"},                        /* dfs learns nothing */
        {"dfs", "end", "end\nend\n"},
        {"dfs", "end", "later 0 0 0 0 1 0\nend\n"},
    };
    (void)state;
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        struct how h = {c[i].method, !strcmp(c[i].method, "pcb") ? 2 : HD_NO_BOUND, 1, 0, 0};
        size_t size = 0;
        char *text = saved_text(&h, &size), key[32], *bad = NULL;
        snprintf(key, sizeof key, "\n%s", c[i].line);
        char *line = strstr(text, key);
        assert_non_null(line);
        char *rest = strchr(line + 1, '\n') + 1;
        assert_true(asprintf(&bad, "%.*s%s%s", (int)(line + 1 - text), text, c[i].to, rest) > 0);
        struct hd_search *s = open_one(&h);
        if (load_text(s, bad, strlen(bad)))
            fail_msg("%s: '%s' was accepted", c[i].method, c[i].to);
        hd_search_close(s);
        free(bad);
        free(text);
    }
}

/* Whatever is changed in a text: it is refused, or a search that can be asked for plans. */
static void test_changed_text(void **state)
{
    static const char *const methods[] = {"dfs", "pcb", "chess", "dpor", "hapset", "delaybound"};
    static const char odd[] = "0123456789abcdef \n";
    u32 accepted = 0, refused = 0;
    (void)state;
    for (u32 i = 0; i < HD_COUNT(methods); i++) {
        struct how h = {methods[i], hd_search_find(methods[i])->param_default, 1, 0, 0};
        struct hd_rng rng = hd_rng_make(1, 2, i);
        size_t size = 0;
        char *text = saved_text(&h, &size), *copy = malloc(size);
        for (u32 k = 0; k < 400; k++) {
            memcpy(copy, text, size);
            for (u64 m = 1 + hd_rng_below(&rng, 3); m; m--)
                copy[hd_rng_below(&rng, size)] = odd[hd_rng_below(&rng, sizeof odd - 1)];
            struct hd_search *s = open_one(&h);
            struct hd_plan plan;
            bool is = load_text(s, copy, size);
            accepted += is;
            refused += !is;
            for (u32 n = 0; n < 20 && search_next(s, &plan); n++) {
                assert_true(plan.n <= HD_SHM_LOG);
                search_ran(s, NULL);
            }
            hd_search_close(s);
        }
        free(copy);
        free(text);
    }
    assert_true(accepted > 100 && refused > 100);
}

/* A run that was stopped before its prefix was over is a limit, not chance. */
static void test_stopped_early(void **state)
{
    (void)state;
    struct how h = {"dfs", 0, 1, 0, 0};
    struct hd_search *s = open_one(&h);
    struct hd_plan plan;
    struct hd_trace t;
    assert_true(search_next(s, &plan));
    run_plan(&machine, &programs[0], &plan, &t);
    search_ran(s, &t);
    assert_true(search_next(s, &plan));
    run_plan(&machine, &programs[0], &plan, &t);
    t.n_options = 1;
    t.n_events = 1;
    t.is_partial = true;
    search_ran(s, &t);
    assert_int_equal(hd_search_result(s)->limits, 1u << HD_LIMIT_STEPS);
    assert_true(search_next(s, &plan)); /* the others are still tried */
    hd_search_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_schedules), cmocka_unit_test(test_slots_classes),
        cmocka_unit_test(test_saved_schedules), cmocka_unit_test(test_saved_classes),
        cmocka_unit_test(test_slots_bounded),   cmocka_unit_test(test_lost),
        cmocka_unit_test(test_restart),         cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_bad_values),      cmocka_unit_test(test_changed_text),
        cmocka_unit_test(test_stopped_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
