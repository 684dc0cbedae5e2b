/* sync_join.c: threads as objects: create, start, exit, join, detach.
 *
 * As in glibc a join claims its target at once (th->joiner); a second join
 * then fails with EINVAL, a join of one's own joiner with EDEADLK (unless that
 * one was cancelled, which ends its join), and a
 * detach of a claimed thread does nothing. The queue of HD_OBJ_THREAD holds
 * everybody with a pending join of that thread.
 */
#include "sched/internal.h"

enum { HD_JOIN_BLOCKS = -1 };

/* What a join by t would give now: 0, errno, or HD_JOIN_BLOCKS. */
static s32 outcome(const struct hd_sched *s, u16 t, const struct hd_op *op)
{
    if (op->obj >= s->n_threads)
        return ESRCH;
    const struct hd_sthread *who = &s->thread[op->obj];
    if (who->state == HD_T_FREE || who->state == HD_T_NEW || who->is_joined)
        return ESRCH;
    if (op->arg == 1 && who->state != HD_T_FINISHED)
        return EBUSY;
    if (who->is_detached)
        return EINVAL;
    if (op->obj == t || (s->thread[t].joiner == op->obj && !who->is_cancelled))
        return EDEADLK;
    if (who->joiner != HD_NO_THREAD && who->joiner != t)
        return EINVAL;
    return who->state == HD_T_FINISHED ? 0 : HD_JOIN_BLOCKS;
}

bool hd_join_can(const struct hd_sched *s, u16 t)
{
    return outcome(s, t, &s->thread[t].op) != HD_JOIN_BLOCKS;
}

void hd_join_claim(struct hd_sched *s, u16 t)
{
    const struct hd_op *op = &s->thread[t].op;
    if (outcome(s, t, op) == HD_JOIN_BLOCKS)
        s->thread[op->obj].joiner = t;
}

void hd_join_changed(struct hd_sched *s, u16 target)
{
    struct hd_obj *o = hd_object_find(s, HD_OBJ_THREAD, target);
    if (!o)
        return;
    for (struct hd_link *l = o->first; l; l = l->next)
        hd_join_claim(s, l->tid); /* the first in the queue gets it */
    hd_refresh_queue(s, o);
}

void hd_join_unclaim(struct hd_sched *s, u16 t, u16 target)
{
    if (target >= s->n_threads || s->thread[target].joiner != t)
        return;
    s->thread[target].joiner = HD_NO_THREAD;
    hd_join_changed(s, target);
    hd_join_changed(s, t); /* target's join of t is mutual no more */
}

static s32 join(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    s32 err = outcome(s, t, op);
    if (err == HD_JOIN_BLOCKS) {
        hd_join_unclaim(s, t, (u16)op->obj);
        return ETIMEDOUT;
    }
    if (!err) {
        s->thread[op->obj].is_joined = true;
        s->thread[op->obj].joiner = HD_NO_THREAD;
        struct hd_obj *o = hd_object_find(s, HD_OBJ_THREAD, op->obj);
        if (o)
            hd_object_drop(s, o); /* or refreshes the others: ESRCH */
    }
    return err;
}

static s32 detach(struct hd_sched *s, const struct hd_op *op)
{
    if (op->obj >= s->n_threads)
        return ESRCH;
    struct hd_sthread *who = &s->thread[op->obj];
    if (who->state == HD_T_FREE || who->is_joined)
        return ESRCH;
    if (who->is_detached)
        return EINVAL;
    if (who->joiner != HD_NO_THREAD)
        return 0;
    who->is_detached = true;
    hd_join_changed(s, (u16)op->obj);
    return 0;
}

static void create(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    HD_ASSERT(op->obj < s->n_threads);
    u16 child = (u16)op->obj;
    struct hd_sthread *ch = &s->thread[child];
    HD_ASSERT(ch->state == HD_T_NEW);
    ch->state = HD_T_PENDING;
    ch->op = (struct hd_op){.kind = HD_EV_START,
                            .ctx = op->ctx,
                            .site = op->site,
                            .obj = t,
                            .deadline = HD_NEVER};
    s->n_live++;
    hd_arm(s, child);
    hd_join_changed(s, child); /* somebody may join a number too early */
}

static void leave(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_sthread *th = &s->thread[t];
    bool is_reported = false;
    for (struct hd_hold *h = th->held, *next; h; h = next) {
        struct hd_obj *o = h->obj;
        next = h->next;
        if (o->type == HD_OBJ_MUTEX && (o->mutex.kind & HD_MTX_ROBUST)) {
            hd_mutex_owner_died(s, o);
        } else if (!is_reported) {
            hd_misuse(s, HD_MISUSE_EXIT_HOLDING, t, t, o->addr, op->site);
            is_reported = true;
        }
    }
    while (th->saved)
        hd_saved_abandon(s, t);
    hd_disarm(s, t);
    hd_spin_clear(s, t);
    th->state = HD_T_FINISHED;
    s->n_live--;
    hd_join_changed(s, t);
}

bool hd_join_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    switch (op->kind) {
    case HD_EV_CREATE: create(s, t, op); break;
    case HD_EV_START: break;
    case HD_EV_EXIT: leave(s, t, op); break;
    case HD_EV_JOIN:
        hd_link_remove(&th->link);
        th->res.err = join(s, t, op);
        ev->arg = (u32)th->res.err;
        break;
    case HD_EV_DETACH:
        th->res.err = detach(s, op);
        ev->arg = (u32)th->res.err;
        break;
    default:
        HD_BUG("not a thread operation");
    }
    return true;
}
