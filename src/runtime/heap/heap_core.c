/* heap_core.c: malloc's engine: size classes over spans of the small zone,
 * large blocks in the large zone, a quarantine for freed blocks. The layout is
 * drawn in heap_core.h, stretches of units come from heap_run.c.
 *
 * Tuned for programs that run for a millisecond in a forked child, where every
 * page touched costs a fault: a class begins with a span of 1 KiB and only a
 * busy one gets larger ones; blocks are given out in address order; of a
 * block's memory the allocator itself touches its patterns only (heap_guard.h).
 */
#include "runtime/heap/heap_core.h"

#include "runtime/heap/heap_guard.h"
#include "runtime/libc/sys.h"

#include <errno.h>
#include <sys/mman.h>

#define PAGE 4096
#define SPAN_SHIFT_MAX 6                   /* spans grow from 1 KiB to 64 KiB */
#define SMALL_TRIM (1u << 20)
#define LARGE_TRIM (8u << 20)
#define LEAST_BYTES (64ull << 20)          /* below that there is no heap */

static u32 class_bytes(u32 c)
{
    return c < 8 ? 16 * (c + 1) : (5 + (c - 8) % 4) << ((c - 8) / 4 + 5);
}

/* ---- making the region -------------------------------------------------- */

static u64 map_at(u64 hint, u64 bytes)
{
    long p = hd_sys(SYS_mmap, hint, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                        (hint ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (p < 0 && p > -PAGE)
        return 0;
    if (hint && (u64)p != hint) { /* a kernel that does not know NOREPLACE */
        hd_sys(SYS_munmap, p, bytes);
        return 0;
    }
    /* A huge page would cost every forked child the clearing of 2 MiB. */
    hd_sys(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
    return (u64)p;
}

/* Anywhere, but at a multiple of a grain. */
static u64 map_anywhere(u64 bytes)
{
    u64 grain = (u64)1 << HD_HEAP_GRAIN_SHIFT, p = map_at(0, bytes + grain);
    if (!p)
        return 0;
    u64 at = HD_ALIGN_UP(p, grain);
    if (at > p)
        hd_sys(SYS_munmap, p, at - p);
    hd_sys(SYS_munmap, at + bytes, p + grain - at);
    return at;
}

static u64 map_region(u64 hint, u64 *bytes)
{
    for (u64 n = *bytes; n >= LEAST_BYTES; n /= 2) {
        for (u32 i = 0; hint && i < 4; i++) {
            u64 p = map_at(hint + i * 0x010000000000ull, n);
            if (p) {
                *bytes = n;
                return p;
            }
        }
        u64 p = hint ? 0 : map_anywhere(n);
        if (p) {
            *bytes = n;
            return p;
        }
    }
    return hint ? map_region(0, bytes) : 0;
}

static void zone_init(struct hd_heap_zone *z, u64 start, u64 end, u32 shift, u64 trim, void *table)
{
    z->start = z->top = z->high = start;
    z->end = end;
    z->shift = shift;
    z->trim = trim;
    z->table = table;
}

int hd_heap_init(struct hd_heap *h, u64 hint, u64 bytes)
{
    bytes &= ~(((u64)1 << 22) - 1);
    u64 base = map_region(hint, &bytes);
    if (!base)
        return -ENOMEM;
    /* Not a power of two: shadow.c tells addresses apart by their low bits, and
     * both zones are used from their start. */
    u64 small = bytes / 16 * 5, large = bytes - small;
    u64 small_table = (small >> HD_HEAP_UNIT_SHIFT) * sizeof(u32);
    u64 large_table = (large >> HD_HEAP_GRAIN_SHIFT) * sizeof(u32);
    /* One descriptor per 16 KiB, one record per 64 bytes: more than programs
     * with an average block size of 64 bytes can use. */
    h->max_spans = (u32)((small >> 14) + (large >> 16) + 1);
    u64 spans = h->max_spans * sizeof(struct hd_heap_span), meta = small / 4;
    small_table = HD_ALIGN_UP(small_table, PAGE);
    large_table = HD_ALIGN_UP(large_table, PAGE);
    spans = HD_ALIGN_UP(spans, PAGE);
    h->aux_bytes = small_table + large_table + spans + meta;
    h->aux = map_at(hint ? base - 0x008000000000ull : 0, h->aux_bytes);
    if (!h->aux)
        h->aux = map_at(0, h->aux_bytes);
    if (!h->aux) {
        hd_sys(SYS_munmap, base, bytes);
        return -ENOMEM;
    }
    char *at = (char *)h->aux;
    zone_init(&h->small, 0, small, HD_HEAP_UNIT_SHIFT, SMALL_TRIM, at);
    at += small_table;
    zone_init(&h->large, small, bytes, HD_HEAP_GRAIN_SHIFT, LARGE_TRIM, at);
    at += large_table;
    h->spans = (struct hd_heap_span *)at;
    h->n_spans = 1;
    h->meta_next = at + spans;
    h->meta_end = h->meta_next + meta;
    for (u32 c = 0; c < HD_HEAP_CLASSES; c++) {
        h->class[c].block = class_bytes(c);
        h->class[c].magic = (1u << 31) / (h->class[c].block / 16) + 1;
    }
    h->base = base;
    h->small_end = small;
    h->bytes = bytes;
    return 0;
}

/* ---- block records -------------------------------------------------------- */

/* Chunks of records are recycled by size, in the classes blocks have. */
static struct hd_heap_meta *meta_alloc(struct hd_heap *h, u32 n)
{
    u32 c = hd_heap_class_of(n * sizeof(struct hd_heap_meta)), bytes = class_bytes(c);
    char *p = h->meta_cached[c];
    if (p) {
        h->meta_cached[c] = *(void **)p;
        hd_memset(p, 0, bytes);
    } else {
        if ((u64)(h->meta_end - h->meta_next) < bytes)
            return NULL;
        p = h->meta_next;
        h->meta_next += bytes;
    }
    return (struct hd_heap_meta *)p;
}

static void meta_free(struct hd_heap *h, struct hd_heap_meta *meta, u32 n)
{
    u32 c = hd_heap_class_of(n * sizeof(struct hd_heap_meta));
    *(void **)meta = h->meta_cached[c];
    h->meta_cached[c] = meta;
}

/* ---- small blocks ------------------------------------------------------- */

static u32 span_id(const struct hd_heap *h, const struct hd_heap_span *s)
{
    return (u32)(s - h->spans);
}

static void class_link(struct hd_heap *h, struct hd_heap_class *k, u32 id)
{
    struct hd_heap_span *s = &h->spans[id];
    s->prev = 0;
    s->next = k->head;
    if (s->next)
        h->spans[s->next].prev = id;
    k->head = id;
}

static void class_unlink(struct hd_heap *h, struct hd_heap_class *k, u32 id)
{
    struct hd_heap_span *s = &h->spans[id];
    if (s->prev)
        h->spans[s->prev].next = s->next;
    else
        k->head = s->next;
    if (s->next)
        h->spans[s->next].prev = s->prev;
}

/* How many units the next span of the class gets: 1 KiB for the first two, twice
 * as much for each later pair, and so many that at most an eighth is lost at
 * the end. */
static u32 span_units(const struct hd_heap_class *k)
{
    u32 unit = 1u << HD_HEAP_UNIT_SHIFT;
    u32 want = unit << HD_MIN(k->made / 2, SPAN_SHIFT_MAX);
    for (u32 n = HD_MAX(want / k->block, 1);; n++) {
        u32 bytes = (u32)HD_ALIGN_UP(n * k->block, unit);
        if (bytes - bytes / k->block * k->block <= bytes / 8)
            return bytes / unit;
    }
}

static HD_NOINLINE u32 span_make(struct hd_heap *h, u32 c)
{
    struct hd_heap_class *k = &h->class[c];
    u32 units = span_units(k);
    u32 n = (units << HD_HEAP_UNIT_SHIFT) / k->block;
    struct hd_heap_meta *meta = meta_alloc(h, n);
    if (!meta)
        return 0;
    /* Spans of 2 KiB (4 KiB) and more begin at a multiple of that: a block size
     * that is a multiple of a power of two up to 4096 means blocks at multiples
     * of it (take_class). */
    u32 id = hd_heap_run_take(h, &h->small, units, units >= 4 ? 4 : units >= 2 ? 2 : 1);
    if (!id) {
        meta_free(h, meta, n);
        return 0;
    }
    struct hd_heap_span *s = &h->spans[id];
    s->kind = HD_SPAN_SMALL;
    s->class = (u8)c;
    s->meta = meta;
    s->block = k->block;
    s->magic = k->magic;
    s->n = (u16)n;
    s->bump = s->used = 0;
    s->free = HD_HEAP_NIL;
    k->made++;
    class_link(h, k, id);
    return id;
}

static u64 take_small(struct hd_heap *h, u32 c, u64 size, struct hd_heap_who who, bool *is_zero)
{
    if (!h->class[c].head && !span_make(h, c))
        return 0;
    return hd_heap_take_head(h, c, size, who, is_zero);
}

void hd_heap_span_full(struct hd_heap *h, u32 id)
{
    class_unlink(h, &h->class[h->spans[id].class], id);
}

static void span_retire(struct hd_heap *h, struct hd_heap_class *k, struct hd_heap_span *s)
{
    u32 id = span_id(h, s);
    class_unlink(h, k, id);
    meta_free(h, s->meta, s->n);
    hd_heap_run_give(h, &h->small, id, true);
}

void hd_heap_recycle_rare(struct hd_heap *h, struct hd_heap_span *s, bool was_full)
{
    struct hd_heap_class *k = &h->class[s->class];
    if (was_full)
        class_link(h, k, span_id(h, s));
    /* An empty span goes back if the class has another one to go on with. */
    if (!s->used && (s->next || s->prev))
        span_retire(h, k, s);
}

/* ---- large blocks -------------------------------------------------------- */

static u64 grains(u64 size)
{
    return (size + HD_HEAP_PAD + ((u64)1 << HD_HEAP_GRAIN_SHIFT) - 1) >> HD_HEAP_GRAIN_SHIFT;
}

static u64 take_large(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who,
                      bool *is_zero)
{
    u64 align_grains = HD_MAX(align >> HD_HEAP_GRAIN_SHIFT, 1);
    u32 id = hd_heap_run_take(h, &h->large, grains(size), align_grains);
    if (!id)
        return 0;
    struct hd_heap_span *s = &h->spans[id];
    *is_zero = !s->is_dirty;
    s->kind = HD_SPAN_LARGE;
    s->own = (struct hd_heap_meta){
        .state = HD_BLOCK_LIVE, .alloc_tid = who.tid, .alloc_stack = who.stack};
    s->size = size;
    h->live_bytes += size;
    h->live_blocks++;
    return h->base + s->start;
}

/* ---- quarantine ----------------------------------------------------------- */

static void recycle(struct hd_heap *h, const struct hd_heap_ref *ref)
{
    if (ref->span->kind == HD_SPAN_SMALL)
        hd_heap_recycle_small(h, ref->span, ref->index, *ref->meta);
    else
        hd_heap_run_give(h, &h->large, span_id(h, ref->span), true);
}

static void quarantine_pop(struct hd_heap *h)
{
    struct hd_heap_ref ref = {0};
    hd_heap_lookup(h, h->q[h->q_first], &ref);
    HD_ASSERT(ref.span && ref.meta);
    h->q_first = (h->q_first + 1) % HD_HEAP_QUARANTINE;
    h->q_n--;
    h->q_bytes -= hd_heap_quarantine_cost(&ref);
    u64 broken = hd_guard_broken_freed(&ref);
    if (HD_UNLIKELY(broken) && !h->broken)
        h->broken = broken;
    recycle(h, &ref);
}

static void quarantine_push(struct hd_heap *h, const struct hd_heap_ref *ref)
{
    u64 cost = hd_heap_quarantine_cost(ref);
    while (h->q_n == HD_HEAP_QUARANTINE ||
           (h->q_n && h->q_bytes + cost > HD_HEAP_QUARANTINE_BYTES))
        quarantine_pop(h);
    if (ref->capacity > HD_HEAP_QUARANTINE_BYTES) /* keeps its address, not its memory */
        hd_sys(SYS_madvise, ref->start, ref->capacity, MADV_DONTNEED);
    hd_guard_set_freed(ref);
    h->q[(h->q_first + h->q_n) % HD_HEAP_QUARANTINE] = ref->start;
    h->q_n++;
    h->q_bytes += cost;
    ref->meta->state = HD_BLOCK_QUARANTINED;
}

/* ---- interface ------------------------------------------------------------ */

/* The class for `size` bytes at a multiple of `align`: its block size must be a
 * multiple of that too, see span_make. HD_HEAP_CLASSES if there is none. */
static u32 take_class(u64 size, u64 align)
{
    if (size > HD_HEAP_SMALL_MAX - HD_HEAP_PAD || align > PAGE)
        return HD_HEAP_CLASSES;
    u32 c = hd_heap_class_of(HD_MAX(size + HD_HEAP_PAD, align));
    while (c < HD_HEAP_CLASSES && class_bytes(c) & (align - 1))
        c++;
    return c;
}

static HD_COLD u64 take_retry(struct hd_heap *h, u64 size, u64 align, u32 c,
                              struct hd_heap_who who, bool *is_zero)
{
    while (h->q_n)
        quarantine_pop(h);
    u64 at = c < HD_HEAP_CLASSES ? take_small(h, c, size, who, is_zero) : 0;
    return at ? at : take_large(h, size, align, who, is_zero);
}

u64 hd_heap_take_slow(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who,
                      bool *is_zero)
{
    if (size > h->bytes || align > h->bytes)
        return 0;
    u32 c = take_class(size, align);
    u64 at = c < HD_HEAP_CLASSES ? take_small(h, c, size, who, is_zero)
                                 : take_large(h, size, align, who, is_zero);
    return at ? at : take_retry(h, size, align, c, who, is_zero);
}

u64 hd_heap_take(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who, bool *is_zero)
{
    return hd_heap_take_fast(h, size, align, who, is_zero);
}

void hd_heap_give(struct hd_heap *h, const struct hd_heap_ref *ref, enum hd_heap_how how,
                  struct hd_heap_who who)
{
    ref->meta->free_tid = who.tid;
    ref->meta->free_stack = who.stack;
    h->live_bytes -= ref->size;
    h->live_blocks--;
    if (how == HD_FREE_NOW)
        recycle(h, ref);
    else if (how == HD_FREE_QUARANTINE)
        quarantine_push(h, ref);
    else
        ref->meta->state = HD_BLOCK_QUARANTINED;
}

bool hd_heap_resize(struct hd_heap *h, struct hd_heap_ref *ref, u64 size, struct hd_heap_who who)
{
    struct hd_heap_span *s = ref->span;
    if (s->kind == HD_SPAN_SMALL) {
        /* A block that needs a quarter of its place moves to a smaller one. */
        if (size + HD_HEAP_PAD > s->block || (s->block > 64 && size < s->block / 4))
            return false;
        ref->meta->size = size;
    } else {
        if (size <= HD_HEAP_SMALL_MAX / 2 || size > h->bytes ||
            !hd_heap_run_resize(h, &h->large, span_id(h, s), grains(size)))
            return false;
        s->size = size;
        ref->capacity = s->bytes;
    }
    ref->meta->alloc_tid = who.tid;
    ref->meta->alloc_stack = who.stack;
    h->live_bytes += size - ref->size;
    ref->size = size;
    return true;
}

static u64 broken_in_span(const struct hd_heap *h, const struct hd_heap_span *s)
{
    u64 broken = 0;
    u32 n = s->kind == HD_SPAN_SMALL ? s->bump : s->kind == HD_SPAN_LARGE ? 1 : 0;
    for (u32 i = 0; i < n && !broken; i++) {
        struct hd_heap_ref ref = {0};
        hd_heap_lookup(h, h->base + s->start + (u64)i * (n > 1 ? s->block : 0), &ref);
        if (ref.meta && ref.meta->state == HD_BLOCK_LIVE)
            broken = hd_guard_broken(&ref);
    }
    return broken;
}

u64 hd_heap_find_broken(const struct hd_heap *h)
{
    u64 broken = h->broken;
    for (u32 i = 0; i < h->q_n && !broken; i++) {
        struct hd_heap_ref ref = {0};
        hd_heap_lookup(h, h->q[(h->q_first + i) % HD_HEAP_QUARANTINE], &ref);
        broken = hd_guard_broken_freed(&ref);
    }
    for (u32 i = 1; i < h->n_spans && !broken; i++)
        broken = broken_in_span(h, &h->spans[i]);
    return broken;
}

bool hd_heap_trim(struct hd_heap *h)
{
    bool small = hd_heap_run_trim(h, &h->small);
    return hd_heap_run_trim(h, &h->large) || small;
}
