/* races.h: the races that the runs of a campaign showed, one entry for each pair of sites
 * and variable. Filled by the observer of races (observe/race/race.h); who confirms them by
 * driving runs into them is campaign/race/races.c.
 *
 * Bounded: pairs beyond HD_RACES_MOST are counted, not kept.
 */
#ifndef HD_RACES_H
#define HD_RACES_H

#include "base/map.h"
#include "base/vec.h"
#include "detect/lock_orders.h"
#include "detect/triples.h"
#include "detect/twos.h"
#include "observe/race/race.h"

#define HD_RACES_MOST 4096
#define HD_RACES_HIDDEN 1024 /* ... of these that no run has shown */
#define HD_RACES_VARIABLES 8 /* of one pair of sites that are told apart */

struct hd_race_pair {
    struct hd_race_seen is; /* an example: one that was pending, if there was any */
    u64 var;                /* address of a variable with a fixed place; 0 = any other memory */
    u32 times;              /* in how many places of how many runs it was seen */
    u32 pending, weak, carried, schedulable; /* ... like that */
    bool is_fixed, is_open; /* some run that was looked at orders it as every run does; some does not (fixed.h) */
    bool is_known;          /* another input of the suite has settled it */
    bool is_predicted;      /* a run that did not show it certainly could have (sync_preserving.h) */
    u32 order[2];           /* as .is, and the other way round */
    u32 hidden[2];          /* in how many places a run ordered it, but need not have: by locks
                               alone, by atomics as well. With times 0 that is all there is */
};

struct hd_races {
    HD_VEC(struct hd_race_pair) pair;
    struct hd_map number;   /* of a pair, by its hash */
    struct hd_map variables; /* how many a pair of sites has */
    size_t n_hidden;        /* pairs that came in as hidden ones */
    struct hd_triples triples;
    struct hd_twos twos;
    struct hd_lock_orders locks;
    u64 lost;               /* sightings of pairs that found no room */
};

void hd_races_init(struct hd_races *r);
void hd_races_release(struct hd_races *r);
/* `is_fixed`: the address means the same variable in every run. */
void hd_races_add(struct hd_races *r, const struct hd_race_seen *s, bool is_fixed);

/* No run has shown that the pair can come in any order but by memory orders that are too
 * weak to promise it; and each run that showed it tells which these are. */
HD_INLINE bool hd_race_is_weak(const struct hd_race_pair *p)
{
    return p->times && p->weak == p->times && !p->pending && p->is.edge.store && !p->order[1];
}

/* The same, where it is other races that carry the value over: true if these are. */
HD_INLINE bool hd_race_is_carried(const struct hd_race_pair *p)
{
    return p->carried && p->weak + p->carried == p->times && !p->pending && !p->order[1];
}

/* No run has shown it: each ordered the two in a way that another one need not. */
HD_INLINE bool hd_race_is_hidden(const struct hd_race_pair *p) { return !p->times; }

/* ... and as far as one of them tells no other one will. A run that does not say so may lack what handed the data
 * over: memory is not looked at before a second thread comes to it. */
HD_INLINE bool hd_race_is_fixed(const struct hd_race_pair *p)
{
    return hd_race_is_hidden(p) && p->is_fixed;
}

#endif
