/* accesses.h: what looking for accesses in a run's events needs. */
#ifndef HD_ACCESSES_H
#define HD_ACCESSES_H

#include "event/effect.h"

HD_INLINE bool hd_is_access(const struct hd_event *e)
{
    return hd_space_of(e->kind) == HD_SPACE_MEMORY && hd_effects(e) & (HD_READS | HD_WRITES);
}

HD_INLINE bool hd_overlaps(const struct hd_event *a, const struct hd_event *b)
{
    return a->obj < b->obj + hd_event_bytes(b) && b->obj < a->obj + hd_event_bytes(a);
}

/* Of two threads, to the same bytes, one a write and not both atomic. */
HD_INLINE bool hd_accesses_conflict(const struct hd_event *a, const struct hd_event *b)
{
    u32 x = hd_effects(a), y = hd_effects(b);
    return a->tid != b->tid && (x | y) & HD_WRITES && !(x & y & HD_ATOMIC) && hd_overlaps(a, b);
}

/* How deep each thread is in blocks of heddle_atomic_begin. */
struct hd_blocks {
    u8 depth[HD_MAX_THREADS];
};

/* The event happens. True: its thread has left its outermost block. */
HD_INLINE bool hd_blocks_leave(struct hd_blocks *b, const struct hd_event *e)
{
    if (e->kind == HD_EV_ATOMIC_BEGIN)
        b->depth[e->tid]++;
    if (e->kind != HD_EV_ATOMIC_END || !b->depth[e->tid])
        return false;
    return !--b->depth[e->tid];
}

/* A number for these sites, in this order, and what else tells two of a kind apart. */
HD_INLINE u64 hd_sites_key(u64 key, const u64 *site, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        key = (key ^ site[i]) * 0x9e3779b97f4a7c15ull;
        key ^= key >> 29;
    }
    return key;
}

#endif
