/* sync_sem.c: semaphores. A post only raises the value: every waiter is then
 * enabled and the strategy decides who gets it, so there is no queue order.
 */
#include "sched/internal.h"

#define HD_SEM_VALUE_MAX 0x7fffffffu

struct hd_obj *hd_sem_model(struct hd_sched *s, u64 addr, u64 value)
{
    bool is_new;
    struct hd_obj *o = hd_object_get(s, HD_OBJ_SEM, addr, &is_new);
    if (is_new)
        o->sem.value = (u32)value;
    return o;
}

bool hd_sem_can(const struct hd_sched *s, u16 t)
{
    return s->thread[t].link.obj->sem.value > 0;
}

static s32 take(struct hd_sched *s, struct hd_obj *o, s32 otherwise)
{
    if (!o->sem.value)
        return otherwise;
    if (!--o->sem.value)
        hd_refresh_queue(s, o);
    return 0;
}

bool hd_sem_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *o = th->link.obj ? th->link.obj : hd_sem_model(s, op->obj, op->arg);
    struct hd_res *res = &th->res;
    switch (op->kind) {
    case HD_EV_SEM_INIT:
        if (op->arg > HD_SEM_VALUE_MAX) {
            res->err = EINVAL;
        } else {
            o->sem.value = (u32)op->arg;
            hd_refresh_queue(s, o);
        }
        ev->arg = (u32)op->arg;
        return true;
    case HD_EV_SEM_DESTROY: /* glibc does not look */
        if (o->first && !o->sem.value)
            hd_misuse(s, HD_MISUSE_DESTROY_HELD, t, o->first->tid, o->addr, op->site);
        else
            hd_object_drop(s, o);
        break;
    case HD_EV_SEM_WAIT:
        hd_link_remove(&th->link);
        res->err = take(s, o, ETIMEDOUT);
        break;
    case HD_EV_SEM_TRYWAIT:
        res->err = take(s, o, EAGAIN);
        break;
    case HD_EV_SEM_POST:
        if (o->sem.value == HD_SEM_VALUE_MAX)
            res->err = EOVERFLOW;
        else if (!o->sem.value++)
            hd_refresh_queue(s, o);
        break;
    case HD_EV_SEM_GETVALUE:
        res->value = o->sem.value;
        ev->arg = o->sem.value;
        return true;
    default:
        HD_BUG("not a semaphore operation");
    }
    ev->arg = (u32)res->err;
    return true;
}
