/* sync_rwlock.c: read-write locks as glibc behaves.
 *
 * The writer sits in obj.own, readers in obj.rw.readers with a count each.
 * glibc tells EDEADLK only to the thread that writes; a reader that wants to
 * write waits for itself (a cycle of one). With writers preferred
 * (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) a reader also waits for every
 * writer that had to wait, even if it reads already.
 */
#include "sched/internal.h"

struct hd_obj *hd_rwlock_model(struct hd_sched *s, u64 addr, u64 prefers_writer)
{
    bool is_new;
    struct hd_obj *o = hd_object_get(s, HD_OBJ_RWLOCK, addr, &is_new);
    if (is_new)
        o->rw.prefers_writer = prefers_writer;
    return o;
}

void hd_rwlock_reset(struct hd_sched *s, struct hd_obj *o)
{
    if (o->own.tid != HD_NO_THREAD)
        hd_hold_remove(s, &o->own);
    while (o->rw.readers)
        hd_hold_drop_reader(s, o, o->rw.readers);
}

bool hd_rwlock_has_writer_waiting(const struct hd_sched *s, const struct hd_obj *o, u16 except)
{
    for (const struct hd_link *l = o->first; l; l = l->next)
        if (l->tid != except && s->thread[l->tid].op.kind == HD_EV_WRLOCK &&
            s->thread[l->tid].has_waited)
            return true;
    return false;
}

static bool can_read(const struct hd_sched *s, const struct hd_obj *o, u16 t)
{
    return o->own.tid == HD_NO_THREAD &&
           !(o->rw.prefers_writer && hd_rwlock_has_writer_waiting(s, o, t));
}

static bool can_write(const struct hd_obj *o)
{
    return o->own.tid == HD_NO_THREAD && !o->rw.readers;
}

bool hd_rwlock_can(const struct hd_sched *s, u16 t)
{
    const struct hd_sthread *th = &s->thread[t];
    const struct hd_obj *o = th->link.obj;
    if (o->own.tid == t)
        return true; /* EDEADLK */
    return th->op.kind == HD_EV_WRLOCK ? can_write(o) : can_read(s, o, t);
}

static s32 take_read(struct hd_sched *s, struct hd_obj *o, u16 t, s32 busy)
{
    if (!can_read(s, o, t))
        return busy;
    hd_hold_reader(s, o, t);
    hd_refresh_queue(s, o);
    return 0;
}

static s32 take_write(struct hd_sched *s, struct hd_obj *o, u16 t, s32 busy)
{
    if (!can_write(o))
        return busy;
    hd_hold_add(s, &o->own, o, t);
    hd_refresh_queue(s, o);
    return 0;
}

static void unlock(struct hd_sched *s, u16 t, struct hd_obj *o, u64 site)
{
    if (o->own.tid != HD_NO_THREAD) {
        if (o->own.tid != t)
            hd_misuse(s, HD_MISUSE_UNLOCK_NOT_OWNER, t, o->own.tid, o->addr, site);
        hd_hold_remove(s, &o->own);
    } else if (o->rw.readers) {
        struct hd_hold *h = (struct hd_hold *)hd_hold_find_reader(o, t);
        if (!h) { /* glibc just counts readers down */
            h = o->rw.readers;
            hd_misuse(s, HD_MISUSE_UNLOCK_NOT_OWNER, t, h->tid, o->addr, site);
        }
        if (!--h->count)
            hd_hold_drop_reader(s, o, h);
    } else {
        hd_misuse(s, HD_MISUSE_UNLOCK_FREE, t, HD_NO_THREAD, o->addr, site);
        return;
    }
    hd_refresh_queue(s, o);
}

bool hd_rwlock_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *o = th->link.obj ? th->link.obj : hd_rwlock_model(s, op->obj, op->arg);
    s32 err = 0;
    switch (op->kind) {
    case HD_EV_RW_INIT:
        hd_rwlock_reset(s, o);
        o->rw.prefers_writer = op->arg;
        hd_refresh_queue(s, o);
        break;
    case HD_EV_RW_DESTROY: /* glibc does not look */
        if (!can_write(o))
            hd_misuse(s, HD_MISUSE_DESTROY_HELD, t,
                      o->rw.readers ? o->rw.readers->tid : o->own.tid, o->addr, op->site);
        else
            hd_object_drop(s, o);
        break;
    case HD_EV_RDLOCK:
        hd_link_remove(&th->link);
        err = o->own.tid == t ? EDEADLK : take_read(s, o, t, ETIMEDOUT);
        break;
    case HD_EV_WRLOCK:
        hd_link_remove(&th->link);
        err = o->own.tid == t ? EDEADLK : take_write(s, o, t, ETIMEDOUT);
        if (err) /* a writer less to wait for */
            hd_refresh_queue(s, o);
        break;
    case HD_EV_TRYRDLOCK:
        err = take_read(s, o, t, EBUSY);
        break;
    case HD_EV_TRYWRLOCK:
        err = take_write(s, o, t, EBUSY);
        break;
    case HD_EV_RW_UNLOCK:
        unlock(s, t, o, op->site);
        break;
    default:
        HD_BUG("not a rwlock operation");
    }
    th->res.err = err;
    ev->arg = (u32)err;
    return true;
}
