/* site_sets.h: which sites have touched each 8 bytes of the program in this run; see
 * site_sets.c. Kept in learning runs while the run is streamed (STREAM). */
#ifndef HD_SITE_SETS_H
#define HD_SITE_SETS_H

#include "runtime/core/rt.h"

#define HD_SITE_SETS_SETS (1u << 16) /* a number below this, 0 = empty */
#define HD_SITE_SETS_SHIFT 18u
#define HD_SITE_SETS_MEMO (1u << (32 - HD_SITE_SETS_SHIFT))

#define HD_SITE_SETS_ALWAYS HD_SHM_SITES /* stands for accesses that are always recorded */

/* What a set becomes when the site joins it; 0 = nothing noted here. */
struct hd_site_sets_step {
    u32 set, site, next, reserved;
};

extern HD_HIDDEN bool hd_site_sets_is_on;
extern HD_HIDDEN struct hd_site_sets_step hd_site_sets_memo[HD_SITE_SETS_MEMO];
/* The last such step of each site: a loop over memory makes the same one again and again. */
extern HD_HIDDEN struct hd_site_sets_last {
    u32 set, next;
} hd_site_sets_last[HD_SHM_SITES];
extern HD_HIDDEN u32 hd_site_sets_shift; /* how much of it is in use: HD_SITE_SETS_SHIFT = all */

HD_INLINE struct hd_site_sets_step *hd_site_sets_slot(u32 set, u32 site)
{
    return &hd_site_sets_memo[((set * 0x9e3779b1u ^ site) * 0x85ebca6bu) >> hd_site_sets_shift];
}

/* The same, 0 = it is not known at once. Pre: site < HD_SHM_SITES. */
HD_INLINE u32 hd_site_sets_next(u32 set, u32 site)
{
    struct hd_site_sets_last *last = &hd_site_sets_last[site];
    if (HD_LIKELY(last->next && last->set == set))
        return last->next;
    const struct hd_site_sets_step *p = hd_site_sets_slot(set, site);
    if (p->set != set || p->site != site)
        return 0;
    *last = (struct hd_site_sets_last){set, p->next};
    return p->next;
}

/* A run begins. */
void hd_site_sets_begin(void);
/* The set with the site. */
u32 hd_site_sets_add(u32 set, u32 site);
/* A cell has come to have this set: how many that makes. 0 = some site of it is always
 * recorded, being a point, or for the kind or the width of its accesses. */
u32 hd_site_sets_cells(u32 set);
/* Memory touched by these turned out to be shared: they are events. */
void hd_site_sets_mark(u32 set);

#endif
