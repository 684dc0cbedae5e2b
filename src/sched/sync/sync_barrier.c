/* sync_barrier.c: barriers. Arrival (BARRIER_WAIT) and being let through
 * (BARRIER_LEAVE) are separate transitions; the last to arrive is the serial
 * thread and lets everybody through, itself included.
 */
#include "sched/internal.h"

static struct hd_obj *barrier_model(struct hd_sched *s, u64 addr, u64 count)
{
    bool is_new;
    struct hd_obj *o = hd_object_get(s, HD_OBJ_BARRIER, addr, &is_new);
    if (is_new)
        o->barrier.count = (u32)count;
    return o;
}

static bool arrive(struct hd_sched *s, u16 t, struct hd_obj *o)
{
    struct hd_sthread *th = &s->thread[t];
    if (!o->barrier.count) { /* never made */
        th->res.err = EINVAL;
        return true;
    }
    hd_enter_wait(s, t, o, HD_EV_BARRIER_LEAVE);
    if (++o->barrier.arrived < o->barrier.count)
        return false;
    th->res.value = 1;
    o->barrier.arrived = 0;
    while (o->first)
        hd_wake(s, o->first);
    return false;
}

bool hd_barrier_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *o;
    switch (op->kind) {
    case HD_EV_BARRIER_INIT:
        if (!op->arg || op->arg > 0x7fffffffu) {
            th->res.err = EINVAL;
        } else {
            o = barrier_model(s, op->obj, op->arg);
            o->barrier.count = (u32)op->arg;
        }
        break;
    case HD_EV_BARRIER_DESTROY: /* those let through already do not count */
        o = barrier_model(s, op->obj, 0);
        if (o->first) {
            hd_misuse(s, HD_MISUSE_DESTROY_HELD, t, o->first->tid, o->addr, op->site);
            th->res.err = EBUSY;
        } else {
            hd_object_drop(s, o);
        }
        break;
    case HD_EV_BARRIER_WAIT:
        return arrive(s, t, barrier_model(s, op->obj, op->arg));
    case HD_EV_BARRIER_LEAVE:
        ev->arg = (u32)th->res.value;
        return true;
    default:
        HD_BUG("not a barrier operation");
    }
    ev->arg = (u32)th->res.err;
    return true;
}
