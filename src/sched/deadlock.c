/* deadlock.c: who waits for whom.
 *
 * A blocked thread waits for the owner of its lock (all readers, if it wants to
 * write), the thread it joins, or the one that runs the once routine, and needs
 * every one of them to go on; so one cycle is enough to be stuck for good. It
 * is looked for when a thread blocks, which is the only moment one can close;
 * then only waits without a deadline and mutexes that are not robust count.
 */
#include "sched/internal.h"

struct search {
    struct hd_sched *s;
    u16 start, end; /* end of the queue of threads to look at */
    bool is_eager, is_found;
};

static void visit(struct search *q, u16 from, u16 to)
{
    if (to == HD_NO_THREAD || q->is_found)
        return;
    struct hd_sthread *th = &q->s->thread[to];
    if (th->mark == q->s->mark)
        return;
    th->mark = q->s->mark;
    th->via = from;
    th->mark_next = HD_NO_THREAD;
    if (to == q->start)
        q->is_found = true;
    else
        q->s->thread[q->end].mark_next = to;
    q->end = to;
}

static void visit_rwlock(struct search *q, u16 t, const struct hd_obj *o)
{
    if (o->own.tid != HD_NO_THREAD) {
        visit(q, t, o->own.tid);
    } else if (q->s->thread[t].op.kind == HD_EV_WRLOCK) {
        for (const struct hd_hold *h = o->rw.readers; h; h = h->next_reader)
            visit(q, t, h->tid);
    } else { /* a reader behind writers that wait */
        for (const struct hd_link *l = o->first; l; l = l->next)
            if (l->tid != t && q->s->thread[l->tid].op.kind == HD_EV_WRLOCK)
                visit(q, t, l->tid);
    }
}

static void expand(struct search *q, u16 t)
{
    const struct hd_sthread *th = &q->s->thread[t];
    const struct hd_obj *o = th->link.obj;
    if (th->state != HD_T_PENDING || hd_bit_is_set(q->s->enabled, t) ||
        (q->is_eager && hd_vtime_is_timed(&th->op)))
        return;
    switch (hd_space_of(th->op.kind)) {
    case HD_SPACE_MUTEX:
        if (!q->is_eager || !(o->mutex.kind & HD_MTX_ROBUST))
            visit(q, t, o->own.tid);
        break;
    case HD_SPACE_RWLOCK: visit_rwlock(q, t, o); break;
    case HD_SPACE_ONCE: visit(q, t, o->once.owner); break;
    case HD_SPACE_THREAD: visit(q, t, (u16)th->op.obj); break;
    default: break;
    }
}

/* Breadth first, so the cycle is the shortest through `start`. */
static bool find_cycle(struct hd_sched *s, u16 start, bool is_eager)
{
    struct search q = {.s = s, .start = start, .end = start, .is_eager = is_eager};
    s->mark++;
    s->thread[start].mark_next = HD_NO_THREAD;
    for (u16 t = start; t != HD_NO_THREAD && !q.is_found; t = s->thread[t].mark_next)
        expand(&q, t);
    if (!q.is_found)
        return false;
    u32 n = 1;
    for (u16 t = s->thread[start].via; t != start; t = s->thread[t].via)
        n++;
    struct hd_cycle *c = &s->cycle;
    u32 room = HD_COUNT(c->tid);
    c->n = HD_MIN(n, room);
    c->is_cycle = n <= room;
    u16 t = start;
    for (u32 i = n; i--;) { /* backwards: via is the one that waits for t */
        t = s->thread[t].via;
        if (i < room) {
            c->tid[i] = t;
            c->obj[i] = s->thread[t].op.obj;
        }
    }
    return true;
}

void hd_deadlock_check(struct hd_sched *s, u16 t)
{
    if (s->timer != HD_NEVER)
        return; /* its signal may end the wait, or the program: seen when nobody can run */
    if (!hd_bit_is_set(s->enabled, t) && !s->is_stuck)
        s->is_stuck = find_cycle(s, t, true);
}

void hd_deadlock_explain(struct hd_sched *s)
{
    s->is_stuck = true;
    for (u32 t = 0; t < s->n_threads; t++)
        if (s->thread[t].state == HD_T_PENDING && find_cycle(s, (u16)t, false))
            return;
    struct hd_cycle *c = &s->cycle;
    c->is_cycle = false;
    c->n = 0;
    for (u32 t = 0; t < s->n_threads && c->n < HD_COUNT(c->tid); t++)
        if (s->thread[t].state == HD_T_PENDING) {
            c->tid[c->n] = (u16)t;
            c->obj[c->n++] = s->thread[t].op.obj;
        }
}
