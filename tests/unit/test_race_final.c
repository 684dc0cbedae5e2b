/* test_race_final.c: what two runs left in memory: which differences count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/race/judge/race_final.h"

#define BLOCK(number, offset) (HD_FINAL_HEAP | (u64)(number) << 32 | (offset))

static struct hd_final_word left[2][8];

static struct hd_race_final run_of(u32 which, u32 n, u64 heap)
{
    return (struct hd_race_final){.is_there = true, .is = {.is_taken = 1, .n = n, .heap = heap},
                                  .at = left[which]};
}

static void set(u32 which, u32 i, u64 where, u64 value, u32 kind)
{
    left[which][i] = (struct hd_final_word){.where = where, .value = value, .kind = kind};
}

static bool differ(const struct hd_race_final *a, const struct hd_race_final *b,
                   const struct hd_race_final_mask *m, struct hd_race_final_change *c)
{
    struct hd_symbols *s = hd_symbols_open(NULL, 0);
    bool is = hd_race_final_differ(a, b, m, s, 0x1010, c);
    hd_symbols_close(s);
    return is;
}

static void numbers_count(void **state)
{
    struct hd_race_final_mask none = {0};
    struct hd_race_final_change c;
    set(0, 0, 0x1000, 3, HD_FINAL_NUMBER);
    set(1, 0, 0x1000, 4, HD_FINAL_NUMBER);
    struct hd_race_final a = run_of(0, 1, 0), b = run_of(1, 1, 0), empty = run_of(1, 0, 0);
    assert_true(differ(&a, &b, &none, &c));
    assert_int_equal(c.where, 0x1000);
    assert_int_equal(c.byte, 0x1000);
    assert_int_equal(c.word[0].value, 3);
    assert_int_equal(c.word[1].value, 4);
    assert_false(differ(&a, &a, &none, &c));
    /* what is not listed is 0 */
    assert_true(differ(&a, &empty, &none, &c));
    assert_int_equal(c.word[1].value, 0);
    /* the variable that was asked for comes first */
    set(0, 1, 0x1010, 1, HD_FINAL_NUMBER);
    a = run_of(0, 2, 0);
    assert_true(differ(&a, &b, &none, &c));
    assert_int_equal(c.where, 0x1010);
}

static void addresses_do_not(void **state)
{
    struct hd_race_final_mask none = {0};
    struct hd_race_final_change c;
    set(0, 0, 0x1000, 1, HD_FINAL_ADDRESS);
    set(0, 1, 0x1008, 1, HD_FINAL_BLOCK);
    set(1, 0, 0x1008, 2, HD_FINAL_BLOCK);
    struct hd_race_final a = run_of(0, 2, 9), b = run_of(1, 1, 9), empty = run_of(1, 0, 9);
    assert_false(differ(&a, &b, &none, &c));
    /* but a pointer that is null is another value */
    assert_true(differ(&a, &empty, &none, &c));
    assert_int_equal(c.where, 0x1008);
}

static void the_heap_counts_as_a_whole(void **state)
{
    struct hd_race_final_mask none = {0}, heap = {.is_heap = true};
    struct hd_race_final_change c;
    set(0, 0, BLOCK(1, 8), 3, HD_FINAL_NUMBER);
    set(1, 0, BLOCK(1, 8), 4, HD_FINAL_NUMBER);
    struct hd_race_final a = run_of(0, 1, 5), b = run_of(1, 1, 5);
    assert_false(differ(&a, &b, &none, &c)); /* the same blocks, reached in another order */
    b.is.heap = 6;
    assert_true(differ(&a, &b, &none, &c));
    assert_int_equal(c.where, BLOCK(1, 8));
    assert_false(differ(&a, &b, &heap, &c));
    b.is.is_cut = 1; /* not all of it was looked at */
    assert_false(differ(&a, &b, &none, &c));
}

static void the_same_schedule_tells_noise(void **state)
{
    struct hd_race_final_mask m = {0};
    struct hd_race_final_change c;
    set(0, 0, 0x1000, 3, HD_FINAL_NUMBER);
    set(1, 0, 0x1000, 4, HD_FINAL_NUMBER);
    struct hd_race_final a = run_of(0, 1, 1), b = run_of(1, 1, 2);
    hd_race_final_mask(&m, &a, &b);
    assert_false(differ(&a, &b, &m, &c));
    hd_race_final_mask_release(&m);
    /* a run that did not end of its own is not compared */
    struct hd_race_final_mask none = {0};
    b.is_there = false;
    assert_false(differ(&a, &b, &none, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_count), cmocka_unit_test(addresses_do_not),
        cmocka_unit_test(the_heap_counts_as_a_whole), cmocka_unit_test(the_same_schedule_tells_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
