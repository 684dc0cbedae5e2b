/* race_object.h: objects that are destroyed while another thread uses them: a lock, condition,
 * barrier or semaphore that is destroyed, a descriptor that is closed. The end and the use are
 * reported as a race if nothing orders the use before the end.
 *
 * What a thread does when it comes back from a wait is no use: a condition may be destroyed as
 * soon as those who wait have been woken, a barrier as soon as one was let through.
 */
#ifndef HD_RACE_OBJECT_H
#define HD_RACE_OBJECT_H

#include "base/map.h"
#include "base/vec.h"
#include "event/effect.h"
#include "order/order.h"

/* The last use of an object by one thread. */
struct hd_race_use {
    u64 site;
    u32 now, time; /* as in hd_seen */
    u32 next;      /* of the object, 0 = end */
    u16 tid;
};

struct hd_race_objects {
    struct hd_map first;           /* by space and address -> number of a use */
    HD_VEC(struct hd_race_use) use; /* [0] unused */
};

void hd_race_objects_begin(struct hd_race_objects *o);
void hd_race_objects_release(struct hd_race_objects *o);

/* Does the event use an object in that sense, or destroy it? */
bool hd_race_is_use(const struct hd_event *e);
bool hd_race_is_end(const struct hd_event *e);

/* The event uses an object. */
void hd_race_object_used(struct hd_race_objects *o, const struct hd_event *e, u32 now, u32 time);
/* It is destroyed or initialized: the uses by others that are not before that in `order`, one after
 * the other (*i from 0), NULL = no more. */
const struct hd_race_use *hd_race_object_next(const struct hd_race_objects *o,
                                              const struct hd_event *e,
                                              const struct hd_order *order, u32 *i);
void hd_race_object_forget(struct hd_race_objects *o, const struct hd_event *e);

#endif
