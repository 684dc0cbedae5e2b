/* test_sched_bench.c: cost of a scheduling point where the same thread goes on.
 * Printed for people to compare, not asserted: machines differ.
 */
#include <time.h>

#include "sched_rig.h"

static void bench(void **state)
{
    static const u16 sizes[] = {1, 2, 8, 100};
    for (u32 k = 0; k < HD_COUNT(sizes); k++) {
        struct rig r;
        struct timespec a, b;
        const u32 n = 200000;
        u16 t;
        rig_init(&r, &rig_stay, 1);
        for (u16 i = 1; i < sizes[k]; i++)
            rig_spawn(&r, 0);
        r.is_unchecked = true;
        r.s->env.emit = NULL;
        r.s->cfg.spin_limit = 1 << 16; /* no rescue for those that never run */
        struct hd_op w = rig_op(HD_EV_WRITE, 8, 0), l = rig_op(HD_EV_LOCK, 0x1000, 0),
                     u = rig_op(HD_EV_UNLOCK, 0x1000, 0);
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (u32 i = 0; i < n; i++) {
            hd_sched_post(r.s, 0, &w);
            hd_sched_step(r.s, &t);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        double mem = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / n;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (u32 i = 0; i < n / 2; i++) {
            hd_sched_post(r.s, 0, &l);
            hd_sched_step(r.s, &t);
            hd_sched_post(r.s, 0, &u);
            hd_sched_step(r.s, &t);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        double lock = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / n;
        print_message("%3u threads: %.1f ns per write, %.1f ns per lock or unlock\n", sizes[k], mem,
                      lock);
        assert_true(r.s->step >= n);
        rig_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bench)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
