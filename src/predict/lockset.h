/* lockset.h: sets of held locks as small numbers. Equal sets have equal
 * numbers, so that accesses are compared without looking inside; 0 is the empty
 * set. Place i of a set is bit i of every mask that speaks about its locks.
 *
 * A lock is the low half of its object's generation in the feed: never the same for
 * two locks of one run. Shared: two threads may hold it that way at once.
 */
#ifndef HD_LOCKSET_H
#define HD_LOCKSET_H

#include "base/map.h"
#include "base/vec.h"

#define HD_LOCKSET_MAX 32 /* locks that count; more held at once are left out */

struct hd_lockset {
    u32 at;    /* first member */
    u32 n;
    u64 bloom; /* of the locks: no common bit = no common lock */
};

struct hd_member {
    u32 lock;
    bool is_shared;
};

struct hd_locksets {
    HD_VEC(struct hd_lockset) set;    /* [0] empty */
    HD_VEC(struct hd_member) member;  /* by lock within a set */
    struct hd_map number;             /* hash -> set */
};

void hd_locksets_init(struct hd_locksets *l);
void hd_locksets_release(struct hd_locksets *l);
void hd_locksets_clear(struct hd_locksets *l);

/* Number of a set. Pre: sorted by lock, n <= HD_LOCKSET_MAX. */
u32 hd_lockset_number(struct hd_locksets *l, const struct hd_member *m, u32 n);

/* Locks that the two sets cannot hold at once: as bits of a, and of b. */
struct hd_common {
    u32 a, b;
};
struct hd_common hd_lockset_common_slow(const struct hd_locksets *l, u32 a, u32 b);

HD_INLINE struct hd_common hd_lockset_common(const struct hd_locksets *l, u32 a, u32 b)
{
    if (HD_LIKELY(!(l->set.at[a].bloom & l->set.at[b].bloom)))
        return (struct hd_common){0, 0};
    return hd_lockset_common_slow(l, a, b);
}

#endif
