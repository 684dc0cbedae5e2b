/* gap.h: events of a run that were left out: what the host must know of them nevertheless, to
 * go on with the locks, the threads, the blocks and the order that there are behind them. No
 * memory but *g: it is shared with the server, which may have to tell it when the run is gone.
 *
 *   GAP            how many; arg 1: too much was freed to be reported, forget all objects
 *   CREATE ...     what concerns the life of threads, and what the program says of its races (BENIGN),
 *                  as it was
 *   FREE           each block that was freed, once
 *   HB_RELEASE,    threads that woke or posted, then those that were woken or waited: all of
 *   HB_ACQUIRE     the former before all of the latter, which is at least as much as is true
 *   LOCK           each lock that is held behind the gap
 */
#ifndef HD_GAP_H
#define HD_GAP_H

#include "base/bits.h"
#include "event/event.h"

#define HD_GAP_HELD 1024u  /* locks; those beyond are taken for not held */
#define HD_GAP_KEPT 64u    /* events kept as they were; the gap has to be reported before there are more */
#define HD_GAP_FREED 4096u /* slots, power of two; half of them are used */

struct hd_gap {
    u64 left_out;          /* events, 0 = none */
    u32 n_held, n_kept, n_freed;
    u32 step;              /* of the last one */
    struct hd_event held[HD_GAP_HELD];
    struct hd_event kept[HD_GAP_KEPT];
    struct { u64 addr; u32 size; } freed[HD_GAP_FREED];
    u64 releases[HD_BITS_WORDS(HD_MAX_THREADS)], acquires[HD_BITS_WORDS(HD_MAX_THREADS)];
};

/* The event is behind the host: it was streamed. */
void hd_gap_follow(struct hd_gap *g, const struct hd_event *ev);
/* ... it was left out. */
void hd_gap_leave_out(struct hd_gap *g, const struct hd_event *ev);
HD_INLINE bool hd_gap_is_full(const struct hd_gap *g) { return g->n_kept == HD_GAP_KEPT; }
/* Says all of it, if something was left out, and begins anew with the locks that are held. */
void hd_gap_report(struct hd_gap *g, void (*put)(const struct hd_event *ev));
/* After somebody else may have written there. */
void hd_gap_check(struct hd_gap *g);

#endif
