/* race_shb.h: schedulable happens-before (Mathur, Kini, Viswanathan, OOPSLA 2018). After the first race of
 * a run what follows may depend on how that race went: two accesses that nothing orders may
 * be impossible to bring together. So here a read also comes after the write that it saw. A pair that this does not
 * order either can certainly be brought together.
 *
 * Atomics need no rule of their own: who reads a value comes after who wrote it.
 */
#ifndef HD_RACE_SHB_H
#define HD_RACE_SHB_H

#include "observe/feed/feed_order.h"

#define HD_SHB_KEPT 8 /* states of a thread; of older ones the oldest that is left stands for all */

/* What a thread knew from some time on. */
struct hd_shb_state {
    u32 time;
    struct hd_vclock known;
};

struct hd_shb_thread {
    struct hd_shb_state state[HD_SHB_KEPT]; /* a ring */
    u32 n;                                  /* in all */
};

struct hd_race_shb {
    struct hd_order order;
    struct hd_vclock external; /* as in race.c */
    struct hd_shb_thread **thread;
    u32 cap_threads;
    struct hd_vclock seen;     /* what a read learns */
};

void hd_race_shb_init(struct hd_race_shb *b);
void hd_race_shb_begin(struct hd_race_shb *b);
void hd_race_shb_release(struct hd_race_shb *b);

/* An event that is no access, before it enters the feed. */
void hd_race_shb_sync(struct hd_race_shb *b, const struct hd_feed *f, const struct hd_seen *s);
/* An access, after it was compared and before it enters the feed. */
void hd_race_shb_access(struct hd_race_shb *b, const struct hd_feed *f, const struct hd_seen *s);

/* Can what thread u did at `time` be brought together with what thread t does now? */
HD_INLINE bool hd_race_shb_can(const struct hd_race_shb *b, u32 u, u32 time, u32 t)
{
    return !hd_order_is_before(&b->order, u, time, t);
}

#endif
