/* history_pending.c: accesses that wait to be judged. See history.h.
 *
 * One of each list of a chain at most. It is *cold* if it is a repeat on an object that no other
 * thread has touched (history_repeat.c): then the next of its list takes its place without any
 * judgement, and it is judged only if another thread comes.
 */
#include "predict/history.h"

static bool is_cold(const struct hd_history *h, u32 chain, u32 list)
{
    return h->pending.at[h->chain.at[chain].pending[list]].is_cold;
}

static bool is_open(const struct hd_history *h, u32 chain)
{
    const struct hd_access_chain *p = &h->chain.at[chain];
    return (p->pending[HD_OTHERS] && !is_cold(h, chain, HD_OTHERS)) ||
           (p->pending[HD_WRITERS] && !is_cold(h, chain, HD_WRITERS));
}

/* The chain is about to have something to be judged. */
static void open(struct hd_history *h, u32 chain)
{
    if (h->open.n >= 2 * h->chain.n) { /* some are there several times, or judged */
        hd_vec_clear(&h->open);
        for (u32 i = 1; i < h->chain.n; i++)
            if (is_open(h, i))
                *hd_vec_add(&h->open) = i;
    }
    *hd_vec_add(&h->open) = chain;
}

struct hd_unjudged *hd_history_pend(struct hd_history *h, u32 chain, u32 list, bool is_cold)
{
    struct hd_access_chain *p = &h->chain.at[chain];
    if (!is_cold && !is_open(h, chain))
        open(h, chain);
    u32 id = h->free_pending;
    if (id) {
        h->free_pending = h->pending.at[id].trail;
    } else {
        id = (u32)h->pending.n;
        hd_vec_add(&h->pending);
    }
    p->pending[list] = id;
    h->pending.at[id].trail = 0;
    h->pending.at[id].has_next = false;
    h->pending.at[id].is_cold = is_cold;
    return &h->pending.at[id];
}

static struct hd_unjudged take(struct hd_history *h, u32 chain, u32 list)
{
    u32 *pending = &h->chain.at[chain].pending[list];
    struct hd_unjudged x = h->pending.at[*pending];
    h->pending.at[*pending].is_cold = false;
    h->pending.at[*pending].trail = h->free_pending;
    h->free_pending = *pending;
    *pending = 0;
    return x;
}

static void judge(struct hd_history *h, u32 chain, u32 list)
{
    struct hd_unjudged x = take(h, chain, list);
    hd_history_judge(h, &x);
}

void hd_history_judge_chain(struct hd_history *h, u32 chain)
{
    for (u32 list = 2; list--;)
        if (h->chain.at[chain].pending[list] && !is_cold(h, chain, list))
            judge(h, chain, list);
}

void hd_history_drop_cold(struct hd_history *h, u32 chain)
{
    for (u32 list = 0; list < 2; list++)
        if (is_cold(h, chain, list))
            take(h, chain, list);
}

void hd_history_warm(struct hd_history *h, u32 chain)
{
    for (u32 list = 2; list--;)
        if (is_cold(h, chain, list))
            judge(h, chain, list);
}

/* Which of its locks were released since. */
static u32 last_under(const struct hd_history *h, const struct hd_unjudged *x)
{
    return x->does.lockset
               ? ~hd_must_kept(h->order, x->does.tid, x->does.lockset, x->node.first.time)
               : UINT32_MAX;
}

/* Behind a gap nothing can be said of locks held before it, as of all that was judged at the gap.
 */
static void settle_cold(struct hd_history *h, u32 chain, u32 list, u32 epoch, bool is_replaced)
{
    struct hd_unjudged *x = &h->pending.at[h->chain.at[chain].pending[list]];
    if (is_replaced) {
        take(h, chain, list);
    } else if (!x->has_next && x->node.stretch == (h->gaps & INT32_MAX)) {
        x->has_next = true;
        x->does.last_any = last_under(h, x);
        x->node.next_any = epoch;
    }
}

static void settle_writer(struct hd_history *h, u32 chain, u32 epoch, bool is_write)
{
    struct hd_unjudged *x = &h->pending.at[h->chain.at[chain].pending[HD_WRITERS]];
    if (!is_write && x->has_next)
        return;
    u32 last = last_under(h, x);
    if (!x->has_next) {
        x->has_next = true;
        x->does.last_any = last;
        x->node.next_any = epoch;
    }
    if (is_write) {
        x->does.last_write = last;
        x->node.next_write = epoch;
        judge(h, chain, HD_WRITERS);
    }
}

void hd_history_settle(struct hd_history *h, u32 chain, u32 epoch, bool is_write)
{
    if (is_cold(h, chain, HD_WRITERS))
        settle_cold(h, chain, HD_WRITERS, epoch, is_write);
    else if (h->chain.at[chain].pending[HD_WRITERS])
        settle_writer(h, chain, epoch, is_write);
    if (is_cold(h, chain, HD_OTHERS)) {
        settle_cold(h, chain, HD_OTHERS, epoch, !is_write);
    } else if (h->chain.at[chain].pending[HD_OTHERS]) {
        struct hd_unjudged *x = &h->pending.at[h->chain.at[chain].pending[HD_OTHERS]];
        x->does.last_any = last_under(h, x);
        x->node.next_any = epoch;
        judge(h, chain, HD_OTHERS);
    }
}
