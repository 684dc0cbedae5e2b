/* clock.c: see clock.h. */
#include "observe/clock.h"

#include "observe/observe.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct hd_vector *v, u32 n)
{
    if (n > v->cap) {
        v->cap = HD_MAX(n, HD_MAX(8u, v->cap * 2));
        v->time = realloc(v->time, v->cap * sizeof *v->time);
        HD_ASSERT(v->time);
    }
    if (n > v->n) {
        memset(v->time + v->n, 0, (n - v->n) * sizeof *v->time);
        v->n = n;
    }
}

static void learn(struct hd_vector *v, u32 u, u32 time)
{
    make_room(v, u + 1);
    v->time[u] = HD_MAX(v->time[u], time);
}

static void join(struct hd_vector *to, const struct hd_vector *from)
{
    if (!from->n)
        return;
    make_room(to, from->n);
    for (u32 i = 0; i < from->n; i++)
        to->time[i] = HD_MAX(to->time[i], from->time[i]);
}

static struct hd_clock_thread *thread(struct hd_clock *c, u32 t)
{
    c->thread = hd_observe_room(c->thread, &c->cap_threads, t, sizeof *c->thread);
    c->n_threads = HD_MAX(c->n_threads, t + 1);
    return &c->thread[t];
}

static struct hd_clock_object *object(struct hd_clock *c, const struct hd_feed *f, u32 obj)
{
    c->object = hd_observe_room(c->object, &c->cap_objects, obj, sizeof *c->object);
    struct hd_clock_object *o = &c->object[obj];
    if (o->life != f->object[obj].life) {
        o->life = f->object[obj].life;
        o->vector.n = o->through.n = 0;
        o->round = 1;
    }
    return o;
}

void hd_clock_begin(struct hd_clock *c)
{
    for (u32 t = 0; t < c->n_threads; t++)
        c->thread[t].vector.n = 0;
    c->n_threads = 0;
}

void hd_clock_release(struct hd_clock *c)
{
    for (u32 t = 0; t < c->cap_threads; t++)
        free(c->thread[t].vector.time);
    for (u32 i = 0; i < c->cap_objects; i++) {
        free(c->object[i].vector.time);
        free(c->object[i].through.time);
    }
    free(c->thread);
    free(c->object);
    *c = (struct hd_clock){.is_full = c->is_full};
}

static void give(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s, u32 obj)
{
    struct hd_vector *v = &object(c, f, obj)->vector;
    if (s->ev->kind == HD_EV_ASTORE)
        v->n = 0; /* what an earlier store published is overwritten */
    join(v, &thread(c, s->tid)->vector);
    learn(v, s->tid, s->time);
}

static void take(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s, u32 obj)
{
    join(&thread(c, s->tid)->vector, &object(c, f, obj)->vector);
}

/* A condition wait gives a mutex up, which one is not said. The other locks stay
 * held, so nobody learns from them too early. */
static void give_held(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s)
{
    const struct hd_feed_thread *th = &f->thread[s->tid];
    for (size_t i = 0; i < th->held.n; i++)
        if (th->held.at[i].life == f->object[th->held.at[i].obj].life)
            give(c, f, s, th->held.at[i].obj);
}

/* A fast thread may arrive for the next round before a slow one has left this
 * one; the slow one must not learn from that arrival. The first to leave a
 * round sets aside what everybody knows who leaves it. */
static void barrier(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_clock_thread *t = thread(c, s->tid);
    struct hd_clock_object *o = object(c, f, s->part[0].obj);
    if (s->what == HD_DOES_WAKE) {
        t->round = o->round;
        give(c, f, s, s->part[0].obj);
        return;
    }
    if (t->round == o->round) {
        o->through.n = 0;
        join(&o->through, &o->vector);
        o->vector.n = 0;
        o->round++;
    }
    join(&t->vector, &o->through);
}

static bool order(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s)
{
    u32 other = (u32)s->ev->obj;
    if (s->ev->kind == HD_EV_CREATE && other < HD_MAX_THREADS) {
        thread(c, HD_MAX(other, s->tid)); /* room, so that the next two stay */
        struct hd_vector *child = &thread(c, other)->vector;
        join(child, &thread(c, s->tid)->vector);
        learn(child, s->tid, s->time);
        return true;
    }
    if (s->ev->kind == HD_EV_JOIN && other < f->n_threads) {
        thread(c, HD_MAX(other, s->tid));
        struct hd_vector *own = &thread(c, s->tid)->vector;
        join(own, &thread(c, other)->vector);
        learn(own, other, f->thread[other].time);
        return true;
    }
    return false;
}

bool hd_clock_event(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s)
{
    if (s->what == HD_DOES_ORDER)
        return order(c, f, s);
    if (s->ev->kind == HD_EV_BARRIER_WAIT || s->ev->kind == HD_EV_BARRIER_LEAVE) {
        barrier(c, f, s);
        return true;
    }
    if (!c->is_full)
        return false;
    switch (s->what) {
    case HD_DOES_REL: case HD_DOES_WAKE: give(c, f, s, s->part[0].obj); return true;
    case HD_DOES_WAIT: give_held(c, f, s); return true;
    case HD_DOES_ACQ:
    case HD_DOES_WOKEN: take(c, f, s, s->part[0].obj); return true;
    default: break;
    }
    if (s->flag) { /* atomics */
        for (u32 i = 0; i < s->n; i++) {
            if (s->what != HD_DOES_WRITE)
                take(c, f, s, s->part[i].obj);
            if (s->what != HD_DOES_READ)
                give(c, f, s, s->part[i].obj);
        }
    }
    return s->flag;
}
