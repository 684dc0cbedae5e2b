/* heap_valid.c: the heap's invariants, executable. For tests and debugging; walks
 * every span of the region.
 */
#include "runtime/heap/heap_core.h"

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool small_is_valid(const struct hd_heap *h, const struct hd_heap_span *s, const char **why)
{
    u32 used = 0, on_list = 0;
    for (u32 i = 0; i < s->n; i++) {
        u32 state = s->meta[i].state;
        used += state == HD_BLOCK_LIVE || state == HD_BLOCK_QUARANTINED;
        if ((i >= s->bump) != (state == HD_BLOCK_NEVER))
            return fail(why, "block state and bump disagree");
        if (state == HD_BLOCK_LIVE && (u64)s->meta[i].size + HD_HEAP_PAD > s->block)
            return fail(why, "block smaller than its contents");
    }
    for (u32 i = s->free; i != HD_HEAP_NIL; i = s->meta[i].next)
        if (i >= s->n || s->meta[i].state != HD_BLOCK_FREE || ++on_list > s->n)
            return fail(why, "free list damaged");
    if (used != s->used || on_list != s->bump - used)
        return fail(why, "used count wrong");
    return true;
}

static bool zone_is_valid(const struct hd_heap *h, const struct hd_heap_zone *z, const char **why)
{
    bool was_run = false;
    for (u64 at = z->start; at < z->top;) {
        u32 id = z->table[(at - z->start) >> z->shift];
        const struct hd_heap_span *s = &h->spans[id];
        if (!id || s->start != at || !s->bytes || s->kind == HD_SPAN_NONE)
            return fail(why, "zone is not covered by spans");
        if (s->kind == HD_SPAN_RUN) {
            if (was_run || at + s->bytes == z->top)
                return fail(why, "free neighbours not merged");
            if (z->table[((at + s->bytes - z->start) >> z->shift) - 1] != id)
                return fail(why, "boundary tag missing");
        } else {
            for (u64 u = at; u < at + s->bytes; u += (u64)1 << z->shift)
                if (z->table[(u - z->start) >> z->shift] != id)
                    return fail(why, "unit not mapped to its span");
            if (s->kind == HD_SPAN_SMALL && !small_is_valid(h, s, why))
                return false;
        }
        was_run = s->kind == HD_SPAN_RUN;
        at += s->bytes;
    }
    return true;
}

bool hd_heap_is_valid(const struct hd_heap *h, const char **why)
{
    for (u32 c = 0; c < HD_HEAP_CLASSES; c++)
        for (u32 id = h->class[c].head, prev = 0; id; prev = id, id = h->spans[id].next) {
            const struct hd_heap_span *s = &h->spans[id];
            if (s->kind != HD_SPAN_SMALL || s->class != c || s->prev != prev || s->used == s->n)
                return fail(why, "class list damaged");
        }
    u64 q_bytes = 0;
    for (u32 i = 0; i < h->q_n; i++) {
        struct hd_heap_ref ref;
        hd_heap_lookup(h, h->q[(h->q_first + i) % HD_HEAP_QUARANTINE], &ref);
        if (!ref.meta || ref.meta->state != HD_BLOCK_QUARANTINED)
            return fail(why, "quarantine holds a block that is not quarantined");
        q_bytes += hd_heap_quarantine_cost(&ref);
    }
    if (q_bytes != h->q_bytes)
        return fail(why, "quarantine bytes wrong");
    return zone_is_valid(h, &h->small, why) && zone_is_valid(h, &h->large, why);
}
