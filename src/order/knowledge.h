/* knowledge.h: what threads know of each other when they come to certain events: for any
 * two of these events, whether synchronization orders them. One pass over the run's
 * events answers for all of them, whatever the number of threads.
 */
#ifndef HD_KNOWLEDGE_H
#define HD_KNOWLEDGE_H

#include "order/order.h"

struct hd_knowledge {
    struct hd_order order; /* kept from one reading to the next for its memory */
    u32 n_threads;         /* entries of a row */
    u32 *row;              /* by event asked for: of each thread the time that was known */
    size_t cap;
};

void hd_knowledge_init(struct hd_knowledge *k);
void hd_knowledge_release(struct hd_knowledge *k);

/* Reads what is known at the n events of a run with these indices, the latest first. */
void hd_knowledge_read(struct hd_knowledge *k, const struct hd_event *run, const u32 *index, u32 n);

/* Does synchronization order event index[x] before event index[y] (x > y, so it came earlier)? What
 * the two do to one another themselves does not count. `run` and `index` are what was read last. */
bool hd_knowledge_is_before(const struct hd_knowledge *k, const struct hd_event *run,
                            const u32 *index, u32 x, u32 y);

#endif
