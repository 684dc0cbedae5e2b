/* vclock.h: vector clocks: for each thread the last time of it that is known. A clock
 * holds as many entries as it needs; the others are 0, "nothing". Zeroed is empty. */
#ifndef HD_VCLOCK_H
#define HD_VCLOCK_H

#include "base/base.h"

struct hd_vclock {
    u32 n, cap;
    u32 *at; /* by thread */
};

void hd_vclock_release(struct hd_vclock *c);
/* At least n entries. */
void hd_vclock_widen(struct hd_vclock *c, u32 n);

HD_INLINE void hd_vclock_clear(struct hd_vclock *c) { c->n = 0; }

HD_INLINE u32 hd_vclock_at(const struct hd_vclock *c, u32 tid)
{
    return tid < c->n ? c->at[tid] : 0;
}

/* What thread `tid` did up to `time` is known as well. */
HD_INLINE void hd_vclock_learn(struct hd_vclock *c, u32 tid, u32 time)
{
    if (HD_UNLIKELY(tid >= c->n))
        hd_vclock_widen(c, tid + 1);
    c->at[tid] = HD_MAX(c->at[tid], time);
}

/* All that either knows, into `to`. */
void hd_vclock_join(struct hd_vclock *to, const struct hd_vclock *from);
/* Only what both know. */
void hd_vclock_meet(struct hd_vclock *to, const struct hd_vclock *with);

/* The same for clocks of equal width that lie in an array. */
HD_INLINE void hd_vclock_join_row(u32 *to, const u32 *from, u32 n)
{
    for (u32 i = 0; i < n; i++)
        to[i] = HD_MAX(to[i], from[i]);
}

#endif
