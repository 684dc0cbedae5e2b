/* Which functions a campaign of a suite looks at (steps 1 and 3 of the paper on concurrent function
 * pairs), and which inputs are chosen for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite/scope.h"

enum { MAIN = 0x1000, ADD = 0x2000, SUB = 0x3000, GET = 0x4000, SIZE = 0x100 };
#define CODE(of) {.start = (of), .size = SIZE, .accesses = 9, .calls = 1}

static struct hd_fingerprints functions_of(struct hd_fingerprint *list, u32 n)
{
    struct hd_fingerprints f = {0};
    for (u32 i = 0; i < n; i++)
        *hd_vec_add(&f.v) = list[i];
    return f;
}

static bool is_out(const struct hd_scope *s, u64 start)
{
    for (size_t i = 0; i < s->out.n; i++)
        if (s->out.at[i].start == start) {
            assert_int_equal(s->out.at[i].end, start + SIZE);
            return true;
        }
    return false;
}

static void pair(struct hd_suite_input *in, u64 a, u64 b, bool is_new, bool is_again)
{
    struct hd_suite_pair p = {(u64)7 << 40 | a, (u64)7 << 40 | b}; /* module 7 */
    *hd_vec_add(&in->profile.pair) = p;
    if (is_new)
        *hd_vec_add(&in->news) = p;
    if (is_again)
        *hd_vec_add(&in->again) = p;
}

/* Functions all of whose pairs were shown before are left out; those of a new pair, of one with new paths,
 * and those in no pair at all stay. */
static void test_chosen(void **state)
{
    (void)state;
    struct hd_fingerprint list[] = {CODE(MAIN), CODE(ADD), CODE(SUB), CODE(GET)};
    struct hd_fingerprints f = functions_of(list, HD_COUNT(list));
    for (u32 way = 0; way < 3; way++) {
        struct hd_suite_input in = {0};
        struct hd_scope s = {0};
        pair(&in, ADD, SUB, false, way == 2);
        pair(&in, ADD, GET, way == 1, false);
        u32 n = hd_suite_scope_chosen(&s, &f, &in);
        assert_int_equal(n, s.out.n);
        assert_false(is_out(&s, MAIN));
        assert_int_equal(is_out(&s, ADD), way == 0);
        assert_int_equal(is_out(&s, SUB), way != 2);
        assert_int_equal(is_out(&s, GET), way != 1);
        hd_suite_scope_release(&s);
        hd_vec_release(&in.profile.pair);
        hd_vec_release(&in.news);
        hd_vec_release(&in.again);
    }
    hd_vec_release(&f.v);
}

/* The cheap run leaves out what touches nothing that could be shared, and tiny functions that are
 * called by name: these are part of their callers. */
static void test_cheap(void **state)
{
    (void)state;
    struct hd_fingerprint list[] = {
        {.start = MAIN, .size = SIZE, .accesses = 5, .is_called = true},
        {.start = ADD, .size = SIZE, .accesses = 4, .is_called = true},
        {.start = SUB, .size = SIZE, .accesses = 4}, /* a thread's first function, by its address */
        {.start = GET, .size = SIZE, .calls = 3, .has_loop = true}};
    struct hd_fingerprints f = functions_of(list, HD_COUNT(list));
    struct hd_scope s = {0};
    hd_suite_scope_cheap(&s, &f);
    assert_false(is_out(&s, MAIN));
    assert_true(is_out(&s, ADD));
    assert_false(is_out(&s, SUB));
    assert_true(is_out(&s, GET));
    hd_suite_scope_release(&s);
    f.v.at[1].has_loop = true;
    hd_suite_scope_cheap(&s, &f);
    assert_false(is_out(&s, ADD));
    hd_suite_scope_release(&s);
    f.v.at[1].has_loop = false;
    f.v.at[1].calls = 1;
    s = (struct hd_scope){0};
    hd_suite_scope_cheap(&s, &f);
    assert_false(is_out(&s, ADD));
    hd_suite_scope_release(&s);
    hd_vec_release(&f.v);
}

/* `pairs`: a bit for each pair that the input shows; `events`: of its cheap run. */
static void input(struct hd_suite *s, u32 pairs, u32 accesses, u64 events)
{
    struct hd_suite_input *in = hd_vec_add(&s->input);
    *in = (struct hd_suite_input){.profile = {.state = HD_SUITE_READY, .events = events}};
    for (u32 i = 0; i < 32; i++)
        if (pairs >> i & 1)
            *hd_vec_add(&in->profile.pair) = (struct hd_suite_pair){ADD, SUB + i};
    for (u32 i = 0; i < accesses; i++)
        *hd_vec_add(&in->profile.site) = (struct hd_suite_site){i + 1, ADD};
}

/* Bits of the inputs that are chosen; the suite is empty again. */
static u32 chosen(struct hd_suite *s)
{
    u32 set = 0;
    hd_suite_choose(s, false);
    for (u32 i = 0; i < s->input.n; i++) {
        struct hd_suite_input *in = &s->input.at[i];
        set |= (u32)in->is_chosen << i;
        hd_vec_release(&in->profile.pair);
        hd_vec_release(&in->profile.site);
        hd_vec_release(&in->news);
        hd_vec_release(&in->again);
    }
    s->input.n = 0;
    return set;
}

/* Whoever shows most first, then whoever shows most of the rest; of equals the shorter one. */
static void test_greedy(void **state)
{
    (void)state;
    struct hd_suite s = {0};
    input(&s, 0x03, 0, 1);
    input(&s, 0x0f, 0, 9);
    input(&s, 0x31, 0, 9); /* two new ones, as the next */
    input(&s, 0x30, 0, 5);
    input(&s, 0x18, 0, 1);
    assert_int_equal(chosen(&s), 0x0a);
    input(&s, 0, 0, 1); /* nothing is known of it */
    input(&s, 1, 0, 1);
    input(&s, 1, 0, 1);
    s.input.at[1].profile.state = HD_SUITE_SINGLE; /* nothing to be tested */
    assert_int_equal(chosen(&s), 0x05);
    hd_vec_release(&s.input);
}

/* The same functions by another path: chosen if at least one in a hundred of its accesses is new. */
static void test_paths(void **state)
{
    (void)state;
    struct hd_suite s = {0};
    input(&s, 1, 300, 1);
    input(&s, 1, 200, 1);
    s.input.at[1].profile.site.at[0].id = s.input.at[1].profile.site.at[1].id = 1001;
    assert_int_equal(chosen(&s), 0x3);
    input(&s, 1, 300, 1);
    input(&s, 1, 201, 1);
    s.input.at[1].profile.site.at[0].id = 1001;
    assert_int_equal(chosen(&s), 0x1);
    hd_vec_release(&s.input);
}

/* One that fails in its cheap run is tested, and covers nothing of what others show. */
static void test_failing(void **state)
{
    (void)state;
    struct hd_suite s = {0};
    input(&s, 0x0f, 0, 9);
    input(&s, 0x03, 0, 1);
    input(&s, 0x01, 0, 1);
    s.input.at[0].profile.fails = true;
    assert_int_equal(chosen(&s), 0x3);
    hd_vec_release(&s.input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chosen), cmocka_unit_test(test_cheap),
                                       cmocka_unit_test(test_greedy), cmocka_unit_test(test_paths),
                                       cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
