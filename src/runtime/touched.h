/* touched.h: which sites have touched each 8 bytes of the program in this run; see
 * touched.c. Kept in learning runs while the host listens (STREAM). */
#ifndef HD_TOUCHED_H
#define HD_TOUCHED_H

#include "runtime/rt.h"

#define HD_TOUCHED_MEMO 1024

/* A pair (set, site) such that the site is in the set. */
struct hd_touched_pair {
    u32 set, site;
};

extern u32 *hd_touched; /* by cell: number of a set, 0 = empty; NULL: not kept now */
extern struct hd_touched_pair hd_touched_memo[HD_TOUCHED_MEMO];

/* Is it known that the site is among those that touched the cell? */
HD_INLINE bool hd_touched_has(u64 cell, u32 site)
{
    if (HD_LIKELY(!hd_touched))
        return true;
    u32 set = hd_touched[cell];
    const struct hd_touched_pair *p = &hd_touched_memo[(set * 31 + site) % HD_TOUCHED_MEMO];
    return p->set == set && p->site == site && set;
}

void hd_touched_init(void);
/* A run begins. */
void hd_touched_begin(void);
void hd_touched_add(u64 cell, u32 site);
/* The cell turned out to be shared: all of its sites are events. */
void hd_touched_mark(u64 cell);
/* The cells [first, last) are of another object now. */
void hd_touched_clear(u64 first, u64 last);

#endif
