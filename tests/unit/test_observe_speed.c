/* test_observe_speed.c: cost of the metrics per event, printed, not asserted
 * (machines differ); the budget for all together is about 150 ns. What is
 * asserted: the streams are what they claim, and a second pass finds nothing new. */
#include "unit/observe_script.h"

#include "base/rng.h"

#include <time.h>

enum { EVENTS = 50000, THREADS = 4, GROUPS = 30, OPS = 3, ACCESSES = 8, MEMBERS = 24 };

static struct hd_event stream[EVENTS];

struct worker {
    u32 group, op, at;
    bool is_locked;
};

/* Every group of variables has a lock and a few operations, each a fixed row of
 * accesses, one of them to a global that no lock protects; the first operations
 * are the frequent ones. */
static struct hd_event access(u16 t, u32 group, u32 op, u32 at)
{
    u32 pick = (group * OPS + op) * ACCESSES + at;
    u64 member = pick * 2654435761u % MEMBERS;
    u64 obj = at == 5 ? 0x600000 + 8 * (pick % 6) : 0x700000 + group * 4096 + member * 8;
    struct hd_event ev = R(t, obj, 0x500000 + pick * 16);
    ev.kind = pick % 3 ? HD_EV_READ : HD_EV_WRITE;
    ev.ctx = group * OPS + op;
    return ev;
}

/* A worker is preempted before one event in `stay`. */
static void make(u32 groups, u32 stay)
{
    struct hd_rng rng = hd_rng_make(1, 0, 0);
    struct worker w[THREADS] = {{0}};
    bool is_taken[GROUPS] = {0};
    u16 t = 0;
    for (u32 i = 0; i < EVENTS; i++) {
        if (hd_rng_below(&rng, stay) == 0)
            t = (u16)hd_rng_below(&rng, THREADS);
        struct worker *me = &w[t];
        u64 lock = M + 64 * me->group, site = 0x401000 + 64 * (me->group * OPS + me->op);
        if (me->is_locked && me->at < ACCESSES) {
            stream[i] = access(t, me->group, me->op, me->at++);
        } else if (me->is_locked) {
            is_taken[me->group] = me->is_locked = false;
            stream[i] = (struct hd_event)UNLOCK(t, lock, site + 8);
        } else {
            do
                me->group = (u32)(hd_rng_below(&rng, groups) * hd_rng_below(&rng, groups) / groups);
            while (is_taken[me->group] && groups > THREADS);
            me->op = (u32)hd_rng_below(&rng, OPS);
            me->at = 0;
            is_taken[me->group] = me->is_locked = true;
            stream[i] = (struct hd_event)LOCK(t, M + 64 * me->group,
                                              0x401000 + 64 * (me->group * OPS + me->op));
        }
        stream[i].step = i + 1;
    }
}

/* Functions are operations. */
static u64 function(void *self, u64 site)
{
    return site < 0x500000 ? site >> 6 : site / (16 * ACCESSES);
}

static double pass(struct hd_coverage *c)
{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    run(c, stream, EVENTS);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / EVENTS;
}

/* The first pass meets everything for the first time; the second is what most
 * runs of a campaign are like. */
static void measure(const char *name, u64 metrics)
{
    struct hd_coverage c;
    hd_coverage_init(&c, &(struct hd_observe_config){.metrics = metrics, .function = function});
    double first = pass(&c), second = pass(&c);
    double again = pass(&c); /* others use this machine, too: the best counts */
    second = HD_MIN(second, again);
    print_message("  %-10s %8.1f %8.1f ns   %7u elements\n", name, first, second,
                  hd_coverage_size(&c));
    assert_true(hd_coverage_size(&c) > 0);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        assert_int_equal(hd_coverage_count(&c, m)->new_in_run, 0);
    hd_coverage_release(&c);
}

static void speed(void **state)
{
    /* A small program and a large one, rarely and often preempted. */
    static const u32 kind[][2] = {{2, 20}, {2, 3}, {6, 20}, {6, 3}, {GROUPS, 20}, {GROUPS, 3}};
    for (u32 i = 0; i < HD_COUNT(kind); i++) {
        u32 switches = 0;
        make(kind[i][0], kind[i][1]);
        for (u32 k = 1; k < EVENTS; k++)
            switches += stream[k].tid != stream[k - 1].tid;
        assert_in_range(switches, EVENTS / kind[i][1] / 2, EVENTS / kind[i][1]);
        print_message("%u threads, %u sites, a switch every %u events: first run, later runs\n",
                      THREADS, kind[i][0] * OPS * (ACCESSES + 2), EVENTS / switches);
        for (u32 m = 0; m < HD_METRIC_COUNT; m++)
            measure(hd_metric_name(m), (u64)1 << m);
        measure("all", 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(speed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
