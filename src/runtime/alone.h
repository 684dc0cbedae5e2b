/* alone.h: memory that one thread has to itself, by what earlier runs showed; see alone.c. */
#ifndef HD_ALONE_H
#define HD_ALONE_H

#include "runtime/rt.h"

#define HD_ALONE_BYTES ((u64)1 << 32) /* one for 8 of the program; as much as has cells */
#define HD_ALONE_SHARED 15u           /* several threads, one of them wrote */
#define HD_ALONE_MARKS 14u

/* Four bits for 4 bytes of the program: 0 = nobody was seen there; HD_ALONE_SHARED; else one
 * thread, first seen in the run with that mark. */
extern u8 *hd_alone;
extern u32 hd_alone_now; /* mark of this run; 0 = it does not learn */
extern u32 hd_alone_hot; /* events of a site in a run from which on memory of one thread is
                            left out */

void hd_alone_init(void);
/* The run begins in a fresh child. */
void hd_alone_begin(void);

HD_INLINE u8 *hd_alone_at(u64 addr) { return &hd_alone[(addr >> 3) & (HD_ALONE_BYTES - 1)]; }

HD_INLINE bool hd_alone_is_mark(u32 mark)
{
    return mark && mark != hd_alone_now && mark != HD_ALONE_SHARED;
}

/* Did one thread have it to itself in an earlier run, and no two in any? `size` bytes, of
 * the same 8. */
HD_INLINE bool hd_alone_is(u64 addr, u32 size)
{
    u32 marks = *hd_alone_at(addr), high = addr & 4;
    if ((addr & 3) + size > 4)
        return hd_alone_is_mark(marks & 15) && hd_alone_is_mark(marks >> 4);
    return hd_alone_is_mark(marks >> high & 15);
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
    if (hd_alone)
        *hd_alone_at(addr) |= is_wide ? 0xff : 15u << (addr & 4);
}

#endif
