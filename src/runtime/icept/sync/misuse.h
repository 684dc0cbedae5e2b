/* misuse.h: lock misuse as the end of a run; see misuse.c. */
#ifndef HD_RUNTIME_MISUSE_H
#define HD_RUNTIME_MISUSE_H

#include "runtime/core/rt.h"

/* Looks at the misuse the scheduler noted since the last call. */
HD_COLD void hd_misuse_judge(void);

extern u32 hd_misuse_seen; /* entries of sched.misuse judged so far */

/* After every step of the scheduler; the caller holds the baton. */
HD_INLINE void hd_misuse_check(void)
{
    if (HD_UNLIKELY(hd_rt.sched.n_misuse != hd_misuse_seen))
        hd_misuse_judge();
}

#endif
