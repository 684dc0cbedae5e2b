/* pairs.h: synchronization pairs <first, second> of lock calls that no run has
 * shown yet: what strategy/directed/tsa.c targets. Filled by the host before a run
 * (plan/tsa_run.c), only read by the target. Two hash tables: the pairs, and
 * in how many of them each site takes part.
 */
#ifndef HD_PAIRS_H
#define HD_PAIRS_H

#include "base/base.h"

#define HD_PAIRS_MAX 8192
#define HD_PAIR_SLOTS (2 * HD_PAIRS_MAX) /* power of two */
#define HD_PAIR_SITES 4096               /* slots, power of two; half of them are used */
#define HD_NO_PAIR (~(u32)0)

struct hd_sync_pair {
    u64 first, second; /* return addresses; first 0 = free slot */
};

struct hd_pair_site {
    u64 site; /* 0 = free slot */
    u32 n;    /* pairs it is in; <site, site> counts once */
    u32 reserved;
};

struct hd_pairs {
    u32 n, n_sites;
    struct hd_sync_pair only; /* what the run targets; first 0: for some of all */
    struct hd_sync_pair pair[HD_PAIR_SLOTS];
    struct hd_pair_site site[HD_PAIR_SITES];
};

HD_INLINE u64 hd_pairs_mix(u64 x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ x >> 32;
}

/* Slot of the site, HD_NO_PAIR = it is in no pair. */
HD_INLINE u32 hd_pairs_site(const struct hd_pairs *p, u64 site)
{
    u32 at = (u32)hd_pairs_mix(site) & (HD_PAIR_SITES - 1);
    for (; p->site[at].site; at = (at + 1) & (HD_PAIR_SITES - 1))
        if (p->site[at].site == site)
            return at;
    return HD_NO_PAIR;
}

/* Slot of the pair, HD_NO_PAIR = not there. */
HD_INLINE u32 hd_pairs_find(const struct hd_pairs *p, u64 first, u64 second)
{
    u32 at = (u32)hd_pairs_mix(hd_pairs_mix(first) ^ second) & (HD_PAIR_SLOTS - 1);
    for (; p->pair[at].first; at = (at + 1) & (HD_PAIR_SLOTS - 1))
        if (p->pair[at].first == first && p->pair[at].second == second)
            return at;
    return HD_NO_PAIR;
}

HD_INLINE struct hd_pair_site *hd_pairs_count(struct hd_pairs *p, u64 site)
{
    u32 at = (u32)hd_pairs_mix(site) & (HD_PAIR_SITES - 1);
    while (p->site[at].site && p->site[at].site != site)
        at = (at + 1) & (HD_PAIR_SITES - 1);
    p->n_sites += !p->site[at].site;
    p->site[at].site = site;
    p->site[at].n++;
    return &p->site[at];
}

/* Pre: sites are not 0, the pair is not there. False: no room. */
HD_INLINE bool hd_pairs_add(struct hd_pairs *p, u64 first, u64 second)
{
    if (p->n >= HD_PAIRS_MAX || p->n_sites + 2 > HD_PAIR_SITES / 2)
        return false;
    u32 at = (u32)hd_pairs_mix(hd_pairs_mix(first) ^ second) & (HD_PAIR_SLOTS - 1);
    while (p->pair[at].first)
        at = (at + 1) & (HD_PAIR_SLOTS - 1);
    p->pair[at] = (struct hd_sync_pair){first, second};
    p->n++;
    hd_pairs_count(p, first);
    if (second != first)
        hd_pairs_count(p, second);
    return true;
}

#endif
