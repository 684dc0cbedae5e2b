/* test_shrink_early.c: early timeouts that a failure does not need are left out of its schedule, so
 * that what a report says of delays is true. The run here is a function of its schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "minimize/shrink.h"

#define PICK(t) {1, t, HD_CHOICE_PICK, 0}
#define SWITCH(t) {1, t, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS}
#define EARLY(t) {1, t, HD_CHOICE_TIMEOUT, 0}
#define CLOCK(us) {us, 0, HD_CHOICE_CLOCK, 0}

struct world {
    u16 needs; /* fails only if the timeout of this thread comes early; 0 = it always fails */
    u32 more;  /* preemptions that take the place of a timeout which was left out */
    struct hd_list log;
};

/* Each early timeout takes as many milliseconds as its thread's number says. */
static void run(void *self, const struct hd_choice *script, u32 n, u64 variant, struct hd_ran *out)
{
    struct world *w = self;
    bool is_early = !w->needs;
    u32 n_early = 0;
    *out = (struct hd_ran){.steps = 10};
    hd_list_set(&w->log, script, n);
    for (u32 i = 0; i < n; i++) {
        const struct hd_choice *c = &script[i];
        is_early |= c->kind == HD_CHOICE_TIMEOUT && c->tid == w->needs;
        n_early += c->kind == HD_CHOICE_TIMEOUT;
        out->delay_ns += c->kind == HD_CHOICE_TIMEOUT ? c->tid * 1000000ll
                         : c->kind == HD_CHOICE_CLOCK ? c->count * 1000ll : 0;
        out->switches += c->kind == HD_CHOICE_PICK;
        out->preemptions += c->kind == HD_CHOICE_PICK && c->flags & HD_CHOICE_PREEMPTS;
    }
    /* One preemption is needed, too. */
    out->end = is_early && out->preemptions ? HD_END_SAME : HD_END_CLEAN;
    out->preemptions += n_early ? 0 : w->more;
    out->log = w->log.v.at;
    out->n = (u32)w->log.v.n;
}

static struct hd_shrunk shrink(struct world *w, const struct hd_choice *c, u32 n)
{
    struct hd_runner r = {.self = w, .run = run};
    struct hd_shrunk s = {0};
    struct hd_ran ran;
    run(w, c, n, 0, &ran);
    assert_int_equal(ran.end, HD_END_SAME);
    s.preemptions = ran.preemptions;
    s.switches = ran.switches;
    s.steps = ran.steps;
    s.delay_ns = ran.delay_ns;
    hd_list_set(&s.list, c, n);
    hd_shrink(&s, &r);
    hd_list_release(&w->log);
    return s;
}

static void what_fails_in_any_case_needs_no_delay(void **state)
{
    static const struct hd_choice c[] = {PICK(0), EARLY(3), SWITCH(2), CLOCK(500), PICK(1), EARLY(4)};
    struct world w = {0};
    struct hd_shrunk s = shrink(&w, c, HD_COUNT(c));
    assert_int_equal(s.delay_ns, 0);
    assert_int_equal(s.preemptions, 1);
    hd_list_release(&s.list);
}

static void even_if_it_takes_preemptions(void **state)
{
    static const struct hd_choice c[] = {PICK(0), EARLY(3), SWITCH(2), PICK(1)};
    struct world w = {.more = 2};
    struct hd_shrunk s = shrink(&w, c, HD_COUNT(c));
    assert_int_equal(s.delay_ns, 0);
    hd_list_release(&s.list);
}

static void the_one_that_is_needed_stays(void **state)
{
    static const struct hd_choice c[] = {PICK(0), EARLY(3), SWITCH(2), CLOCK(500), EARLY(2), PICK(1), EARLY(4)};
    struct world w = {.needs = 2};
    struct hd_shrunk s = shrink(&w, c, HD_COUNT(c));
    assert_int_equal(s.delay_ns, 2000000);
    hd_list_release(&s.list);
}

static void lists_leave_out_early_ones(void **state)
{
    static const struct hd_choice c[] = {EARLY(1), PICK(0), CLOCK(7), SWITCH(2)};
    struct hd_list l = {0}, out = {0};
    hd_list_set(&l, c, HD_COUNT(c));
    assert_true(hd_list_without_early(&out, &l, HD_LIST_ALL_EARLY));
    assert_int_equal(out.v.n, 2);
    assert_true(hd_list_without_early(&out, &l, 1));
    assert_int_equal(out.v.n, 3);
    assert_int_equal(out.v.at[0].kind, HD_CHOICE_TIMEOUT);
    assert_false(hd_list_without_early(&out, &l, 2));
    hd_list_release(&l);
    hd_list_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fails_in_any_case_needs_no_delay),
        cmocka_unit_test(even_if_it_takes_preemptions),
        cmocka_unit_test(the_one_that_is_needed_stays),
        cmocka_unit_test(lists_leave_out_early_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
