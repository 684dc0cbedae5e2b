/* sync_futex.c: raw futex system calls. The kernel promises no order among
 * waiters, so who is woken is a choice; the word itself is read through
 * env.load32 at the moment the wait takes effect.
 */
#include "sched/internal.h"

static struct hd_obj *futex_model(struct hd_sched *s, u64 addr)
{
    bool is_new;
    return hd_object_get(s, HD_OBJ_FUTEX, addr, &is_new);
}

static u32 wake(struct hd_sched *s, struct hd_obj *o, u64 max, u32 bits, u64 site)
{
    u32 n = 0;
    struct hd_link *l;
    while (n < max && (l = hd_choice_waiter(s, o, bits, site))) {
        hd_wake(s, l);
        n++;
    }
    return n;
}

static u32 move(struct hd_sched *s, struct hd_obj *from, struct hd_obj *to, u64 max)
{
    u32 n = 0;
    while (from != to && n < max && from->first) {
        struct hd_link *l = from->first;
        hd_link_remove(l);
        hd_link_add(s, l, to);
        ((struct hd_op *)hd_link_op(s, l))->obj = to->addr;
        n++;
    }
    return n;
}

/* A queue is made by every wait; nothing says when it is gone but this. */
static void tidy(struct hd_sched *s, struct hd_obj *o)
{
    if (!o->first)
        hd_object_drop(s, o);
}

bool hd_futex_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_res *res = &th->res;
    struct hd_obj *o;
    switch (op->kind) {
    case HD_EV_FUTEX_WAIT:
        if (s->env.load32(s->env.self, op->obj) == (u32)op->arg) {
            hd_enter_wait(s, t, futex_model(s, op->obj), HD_EV_FUTEX_WOKEN);
            return false;
        }
        res->err = EAGAIN;
        ev->arg = EAGAIN;
        return true;
    case HD_EV_FUTEX_WOKEN:
        res->err = th->phase == HD_PH_WOKEN ? 0 : ETIMEDOUT;
        ev->arg = (u32)res->err;
        o = th->link.obj;
        hd_link_remove(&th->link);
        if (o)
            tidy(s, o);
        return true;
    case HD_EV_FUTEX_WAKE:
        o = hd_object_find(s, HD_OBJ_FUTEX, op->obj);
        if (o) {
            res->woken = wake(s, o, op->arg, (u32)op->arg2, op->site);
            tidy(s, o);
        }
        res->value = res->woken;
        break;
    case HD_EV_FUTEX_REQUEUE:
        o = hd_object_find(s, HD_OBJ_FUTEX, op->obj);
        if (o) {
            res->woken = wake(s, o, op->arg, 0, op->site);
            res->value = res->woken;
            if (o->first)
                res->value += move(s, o, futex_model(s, op->obj2), op->arg2);
            tidy(s, o);
        }
        break;
    default:
        HD_BUG("not a futex operation");
    }
    ev->arg = (u32)res->value;
    return true;
}
