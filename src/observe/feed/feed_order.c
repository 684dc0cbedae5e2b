/* feed_order.c: see feed_order.h. */
#include "observe/feed/feed_order.h"

/* A condition wait gives a mutex up, and not every stream says which one (feed.h). The
 * other locks stay held, so nobody learns from them too early. A thread that ends holding
 * robust mutexes hands them to their next owner; what else it holds nobody takes any more. */
static void give_held(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    const struct hd_feed_thread *th = &f->thread[s->tid];
    for (size_t i = 0; i < th->held.n; i++) {
        const struct hd_feed_lock *l = &th->held.at[i];
        if (l->generation != f->object[l->obj].generation)
            continue;
        hd_order_thread(o, s->tid)->time = s->time;
        hd_order_publish(o, s->tid, &hd_order_object(o, l->obj, l->generation)->published);
    }
}

bool hd_feed_order_part(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s,
                        u32 effects, u32 parts)
{
    bool is_new = false;
    bool gives = s->what == HD_DOES_WAIT || s->ev->kind == HD_EV_EXIT;
    if (gives && (o->policy & HD_ORDERS(MUTEX))) {
        give_held(o, f, s);
        return true;
    }
    if (!(effects & (HD_ACQUIRES | HD_RELEASES | HD_ATOMIC)) || !(o->policy >> hd_space_of(s->ev->kind) & 1))
        return false;
    if (s->ev->kind == HD_EV_JOIN && s->ev->obj < f->n_threads)
        hd_order_thread(o, (u32)s->ev->obj)->time = f->thread[s->ev->obj].time;
    for (u32 i = 0; i < HD_MAX(s->n, 1u); i++) { /* threads are no objects */
        u32 obj = s->n ? s->part[i].obj : 0;
        u64 generation = s->n ? f->object[obj].generation : 0;
        hd_order_thread(o, s->tid)->time = s->time;
        if (parts & HD_FEED_ORDER_BEFORE)
            is_new |= hd_order_before(o, s->ev, effects, obj, generation);
        if (parts & HD_FEED_ORDER_AFTER)
            is_new |= hd_order_after(o, s->ev, effects, obj, generation);
    }
    return is_new;
}

bool hd_feed_order(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    return hd_feed_order_part(o, f, s, hd_effects(s->ev), HD_FEED_ORDER_BEFORE | HD_FEED_ORDER_AFTER);
}
