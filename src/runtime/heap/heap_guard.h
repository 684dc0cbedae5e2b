/* heap_guard.h: patterns that show writes nobody checked: by code without hooks, or by a
 * site that was only sampled.
 *
 *   live block    | asked for             | GUARD x up to 32 |  looked at by free, at the end
 *   quarantined   | FREED x up to 256 ... | GUARD x up to 32 |  when it leaves, at the end
 *
 * Pure: memory and a description of a block.
 */
#ifndef HD_HEAP_GUARD_H
#define HD_HEAP_GUARD_H

#include "runtime/heap/heap_core.h"

#define HD_GUARD_BYTE 0xc6
#define HD_FREED_BYTE 0xd9
#define HD_GUARD_MAX 32
#define HD_FREED_MAX 256

HD_INLINE void hd_guard_fill(u64 at, u64 n, u8 byte)
{
    u64 word = byte * 0x0101010101010101ull;
    for (; n >= 8; n -= 8, at += 8)
        __builtin_memcpy((void *)at, &word, 8);
    for (; n; n--)
        *(u8 *)at++ = byte;
}

/* The first of n bytes that differs, or 0. */
HD_INLINE u64 hd_guard_find(u64 at, u64 n, u8 byte)
{
    u64 word = byte * 0x0101010101010101ull, got;
    for (; n >= 8; n -= 8, at += 8) {
        __builtin_memcpy(&got, (const void *)at, 8);
        if (HD_UNLIKELY(got != word))
            return at + (u64)__builtin_ctzll(got ^ word) / 8;
    }
    for (; n; n--, at++)
        if (HD_UNLIKELY(*(const u8 *)at != byte))
            return at;
    return 0;
}

/* What lies behind the bytes asked for. */
HD_INLINE void hd_guard_set(const struct hd_heap_ref *ref)
{
    hd_guard_fill(ref->start + ref->size, HD_MIN(ref->capacity - ref->size, (u64)HD_GUARD_MAX),
                  HD_GUARD_BYTE);
}

/* The address of a byte behind the block that was overwritten, or 0. */
HD_INLINE u64 hd_guard_broken(const struct hd_heap_ref *ref)
{
    return hd_guard_find(ref->start + ref->size,
                         HD_MIN(ref->capacity - ref->size, (u64)HD_GUARD_MAX), HD_GUARD_BYTE);
}

/* A block whose memory goes back to the system keeps no pattern. */
HD_INLINE bool hd_guard_keeps(const struct hd_heap_ref *ref)
{
    return ref->capacity <= HD_HEAP_QUARANTINE_BYTES;
}

HD_INLINE void hd_guard_set_freed(const struct hd_heap_ref *ref)
{
    if (hd_guard_keeps(ref))
        hd_guard_fill(ref->start, HD_MIN(ref->size, (u64)HD_FREED_MAX), HD_FREED_BYTE);
}

/* The address of a byte of a quarantined block that was overwritten, or 0. */
HD_INLINE u64 hd_guard_broken_freed(const struct hd_heap_ref *ref)
{
    if (!hd_guard_keeps(ref))
        return 0;
    u64 at = hd_guard_find(ref->start, HD_MIN(ref->size, (u64)HD_FREED_MAX), HD_FREED_BYTE);
    return at ? at : hd_guard_broken(ref);
}

#endif
