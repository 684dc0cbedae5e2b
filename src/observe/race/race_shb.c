/* race_shb.c: see race_shb.h. */
#include "observe/race/race_shb.h"

#include <stdlib.h>

#define POLICY (HD_ORDER_ALL & ~(HD_ORDERS(MEMORY) | HD_ORDERS(FENCE)))

void hd_race_shb_init(struct hd_race_shb *b) { hd_order_init(&b->order, POLICY); }

void hd_race_shb_begin(struct hd_race_shb *b)
{
    hd_order_begin(&b->order);
    hd_vclock_clear(&b->external);
    for (u32 t = 0; t < b->cap_threads; t++)
        if (b->thread[t])
            b->thread[t]->n = 0;
}

void hd_race_shb_release(struct hd_race_shb *b)
{
    hd_order_release(&b->order);
    hd_vclock_release(&b->external);
    hd_vclock_release(&b->seen);
    for (u32 t = 0; t < b->cap_threads; t++) {
        for (u32 i = 0; b->thread[t] && i < HD_SHB_KEPT; i++)
            hd_vclock_release(&b->thread[t]->state[i].known);
        free(b->thread[t]);
    }
    free(b->thread);
    b->thread = NULL;
    b->cap_threads = 0;
}

static struct hd_shb_thread *thread_of(struct hd_race_shb *b, u32 tid)
{
    if (HD_UNLIKELY(tid >= b->cap_threads))
        b->thread = hd_vec_room_zeroed(b->thread, &b->cap_threads, tid, sizeof *b->thread);
    if (HD_UNLIKELY(!b->thread[tid])) {
        b->thread[tid] = calloc(1, sizeof *b->thread[tid]);
        HD_ASSERT(b->thread[tid]);
    }
    return b->thread[tid];
}

/* The thread knows more than before, from its event `time` on. */
static void keep(struct hd_race_shb *b, u32 tid, u32 time)
{
    struct hd_shb_thread *th = thread_of(b, tid);
    struct hd_shb_state *to = &th->state[th->n++ % HD_SHB_KEPT];
    to->time = time;
    hd_vclock_clear(&to->known);
    hd_vclock_join(&to->known, &hd_order_thread(&b->order, tid)->known);
}

/* What the thread knew when it was at `time`. */
static const struct hd_vclock *known_at(struct hd_race_shb *b, u32 tid, u32 time)
{
    struct hd_shb_thread *th = thread_of(b, tid);
    u32 oldest = th->n > HD_SHB_KEPT ? th->n - HD_SHB_KEPT : 0;
    if (!th->n)
        return &hd_order_thread(&b->order, tid)->known;
    for (u32 i = th->n; i-- > oldest;)
        if (th->state[i % HD_SHB_KEPT].time <= time)
            return &th->state[i % HD_SHB_KEPT].known;
    return &th->state[oldest % HD_SHB_KEPT].known;
}

void hd_race_shb_sync(struct hd_race_shb *b, const struct hd_feed *f, const struct hd_seen *s)
{
    u64 learned = b->order.learned;
    bool is_first = !thread_of(b, s->tid)->n;
    if (s->ev->kind == HD_EV_IO || s->ev->kind == HD_EV_RETURN) {
        hd_order_thread(&b->order, s->tid)->time = s->time;
        hd_order_learn(&b->order, s->tid, &b->external);
        hd_order_publish(&b->order, s->tid, &b->external);
    } else {
        hd_feed_order(&b->order, f, s);
    }
    if (is_first || b->order.learned != learned)
        keep(b, s->tid, s->time);
}

void hd_race_shb_access(struct hd_race_shb *b, const struct hd_feed *f, const struct hd_seen *s)
{
    bool has_learned = !thread_of(b, s->tid)->n;
    if (s->what == HD_DOES_WRITE && !has_learned)
        return;
    for (u32 i = 0; s->what != HD_DOES_WRITE && i < s->n; i++) {
        const struct hd_last *w = &f->last[f->object[s->part[i].obj].writer];
        if (!w->w.now || w->tid == s->tid ||
            hd_order_is_before(&b->order, w->tid, w->w.time, s->tid))
            continue;
        hd_vclock_clear(&b->seen);
        hd_vclock_join(&b->seen, known_at(b, w->tid, w->w.time));
        hd_vclock_learn(&b->seen, w->tid, w->w.time);
        has_learned |= hd_order_learn(&b->order, s->tid, &b->seen);
    }
    if (has_learned)
        keep(b, s->tid, s->time);
}
