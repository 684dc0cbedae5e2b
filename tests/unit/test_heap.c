/* test_heap.c: the allocator core against a model that knows every live block.
 *
 * The core belongs to the runtime, which is built for the target only; it needs
 * nothing of it, so its files are included here instead of linked.
 */
#include "runtime/heap/heap_core.c"
#include "runtime/heap/heap_guard.h"
#include "runtime/heap/heap_run.c"
#include "runtime/heap/heap_stack.c"
#include "runtime/heap/heap_valid.c"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#define REGION (8ull << 30)
#define SLOTS 3000

static struct hd_heap heap_a, heap_b;
static const struct hd_heap_who me = {3, 17};

struct block {
    u64 at, size, align;
    u8 fill;
};

static void release(struct hd_heap *h)
{
    munmap((void *)h->base, h->bytes);
    munmap((void *)h->aux, h->aux_bytes);
    *h = (struct hd_heap){0};
}

static void check_valid(const struct hd_heap *h)
{
    const char *why = "";
    if (!hd_heap_is_valid(h, &why))
        fail_msg("%s", why);
}

static u64 take(struct hd_heap *h, u64 size, u64 align)
{
    bool is_zero;
    u64 at = hd_heap_take(h, size, align, me, &is_zero);
    if (at && is_zero)
        for (u64 i = 0; i < size; i += size > 65536 ? 4096 : 1)
            assert_int_equal(((u8 *)at)[i], 0);
    return at;
}

static void give(struct hd_heap *h, u64 at, enum hd_heap_how how)
{
    struct hd_heap_ref ref = {0};
    hd_heap_lookup(h, at, &ref);
    assert_non_null(ref.meta);
    assert_int_equal(ref.start, at);
    assert_int_equal(ref.meta->state, HD_BLOCK_LIVE);
    hd_heap_give_fast(h, &ref, how, me);
}

/* Mostly small, sometimes large: as programs do. */
static u64 some_size(struct hd_rng *r)
{
    switch (hd_rng_below(r, 16)) {
    case 0: return hd_rng_below(r, 600 << 10);
    case 1: return hd_rng_below(r, 40 << 10);
    case 2:
    case 3: return hd_rng_below(r, 3000);
    default: return hd_rng_below(r, 200);
    }
}

static void fill(struct block *b)
{
    /* both ends: what a neighbour that overlaps would hit first */
    u64 n = HD_MIN(b->size, 256);
    memset((void *)b->at, b->fill, n);
    memset((void *)(b->at + b->size - n), b->fill, n);
}

static void check_fill(const struct block *b)
{
    u64 n = HD_MIN(b->size, 256);
    for (u64 i = 0; i < n; i++) {
        assert_int_equal(((u8 *)b->at)[i], b->fill);
        assert_int_equal(((u8 *)b->at)[b->size - 1 - i], b->fill);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void check_overlap(const struct block *model)
{
    static struct block sorted[SLOTS];
    u32 n = 0;
    for (u32 i = 0; i < SLOTS; i++)
        if (model[i].at)
            sorted[n++] = model[i];
    qsort(sorted, n, sizeof *sorted, by_address);
    for (u32 i = 1; i < n; i++)
        assert_true(sorted[i - 1].at + sorted[i - 1].size < sorted[i].at);
}

static void one_step(struct hd_heap *h, struct hd_rng *r, struct block *b, enum hd_heap_how how)
{
    if (!b->at) {
        b->size = some_size(r);
        b->align = hd_rng_chance(r, 1, 20) ? (u64)16 << hd_rng_below(r, 14) : 16;
        b->fill = (u8)hd_rng_next(r);
        b->at = take(h, b->size, b->align);
        assert_true(b->at);
        assert_int_equal(b->at % b->align, 0);
        fill(b);
        return;
    }
    check_fill(b);
    if (hd_rng_chance(r, 1, 3)) {
        struct hd_heap_ref ref;
        u64 size = some_size(r);
        hd_heap_lookup(h, b->at, &ref);
        if (hd_heap_resize(h, &ref, size, me)) {
            u64 kept = HD_MIN(HD_MIN(size, b->size), 256);
            for (u64 i = 0; i < kept; i++)
                assert_int_equal(((u8 *)b->at)[i], b->fill);
            b->size = size;
            fill(b);
            return;
        }
    }
    give(h, b->at, how);
    b->at = 0;
}

static void fuzz(struct hd_heap *h, u64 seed, enum hd_heap_how how, u32 steps)
{
    static struct block model[SLOTS];
    memset(model, 0, sizeof model);
    struct hd_rng r = {seed};
    for (u32 i = 0; i < steps; i++) {
        one_step(h, &r, &model[hd_rng_below(&r, SLOTS)], how);
        if (i % 20000 == 0) {
            check_valid(h);
            check_overlap(model);
        }
    }
    u64 live = 0, bytes = 0;
    for (u32 i = 0; i < SLOTS; i++)
        if (model[i].at) {
            struct hd_heap_ref ref;
            hd_heap_lookup(h, model[i].at + model[i].size, &ref);
            assert_int_equal(ref.start, model[i].at); /* padding belongs to its block */
            assert_true(hd_heap_is_live(h, model[i].at - h->base, model[i].size));
            assert_false(hd_heap_is_live(h, model[i].at - h->base, model[i].size + 1));
            check_fill(&model[i]);
            live++;
            bytes += model[i].size;
        }
    assert_int_equal(live, h->live_blocks);
    assert_int_equal(bytes, h->live_bytes);
    for (u32 i = 0; i < SLOTS; i++)
        if (model[i].at)
            give(h, model[i].at, HD_FREE_NOW);
    assert_int_equal(h->live_blocks, 0);
    check_valid(h);
}

static void test_fuzz(void **state)
{
    assert_int_equal(hd_heap_init(&heap_a, 0, REGION), 0);
    for (u64 seed = 1; seed <= 4; seed++)
        fuzz(&heap_a, seed, seed % 2 ? HD_FREE_NOW : HD_FREE_QUARANTINE, 100000);
    assert_true(hd_heap_trim(&heap_a));
    fuzz(&heap_a, 5, HD_FREE_NOW, 100000);
    release(&heap_a);
}

static void test_same_calls_same_addresses(void **state)
{
    assert_int_equal(hd_heap_init(&heap_a, 0, REGION), 0);
    assert_int_equal(hd_heap_init(&heap_b, 0, REGION), 0);
    assert_int_not_equal(heap_a.base, heap_b.base);
    static u64 at[SLOTS][2];
    memset(at, 0, sizeof at);
    struct hd_rng r = {77};
    for (u32 i = 0; i < 100000; i++) {
        u64 *p = at[hd_rng_below(&r, SLOTS)], size = some_size(&r);
        enum hd_heap_how how = i < 50000 ? HD_FREE_NOW : HD_FREE_QUARANTINE;
        if (p[0]) {
            give(&heap_a, p[0], how);
            give(&heap_b, p[1], how);
            p[0] = p[1] = 0;
            continue;
        }
        bool is_zero;
        p[0] = hd_heap_take(&heap_a, size, 16, me, &is_zero);
        p[1] = hd_heap_take(&heap_b, size, 16, me, &is_zero);
        assert_int_equal(p[0] - heap_a.base, p[1] - heap_b.base);
    }
    release(&heap_a);
    release(&heap_b);
}

static void test_base_is_the_hint(void **state)
{
    u64 hint = 0x480000000000ull;
    assert_int_equal(hd_heap_init(&heap_a, hint, REGION), 0);
    assert_int_equal(heap_a.base, hint);
    assert_int_equal(hd_heap_init(&heap_b, hint, REGION), 0); /* taken: goes elsewhere */
    assert_int_not_equal(heap_b.base, hint);
    assert_true(take(&heap_b, 100, 16));
    release(&heap_a);
    release(&heap_b);
}

static void test_alignment(void **state)
{
    struct hd_heap *h = &heap_a;
    assert_int_equal(hd_heap_init(h, 0, REGION), 0);
    for (u64 align = 16; align <= 1 << 20; align *= 2)
        for (u64 size = 0; size < 20000; size += 1 + size / 3) {
            u64 at = take(h, size, align);
            assert_true(at);
            assert_int_equal(at % align, 0);
        }
    check_valid(h);
    release(h);
}

static void test_quarantine(void **state)
{
    struct hd_heap *h = &heap_a;
    assert_int_equal(hd_heap_init(h, 0, REGION), 0);
    u64 p = take(h, 40, 16), q = take(h, 40, 16);
    give(h, q, HD_FREE_NOW);
    assert_int_equal(take(h, 40, 16), q); /* reused at once without quarantine */
    give(h, p, HD_FREE_QUARANTINE);
    struct hd_heap_ref ref;
    hd_heap_lookup(h, p + 39, &ref);
    assert_int_equal(ref.meta->state, HD_BLOCK_QUARANTINED);
    assert_int_equal(ref.size, 40); /* size and history are still known */
    assert_int_equal(ref.meta->alloc_tid, 3);
    assert_int_equal(ref.meta->alloc_stack, 17);
    assert_int_equal(ref.meta->free_tid, 3);
    assert_int_equal(ref.meta->free_stack, 17);
    assert_false(hd_heap_is_live(h, p - h->base, 1));
    /* By count: it comes back after HD_HEAP_QUARANTINE further frees. */
    u32 until = 0;
    for (u64 r = 0; r != p; until++) {
        r = take(h, 40, 16);
        if (r != p)
            give(h, r, HD_FREE_QUARANTINE);
        assert_true(until < 2 * HD_HEAP_QUARANTINE);
    }
    assert_in_range(until, HD_HEAP_QUARANTINE, HD_HEAP_QUARANTINE + 1);
    /* By bytes: 200 KB blocks, so the sixth pushes the first out. */
    for (u32 i = 0; i < 50; i++)
        give(h, take(h, 200000, 16), HD_FREE_QUARANTINE);
    assert_true(h->q_bytes <= HD_HEAP_QUARANTINE_BYTES);
    check_valid(h);
    /* One that is larger than the whole keeps its address for a while too. */
    u64 big = take(h, 64 << 20, 16);
    *(u8 *)big = 1;
    give(h, big, HD_FREE_QUARANTINE);
    assert_int_equal(*(volatile u8 *)big, 0); /* memory given back */
    assert_int_not_equal(take(h, 64 << 20, 16), big);
    /* Freed for good: never again. */
    u64 gone = take(h, 1000, 16);
    give(h, gone, HD_FREE_NEVER);
    for (u32 i = 0; i < 5000; i++) {
        u64 r = take(h, 1000, 16);
        assert_int_not_equal(r, gone);
        give(h, r, HD_FREE_NOW);
    }
    check_valid(h);
    release(h);
}

static void test_lookup_tells_bad_frees(void **state)
{
    struct hd_heap *h = &heap_a;
    struct hd_heap_ref ref;
    assert_int_equal(hd_heap_init(h, 0, REGION), 0);
    int outside;
    hd_heap_lookup(h, (u64)&outside, &ref);
    assert_null(ref.meta);
    hd_heap_lookup(h, h->base + h->small_end / 2, &ref); /* in the region, never used */
    assert_null(ref.meta);
    hd_heap_lookup(h, h->base + h->bytes - 1, &ref);
    assert_null(ref.meta);
    u64 p = take(h, 100, 16);
    hd_heap_lookup(h, p + 8, &ref); /* inside: an invalid free */
    assert_int_equal(ref.start, p);
    hd_heap_lookup(h, p + 112, &ref); /* the block behind it was never given out */
    assert_int_equal(ref.meta->state, HD_BLOCK_NEVER);
    give(h, p, HD_FREE_NOW);
    hd_heap_lookup(h, p, &ref); /* a double free */
    assert_int_equal(ref.meta->state, HD_BLOCK_FREE);
    assert_int_equal(ref.size, 100);
    u64 big = take(h, 1 << 20, 16);
    hd_heap_lookup(h, big + 5000, &ref);
    assert_int_equal(ref.start, big);
    assert_true(hd_heap_is_live(h, big - h->base + (1 << 20) - 1, 1));
    assert_false(hd_heap_is_live(h, big - h->base + (1 << 20), 1));
    give(h, big, HD_FREE_NOW);
    hd_heap_lookup(h, big, &ref);
    assert_null(ref.meta);
    release(h);
}

static void test_large(void **state)
{
    struct hd_heap *h = &heap_a;
    struct hd_heap_ref ref = {0};
    bool is_zero;
    assert_int_equal(hd_heap_init(h, 0, 64ull << 30), 0);
    u64 four = 4ull << 30, p = hd_heap_take(h, four, 16, me, &is_zero);
    assert_true(p && is_zero);
    ((u8 *)p)[0] = ((u8 *)p)[four - 1] = 7;
    assert_true(hd_heap_is_live(h, p - h->base, four));
    assert_false(hd_heap_is_live(h, p - h->base + four, 1));
    hd_heap_lookup(h, p + four - 1, &ref);
    assert_int_equal(ref.start, p);
    /* grows in place at the end of what is used, not into a neighbour */
    assert_true(hd_heap_resize(h, &ref, four + (1 << 20), me));
    assert_int_equal(((u8 *)p)[four - 1], 7);
    u64 q = take(h, 1 << 20, 1 << 21);
    assert_int_equal(q % (1 << 21), 0);
    assert_false(hd_heap_resize(h, &ref, 2 * four, me));
    /* shrinking makes room behind it */
    assert_true(hd_heap_resize(h, &ref, 1 << 20, me));
    u64 r = take(h, 1 << 20, 16);
    assert_in_range(r, p + (1 << 20), p + four);
    assert_false(hd_heap_take(h, 60ull << 30, 16, me, &is_zero));
    assert_false(hd_heap_take(h, ~0ull - 4096, 16, me, &is_zero));
    check_valid(h);
    give(h, p, HD_FREE_NOW);
    give(h, q, HD_FREE_NOW);
    give(h, r, HD_FREE_NOW);
    check_valid(h);
    assert_int_equal(h->large.top, h->large.start);
    /* what is given out again after that is either zero or not said to be */
    p = take(h, 2 << 20, 16);
    assert_true(p);
    release(h);
}

/* When the region is used up, quarantined blocks are taken back first. */
static void test_exhaustion(void **state)
{
    struct hd_heap *h = &heap_a;
    assert_int_equal(hd_heap_init(h, 0, 256ull << 20), 0);
    u32 n = 0;
    static u64 at[1000];
    while ((at[n] = take(h, 1 << 20, 16)))
        assert_true(++n < 1000);
    /* 176 MiB of large zone in blocks of 1 MiB and a grain */
    assert_in_range(n, 160, 176);
    for (u32 i = 0; i < 5; i++)
        give(h, at[i], HD_FREE_QUARANTINE);
    assert_true(take(h, 4 << 20, 16));
    check_valid(h);
    /* small blocks go on in the large zone when their own is full */
    u64 small = 0;
    bool is_zero;
    for (u64 p; (p = hd_heap_take(h, 200 << 10, 16, me, &is_zero));)
        small += p - h->base < h->small_end;
    assert_in_range(small, 300, 400);
    check_valid(h);
    release(h);
}

static void test_few_pages(void **state)
{
    struct hd_heap *h = &heap_a;
    assert_int_equal(hd_heap_init(h, 0, REGION), 0);
    struct hd_rng r = {3};
    u64 sum = 0, low = ~0ull, high = 0;
    for (u32 i = 0; i < 1000; i++) {
        u64 size = 1 + hd_rng_below(&r, 100), p = take(h, size, 16);
        sum += size;
        low = HD_MIN(low, p);
        high = HD_MAX(high, p + size);
    }
    /* all within twice what was asked for: rounding, padding, half-used spans */
    assert_true(high - low < 2 * sum);
    assert_true((u64)h->meta_next - (u64)(h->spans + h->max_spans) < 2 * 16 * 1000 + 8192);
    release(h);
}

static void test_stacks(void **state)
{
    struct hd_stacks t = {0};
    u64 pc[HD_HEAP_DEPTH] = {0};
    for (u32 round = 0; round < 2; round++)
        for (u32 i = 1; i <= 20000; i++) {
            pc[0] = i * 16;
            pc[3] = i % 7;
            assert_int_equal(hd_stacks_put(&t, pc, 4), i);
        }
    assert_int_equal(hd_stacks_put(&t, pc, 3), 20001); /* shorter is another one */
    const struct hd_stack *s = hd_stacks_get(&t, 12345);
    assert_int_equal(s->n, 4);
    assert_int_equal(s->pc[0], 12345 * 16);
    assert_int_equal(s->pc[3], 12345 % 7);
    assert_null(hd_stacks_get(&t, 0));
}

/* Every byte behind a block and every byte of a freed one that has a pattern: a write is
 * noticed, and the address is its own. */
static void test_guard(void **state)
{
    static const u64 sizes[] = {0, 1, 7, 8, 15, 16, 40, 127, 128, 300, 5000, 262143, 300000};
    assert_int_equal(hd_heap_init(&heap_a, 0, REGION), 0);
    for (u32 k = 0; k < HD_COUNT(sizes); k++) {
        u64 at = take(&heap_a, sizes[k], 16);
        struct hd_heap_ref ref = {0};
        hd_heap_lookup(&heap_a, at, &ref);
        hd_guard_set(&ref);
        memset((void *)at, 0x11, sizes[k]);
        assert_int_equal(hd_heap_find_broken(&heap_a), 0);
        u64 room = HD_MIN(ref.capacity - ref.size, (u64)HD_GUARD_MAX);
        assert_true(room >= 1);
        for (u64 i = 0; i < room; i++) {
            u8 *p = (u8 *)at + sizes[k] + i;
            *p ^= 0x80;
            assert_int_equal(hd_guard_broken(&ref), (u64)p);
            assert_int_equal(hd_heap_find_broken(&heap_a), (u64)p);
            *p ^= 0x80;
        }
        give(&heap_a, at, HD_FREE_QUARANTINE);
        assert_int_equal(hd_heap_find_broken(&heap_a), 0);
        for (u64 i = 0; i < HD_MIN(sizes[k], (u64)HD_FREED_MAX); i++) {
            u8 *p = (u8 *)at + i;
            *p ^= 1;
            assert_int_equal(hd_heap_find_broken(&heap_a), (u64)p);
            *p ^= 1;
        }
    }
    assert_int_equal(heap_a.broken, 0);
    release(&heap_a);
}

/* What was written to a freed block shows when the block leaves the quarantine. */
static void test_guard_leaves(void **state)
{
    assert_int_equal(hd_heap_init(&heap_a, 0, REGION), 0);
    u64 at = take(&heap_a, 40, 16);
    struct hd_heap_ref ref = {0};
    hd_heap_lookup(&heap_a, at, &ref);
    hd_guard_set(&ref);
    give(&heap_a, at, HD_FREE_QUARANTINE);
    ((u8 *)at)[17] = 3;
    for (u32 i = 0; i < HD_HEAP_QUARANTINE; i++) {
        assert_int_equal(heap_a.broken, 0);
        u64 other = take(&heap_a, 16, 16);
        hd_heap_lookup(&heap_a, other, &ref);
        hd_guard_set(&ref);
        give(&heap_a, other, HD_FREE_QUARANTINE);
    }
    assert_int_equal(heap_a.broken, at + 17);
    release(&heap_a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_guard_leaves),
        cmocka_unit_test(test_fuzz),
        cmocka_unit_test(test_same_calls_same_addresses),
        cmocka_unit_test(test_base_is_the_hint),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_quarantine),
        cmocka_unit_test(test_lookup_tells_bad_frees),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_few_pages),
        cmocka_unit_test(test_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
