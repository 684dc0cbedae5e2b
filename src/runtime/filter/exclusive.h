/* exclusive.h: memory that is not streamed to the host, by what earlier runs showed; see
 * exclusive.c. */
#ifndef HD_EXCLUSIVE_H
#define HD_EXCLUSIVE_H

#include "runtime/core/rt.h"
#include "runtime/filter/filter.h"

#define HD_EXCLUSIVE_BYTES ((u64)1 << 32) /* one for 8 of the program; as much as has cells */
#define HD_EXCLUSIVE_SHARED 15u           /* several threads, one of them wrote */
#define HD_EXCLUSIVE_REDUNDANT 14u        /* one handed it to another, as much other memory */
#define HD_EXCLUSIVE_MARKS 13u
#define HD_EXCLUSIVE_MANY 1024u /* redundant cells: of more than that a sample is enough */

/* Four bits for 4 bytes of the program, table 3 of filter.def: 0 = UNSEEN; SHARED or REDUNDANT;
 * else EXCLUSIVE, first seen in the run with that mark. */
extern HD_HIDDEN u8 *hd_exclusive;
extern HD_HIDDEN u32 hd_exclusive_now; /* mark of this run; 0 = it does not learn */

/* enum hd_filter_memory of the marks of 8 bytes, in this run. */
extern HD_HIDDEN u8 hd_exclusive_kinds[256];
extern HD_HIDDEN bool hd_exclusive_is_filter; /* else it is HD_MEMORY_ANY throughout */

void hd_exclusive_init(void);
/* The run begins in a fresh child. */
void hd_exclusive_begin(void);

HD_INLINE u8 *hd_exclusive_at(u64 addr)
{
    return &hd_exclusive[(addr >> 3) & (HD_EXCLUSIVE_BYTES - 1)];
}

/* Of `size` bytes, of the same 8. */
HD_INLINE u32 hd_exclusive_kind(u64 addr, u32 size)
{
    u32 marks = *hd_exclusive_at(addr), high = addr & 4;
    return hd_exclusive_kinds[(addr & 3) + size > 4 ? marks : (marks >> high & 15) * 0x11];
}

/* Touched for the first time in this run, which learns. */
HD_INLINE void hd_exclusive_touch(u64 addr, bool is_wide)
{
    u8 *at = hd_exclusive_at(addr);
    u32 high = addr & 4, marks = *at;
    if (is_wide && !(marks & 15))
        marks |= hd_exclusive_now;
    if (is_wide)
        high = 4;
    if (!(marks >> high & 15))
        marks |= hd_exclusive_now << high;
    if (marks != *at)
        *at = (u8)marks;
}

HD_INLINE void hd_exclusive_share(u64 addr, bool is_wide)
{
    u32 all = is_wide ? 0xff : 15u << (addr & 4);
    if (hd_exclusive && (*hd_exclusive_at(addr) & all) != all)
        *hd_exclusive_at(addr) |= all;
}

/* One thread handed it to another, and was the first to do so; `cells` are redundant so far. */
void hd_exclusive_hand_over(u64 addr, bool is_wide, u32 cells);

#endif
