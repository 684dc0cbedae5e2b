/* sync_once.c: pthread_once, call_once, initialization of function statics.
 * Whoever comes first runs the routine, the others wait; if the routine is left
 * by cancellation or an exception the next one runs it again.
 */
#include "sched/internal.h"

struct hd_obj *hd_once_model(struct hd_sched *s, u64 addr)
{
    bool is_new;
    struct hd_obj *o = hd_object_get(s, HD_OBJ_ONCE, addr, &is_new);
    if (is_new)
        o->once.owner = HD_NO_THREAD;
    return o;
}

bool hd_once_can(const struct hd_sched *s, u16 t)
{
    return s->thread[t].link.obj->once.owner == HD_NO_THREAD;
}

bool hd_once_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *o = th->link.obj ? th->link.obj : hd_once_model(s, op->obj);
    hd_link_remove(&th->link);
    if (op->kind == HD_EV_ONCE_BEGIN) {
        if (!o->once.is_done) {
            o->once.owner = t;
            th->res.value = 1;
        }
        ev->arg = (u32)th->res.value;
    } else {
        o->once.owner = HD_NO_THREAD;
        o->once.is_done = op->arg != 1;
        ev->arg = (u32)op->arg;
    }
    hd_refresh_queue(s, o);
    return true;
}
