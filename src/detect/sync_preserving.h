/* sync_preserving.h: races that a run did not show and another run certainly can: two accesses are one
 * if the rest of the run can be cut so that both are next, with the same locks taken in the same order
 * and every read seeing what it saw. After Mathur, Pavlogiannis and Viswanathan, "Optimal prediction of
 * synchronization-preserving races" (POPL 2021). On the list of a run's events, without threads.
 *
 * The smallest set of events that has to come before both is closed under: what its thread did before;
 * the write that a read saw; creation and end of threads; of the sections of one lock all but the
 * last end in it. If neither access is in it, they are a race.
 *
 * Deviations, all of which predict less: readers of a lock count as if they excluded each other; what
 * conditions, semaphores, barriers, signals and the outside world did stays in the order it had.
 */
#ifndef HD_SYNC_PRESERVING_H
#define HD_SYNC_PRESERVING_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

/* What an event needs besides what its thread did before. */
struct hd_sp_need {
    u32 event;
    u32 next; /* number + 1 */
};

struct hd_sp_event {
    u32 nth;     /* of its thread, from 1 */
    u32 needs;   /* number + 1 of the first */
    u32 lock;    /* it begins a section of this lock (number + 1), */
    u32 release; /* ... which ends there (index + 1), 0 = never */
};

struct hd_sp {
    const struct hd_event *ev;
    u32 n;
    struct hd_sp_event *at;       /* by event */
    HD_VEC(struct hd_sp_need) need;
    u32 *list, *first;            /* events by thread; first[t]: where those of t begin */
    u32 n_threads, n_locks;
    u32 *created;                 /* by thread: index + 1 of the event that made it */
    u32 *cut, *done;              /* by thread: events in the set; looked at */
    u32 *latest;                  /* by lock: index + 1 of its last acquire in the set */
    u64 work;                     /* events looked at so far */
};

/* The list must begin with the run, and stay until the release. */
void hd_sp_init(struct hd_sp *s, const struct hd_event *ev, u32 n);
void hd_sp_release(struct hd_sp *s);

/* Events a and b: accesses of two threads that conflict. */
bool hd_sp_is_race(struct hd_sp *s, u32 a, u32 b);
/* Are some accesses at these two sites? Looks at about `most` events. */
bool hd_sp_has_race(struct hd_sp *s, const u64 site[2], u64 most);

#endif
