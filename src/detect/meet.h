/* meet.h: did two accesses meet in a run? On the list of its events, without threads. */
#ifndef HD_MEET_H
#define HD_MEET_H

#include "event/event.h"

struct hd_meeting {
    u32 first, second; /* indices of the two accesses */
};

/* Accesses at `site[0]` and `site[1]` (in any order; they may be the same), by two threads, to
 * the same bytes, one a write and not both atomic, such that the thread of the second one
 * stood at it when the first one happened: it has done nothing since before. Both are
 * scheduling points. Likewise the use of an object and its destruction. The first
 * such pair, with site[0] first if `is_ordered`. */
bool hd_meet_pending(const struct hd_event *ev, u32 n, const u64 site[2], bool is_ordered,
                     struct hd_meeting *out);

/* ... such that an access at site[0] comes before one at site[1] and nothing orders them but
 * values that were carried over, by atomics that are too weak or by accesses that race themselves: they would be ordered if
 * all were atomics, acquire and release. The list must begin with the run. */
bool hd_meet_weak(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_meeting *out);

/* ... such that nothing at all orders them, whichever comes first. The list must begin with the run. */
bool hd_meet_unordered(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_meeting *out);

/* Behind step `from`: is an access of tid[1] at site[1] there before any of tid[0] at site[0]? What came
 * before the events that are there is believed to. */
bool hd_meet_is_first(const struct hd_event *ev, u32 n, u32 from, const u64 site[2], const u16 tid[2]);

#endif
