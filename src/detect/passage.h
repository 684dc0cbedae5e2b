/* passage.h: why two accesses could not meet: one stands in the section of a lock that the other
 * thread passes on its way to its own access.
 *
 *   T1                 T2
 *   lock m             lock m
 *   n = 1              unlock m
 *   unlock m           print n
 *
 * If T1 waits at its access, T2 does not get to the other one: it has to be through before. On
 * the list of a run's events, without threads.
 */
#ifndef HD_PASSAGE_H
#define HD_PASSAGE_H

#include "event/event.h"

struct hd_passage {
    u32 inside;  /* which of the two accesses stands in the section */
    u64 take;    /* site where its thread takes the lock, */
    u64 give;    /* and where the other thread has given it up before its own access */
};

/* Of accesses at site[0] and site[1] by two threads, in a run that had both; false if there is
 * no such lock. */
bool hd_passage_find(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_passage *out);

/* Index of the event by which the thread of event i took the outermost of the locks that it holds
 * there; i itself if it holds none. */
u32 hd_passage_begin(const struct hd_event *ev, u32 i);

#endif
