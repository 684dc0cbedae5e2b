/* feed_order.h: the order of a run (order/order.h) from the feed's events and objects.
 * A thread's time is the number of its event (hd_seen.time), so that any event the
 * feed remembers can be asked for. */
#ifndef HD_FEED_ORDER_H
#define HD_FEED_ORDER_H

#include "observe/feed/feed.h"
#include "order/order.h"

/* The event enters, between hd_feed_decode and hd_feed_done. True if it may have changed
 * what a thread knows or what is known of it. */
bool hd_feed_order(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);

/* Half of it, for who compares the event with others in between: what it waited for becomes
 * known, or it publishes. `effects`: as hd_effects says, or what the user takes it for. */
enum { HD_FEED_ORDER_BEFORE = 1, HD_FEED_ORDER_AFTER = 2 };
bool hd_feed_order_part(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s,
                        u32 effects, u32 parts);

#endif
