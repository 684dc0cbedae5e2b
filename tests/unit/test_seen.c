/* Unit tests of src/cover/seen.c: runs that went exactly as one before are told from all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cover/cover.h"

enum { N = 40 };

static struct hd_event *ring;
static struct hd_cover_seen seen;

static int setup(void **state)
{
    ring = calloc(HD_SHM_RING, sizeof *ring);
    for (u32 i = 0; i < N; i++)
        ring[i] = (struct hd_event){.kind = HD_EV_READ,
                                    .tid = (u16)(i % 3),
                                    .obj = 0x1000 + 8 * (i % 5),
                                    .site = 0x400 + i};
    return 0;
}

static int teardown(void **state)
{
    hd_cover_seen_release(&seen);
    memset(&seen, 0, sizeof seen);
    free(ring);
    return 0;
}

static bool is_same(struct hd_cover_hash a, struct hd_cover_hash b)
{
    return a.a == b.a && a.b == b.b;
}

/* Each field of every event counts, and their order, and how many there are. */
static void all_of_the_events_count(void **state)
{
    struct hd_cover_hash h = hd_cover_hash(ring, 0, N);
    assert_true(is_same(h, hd_cover_hash(ring, 0, N)));
    assert_false(is_same(h, hd_cover_hash(ring, 0, N - 1)));
    for (u32 i = 0; i < N; i++) {
        const struct hd_event was = ring[i], one[] = {{.step = 1},
                                                      {.obj = 8},
                                                      {.obj = (u64)1 << 47},
                                                      {.site = 1},
                                                      {.site = (u64)1 << 47},
                                                      {.tid = 4},
                                                      {.ctx = 1},
                                                      {.size = 1},
                                                      {.kind = HD_EV_READ ^ HD_EV_WRITE}};
        for (u32 k = 0; k < HD_COUNT(one); k++) {
            for (size_t at = 0; at < sizeof was; at++)
                ((u8 *)&ring[i])[at] ^= ((const u8 *)&one[k])[at];
            struct hd_cover_hash other = hd_cover_hash(ring, 0, N);
            ring[i] = was;
            assert_false(is_same(h, other));
        }
    }
    struct hd_event first = ring[3];
    ring[3] = ring[4];
    ring[4] = first;
    assert_false(is_same(h, hd_cover_hash(ring, 0, N)));
}

/* What a run like it met is there again, unless what is observed has changed since. */
static void what_it_met(void **state)
{
    u32 met[] = {7, 9, 11};
    struct hd_cover_hash h = hd_cover_hash(ring, 0, N), other = hd_cover_hash(ring, 0, N - 1);
    assert_null(hd_cover_seen_find(&seen, h, 1));
    hd_cover_seen_add(&seen, other, 1, met, 1);
    hd_cover_seen_add(&seen, h, 1, met + 1, 2);
    const struct hd_cover_was *was = hd_cover_seen_find(&seen, h, 1);
    assert_non_null(was);
    assert_int_equal(was->n, 2);
    assert_memory_equal(&seen.met.at[was->from], met + 1, sizeof *met * 2);
    assert_null(hd_cover_seen_find(&seen, h, 2));
    hd_cover_seen_add(&seen, h, 2, met, 3);
    assert_null(hd_cover_seen_find(&seen, h, 1));
    assert_int_equal(hd_cover_seen_find(&seen, h, 2)->n, 3);
    assert_int_equal(hd_cover_seen_find(&seen, other, 1)->n, 1);
    h.b++; /* half of the hash alone is not enough */
    assert_null(hd_cover_seen_find(&seen, h, 2));
    hd_cover_seen_clear(&seen);
    assert_null(hd_cover_seen_find(&seen, other, 1));
}

/* 16384 runs are remembered, the first ones; later ones are looked at. */
static void bounded(void **state)
{
    enum { MOST = 16384 };
    u32 met = 1;
    for (u64 i = 1; i <= MOST + 10; i++)
        hd_cover_seen_add(&seen, (struct hd_cover_hash){i, ~i}, 1, &met, 1);
    assert_non_null(hd_cover_seen_find(&seen, (struct hd_cover_hash){MOST, ~(u64)MOST}, 1));
    assert_null(hd_cover_seen_find(&seen, (struct hd_cover_hash){MOST + 1, ~(u64)(MOST + 1)}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_the_events_count, setup, teardown),
        cmocka_unit_test_setup_teardown(what_it_met, setup, teardown),
        cmocka_unit_test_setup_teardown(bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
