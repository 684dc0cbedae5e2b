/* sync_mutex.c: mutexes and spin locks as glibc behaves.
 *
 * What POSIX leaves undefined and glibc lets pass (unlock by another thread, of a
 * free mutex) passes here too and is recorded as misuse; a normal mutex locked
 * again by its owner blocks for ever, which deadlock.c sees as a cycle of one.
 * Robust: owner exits -> is_dead; next lock gets EOWNERDEAD and the mutex,
 * is_inconsistent; CONSISTENT heals it, unlocking without makes it is_lost.
 */
#include "sched/internal.h"

struct hd_obj *hd_mutex_model(struct hd_sched *s, u64 addr, u64 kind)
{
    bool is_new;
    struct hd_obj *m = hd_object_get(s, HD_OBJ_MUTEX, addr, &is_new);
    /* The kind travels with every operation; a free mutex may have been made
     * anew without our seeing it (static initializer in reused memory). */
    if (m->own.tid == HD_NO_THREAD && !m->mutex.is_dead && !m->mutex.is_lost)
        m->mutex.kind = (u8)kind;
    return m;
}

static u8 type_of(const struct hd_obj *m) { return m->mutex.kind & HD_MTX_TYPE; }
static bool is_robust(const struct hd_obj *m) { return m->mutex.kind & HD_MTX_ROBUST; }

void hd_mutex_reset(struct hd_sched *s, struct hd_obj *m)
{
    if (m->own.tid != HD_NO_THREAD)
        hd_hold_remove(s, &m->own);
    m->mutex.is_dead = m->mutex.is_inconsistent = m->mutex.is_lost = false;
    m->mutex.users = 0;
}

/* LOCK only: would it complete, be it with an error? */
bool hd_mutex_can(const struct hd_sched *s, u16 t)
{
    const struct hd_obj *m = s->thread[t].link.obj;
    if (m->own.tid == HD_NO_THREAD || m->mutex.is_lost)
        return true;
    u8 type = type_of(m);
    return m->own.tid == t && (type == HD_MTX_RECURSIVE || type == HD_MTX_ERRORCHECK);
}

/* 0, EOWNERDEAD (both: taken), an errno, or EBUSY. */
static s32 take(struct hd_sched *s, u16 t, struct hd_obj *m, bool is_try)
{
    if (m->mutex.is_lost)
        return ENOTRECOVERABLE;
    if (m->own.tid == t) {
        if (type_of(m) == HD_MTX_RECURSIVE) {
            m->own.count++;
            return 0;
        }
        bool has_error = type_of(m) == HD_MTX_ERRORCHECK && (!is_try || is_robust(m));
        return has_error ? EDEADLK : EBUSY;
    }
    if (m->own.tid != HD_NO_THREAD)
        return EBUSY;
    hd_hold_add(s, &m->own, m, t);
    s32 err = 0;
    if (m->mutex.is_dead) {
        m->mutex.is_dead = false;
        m->mutex.is_inconsistent = true;
        err = EOWNERDEAD;
    }
    hd_refresh_queue(s, m);
    return err;
}

static void release(struct hd_sched *s, struct hd_obj *m)
{
    if (--m->own.count)
        return;
    hd_hold_remove(s, &m->own);
    if (m->mutex.is_inconsistent) {
        m->mutex.is_inconsistent = false;
        m->mutex.is_lost = true;
    }
    hd_refresh_queue(s, m);
}

/* is_wait: as part of a cond wait, which has a misuse of its own. */
s32 hd_mutex_unlock(struct hd_sched *s, u16 t, struct hd_obj *m, u64 site, bool is_wait)
{
    u16 owner = m->own.tid;
    if (owner != t) {
        if (is_robust(m) || type_of(m) == HD_MTX_RECURSIVE || type_of(m) == HD_MTX_ERRORCHECK) {
            /* POSIX promises EPERM, except to a wait with a plain recursive one. */
            if (is_wait && !is_robust(m) && type_of(m) == HD_MTX_RECURSIVE)
                hd_misuse(s, HD_MISUSE_WAIT_WITHOUT, t, owner, m->addr, site);
            return EPERM;
        }
        u8 kind = is_wait                 ? HD_MISUSE_WAIT_WITHOUT
                  : owner == HD_NO_THREAD ? HD_MISUSE_UNLOCK_FREE
                                          : HD_MISUSE_UNLOCK_NOT_OWNER;
        hd_misuse(s, kind, t, owner, m->addr, site);
        if (owner == HD_NO_THREAD)
            return 0;
    }
    release(s, m);
    return 0;
}

void hd_mutex_owner_died(struct hd_sched *s, struct hd_obj *m)
{
    hd_hold_remove(s, &m->own);
    m->mutex.is_dead = true;
    m->mutex.is_inconsistent = false;
    hd_refresh_queue(s, m);
}

static s32 destroy(struct hd_sched *s, u16 t, struct hd_obj *m, u64 site)
{
    if (m->own.tid == HD_NO_THREAD && !m->mutex.users) {
        hd_object_drop(s, m);
        return 0;
    }
    hd_misuse(s, HD_MISUSE_DESTROY_HELD, t, m->own.tid, m->addr, site);
    return EBUSY;
}

bool hd_mutex_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    struct hd_obj *m = th->link.obj ? th->link.obj : hd_mutex_model(s, op->obj, op->arg);
    s32 err = 0;
    switch (op->kind) {
    case HD_EV_MUTEX_INIT:
        hd_mutex_reset(s, m);
        m->mutex.kind = (u8)op->arg;
        hd_refresh_queue(s, m);
        break;
    case HD_EV_MUTEX_DESTROY:
        err = destroy(s, t, m, op->site);
        break;
    case HD_EV_LOCK:
        hd_link_remove(&th->link);
        err = take(s, t, m, false);
        if (err == EBUSY)
            err = ETIMEDOUT; /* only a deadline lets it come here */
        if (th->phase == HD_PH_RELOCK) {
            if (m->mutex.users)
                m->mutex.users--;
            if (!err)
                err = th->wait_err;
        }
        break;
    case HD_EV_TRYLOCK:
        err = take(s, t, m, true);
        break;
    case HD_EV_UNLOCK:
        err = hd_mutex_unlock(s, t, m, op->site, false);
        break;
    case HD_EV_CONSISTENT:
        if (is_robust(m) && m->mutex.is_inconsistent)
            m->mutex.is_inconsistent = false;
        else
            err = EINVAL;
        break;
    default:
        HD_BUG("not a mutex operation");
    }
    th->res.err = err;
    if (op->kind == HD_EV_LOCK || op->kind == HD_EV_TRYLOCK)
        ev->size = (m->mutex.kind & HD_MTX_TYPE) == HD_MTX_RECURSIVE;
    /* The wait's timeout is not an error of taking the mutex. */
    ev->arg = th->phase == HD_PH_RELOCK && err == th->wait_err ? 0 : (u32)err;
    return true;
}

/* ---- without a step -------------------------------------------------------------- */

void hd_sched_take(struct hd_sched *s, u16 t, u64 obj)
{
    struct hd_obj *m = hd_mutex_model(s, obj, HD_MTX_RECURSIVE);
    HD_ASSERT(m->own.tid == HD_NO_THREAD || m->own.tid == t);
    take(s, t, m, false);
}

void hd_sched_give(struct hd_sched *s, u16 t, u64 obj)
{
    struct hd_obj *m = hd_object_find(s, HD_OBJ_MUTEX, obj);
    if (m && m->own.tid == t)
        release(s, m);
}
