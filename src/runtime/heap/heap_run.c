/* heap_run.c: stretches of units inside a zone: taken, given back, merged with
 * free neighbours, split. Free stretches hang in bins by length (four per
 * doubling); the tables' entries of their first and last unit are boundary
 * tags. Memory above `top` was never cut up.
 *
 * Ground rule: a table entry counts only if the span it names still covers the
 * unit; entries are not cleared when a span goes away.
 */
#include "runtime/heap/heap_core.h"

#include <sys/resource.h>

#include "runtime/libc/sys.h"

#define MADV_DONTNEED_ 4
#define LIMIT_SLACK 135168 /* what glibc has at hand when the limit is met */
#define BIN_SCAN 32 /* runs looked at in the bin that may or may not fit */

static u32 bin_of(u64 units)
{
    if (units < 8)
        return (u32)units;
    u32 log = 63 - (u32)__builtin_clzll(units);
    u32 bin = 4 * (log - 1) + (u32)(units >> (log - 2) & 3);
    return HD_MIN(bin, HD_HEAP_BINS - 1);
}

static u32 unit_of(const struct hd_heap_zone *z, u64 off)
{
    return (u32)((off - z->start) >> z->shift);
}

static u32 span_alloc(struct hd_heap *h)
{
    u32 id = h->cached_span;
    if (id) {
        h->cached_span = h->spans[id].next;
    } else {
        if (h->n_spans == h->max_spans)
            return 0;
        id = h->n_spans++;
    }
    h->spans[id] = (struct hd_heap_span){0};
    return id;
}

static void span_drop(struct hd_heap *h, u32 id)
{
    h->spans[id] = (struct hd_heap_span){.next = h->cached_span};
    h->cached_span = id;
}

static void bin_link(struct hd_heap *h, struct hd_heap_zone *z, u32 id)
{
    struct hd_heap_span *s = &h->spans[id];
    u32 b = bin_of(s->bytes >> z->shift);
    s->prev = 0;
    s->next = z->bin[b];
    if (s->next)
        h->spans[s->next].prev = id;
    z->bin[b] = id;
    z->bins_used[b / 64] |= (u64)1 << (b % 64);
    z->table[unit_of(z, s->start)] = id;
    z->table[unit_of(z, s->start + s->bytes) - 1] = id;
}

static void bin_unlink(struct hd_heap *h, struct hd_heap_zone *z, u32 id)
{
    struct hd_heap_span *s = &h->spans[id];
    u32 b = bin_of(s->bytes >> z->shift);
    if (s->prev)
        h->spans[s->prev].next = s->next;
    else
        z->bin[b] = s->next;
    if (s->next)
        h->spans[s->next].prev = s->prev;
    if (!z->bin[b])
        z->bins_used[b / 64] &= ~((u64)1 << (b % 64));
}

/* A free stretch that is known to touch neither another one nor the top. */
static bool run_make(struct hd_heap *h, struct hd_heap_zone *z, u64 start, u64 bytes, u64 dirty)
{
    u32 id = span_alloc(h);
    if (!id)
        return false; /* the stretch is lost, nothing else */
    struct hd_heap_span *s = &h->spans[id];
    s->kind = HD_SPAN_RUN;
    s->start = start;
    s->bytes = bytes;
    s->size = dirty;
    bin_link(h, z, id);
    return true;
}

/* Makes the whole pages inside [from, to) zero and gives them back. */
static void drop_pages(const struct hd_heap *h, u64 from, u64 to)
{
    from = HD_ALIGN_UP(from, 4096);
    to &= ~(u64)4095;
    if (from < to)
        hd_sys(SYS_madvise, h->base + from, to - from, MADV_DONTNEED_);
}

/* All that was written above the top; a page the used part shares stays. */
static void drop_top(struct hd_heap *h, struct hd_heap_zone *z)
{
    drop_pages(h, z->top, HD_ALIGN_UP(z->high, 4096));
    z->high = HD_MIN(z->high, HD_ALIGN_UP(z->top, 4096));
}

/* Cuts [start, start+bytes) out of run `id` and returns it as that span. */
static u32 run_cut(struct hd_heap *h, struct hd_heap_zone *z, u32 id, u64 start, u64 bytes)
{
    struct hd_heap_span *s = &h->spans[id];
    u64 from = s->start, end = s->start + s->bytes, dirty = s->size;
    bin_unlink(h, z, id);
    if (start > from)
        run_make(h, z, from, start - from, HD_MIN(dirty, start - from));
    if (end > start + bytes)
        run_make(h, z, start + bytes, end - start - bytes, HD_MIN(dirty, end - start - bytes));
    *s = (struct hd_heap_span){.start = start, .bytes = bytes, .is_dirty = dirty > 0};
    return id;
}

/* The address is to be aligned; the base may be so to a grain only. */
static u64 aligned_start(const struct hd_heap *h, const struct hd_heap_zone *z, u64 from, u64 align)
{
    return HD_ALIGN_UP(h->base + from, align << z->shift) - h->base;
}

static u32 take_from_bins(struct hd_heap *h, struct hd_heap_zone *z, u64 units, u64 align)
{
    u64 bytes = units << z->shift;
    for (u32 b = bin_of(units); b < HD_HEAP_BINS; b++) {
        u64 rest = z->bins_used[b / 64] >> (b % 64);
        if (!rest) {
            b |= 63; /* next word */
            continue;
        }
        b += (u32)__builtin_ctzll(rest);
        u32 scan = BIN_SCAN;
        for (u32 id = z->bin[b]; id && scan--; id = h->spans[id].next) {
            struct hd_heap_span *s = &h->spans[id];
            u64 start = aligned_start(h, z, s->start, align);
            if (start + bytes <= s->start + s->bytes)
                return run_cut(h, z, id, start, bytes);
        }
    }
    return 0;
}

static u64 limit_of(int what)
{
    struct rlimit r;
    return hd_sys(SYS_prlimit64, 0, what, 0, &r) ? ~(u64)0 : r.rlim_cur;
}

/* The region was reserved when the program began, so the kernel's limits do not stop it
 * from growing: the program's allocations must fail all the same. */
static bool may_grow(const struct hd_heap *h, const struct hd_heap_zone *z, u64 top)
{
    if (top <= z->high)
        return true;
    u64 limit = HD_MIN(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
    u64 used = h->small.high - h->small.start + h->large.high - h->large.start;
    return limit > (u64)PTRDIFF_MAX || used + (top - z->high) <= limit + LIMIT_SLACK;
}

static u32 take_from_top(struct hd_heap *h, struct hd_heap_zone *z, u64 units, u64 align)
{
    u64 start = aligned_start(h, z, z->top, align), bytes = units << z->shift;
    if (start > z->end || bytes > z->end - start || !may_grow(h, z, start + bytes))
        return 0;
    u32 id = span_alloc(h);
    if (!id)
        return 0;
    if (start > z->top) {
        u64 gap = start - z->top;
        run_make(h, z, z->top, gap, z->high > z->top ? gap : 0);
    }
    struct hd_heap_span *s = &h->spans[id];
    s->start = start;
    s->bytes = bytes;
    s->is_dirty = start < z->high;
    z->top = start + bytes;
    z->high = HD_MAX(z->high, z->top);
    return id;
}

static void fill_table(struct hd_heap_zone *z, u64 start, u64 bytes, u32 id)
{
    u32 first = unit_of(z, start), n = (u32)(bytes >> z->shift);
    for (u32 i = 0; i < n; i++)
        z->table[first + i] = id;
}

u32 hd_heap_run_take(struct hd_heap *h, struct hd_heap_zone *z, u64 units, u64 align)
{
    u32 id = take_from_bins(h, z, units, align);
    if (!id)
        id = take_from_top(h, z, units, align);
    if (id)
        fill_table(z, h->spans[id].start, h->spans[id].bytes, id);
    return id;
}

/* The free stretch that ends (at_end) or begins at offset `off`, or 0. */
static u32 neighbour(const struct hd_heap *h, const struct hd_heap_zone *z, u64 off, bool at_end)
{
    if (at_end ? off <= z->start : off >= z->top)
        return 0;
    u32 id = z->table[at_end ? unit_of(z, off) - 1 : unit_of(z, off)];
    const struct hd_heap_span *s = &h->spans[id];
    if (s->kind != HD_SPAN_RUN || (at_end ? s->start + s->bytes : s->start) != off)
        return 0;
    return id;
}

static void give_to_top(struct hd_heap *h, struct hd_heap_zone *z, u64 start)
{
    z->top = start;
    if (z->high - z->top >= z->trim)
        drop_top(h, z);
}

void hd_heap_run_give(struct hd_heap *h, struct hd_heap_zone *z, u32 id, bool is_dirty)
{
    struct hd_heap_span *s = &h->spans[id];
    u64 start = s->start, end = s->start + s->bytes, dirty = is_dirty ? s->bytes : 0;
    u32 other = neighbour(h, z, start, true);
    if (other) {
        start = h->spans[other].start;
        dirty += h->spans[other].size;
        bin_unlink(h, z, other);
        span_drop(h, other);
    }
    other = neighbour(h, z, end, false);
    if (other) {
        end = h->spans[other].start + h->spans[other].bytes;
        dirty += h->spans[other].size;
        bin_unlink(h, z, other);
        span_drop(h, other);
    }
    if (end == z->top) {
        span_drop(h, id);
        give_to_top(h, z, start);
        return;
    }
    if (dirty >= z->trim) {
        drop_pages(h, start, end);
        /* what lies outside whole pages was not dropped */
        dirty = (start | end) & 4095 ? 1 : 0;
    }
    *s = (struct hd_heap_span){.kind = HD_SPAN_RUN, .start = start, .bytes = end - start};
    s->size = dirty;
    bin_link(h, z, id);
}

bool hd_heap_run_resize(struct hd_heap *h, struct hd_heap_zone *z, u32 id, u64 units)
{
    struct hd_heap_span *s = &h->spans[id];
    u64 bytes = units << z->shift, end = s->start + s->bytes;
    if (bytes == s->bytes)
        return true;
    if (bytes < s->bytes) {
        u32 tail = span_alloc(h);
        if (!tail)
            return true; /* stays longer than needed */
        h->spans[tail].start = s->start + bytes;
        h->spans[tail].bytes = s->bytes - bytes;
        s->bytes = bytes;
        hd_heap_run_give(h, z, tail, true);
        return true;
    }
    u64 more = bytes - s->bytes;
    if (end == z->top) {
        if (more > z->end - end || !may_grow(h, z, end + more))
            return false;
        z->top = end + more;
        z->high = HD_MAX(z->high, z->top);
    } else {
        u32 other = neighbour(h, z, end, false);
        if (!other || h->spans[other].bytes < more)
            return false;
        span_drop(h, run_cut(h, z, other, end, more));
    }
    s->bytes = bytes;
    fill_table(z, end, more, id);
    return true;
}

bool hd_heap_run_trim(struct hd_heap *h, struct hd_heap_zone *z)
{
    bool any = false;
    for (u32 b = 0; b < HD_HEAP_BINS; b++)
        for (u32 id = z->bin[b]; id; id = h->spans[id].next) {
            struct hd_heap_span *s = &h->spans[id];
            if (s->size < 4096)
                continue;
            drop_pages(h, s->start, s->start + s->bytes);
            s->size = (s->start | (s->start + s->bytes)) & 4095 ? 1 : 0;
            any = true;
        }
    if (z->high > z->top) {
        drop_top(h, z);
        any = true;
    }
    return any;
}
