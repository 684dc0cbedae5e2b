/* Known features and their numbers, beside a map: the same, whatever comes and however many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"
#include "base/rng.h"
#include "plan/corpus/corpus_keys.h"

enum { MANY = 200000 };

static void are_found_as_in_a_map(void **state)
{
    struct hd_corpus_keys k = {0};
    struct hd_map map = {0};
    struct hd_rng rng = {3};
    u32 number;
    (void)state;
    assert_false(hd_corpus_keys_get(&k, 1, &number));
    for (u32 i = 0; i < MANY; i++) {
        u64 key = hd_rng_next(&rng);
        assert_false(hd_corpus_keys_get(&k, key, &number));
        hd_corpus_keys_add(&k, key, i % 3 ? 0 : i);
        hd_map_put(&map, key, i % 3 ? 0 : i);
    }
    assert_int_equal(k.n, MANY);
    assert_true(k.cap * sizeof *k.slot <= 16 * MANY); /* twice 8 bytes at most */
    u64 key, value;
    for (size_t i = 0; hd_map_next(&map, &i, &key, &value);) {
        assert_true(hd_corpus_keys_get(&k, key, &number));
        assert_int_equal(number, value);
    }
    hd_map_release(&map);
    hd_corpus_keys_release(&k);
    assert_false(hd_corpus_keys_get(&k, key, &number));
}

/* Keys at the end of the table go on at its beginning; every number there is may be given. */
static void numbers_change_and_keys_stay(void **state)
{
    struct hd_corpus_keys k = {0};
    u32 number, n = 0;
    (void)state;
    for (u32 i = 0; i < 500; i++)
        hd_corpus_keys_add(&k, ~0ull - ((u64)i << 18), i);
    for (size_t i = 0; hd_corpus_keys_next(&k, &i, &number); n++)
        hd_corpus_keys_set(&k, i, number % 2 ? 0 : HD_CORPUS_KEYS_NUMBERS - 1 - number);
    assert_int_equal(n, 500);
    for (u32 i = 0; i < 500; i++) {
        assert_true(hd_corpus_keys_get(&k, ~0ull - ((u64)i << 18), &number));
        assert_int_equal(number, i % 2 ? 0 : HD_CORPUS_KEYS_NUMBERS - 1 - i);
    }
    assert_false(hd_corpus_keys_get(&k, ~0ull - ((u64)500 << 18), &number));
    hd_corpus_keys_release(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_found_as_in_a_map),
        cmocka_unit_test(numbers_change_and_keys_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
