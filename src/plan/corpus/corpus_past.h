/* corpus_past.h: which steps of a run led to an event: its causal past. See
 * docs/design/corpus.md.
 *
 * A step is needed if its thread has to come to the event, if it wrote what a needed step read,
 * or created or ended what a needed step waited for. The others are left out: their threads
 * stay behind, so that they can still do there what they have not done yet. In its original order
 * what is left reads the same values, so it is a run of the program again (as a sync-preserving
 * prefix, Mathur et al., POPL 2021; locks: corpus_past.c).
 *
 *   begin -> event ... -> close(cut)    cut: of each thread the last event that is needed, then step
 */
#ifndef HD_CORPUS_PAST_H
#define HD_CORPUS_PAST_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

#define HD_PAST_THREADS 16 /* of a run that pasts are known of; */
#define HD_PAST_EVENTS 5000 /* ... events */

/* Number + 1 of the last event of each thread that is needed; 0 = none. */
struct hd_cut {
    u16 at[HD_PAST_THREADS];
};
_Static_assert(HD_PAST_EVENTS < UINT16_MAX, "numbers of events");

/* An event as far as it matters in which order it comes with others. */
struct hd_past_access {
    u64 obj;
    u32 step;
    u16 tid;
    bool writes;  /* memory or a lock */
    bool matters; /* to others */
};

struct hd_past_row {
    struct hd_cut cut; /* itself included */
    struct hd_cut data; /* ... but for what only had to end before its thread went on: joins */
    struct hd_past_access is;
    u32 nth;           /* steps of its thread so far */
};

/* A lock that a thread held. */
struct hd_past_section {
    u64 lock;
    u32 from, to; /* events that took and released it, number + 1; to 0 = held to the end */
    u16 tid;
    u32 before;   /* section of the same lock before it, number + 1 */
};

struct hd_past {
    HD_VEC(struct hd_past_row) row;
    HD_VEC(struct hd_past_section) section;
    struct hd_map last_write, last_section; /* of an object: number + 1 */
    u32 created[HD_PAST_THREADS];           /* event that created the thread, number + 1; */
    u32 last[HD_PAST_THREADS];              /* ... its last one */
    bool is_lost;                           /* it has too many threads or events: there are none */
};

void hd_past_init(struct hd_past *p);
void hd_past_release(struct hd_past *p);
void hd_past_begin(struct hd_past *p);
/* Number + 1 of the event, 0 = its past is not known. */
u32 hd_past_event(struct hd_past *p, const struct hd_event *ev);
/* Adds what led to event `row` (number + 1, 0 = none). */
void hd_past_join(const struct hd_past *p, struct hd_cut *cut, u32 row);
/* ... where it does not matter that threads which it waited for have ended: they will, in any run. What
 * they may do until then is left open. */
void hd_past_join_data(const struct hd_past *p, struct hd_cut *cut, u32 row);
/* How many steps that is. */
u32 hd_past_steps(const struct hd_past *p, const struct hd_cut *cut);
/* Threads of the run: those from here on have no event. */
u32 hd_past_threads(const struct hd_past *p);
/* Adds the releases of locks that are taken once more later, and what led to them. `step`: up to which
 * step of the run each thread goes, 0 = it is not needed; for HD_PAST_THREADS of them. */
void hd_past_close(const struct hd_past *p, struct hd_cut *cut, u32 *step);

#endif
