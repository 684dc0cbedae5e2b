/* triples.h: accesses of one thread with one of another thread in between (observe/race/
 * race_triple.h): a table of those that runs showed or could have shown, and finding one in the
 * events of a run. */
#ifndef HD_TRIPLES_H
#define HD_TRIPLES_H

#include "base/map.h"
#include "base/vec.h"
#include "observe/race/race.h"

#define HD_TRIPLES_MOST 512

struct hd_triple {
    struct hd_race_seen is; /* .site[0], then .site[1] of the other thread, then .third */
    u64 var;                /* as in struct hd_race_pair */
    u32 exposed, possible;  /* in how many places */
};

struct hd_triples {
    HD_VEC(struct hd_triple) all;
    struct hd_map number; /* by the three sites */
};

void hd_triples_release(struct hd_triples *t);
void hd_triples_add(struct hd_triples *t, const struct hd_race_seen *s, bool is_fixed);

/* Indices of three such accesses in the events of a run: the first two at sites at[0] and at[1],
 * the third at at[2] is the next access of the first thread to the same bytes. In one atomic
 * block, if that is asked for. */
bool hd_triple_find(const struct hd_event *ev, u32 n, const u64 at[3], bool in_block, u32 found[3]);

#endif
