/* sync_cond.c: condition variables.
 *
 * A wait is three transitions, each its own scheduling point:
 *   COND_WAIT  gives the mutex up (event UNLOCK; once: a mutex locked twice
 *              stays locked, as in glibc) and queues
 *   COND_WAKE  after a signal, or past the deadline
 *   LOCK       takes the mutex again; the call returns
 * A waiter whose time is up but who has not left the queue may still be the
 * one signalled; then it returns 0. Which waiter a signal wakes is a choice.
 */
#include "sched/internal.h"

static struct hd_obj *cond_model(struct hd_sched *s, u64 addr)
{
    bool is_new;
    return hd_object_get(s, HD_OBJ_COND, addr, &is_new);
}

static bool begin_wait(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    struct hd_op *op = &th->op;
    struct hd_obj *c = cond_model(s, op->obj);
    struct hd_obj *m = hd_mutex_model(s, op->obj2, op->arg);
    const struct hd_link *other = c->first;
    if (other && hd_link_op(s, other)->obj2 != op->obj2)
        hd_misuse(s, HD_MISUSE_WAIT_TWO, t, other->tid, c->addr, op->site);
    s32 err = hd_mutex_unlock(s, t, m, op->site, true);
    if (err) {
        th->res.err = err;
        ev->arg = (u32)err;
        return true;
    }
    /* The two halves of a wait are events of their own. */
    struct hd_event unlock = *ev;
    unlock.kind = HD_EV_UNLOCK;
    unlock.obj = op->obj2;
    hd_emit(s, &unlock);
    m->mutex.users++;
    hd_enter_wait(s, t, c, HD_EV_COND_WAKE);
    return false;
}

static bool end_wait(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    th->wait_err = th->phase == HD_PH_WOKEN ? 0 : ETIMEDOUT;
    ev->arg = (u32)th->wait_err;
    hd_disarm(s, t);
    th->phase = HD_PH_RELOCK;
    th->op.kind = HD_EV_LOCK;
    th->op.obj = th->op.obj2;
    th->op.flags = 0;
    th->op.deadline = HD_NEVER;
    hd_arm(s, t);
    return false;
}

bool hd_cond_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *c;
    struct hd_link *l;
    switch (op->kind) {
    case HD_EV_COND_INIT:
        cond_model(s, op->obj);
        return true;
    case HD_EV_COND_DESTROY: /* those already signalled do not count */
        c = cond_model(s, op->obj);
        if (c->first) {
            hd_misuse(s, HD_MISUSE_DESTROY_HELD, t, c->first->tid, c->addr, op->site);
            th->res.err = EBUSY;
            ev->arg = EBUSY;
        } else {
            hd_object_drop(s, c);
        }
        return true;
    case HD_EV_COND_WAIT:
        return begin_wait(s, t, ev);
    case HD_EV_COND_WAKE:
        return end_wait(s, t, ev);
    case HD_EV_COND_SIGNAL:
        c = cond_model(s, op->obj);
        l = hd_choice_waiter(s, c, 0, op->site);
        if (l) {
            hd_wake(s, l);
            th->res.woken = 1;
        }
        break;
    case HD_EV_COND_BROADCAST:
        c = cond_model(s, op->obj);
        while (c->first) {
            hd_wake(s, c->first);
            th->res.woken++;
        }
        break;
    default:
        HD_BUG("not a cond operation");
    }
    ev->arg = th->res.woken;
    return true;
}
