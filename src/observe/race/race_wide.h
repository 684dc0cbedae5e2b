/* race_wide.h: accesses to long ranges (memcpy of a structure, read into a buffer), for races. The feed
 * knows their first HD_FEED_WIDE bytes; to give every granule of them a history would cost more than all
 * other events together. So the bytes behind those are looked at here: when such an access comes, what others
 * did there; and the latest of them are kept, for what others do there later.
 */
#ifndef HD_RACE_WIDE_H
#define HD_RACE_WIDE_H

#include "observe/feed/feed.h"

#define HD_RACE_WIDES 64 /* accesses that are kept */

struct hd_wide {
    u64 addr; /* the bytes that the feed does not know */
    u32 bytes;
    u16 tid;
    bool is_write;
    struct hd_touch touch;
};

struct hd_race_wide {
    struct hd_wide at[HD_RACE_WIDES];
    u32 n, oldest;
    u32 turn; /* where in a long range to begin looking, so that all of it has its turn */
};

void hd_race_wide_begin(struct hd_race_wide *w);
/* The bytes of the access that the feed does not know; 0 = none. */
HD_INLINE u32 hd_race_wide_rest(const struct hd_event *e)
{
    return hd_event_bytes(e) > HD_FEED_WIDE ? hd_event_bytes(e) - HD_FEED_WIDE : 0;
}
/* The access happens, and is kept. Has a rest. */
void hd_race_wide_add(struct hd_race_wide *w, const struct hd_seen *s);
/* Memory has gone. */
void hd_race_wide_forget(struct hd_race_wide *w, u64 addr, u64 bytes);
/* The next one that conflicts with the access, from *i on (0 first); NULL: no more. */
const struct hd_wide *hd_race_wide_next(const struct hd_race_wide *w, const struct hd_event *e, bool is_write,
                                        u32 *i);
/* Calls `each` with objects that were touched in the rest, at most some hundred. */
void hd_race_wide_objects(struct hd_race_wide *w, const struct hd_feed *f, const struct hd_event *e,
                          void (*each)(void *self, u32 obj), void *self);

#endif
