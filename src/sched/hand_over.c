/* hand_over.c: an object that other processes come to share leaves the models.
 * Whatever threads were about to do with it, or wait for in it, ends with
 * HD_HANDED_OVER: they are to go on with the real object.
 */
#include "sched/internal.h"

static bool concerns(const struct hd_op *op, u64 obj)
{
    switch (hd_space_of(op->kind)) {
    case HD_SPACE_MUTEX:
    case HD_SPACE_RWLOCK:
    case HD_SPACE_COND:
    case HD_SPACE_BARRIER:
    case HD_SPACE_SEM:
    case HD_SPACE_FUTEX: return op->obj == obj || op->obj2 == obj;
    default: return false;
    }
}

/* A cond wait that has given its mutex up will not take it again. */
static void leave_wait(struct hd_sched *s, const struct hd_op *op, u8 phase)
{
    if (op->kind != HD_EV_COND_WAKE && phase != HD_PH_RELOCK)
        return;
    struct hd_obj *m = hd_object_find(s, HD_OBJ_MUTEX, op->obj2);
    if (m && m->mutex.users)
        m->mutex.users--;
}

static void end_op(struct hd_op *op, struct hd_res *res)
{
    op->kind = HD_EV_RETURN;
    op->flags = 0;
    op->deadline = HD_NEVER;
    *res = (struct hd_res){.err = HD_HANDED_OVER};
}

static void end_saved(struct hd_sched *s, struct hd_saved *v, u64 obj)
{
    if (!concerns(&v->op, obj))
        return;
    leave_wait(s, &v->op, v->phase);
    if (v->link.obj)
        hd_link_remove(&v->link);
    v->phase = HD_PH_NONE;
    v->timed_out = false;
    end_op(&v->op, &v->res);
}

void hd_sched_hand_over(struct hd_sched *s, u64 obj)
{
    for (u32 t = 0; t < s->n_threads; t++) {
        struct hd_sthread *th = &s->thread[t];
        for (struct hd_saved *v = th->saved; v; v = v->below)
            end_saved(s, v, obj);
        if (th->state != HD_T_PENDING || !concerns(&th->op, obj))
            continue;
        leave_wait(s, &th->op, th->phase);
        hd_disarm(s, (u16)t);
        th->phase = HD_PH_NONE;
        end_op(&th->op, &th->res);
        hd_arm(s, (u16)t);
    }
    hd_sched_forget(s, obj, 1);
}
