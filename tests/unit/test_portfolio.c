/* The portfolio: everybody gets a turn, who brings news gets more, nobody less than the floor; what
 * costs more gets fewer runs; who comes late does not catch up; what was remembered counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "plan/portfolio.h"

enum { ALL = (1 << HD_ARMS) - 1, A = HD_ARM_surw, B = HD_ARM_pos, C = HD_ARM_random };

/* One run of whoever is next; `news` of `lucky`, nothing of the others. */
static u32 run(struct hd_portfolio *p, u32 available, u32 lucky, u64 cost)
{
    u32 arm = hd_portfolio_choose(p, available);
    u64 charged = hd_portfolio_charge(p, arm);
    hd_portfolio_paid(p, arm, cost, charged, arm == lucky);
    return arm;
}

static void floors_leave_room(void **state)
{
    struct hd_portfolio p;
    double sum = 0;
    (void)state;
    hd_portfolio_init(&p);
    for (u32 i = 0; i < HD_ARMS; i++)
        sum += hd_portfolio_weight(&p, i, ALL);
    assert_true(sum > 0.999 && sum < 1.001);
    for (u32 i = 0; i < HD_ARMS; i++)
        assert_int_not_equal(strlen(hd_arm_name(i)), 0);
}

static void everybody_gets_a_turn(void **state)
{
    struct hd_portfolio p;
    u32 had = 0;
    (void)state;
    hd_portfolio_init(&p);
    for (u32 i = 0; i < 6 * HD_ARMS; i++)
        had |= 1u << run(&p, ALL, HD_ARMS, 1);
    assert_int_equal(had, ALL);
}

static void news_bring_runs(void **state)
{
    struct hd_portfolio p;
    u32 n[HD_ARMS] = {0};
    (void)state;
    hd_portfolio_init(&p);
    for (u32 i = 0; i < 1000; i++)
        n[run(&p, 1 << A | 1 << B | 1 << C, B, 1)]++;
    assert_true(n[B] > 2 * n[A] && n[B] > 2 * n[C]);
    assert_true(n[A] >= 25 && n[C] >= 25); /* the floor */
    u32 was = n[C];
    for (u32 i = 0; i < 1000; i++)
        n[run(&p, 1 << A | 1 << B | 1 << C, C, 1)]++;
    assert_true(n[C] - was > 500); /* what was long ago does not count */
}

static void costs_count(void **state)
{
    struct hd_portfolio p;
    u32 n[2] = {0};
    (void)state;
    hd_portfolio_init(&p);
    for (u32 i = 0; i < 600; i++) {
        u32 arm = hd_portfolio_choose(&p, 1 << A | 1 << B);
        u64 charged = hd_portfolio_charge(&p, arm);
        hd_portfolio_paid(&p, arm, arm == A ? 10 : 1, charged, 1);
        n[arm == B]++;
    }
    assert_true(n[1] > 5 * n[0] && n[0] > 0);
}

static void the_late_do_not_catch_up(void **state)
{
    struct hd_portfolio p;
    u32 n = 0;
    (void)state;
    hd_portfolio_init(&p);
    for (u32 i = 0; i < 300; i++)
        run(&p, 1 << A | 1 << B, HD_ARMS, 1);
    for (u32 i = 0; i < 30; i++)
        n += run(&p, 1 << A | 1 << B | 1 << C, HD_ARMS, 1) == C;
    assert_true(n >= 3 && n <= 20);
}

static void memory_counts(void **state)
{
    struct hd_portfolio p;
    (void)state;
    hd_portfolio_init(&p);
    hd_portfolio_remember(&p, A, 100, 100, 0);
    hd_portfolio_remember(&p, C, 100, 100, 90);
    assert_int_equal(run(&p, 1 << A | 1 << B | 1 << C, HD_ARMS, 1) != A, 1);
    assert_true(hd_portfolio_weight(&p, C, 1 << A | 1 << C) > 0.6);
}

/* Chance leads nowhere particular in a long run, but for rare sites. */
static void rare_sites_lead_in_long_runs(void **state)
{
    struct hd_portfolio p;
    (void)state;
    hd_portfolio_init(&p);
    u32 open = ALL & ~(1u << HD_ARM_corpus);
    assert_int_not_equal(hd_portfolio_choose(&p, open), HD_ARM_rare);
    p.is_long = true;
    assert_int_equal(hd_portfolio_choose(&p, open), HD_ARM_rare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_leave_room),
        cmocka_unit_test(everybody_gets_a_turn),
        cmocka_unit_test(news_bring_runs),
        cmocka_unit_test(costs_count),
        cmocka_unit_test(the_late_do_not_catch_up),
        cmocka_unit_test(memory_counts),
        cmocka_unit_test(rare_sites_lead_in_long_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
