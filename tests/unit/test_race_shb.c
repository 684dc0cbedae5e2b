/* test_race_shb.c: schedulable happens-before, as the observer of races tells it: against the relation
 * written down naively, and against brute force: what it says can be brought together can be. */
#include "race_brute.h"

#include "observe/coverage.h"
#include "observe/race/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct brute b;
static u32 told, schedulable;
static bool before[MOST][MOST]; /* [k][i]: i comes before k, as the reads of others saw it */

/* What comes before event k: all that comes before what it needs. Its own read is left out if it
 * is k that is asked about. */
static void add_before(u32 k, u32 i)
{
    before[k][i] = true;
    for (u32 j = 0; j < MOST; j++)
        before[k][j] |= before[i][j];
}

static void relate(const struct hd_event *ev, u32 n)
{
    u32 released[2] = {0}, last[THREADS] = {0}, seen[THREADS] = {0};
    memset(before, 0, sizeof before);
    for (u32 k = 0; k < n; k++) {
        u32 t = ev[k].tid;
        if (last[t])
            add_before(k, last[t] - 1);
        if (last[t] && seen[t]) /* what the event before it read */
            add_before(k, seen[t] - 1);
        if (ev[k].kind == HD_EV_LOCK && released[brute_lock(&ev[k])])
            add_before(k, released[brute_lock(&ev[k])] - 1);
        if (ev[k].kind == HD_EV_UNLOCK)
            released[brute_lock(&ev[k])] = k + 1;
        last[t] = k + 1;
        seen[t] = ev[k].kind == HD_EV_READ ? b.saw[k] : 0;
    }
}

static void on_race(void *self, const struct hd_race_seen *s)
{
    if (s->hidden || s->third)
        return;
    u32 i = (u32)s->site[0] - 1, k = (u32)s->site[1] - 1;
    told++;
    schedulable += s->is_schedulable;
    if (s->is_schedulable != !before[k][i])
        fail_msg("events %u and %u: told %d", i, k, s->is_schedulable);
    if (s->is_schedulable && !brute_is_race(&b, i, k))
        fail_msg("events %u and %u cannot be brought together", i, k);
}

static void observe(const struct hd_event *ev, u32 n)
{
    struct hd_coverage c;
    struct hd_observe_config cfg = {.metrics = (u64)1 << HD_METRIC_race, .race = on_race};
    hd_coverage_init(&c, &cfg);
    hd_coverage_begin_run(&c, 1, 0);
    for (u32 i = 0; i < n; i++)
        hd_coverage_event(&c, &ev[i]);
    hd_coverage_end_run(&c, 0);
    hd_coverage_release(&c);
}

static void as_written_down(void **state)
{
    struct hd_rng rng = hd_rng_make(11, 1, 1);
    for (u32 run = 0; run < 400; run++) {
        struct hd_event ev[MOST];
        u32 n = brute_run(&rng, ev);
        for (u32 i = 0; i < n; i++)
            ev[i].step = i + 1;
        brute_init(&b, ev, n);
        relate(ev, n);
        observe(ev, n);
    }
    assert_true(schedulable > 200 && told - schedulable > 20);
}

/* Data behind a flag: the flag races, the data cannot be brought together. */
static void behind_a_flag(void **state)
{
    struct hd_event ev[] = {{.tid = 0, .kind = HD_EV_WRITE, .obj = X, .size = 4, .site = 1, .step = 1},
                            {.tid = 0, .kind = HD_EV_WRITE, .obj = Y, .size = 4, .site = 2, .step = 2},
                            {.tid = 1, .kind = HD_EV_READ, .obj = Y, .size = 4, .site = 3, .step = 3},
                            {.tid = 1, .kind = HD_EV_READ, .obj = X, .size = 4, .site = 4, .step = 4}};
    told = schedulable = 0;
    brute_init(&b, ev, 4);
    relate(ev, 4);
    observe(ev, 4);
    assert_int_equal(told, 2);
    assert_int_equal(schedulable, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_written_down), cmocka_unit_test(behind_a_flag)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
