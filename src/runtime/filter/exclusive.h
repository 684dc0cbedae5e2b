/* exclusive.h: memory the host need not hear of, by what earlier runs showed; see exclusive.c. */
#ifndef HD_ALONE_H
#define HD_ALONE_H

#include "runtime/core/rt.h"

#define HD_ALONE_BYTES ((u64)1 << 32) /* one for 8 of the program; as much as has cells */
#define HD_ALONE_SHARED 15u           /* several threads, one of them wrote */
#define HD_ALONE_ALIKE 14u            /* one handed it to another, as much other memory */
#define HD_ALONE_MARKS 13u
#define HD_ALONE_MANY 1024u           /* cells alike: of more than that, some will do */

/* Four bits for 4 bytes of the program: 0 = nobody was seen there; HD_ALONE_SHARED or _ALIKE;
 * else one thread, first seen in the run with that mark. */
extern u8 *hd_alone;
extern u32 hd_alone_now; /* mark of this run; 0 = it does not learn */

enum hd_alone_kind { HD_ALONE_HEARD, HD_ALONE_OWN, HD_ALONE_THIN };
extern u8 hd_alone_kinds[256]; /* of the marks of 8 bytes, in this run; all heard: no filter */
extern bool hd_alone_is_filter;

void hd_alone_init(void);
/* The run begins in a fresh child. */
void hd_alone_begin(void);

HD_INLINE u8 *hd_alone_at(u64 addr) { return &hd_alone[(addr >> 3) & (HD_ALONE_BYTES - 1)]; }

/* What is left out of `size` bytes, of the same 8: what one thread had to itself in an
 * earlier run and no two in any, for sites that are hot; memory alike. */
HD_INLINE u32 hd_alone_kind(u64 addr, u32 size)
{
    u32 marks = *hd_alone_at(addr), high = addr & 4;
    return hd_alone_kinds[(addr & 3) + size > 4 ? marks : (marks >> high & 15) * 0x11];
}

/* Touched for the first time in this run, which learns. */
HD_INLINE void hd_alone_touch(u64 addr, bool is_wide)
{
    u8 *at = hd_alone_at(addr);
    u32 high = addr & 4, marks = *at;
    if (is_wide && !(marks & 15))
        marks |= hd_alone_now;
    if (is_wide)
        high = 4;
    if (!(marks >> high & 15))
        marks |= hd_alone_now << high;
    if (marks != *at)
        *at = (u8)marks;
}

HD_INLINE void hd_alone_share(u64 addr, bool is_wide)
{
    u32 all = is_wide ? 0xff : 15u << (addr & 4);
    if (hd_alone && (*hd_alone_at(addr) & all) != all)
        *hd_alone_at(addr) |= all;
}

/* One thread handed it to another, and was the first to do so; `cells` are alike so far. */
void hd_alone_hand_over(u64 addr, bool is_wide, u32 cells);

#endif
