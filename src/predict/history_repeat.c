/* history_repeat.c: an access like many before it in its run is no node. See history.h.
 *
 * Two are equal here if they have the same site, thread, kind, number of locks held and place in the
 * critical sections, and if the same was done to the object before, by this thread and by the one
 * of the others that touched it last, which came before by the order in both cases or in neither.
 * What a node of another such one could follow or be followed by has been seen by then.
 *
 * After ENOUGH of them only whole stretches of a thread are looked at (hd_is_sampled), because
 * compound idioms need what lies close together. Of an object that one thread alone has touched so
 * far the last repeats are kept (history_pending.c): another one may come, to this of a thousand
 * alone. What is lost: edges from and to accesses of the thread before those, and that one which is
 * left out would have come between two others.
 */
#include "predict/history.h"

enum { ENOUGH = 64, COUNT = 255 /* the lowest bits of a slot; above them what is counted */ };

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* How often it has been there, at most COUNT. A lost slot counts anew. */
static u32 count(struct hd_history *h, u64 key)
{
    u32 *slot = &h->repeat[key % HD_REPEAT_SLOTS], tag = (u32)(key >> 32) & ~(u32)COUNT;
    u32 n = (*slot & ~(u32)COUNT) == tag ? *slot & COUNT : 0;
    n += n < COUNT;
    *slot = tag | n;
    return n;
}

bool hd_history_is_repeat(struct hd_history *h, u32 chain, const struct hd_does *does, u32 epoch,
                          u32 clock, u32 time)
{
    struct hd_access_chain *p = &h->chain.at[chain];
    const struct hd_access_chain *other = &h->chain.at[p->next]; /* [0] has done nothing */
    u64 k = mix(h->met_stamp, (u64)does->site << 32 | h->order->locksets.set.at[does->lockset].n);
    k = mix(k, (u64)does->first_any << 32 | does->first_write);
    k = mix(k,
            (u64)does->extra << 32 | (u32)does->tid << 16 | (u32)does->kind << 8 | does->is_shared);
    u32 did = (u32)(k >> 32);
    k = mix(mix(k, p->did), other->did);
    if (p->next)
        k = mix(k, 1 + hd_must_knows(h->order, clock, other->tid, other->did_epoch));
    p->did = did;
    p->did_epoch = epoch;
    bool is_memory = does->kind <= HD_ACC_UPDATE;
    bool is_repeat = count(h, k) > ENOUGH && is_memory && !hd_is_sampled(time);
    h->count.repeats += is_repeat;
    return is_repeat;
}
