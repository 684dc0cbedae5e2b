/* site_sets.h: which sites have touched each 8 bytes of the program in this run; see
 * site_sets.c. Kept in learning runs while the host listens (STREAM). */
#ifndef HD_TOUCHED_H
#define HD_TOUCHED_H

#include "runtime/core/rt.h"

#define HD_TOUCHED_SETS (1u << 16) /* a number below this, 0 = empty */
#define HD_TOUCHED_SHIFT 18u
#define HD_TOUCHED_MEMO (1u << (32 - HD_TOUCHED_SHIFT))

#define HD_TOUCHED_LOUD HD_SHM_SITES /* stands for accesses that are heard wherever they are */

/* What a set becomes when the site joins it; 0 = nothing noted here. */
struct hd_touched_step {
    u32 set, site, next, reserved;
};

extern bool hd_touched_is_on;
extern struct hd_touched_step hd_touched_memo[HD_TOUCHED_MEMO];
extern u32 hd_touched_shift; /* how much of it is in use: HD_TOUCHED_SHIFT = all */

HD_INLINE struct hd_touched_step *hd_touched_slot(u32 set, u32 site)
{
    return &hd_touched_memo[((set * 0x9e3779b1u ^ site) * 0x85ebca6bu) >> hd_touched_shift];
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
/* A cell has come to have this set: how many that makes. 0 = some site of it is heard
 * wherever it is, being a point, or for the kind or the width of its accesses. */
u32 hd_touched_cells(u32 set);
/* Memory touched by these turned out to be shared: they are events. */
void hd_touched_mark(u32 set);

#endif
