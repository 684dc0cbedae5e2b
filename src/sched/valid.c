/* valid.c: the invariants of the machine, computed from scratch. Slow; the
 * unit tests call it after every step.
 */
#include "sched/internal.h"

#define CHECK(cond, text)                                                                          \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            *why = text;                                                                           \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static bool is_queued(const struct hd_link *l)
{
    for (const struct hd_link *x = l->obj->first; x; x = x->next)
        if (x == l)
            return true;
    return false;
}

static u8 queue_type(const struct hd_op *op)
{
    if (!hd_may(op->kind, HD_BLOCKS))
        return HD_OBJ_TYPES;
    switch (hd_space_of(op->kind)) {
    case HD_SPACE_MUTEX: return HD_OBJ_MUTEX;
    case HD_SPACE_RWLOCK: return HD_OBJ_RWLOCK;
    case HD_SPACE_SEM: return HD_OBJ_SEM;
    case HD_SPACE_ONCE: return HD_OBJ_ONCE;
    case HD_SPACE_THREAD: return HD_OBJ_THREAD;
    case HD_SPACE_COND: return HD_OBJ_COND;
    case HD_SPACE_BARRIER: return HD_OBJ_BARRIER;
    case HD_SPACE_FUTEX: return HD_OBJ_FUTEX;
    default: return HD_OBJ_TYPES; /* sleep, io, signals have no queue */
    }
}

static bool link_is_valid(const struct hd_link *l, const struct hd_op *op, u8 phase,
                          const char **why)
{
    u8 type = queue_type(op);
    bool must = type != HD_OBJ_TYPES && phase != HD_PH_WOKEN;
    if (l->saved) /* put aside: only waits keep their place */
        must = phase == HD_PH_WAIT;
    CHECK(!must == !l->obj, "queued iff it waits for an object");
    if (!must)
        return true;
    CHECK(l->obj->type == type && l->obj->addr == op->obj, "queued for another object");
    CHECK(is_queued(l), "link not in the queue it names");
    return true;
}

static bool thread_is_valid(const struct hd_sched *s, u16 t, const char **why)
{
    const struct hd_sthread *th = &s->thread[t];
    bool is_pending = th->state == HD_T_PENDING;
    CHECK(hd_bit_is_set(s->enabled, t) == (is_pending && hd_can_run(s, t)), "enabled set is stale");
    CHECK(hd_bit_is_set(s->yielded, t) == th->is_yielded, "yielded set is stale");
    CHECK(th->state != HD_T_RUNNING || t == s->current, "a thread runs that was not resumed");
    bool timed = hd_bit_is_set(s->timed, t);
    CHECK(!timed || (is_pending && !th->timed_out && th->phase != HD_PH_WOKEN &&
                     th->op.deadline >= s->next_deadline),
          "timer of a thread that has none");
    if (is_pending && hd_vtime_is_timed(&th->op) && th->phase != HD_PH_WOKEN)
        CHECK(timed || th->timed_out, "deadline without a timer");
    if (is_pending && !link_is_valid(&th->link, &th->op, th->phase, why))
        return false;
    CHECK(is_pending || !th->link.obj, "queued without a pending operation");
    for (const struct hd_saved *v = th->saved; v; v = v->below)
        if (!link_is_valid(&v->link, &v->op, v->phase, why))
            return false;
    CHECK(!(th->sig_lent & ~th->sig_pending), "lent a signal that it has not");
    u32 n = 0;
    for (const struct hd_hold *h = th->held; h; h = h->next, n++)
        CHECK(h->tid == t && h->count > 0, "holds a lock that says otherwise");
    CHECK(n == th->n_held, "n_held is wrong");
    CHECK(th->state != HD_T_FINISHED || !th->saved, "finished with an operation put aside");
    if (th->joiner != HD_NO_THREAD) {
        const struct hd_sthread *j = &s->thread[th->joiner];
        bool joins = j->state == HD_T_PENDING && j->op.kind == HD_EV_JOIN && j->op.obj == t;
        for (const struct hd_saved *v = j->saved; v; v = v->below)
            joins |= v->op.kind == HD_EV_JOIN && v->op.obj == t;
        CHECK(joins, "claimed by a thread that does not join it");
    }
    return true;
}

static bool object_is_valid(const struct hd_sched *s, const struct hd_obj *o, const char **why)
{
    u32 n = 0;
    CHECK(hd_object_find(s, o->type, o->addr) == o, "object cannot be found");
    for (const struct hd_link *l = o->first; l; l = l->next, n++) {
        CHECK(l->obj == o, "queue holds a thread that does not wait for it");
        CHECK(l->next ? l->next->prev == l : o->last == l, "queue is broken");
    }
    switch (o->type) {
    case HD_OBJ_MUTEX:
        CHECK((o->own.tid == HD_NO_THREAD) == !o->own.count, "mutex counted without owner");
        CHECK(o->own.tid == HD_NO_THREAD || (o->own.obj == o && !o->mutex.is_dead), "mutex owner");
        CHECK(o->own.count < 2 || (o->mutex.kind & HD_MTX_TYPE) == HD_MTX_RECURSIVE,
              "mutex taken twice");
        break;
    case HD_OBJ_RWLOCK:
        CHECK(o->own.tid == HD_NO_THREAD || !o->rw.readers, "readers beside a writer");
        for (const struct hd_hold *h = o->rw.readers; h; h = h->next_reader)
            CHECK(h->obj == o && h->count, "reader that does not read");
        break;
    case HD_OBJ_BARRIER:
        CHECK(o->barrier.arrived == n && (!n || n < o->barrier.count), "barrier count");
        break;
    case HD_OBJ_ONCE:
        CHECK(o->once.owner == HD_NO_THREAD || !o->once.is_done, "once done and running");
        break;
    default:
        break;
    }
    return true;
}

bool hd_sched_is_valid(const struct hd_sched *s, const char **why)
{
    u32 live = 0, running = 0, blocked = 0, io = 0, ending = 0, objects = 0;
    u32 words = HD_BITS_WORDS(HD_MAX_THREADS);
    for (u32 t = 0; t < s->n_threads; t++) {
        const struct hd_sthread *th = &s->thread[t];
        running += th->state == HD_T_RUNNING;
        blocked += th->state == HD_T_BLOCKED_OUTSIDE;
        live += th->state == HD_T_PENDING;
        io += th->state == HD_T_PENDING && th->op.kind == HD_EV_IO && th->op.arg != 1;
        ending += th->state == HD_T_PENDING && th->op.kind == HD_EV_END;
        if (!thread_is_valid(s, (u16)t, why))
            return false;
    }
    CHECK(running <= 1, "two threads run");
    CHECK(live + running + blocked == s->n_live, "n_live is wrong");
    CHECK(blocked == s->n_blocked_outside && io == s->n_io, "n_outside or n_io is wrong");
    CHECK(ending == s->n_ending, "n_ending is wrong");
    CHECK(hd_bits_count(s->timed, words) == s->n_timed, "n_timed is wrong");
    CHECK(hd_bits_count(s->yielded, words) == s->n_yielded, "n_yielded is wrong");
    for (u32 t = s->n_threads; t < HD_MIN(s->n_threads + 64, (u32)HD_MAX_THREADS); t++)
        CHECK(!hd_bit_is_set(s->enabled, t), "enabled without a number");
    for (u32 i = 0; i < s->objects->cap; i++)
        if (s->objects->slot[i]) {
            objects++;
            if (!object_is_valid(s, s->objects->slot[i], why))
                return false;
        }
    CHECK(objects == s->objects->n, "objects counted wrong");
    CHECK(s->log->n <= s->log->cap, "log too long");
    return true;
}
