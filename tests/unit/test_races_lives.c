/* test_races_lives.c: races and memory that begins another life, is split in two, or was something else in the run
 * before: what is known of other memory is no race. On scripted lists of events. */
#include "race_script.h"

#define BUSY EV(0, YIELD, 0, 8), EV(0, YIELD, 0, 8), EV(0, YIELD, 0, 8), EV(0, YIELD, 0, 8)

static void expect_pairs(u32 shown, u32 hidden)
{
    u32 n[2] = {0};
    for (size_t i = 0; i < races.pair.n; i++)
        n[hd_race_is_hidden(&races.pair.at[i])]++;
    assert_int_equal(n[0], shown);
    assert_int_equal(n[1], hidden);
}

/* Memory that is used in halves later takes over what threads did to the whole, and nothing of what is known of
 * memory that is gone: here of T0's reads of Y. */
static void split_is_no_other_life(void **state)
{
    observe(LIST(BUSY, BUSY, BUSY, R(0, Y, 1), R(0, Y, 2), EV(1, LOCK, M, 3), W(1, X, 4), EV(0, FREE, Y, 5, .arg = 8),
                 BYTES(1, WRITE, X, 6, 4), BYTES(1, READ, X + 4, 7, 4), BYTES(1, READ, X, 7, 4), EV(1, UNLOCK, M, 9),
                 EV(2, LOCK, M, 10), BYTES(2, WRITE, X, 11, 4), BYTES(2, WRITE, X + 4, 12, 4), EV(2, UNLOCK, M, 13)));
    expect_pairs(0, 0);
}

/* What a thread does to a half from then on is known: no lock, then one. */
static void halves_go_on(void **state)
{
    observe(LIST(W(0, X, 1), BYTES(0, WRITE, X, 2, 4), EV(0, LOCK, M, 3), BYTES(0, WRITE, X, 4, 4), EV(0, UNLOCK, M, 5),
                 EV(1, LOCK, M, 6), BYTES(1, READ, X, 7, 4), EV(1, UNLOCK, M, 8)));
    expect_pairs(0, 1);
}

static void run(struct hd_coverage *c, struct hd_event *ev, size_t n)
{
    number(ev, n);
    hd_coverage_begin_run(c, 1, 0);
    for (size_t i = 0; i < n; i++)
        hd_coverage_event(c, &ev[i]);
    hd_coverage_end_run(c, 0);
}

/* The same of memory of the run before, one word of which T1 read in two places: in this run T0 does that to Y. */
static void runs_are_apart(void **state)
{
    for (u32 nth = 0; nth < 8; nth++) { /* which entry of the tables it was */
        struct hd_coverage c;
        struct hd_observe_config cfg = {.metrics = (u64)1 << HD_METRIC_race, .race = on_race,
                                        .lock_order = on_lock_order, .two = on_two};
        struct hd_event before[9];
        for (u32 i = 0; i < 9; i++)
            before[i] = (struct hd_event)R(1, X + 8 * HD_MIN(i, nth), 1 + i);
        hd_races_release(&races);
        hd_races_init(&races);
        hd_coverage_init(&c, &cfg);
        run(&c, before, nth + 2);
        run(&c, LIST(BUSY, BUSY, BUSY, R(0, Y, 11), R(0, Y, 12), EV(1, LOCK, M, 13), W(1, X, 14), BYTES(1, WRITE, X, 15, 4),
                     BYTES(1, READ, X + 4, 16, 4), BYTES(1, READ, X, 17, 4), EV(1, UNLOCK, M, 18), EV(2, LOCK, M, 19),
                     BYTES(2, WRITE, X, 20, 4), BYTES(2, WRITE, X + 4, 21, 4), EV(2, UNLOCK, M, 22)));
        hd_coverage_release(&c);
        expect_pairs(0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_is_no_other_life),
        cmocka_unit_test(halves_go_on),
        cmocka_unit_test(runs_are_apart),
    };
    hd_races_init(&races);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hd_races_release(&races);
    return failed;
}
