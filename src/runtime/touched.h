/* touched.h: which sites have touched each 8 bytes of the program in this run; see
 * touched.c. Kept in learning runs while the host listens (STREAM). */
#ifndef HD_TOUCHED_H
#define HD_TOUCHED_H

#include "runtime/rt.h"

#define HD_TOUCHED_SETS (1u << 16) /* a number below this, 0 = empty */
#define HD_TOUCHED_MEMO 4096

/* What a set becomes when the site joins it; 0 = nothing noted here. */
struct hd_touched_step {
    u32 set, site, next, reserved;
};

extern bool hd_touched_is_on;
_Static_assert(HD_TOUCHED_MEMO == 1u << (32 - 20), "hash");
extern struct hd_touched_step hd_touched_memo[HD_TOUCHED_MEMO];

HD_INLINE struct hd_touched_step *hd_touched_slot(u32 set, u32 site)
{
    return &hd_touched_memo[((set * 0x9e3779b1u ^ site) * 0x85ebca6bu) >> 20];
}

/* The same, 0 = it is not known at once. */
HD_INLINE u32 hd_touched_next(u32 set, u32 site)
{
    const struct hd_touched_step *p = hd_touched_slot(set, site);
    return p->set == set && p->site == site ? p->next : 0;
}

/* A run begins. */
void hd_touched_begin(void);
/* The set with the site. */
u32 hd_touched_add(u32 set, u32 site);
/* Memory touched by these turned out to be shared: they are events. */
void hd_touched_mark(u32 set);

#endif
