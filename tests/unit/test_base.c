/* test_base.c: the small things everything stands on: byte loops, bit sets,
 * the generator, vec and map. */
#include "base/bits.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- bytes -------------------------------------------------------------------- */

static void bytes(void **state)
{
    char a[16] = "0123456789abcde", b[16];
    assert_ptr_equal(hd_memcpy(b, a, 16), b);
    assert_memory_equal(a, b, 16);
    hd_memmove(a + 2, a, 10); /* overlapping, forwards */
    assert_memory_equal(a, "010123456789cde", 16);
    hd_memmove(b, b + 2, 10); /* and backwards */
    assert_memory_equal(b, "23456789ababcde", 16);
    hd_memset(a, 'x', 3);
    assert_memory_equal(a, "xxx123456789cde", 16);
    assert_int_equal(hd_memcmp("ab\0c", "ab\0c", 4), 0);
    assert_true(hd_memcmp("ab\0c", "ab\0d", 4) < 0);
    assert_true(hd_memcmp("\xff", "a", 1) > 0);
    assert_int_equal(hd_strlen(""), 0);
    assert_int_equal(hd_strlen("heddle"), 6);
    assert_int_equal(hd_strcmp("a", "a"), 0);
    assert_true(hd_strcmp("a", "ab") < 0);
    assert_true(hd_strcmp("b", "ab") > 0);
    assert_true(hd_strcmp("\xff", "a") > 0);
}

/* Against counting one by one. */
static void ones(void **state)
{
    u64 x = 0x9e3779b97f4a7c15ull;
    for (u32 i = 0; i < 20000; i++) {
        u64 y = i < 64 ? (u64)1 << i : i < 128 ? ~(u64)0 >> (i - 64) : i < 129 ? 0 : x & x >> (i % 7);
        u32 n = 0;
        for (u32 b = 0; b < 64; b++)
            n += y >> b & 1;
        assert_int_equal(hd_ones(y), n);
        x = x * 6364136223846793005ull + 1442695040888963407ull;
    }
}

/* ---- bits -------------------------------------------------------------------- */

static void bits(void **state)
{
    static const u32 in[] = {0, 1, 63, 64, 127, 190};
    u64 w[3] = {0};
    u32 n = 0;
    HD_BITS_EACH(i, w, 3)
        fail_msg("bit %u of an empty set", i);
    for (u32 i = 0; i < HD_COUNT(in); i++)
        hd_bit_set(w, in[i]);
    assert_int_equal(hd_bits_count(w, 3), HD_COUNT(in));
    HD_BITS_EACH(i, w, 3) {
        assert_int_equal(i, in[n]);
        assert_int_equal(hd_bits_nth(w, 3, n), i);
        n++;
    }
    assert_int_equal(n, HD_COUNT(in));
    assert_int_equal(hd_bits_nth(w, 3, n), ~0u);
    hd_bit_clear(w, 64);
    assert_false(hd_bit_is_set(w, 64));
    assert_true(hd_bit_is_set(w, 63));
    assert_int_equal(hd_bits_nth(w, 3, 3), 127);
    assert_int_equal(hd_bits_nth(w, 1, 3), ~0u); /* `words` is respected */
}

/* ---- rng ----------------------------------------------------------------------- */

/* The published splitmix64 sequence for seed 1234567: replay files depend on it. */
static void rng_is_splitmix(void **state)
{
    static const u64 want[] = {6457827717110365317ull, 3203168211198807973ull,
                               9817491932198370423ull, 4593380528125082431ull,
                               16408922859458223821ull};
    struct hd_rng r = {1234567};
    for (u32 i = 0; i < HD_COUNT(want); i++)
        assert_true(hd_rng_next(&r) == want[i]);
}

static void rng_streams_differ(void **state)
{
    u64 seen[4 * 4 * 4];
    u32 n = 0;
    for (u64 seed = 0; seed < 4; seed++)
        for (u64 run = 0; run < 4; run++)
            for (u64 stream = 0; stream < 4; stream++) {
                struct hd_rng r = hd_rng_make(seed, run, stream);
                seen[n] = hd_rng_next(&r);
                for (u32 i = 0; i < n; i++)
                    assert_true(seen[i] != seen[n]);
                n++;
            }
}

static void rng_bounds(void **state)
{
    struct hd_rng r = hd_rng_make(1, 2, 3);
    u32 met = 0;
    for (u32 i = 0; i < 1000; i++) {
        u64 x = hd_rng_below(&r, 7);
        assert_true(x < 7);
        met |= 1u << x;
        assert_int_equal(hd_rng_below(&r, 1), 0);
        assert_false(hd_rng_chance(&r, 0, 10));
        assert_true(hd_rng_chance(&r, 10, 10));
    }
    assert_int_equal(met, 0x7f); /* misses one with 7 * (6/7)^1000 < 1e-65 */
}

/* ---- vec ------------------------------------------------------------------------ */

static void vec(void **state)
{
    HD_VEC(u32) v = {0};
    for (u32 i = 0; i < 1000; i++)
        *hd_vec_add(&v) = i * 3;
    assert_int_equal(v.n, 1000);
    assert_true(v.cap >= 1000);
    for (u32 i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * 3);
    assert_int_equal(*hd_vec_last(&v), 2997);
    hd_vec_del_fast(&v, 0);
    assert_int_equal(v.n, 999);
    assert_int_equal(v.at[0], 2997);
    assert_int_equal(v.at[1], 3);
    hd_vec_del_fast(&v, 998); /* the last itself */
    assert_int_equal(*hd_vec_last(&v), 997 * 3);
    size_t cap = v.cap;
    hd_vec_clear(&v);
    assert_int_equal(v.n, 0);
    assert_int_equal(v.cap, cap);
    hd_vec_reserve(&v, cap + 1);
    assert_true(v.cap > cap);
    hd_vec_release(&v);
    assert_null(v.at);
    assert_int_equal(v.cap, 0);
    hd_vec_release(&v); /* twice is fine */
}

/* Elements of any type, and the argument is evaluated once. */
static void vec_of_structs(void **state)
{
    struct pair {
        const char *name;
        double x;
    };
    HD_VEC(struct pair) v[2] = {0};
    u32 i = 0;
    *hd_vec_add(&v[i++]) = (struct pair){"a", 1.5};
    assert_int_equal(i, 1);
    assert_int_equal(v[0].n, 1);
    assert_int_equal(v[1].n, 0);
    assert_string_equal(hd_vec_last(&v[0])->name, "a");
    hd_vec_release(&v[0]);
}

/* ---- map ------------------------------------------------------------------------ */

static void map_basics(void **state)
{
    struct hd_map m;
    hd_map_init(&m);
    assert_null(hd_map_get(&m, 1));
    assert_false(hd_map_del(&m, 1));
    assert_true(hd_map_is_valid(&m));
    assert_true(hd_map_put(&m, 0, 10));
    assert_true(hd_map_put(&m, ~(u64)0, 20));
    assert_false(hd_map_put(&m, 0, 11));
    assert_int_equal(m.n, 2);
    assert_int_equal(*hd_map_get(&m, 0), 11);
    assert_int_equal(hd_map_get_or(&m, ~(u64)0, 5), 20);
    assert_int_equal(hd_map_get_or(&m, 7, 5), 5);
    assert_int_equal(++*hd_map_ref(&m, 7, 100), 101);
    assert_int_equal(++*hd_map_ref(&m, 7, 100), 102);
    assert_true(hd_map_has(&m, 7));
    assert_true(hd_map_del(&m, 0));
    assert_false(hd_map_has(&m, 0));
    hd_map_clear(&m);
    assert_int_equal(m.n, 0);
    assert_null(hd_map_get(&m, 7));
    hd_map_release(&m);
    hd_map_release(&m);
}

/* Random puts and dels against a plain table; keys close together, like sites
 * and objects, so that stretches of used slots form, wrap around and break. */
static void map_against_table(void **state)
{
    enum { KEYS = 700 };
    static u64 value[KEYS];
    static bool has[KEYS];
    struct hd_map m = {0};
    struct hd_rng r = hd_rng_make(3, 1, 4);
    size_t n = 0;
    for (u32 step = 0; step < 200000; step++) {
        u64 k = hd_rng_below(&r, KEYS), key = 0x7f0000401000 + 16 * k;
        /* grows for a while, then shrinks, again and again */
        if (hd_rng_chance(&r, step / 5000 % 2 ? 2 : 6, 8)) {
            assert_int_equal(hd_map_put(&m, key, step), !has[k]);
            n += !has[k];
            has[k] = true;
            value[k] = step;
        } else {
            assert_int_equal(hd_map_del(&m, key), has[k]);
            n -= has[k];
            has[k] = false;
        }
        assert_int_equal(m.n, n);
        if (step % 1000 == 0)
            assert_true(hd_map_is_valid(&m));
    }
    for (u64 k = 0; k < KEYS; k++) {
        const u64 *got = hd_map_get(&m, 0x7f0000401000 + 16 * k);
        assert_int_equal(got != NULL, has[k]);
        if (got)
            assert_int_equal(*got, value[k]);
    }
    hd_map_release(&m);
}

static void map_iterates(void **state)
{
    struct hd_map m = {0};
    u64 key, value, sum = 0;
    size_t n = 0;
    for (size_t i = 0; hd_map_next(&m, &i, &key, NULL);)
        fail();
    for (u64 k = 0; k < 5000; k++)
        hd_map_put(&m, k * k, k);
    assert_true(hd_map_is_valid(&m));
    for (size_t i = 0; hd_map_next(&m, &i, &key, &value); n++) {
        assert_int_equal(key, value * value);
        sum += value;
    }
    assert_int_equal(n, 5000);
    assert_int_equal(sum, 5000 * 4999 / 2);
    hd_map_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),
        cmocka_unit_test(bits),
        cmocka_unit_test(ones),
        cmocka_unit_test(rng_is_splitmix),
        cmocka_unit_test(rng_streams_differ),
        cmocka_unit_test(rng_bounds),
        cmocka_unit_test(vec),
        cmocka_unit_test(vec_of_structs),
        cmocka_unit_test(map_basics),
        cmocka_unit_test(map_against_table),
        cmocka_unit_test(map_iterates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
