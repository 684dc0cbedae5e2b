/* repeat.h: is an event like those before it in its run? Then neither a metric nor the
 * predictor can learn from it. Pure: no memory but *r, no threads.
 *
 * What makes two events equal: site, context, kind and whether it succeeded, the sites of the
 * innermost locks its thread holds, and who touched the object last (the site, and whether
 * that was another thread). Threads and addresses do not count: a thousand workers do the same.
 *
 * After HD_REPEAT_TIMES the next one is a repeat. Both tables are of fixed size: where there is
 * no room left only sites count, and where there is none for sites nothing is new.
 */
#ifndef HD_REPEAT_H
#define HD_REPEAT_H

#include "event/event.h"

#define HD_REPEAT_TIMES 4u
#define HD_REPEAT_KINDS (1u << 15) /* slots; powers of two, as are: */
#define HD_REPEAT_SITES (1u << 12)
#define HD_REPEAT_OBJECTS (1u << 12)
#define HD_REPEAT_LOCKS 4          /* of a thread, innermost */

struct hd_repeat_last {
    u32 object, site; /* hashes */
    u16 tid;
    u16 is_set;
};

struct hd_repeat_thread {
    u32 lock[HD_REPEAT_LOCKS]; /* hashes of the sites that took them, a ring */
    u32 depth;
};

struct hd_repeat {
    u32 kind[HD_REPEAT_KINDS]; /* hash, with the count in its lowest bits; 0 = free */
    u32 site[HD_REPEAT_SITES];
    struct hd_repeat_last last[HD_REPEAT_OBJECTS];
    struct hd_repeat_thread thread[HD_MAX_THREADS];
};

/* The event is noted; false: it is a repeat. */
bool hd_repeat_is_news(struct hd_repeat *r, const struct hd_event *ev);
/* The thread takes or gives up a lock, as part of an event that is not asked about. */
void hd_repeat_lock(struct hd_repeat *r, const struct hd_event *ev);

#endif
