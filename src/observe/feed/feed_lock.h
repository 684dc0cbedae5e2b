/* feed_lock.h: which locks the threads of a run hold; between feed.c and feed_lock.c. */
#ifndef HD_FEED_LOCK_H
#define HD_FEED_LOCK_H

#include "observe/feed/feed.h"

/* Before an event that takes or releases a lock is shown to observers, and after it. */
void hd_feed_lock_decode_acquire(struct hd_feed *f, struct hd_seen *s);
void hd_feed_lock_done_acquire(struct hd_feed *f, const struct hd_seen *s);
void hd_feed_lock_decode_release(struct hd_feed *f, struct hd_seen *s);
void hd_feed_lock_done_release(struct hd_feed *f, const struct hd_seen *s);

/* feed.c: the entry of thread tid at the object, made if need be; ... and a write there. */
u32 hd_feed_own(struct hd_feed *f, u32 obj, u16 tid);
void hd_feed_enter_as_write(struct hd_feed *f, u32 obj, u16 tid, bool flag, struct hd_touch touch);

#endif
