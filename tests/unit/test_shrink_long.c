/* Schedules of long runs: a campaign must end within 2 s of Ctrl-C, so no edit of a list
 * and no search for pairs may take long between two questions whether to stop. Times are
 * those of the processor, so that other work on the machine does not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <time.h>

#include "minimize/shrink.h"

#define N 200000      /* stretches of one step each */
#define THREADS 4
#define SOON 10.0 /* seconds of processor time; quadratic work on N takes a minute and more */

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Threads take turns; each turn is a preemption. */
static void alternate(struct hd_list *l)
{
    hd_vec_reserve(&l->v, N);
    for (u32 i = 0; i < N; i++)
        *hd_vec_add(&l->v) =
            (struct hd_choice){1, (u16)(1 + i % THREADS), HD_CHOICE_PICK, HD_CHOICE_PREEMPTS};
}

static void edits_of_long_lists_are_quick(void **state)
{
    static bool drop[N + 1];
    struct hd_list l = {0}, out = {0};
    alternate(&l);
    double began = seconds();
    for (u32 how = 0; how < 4; how++) {
        for (u32 k = 0; k < N; k++)
            drop[k] = k % 3;
        hd_list_without(&out, &l, drop, how, 0);
        assert_true(out.v.n > 0 && out.v.n <= l.v.n);
        memset(drop, true, sizeof drop);
        hd_list_without(&out, &l, drop, how, 0);
    }
    hd_list_postpone(&out, &l, N / 2);
    hd_list_swap(&out, &l, N / 2);
    assert_true(seconds() - began < SOON);
    hd_list_release(&l);
    hd_list_release(&out);
}

/* ---- a long run that fails whatever is left out -------------------------------------- */

struct world {
    struct hd_event *events;
    struct hd_list list;
    double until; /* the runner is asked to stop then */
    u64 asked;
    u32 runs;
    u32 objects;  /* that threads have in common, 0 = none */
};

static void run(void *self, const struct hd_choice *script, u32 n, u64 variant, struct hd_ran *out)
{
    struct world *w = self;
    w->runs++;
    *out = (struct hd_ran){.end = seconds() < w->until ? HD_END_SAME : HD_END_STOP,
                           .log = w->list.v.at, .n = N, .preemptions = N, .switches = N,
                           .steps = N, .events = w->events, .n_events = N, .failed = 2};
}

static bool is_over(void *self)
{
    struct world *w = self;
    w->asked++;
    return seconds() >= w->until;
}

static void begin(struct world *w, u32 objects, double after)
{
    *w = (struct world){.objects = objects};
    alternate(&w->list);
    w->events = calloc(N, sizeof *w->events);
    for (u32 i = 0; i < N; i++)
        w->events[i] = (struct hd_event){
            .tid = (u16)(1 + i % THREADS), .kind = i % 7 ? HD_EV_READ : HD_EV_WRITE,
            .site = 0x1000 + i % 13, .step = i + 1, .size = 4,
            .obj = 0x10000 + (objects ? i % objects : i) * 8};
    w->until = seconds() + after;
}

static void finish(struct world *w)
{
    free(w->events);
    hd_list_release(&w->list);
}

/* Pairs are looked for in a run without any, and in one where everything conflicts. */
static void pairs_of_long_runs_are_looked_for_in_time(void **state)
{
    static const u32 objects[] = {0, 1, 1000};
    for (u32 i = 0; i < HD_COUNT(objects); i++) {
        struct world w;
        begin(&w, objects[i], 0.1);
        struct hd_shrunk s = {.list = w.list, .preemptions = N, .switches = N, .steps = N};
        struct hd_decided d = {0};
        struct hd_runner r = {.self = &w, .run = run, .is_over = is_over};
        double began = seconds();
        assert_false(hd_shrink_pair(&d, &s, &r, 20));
        assert_true(w.asked > 0);
        assert_true(seconds() - began < SOON);
        finish(&w);
    }
}

/* Nothing is smaller: every edit there is would be tried. */
static void shrinking_long_runs_stops_in_time(void **state)
{
    struct world w;
    begin(&w, 1, 0.2);
    struct hd_shrunk s = {.preemptions = N, .switches = N, .steps = N};
    hd_list_set(&s.list, w.list.v.at, N);
    struct hd_runner r = {.self = &w, .run = run, .is_over = is_over};
    double began = seconds();
    hd_shrink(&s, &r);
    assert_false(s.is_complete);
    assert_true(w.runs > 1 && seconds() - began < SOON);
    hd_list_release(&s.list);
    finish(&w);
}

/* ---- few runs for many entries ------------------------------------------------------- */

#define ENTRIES 20000
#define NEEDED 7777 /* steps of the one stretch that is needed */

/* Fails if the stretch that matters is in the script; what the script does not say needs no switch. */
static void run_needing_one(void *self, const struct hd_choice *script, u32 n, u64 variant,
                            struct hd_ran *out)
{
    u32 *runs = self;
    *out = (struct hd_ran){.end = HD_END_CLEAN, .log = script, .n = n, .switches = n, .steps = ENTRIES};
    for (u32 i = 0; i < n; i++)
        if (script[i].count == NEEDED)
            out->end = HD_END_SAME;
    ++*runs;
}

static void stretches_leave_by_halves(void **state)
{
    static const u32 places[] = {1, 2, 5000, 12345, ENTRIES - 1};
    for (u32 k = 0; k < HD_COUNT(places); k++) {
        u32 runs = 0;
        struct hd_shrunk s = {.switches = ENTRIES, .steps = ENTRIES};
        struct hd_runner r = {.self = &runs, .run = run_needing_one};
        for (u32 i = 0; i < ENTRIES; i++)
            *hd_vec_add(&s.list.v) = (struct hd_choice){i == places[k] ? NEEDED : 1, (u16)(1 + i % 3),
                                                        HD_CHOICE_PICK, 0};
        hd_shrink(&s, &r);
        assert_true(runs < 100);
        assert_true(s.list.v.n < 8 && s.switches == s.list.v.n);
        hd_list_release(&s.list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_of_long_lists_are_quick),
        cmocka_unit_test(pairs_of_long_runs_are_looked_for_in_time),
        cmocka_unit_test(shrinking_long_runs_stops_in_time),
        cmocka_unit_test(stretches_leave_by_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
