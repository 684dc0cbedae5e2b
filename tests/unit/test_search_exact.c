/* Exactness of the searches that claim to leave nothing out: dfs runs every
 * interleaving once, dpor meets every final state and every deadlock in hardly
 * more runs than there are classes of equivalent interleavings. What must come
 * out is computed by search_brute.h. */
#include "search_brute.h"
#include "search_programs.h"

static struct machine machine;

static void expect_finals(const struct program *p, const struct set *want, const struct set *got)
{
    for (u32 i = 0; i < want->n; i++)
        if (!set_has(got, want->at[i]))
            fail_msg("%s: %u of %u final states met", p->name, got->n, want->n);
    for (u32 i = 0; i < got->n; i++)
        if (!set_has(want, got->at[i]))
            fail_msg("%s: a final state that cannot be", p->name);
}

static void test_dpor(void **state)
{
    (void)state;
    u64 runs = 0, traces = 0;
    for (u32 i = 0; i < HD_COUNT(programs); i++) {
        const struct program *p = &programs[i];
        struct brute b;
        struct found f;
        brute_all(&b, p);
        search_all(&machine, p, "dpor", ~0ull, 100000, &f);
        print_message("%-28s %4u finals %6lu traces %8.0f schedules: %6lu runs, %lu cut\n", p->name,
                      b.finals.n, (unsigned long)b.traces, b.schedules,
                      (unsigned long)f.result.runs, (unsigned long)f.result.cut);
        expect_finals(p, &b.finals, &f.finals);
        assert_true(f.result.is_over && f.result.is_complete);
        runs += f.result.runs;
        traces += b.traces;
        if (f.result.runs * 5 > b.traces * 6)
            fail_msg("%s: %lu runs for %lu classes", p->name, (unsigned long)f.result.runs,
                     (unsigned long)b.traces);
        brute_release(&b);
        found_release(&f);
    }
    print_message("%lu runs for %lu classes\n", (unsigned long)runs, (unsigned long)traces);
}

static void test_dfs(void **state)
{
    (void)state;
    u32 n = 0;
    for (u32 i = 0; i < HD_COUNT(programs); i++) {
        const struct program *p = &programs[i];
        struct brute b;
        struct found f;
        brute_all(&b, p);
        if (b.schedules < 3000) {
            search_all(&machine, p, "dfs", 0, 100000, &f);
            expect_finals(p, &b.finals, &f.finals);
            if (!f.result.is_complete)
                fail_msg("%s: limits %x", p->name, f.result.limits);
            if ((double)f.result.runs != b.schedules)
                fail_msg("%s: %lu runs, %.0f interleavings", p->name, (unsigned long)f.result.runs,
                         b.schedules);
            found_release(&f);
            n++;
        }
        brute_release(&b);
    }
    assert_true(n >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dpor), cmocka_unit_test(test_dfs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
