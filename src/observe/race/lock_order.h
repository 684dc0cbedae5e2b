/* lock_order.h: threads that each hold a lock and want one that the next of them holds: a run that
 * went well can show that another one need not.
 *
 *   T1          T2
 *   lock a      lock b
 *   lock b      lock a
 *
 * Told if the threads differ, nothing but locks orders what they did, and no further lock keeps
 * them apart. Reading locks that do not exclude each other are no reason to wait, nor is a
 * trylock. Nothing of this is certain: who uses it drives a run into the deadlock.
 */
#ifndef HD_LOCK_ORDER_H
#define HD_LOCK_ORDER_H

#include "base/map.h"
#include "observe/race/race_possible.h"

#define HD_LOCK_ORDER_MOST 4    /* threads in a circle */
#define HD_LOCK_ORDER_EDGES 512 /* of a run */

/* One thread of the circle. It wants the lock that the next one holds. */
struct hd_lock_order_step {
    u64 take, want; /* sites */
    u64 lock;       /* address of the one it holds */
    u16 tid;
};

struct hd_lock_order_seen {
    u32 n;
    struct hd_lock_order_step at[HD_LOCK_ORDER_MOST];
};

/* A thread took a lock while it held another. */
struct hd_lock_edge {
    u64 held, wanted; /* generations */
    u32 time;         /* of the thread, when it last did */
    struct hd_race_locks all; /* that it held then */
    bool is_held_shared, is_wanted_shared;
    struct hd_lock_order_step is;
};

struct hd_lock_order {
    HD_VEC(struct hd_lock_edge) edge; /* of this run */
    struct hd_map number;             /* of an edge, by its hash */
    struct hd_map address;            /* of a lock, by its generation */
    void (*report)(void *self, const struct hd_lock_order_seen *s); /* NULL = not wanted */
    void *self;
};

void hd_lock_order_begin(struct hd_lock_order *l);
void hd_lock_order_release(struct hd_lock_order *l);
/* An event that is no access, after it entered `p` and before it enters the feed. */
void hd_lock_order_sync(struct hd_lock_order *l, struct hd_race_possible *p, const struct hd_feed *f,
                        const struct hd_seen *s);

#endif
