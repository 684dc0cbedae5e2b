/* Runs that tsa follows: what is put into the script is the run up to the call asked for,
 * or a little less of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan/tsa_lead.h"
#include "unit/shm_rig.h"

enum { STEPS = 40, CALLS = 20 };

/* Two threads by turns, three steps each; a waiter was chosen in between. */
static void record(struct rig *m)
{
    struct hd_choice *c = hd_shm_log_choice(m->run);
    u32 n = 0;
    for (u32 left = STEPS; left;) {
        u32 count = HD_MIN(left, 3u);
        c[n] = (struct hd_choice){count, (u16)(n & 1), HD_CHOICE_PICK, 0};
        left -= count;
        n++;
        if (n == 4)
            c[n++] = (struct hd_choice){1, 1, HD_CHOICE_WAKE, 0};
    }
    m->run->log.n = n;
}

/* Calls at every other step; that of site 7 is the 15th. */
static void calls_make(struct hd_tsa_call *call)
{
    for (u32 i = 0; i < CALLS; i++)
        call[i] = (struct hd_tsa_call){i == 14 ? 7 : 1, 2 * i + 1};
}

static u32 steps_of(struct rig *m)
{
    const struct hd_choice *c = hd_shm_script_choice(m->host);
    u32 steps = 0;
    for (u32 i = 0; i < m->host->script_n; i++)
        steps += c[i].kind == HD_CHOICE_PICK ? c[i].count : 0;
    return steps;
}

static void test_follow(void **state)
{
    (void)state;
    struct rig rig = rig_make(), *m = &rig;
    struct hd_tsa_leads l = {0};
    struct hd_tsa_call call[CALLS];
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    record(m);
    calls_make(call);
    assert_false(hd_tsa_leads_follow(&l, &rng, 7, m->host));
    struct hd_snapshot run;
    rig_snapshot(&run, m);
    hd_tsa_leads_add(&l, &run, call, CALLS);
    hd_snapshot_release(&run);
    assert_false(hd_tsa_leads_follow(&l, &rng, 8, m->host));
    assert_false(m->host->cfg.mode & HD_MODE_REPLAY);
    u32 most = 0;
    for (u32 i = 0; i < 200; i++) {
        assert_true(hd_tsa_leads_follow(&l, &rng, 7, m->host));
        u32 steps = steps_of(m);
        assert_true(steps <= call[14].step && steps >= call[7].step);
        most = HD_MAX(most, steps);
        const struct hd_choice *c = hd_shm_script_choice(m->host), *was = hd_shm_log_choice(m->run);
        for (u32 k = 0; k < m->host->script_n; k++)
            assert_true(c[k].tid == was[k].tid && c[k].kind == was[k].kind &&
                        c[k].count <= was[k].count);
    }
    assert_int_equal(most, call[14].step); /* missed by chance in one of (8/7)^200 */
    assert_true(m->host->cfg.mode & HD_MODE_REPLAY);
    hd_tsa_leads_release(&l);
    rig_drop(m);
}

/* The first calls of a run leave nothing to go back to. */
static void test_first_call(void **state)
{
    (void)state;
    struct rig rig = rig_make(), *m = &rig;
    struct hd_tsa_leads l = {0};
    struct hd_tsa_call call = {7, 1};
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    record(m);
    struct hd_snapshot run;
    rig_snapshot(&run, m);
    hd_tsa_leads_add(&l, &run, &call, 1);
    hd_snapshot_release(&run);
    for (u32 i = 0; i < 50; i++) {
        assert_true(hd_tsa_leads_follow(&l, &rng, 7, m->host));
        assert_int_equal(steps_of(m), 1);
    }
    hd_tsa_leads_release(&l);
    rig_drop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_follow),
                                       cmocka_unit_test(test_first_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
