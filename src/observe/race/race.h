/* race.h: two accesses that race, as the observer of races (race.c) sees them in a run. */
#ifndef HD_RACE_SEEN_H
#define HD_RACE_SEEN_H

#include "base/base.h"
#include "event/goal.h"

/* Two accesses that carry a value from one thread to another without ordering what stands
 * around them: a store (or update) and the load that read it. Atomics, or a race of their own. */
struct hd_race_edge {
    u64 store, load;             /* sites; 0 = there is none */
    u8 store_order, load_order;  /* enum hd_memory_order; HD_MO_PLAIN: it is not atomic */
};

struct hd_race_seen {
    u64 site[2];       /* of the earlier access and the later one */
    u64 addr;          /* of the later one */
    u16 tid[2];
    u8 does[2];        /* HD_GOAL_READ, _WRITE, _UPDATE */
    bool is_pending;   /* the later one's thread stood at it when the earlier one happened */
    bool is_schedulable; /* another run can certainly bring the two together (race_shb.h) */
    bool is_weak;      /* they would be ordered if all atomics were acquire and release: no
                          sequentially consistent run turned them round so far */
    bool is_carried;   /* not so, but a read that saw the other thread's write comes between: a flag or pointer that races itself */
    struct hd_race_edge edge; /* is_weak, is_carried: what is too weak */
    u64 third;         /* not 0: site[1] came between site[0] and this one of the same thread (race_triple.h) */
    u8 does_third;
    bool in_block;     /* ... which said that they are one piece */
    u8 hidden;         /* enum hd_race_hidden: this run ordered them, another one need not; 0 = they
                          did race */
};

#endif
