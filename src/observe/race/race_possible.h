/* race_possible.h: pairs of accesses that a run ordered, but perhaps only by luck: by who took
 * a lock first, or by an atomic, a semaphore or a pipe that happened to carry something over.
 * No lock is held at both, and what is left (create, join, barriers, conditions) does not order
 * them. Nothing of this is certain: who uses it drives a run into the pair.
 */
#ifndef HD_RACE_POSSIBLE_H
#define HD_RACE_POSSIBLE_H

#include "base/map.h"
#include "base/vec.h"
#include "observe/feed/feed_order.h"

enum hd_race_hidden {
    HD_RACE_FIXED,     /* ordered, or protected by a common lock */
    HD_RACE_BY_LOCK,   /* nothing but locks orders them */
    HD_RACE_BY_ATOMIC, /* ... or atomics, semaphores, calls to the outside world */
};

/* Bits of locks, by their number modulo 64: two of many may share one. */
struct hd_race_locks {
    u64 exclusive, shared;
};

/* An access before the last one of its kind, from another site or under other locks: of these the one
 * under the fewest. */
struct hd_race_older {
    struct hd_touch touch;
    struct hd_race_locks under;
    u8 does;        /* HD_GOAL_READ, ... */
    bool is_atomic;
};

struct hd_race_under {
    u32 read_now, write_now; /* as in hd_last: else the entry is about something else */
    u32 read, write;         /* locks, by their number */
    u32 older[2];            /* a read, a write: number in hd_race_possible.older, 0 = none */
};

struct hd_race_possible {
    struct hd_order no_locks, bare;
    struct hd_vclock external;   /* as in race.c, of no_locks */
    struct hd_map number;        /* of a lock, by its generation */
    struct hd_race_under *under; /* by struct hd_last */
    u32 cap_under;
    HD_VEC(struct hd_race_locks) locks; /* [0]: none. A run has few, and many accesses under each */
    struct hd_map locks_number;
    u32 locks_last;              /* number that was asked for last */
    HD_VEC(struct hd_race_older) older; /* HD_RACE_OLDER at most */
    u32 first_older;             /* number of its first one, > 0: they go on from run to run */
};
#define HD_RACE_OLDER 16384

void hd_race_possible_init(struct hd_race_possible *p);
void hd_race_possible_begin(struct hd_race_possible *p);
void hd_race_possible_release(struct hd_race_possible *p);
/* The run is over: large tables are not kept for the next one. */
void hd_race_possible_rest(struct hd_race_possible *p);

/* An event that is no access. */
void hd_race_possible_sync(struct hd_race_possible *p, const struct hd_feed *f,
                           const struct hd_seen *s);
/* An access: before it is compared, and after. */
void hd_race_possible_before(struct hd_race_possible *p, const struct hd_feed *f,
                             const struct hd_seen *s);
void hd_race_possible_after(struct hd_race_possible *p, const struct hd_feed *f,
                            const struct hd_seen *s);
/* The access, and an earlier one of another thread to the same object. */
enum hd_race_hidden hd_race_possible_check(struct hd_race_possible *p, const struct hd_feed *f,
                                          const struct hd_seen *s, const struct hd_last *l,
                                          bool is_write);

/* ... and one before its last read (or write), which may be NULL. */
const struct hd_race_older *hd_race_possible_older(const struct hd_race_possible *p,
                                                   const struct hd_feed *f, const struct hd_last *l,
                                                   bool is_write);
enum hd_race_hidden hd_race_possible_check_older(struct hd_race_possible *p, const struct hd_feed *f,
                                                const struct hd_seen *s, u16 tid,
                                                const struct hd_race_older *o);

/* What the thread holds; whether two accesses under these locks exclude each other. */
struct hd_race_locks hd_race_locks_held(struct hd_race_possible *p, const struct hd_feed *f, u16 tid);
bool hd_race_locks_meet(const struct hd_race_locks *a, const struct hd_race_locks *b);
/* A number for such locks; what it stands for is valid until the next one is asked for. */
u32 hd_race_locks_number(struct hd_race_possible *p, const struct hd_race_locks *l);
HD_INLINE const struct hd_race_locks *hd_race_locks_of(const struct hd_race_possible *p, u32 number)
{
    return &p->locks.at[number];
}

#define HD_RACE_LARGE 4096 /* entries of tables that are not kept for the next run */

#endif
