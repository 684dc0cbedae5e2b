/* order.c: see order.h. */
#include "order/order.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- lifecycle -------------------------------------------------------------------- */

void hd_order_init(struct hd_order *o, u32 policy)
{
    *o = (struct hd_order){.policy = policy, .generation = 1};
}

void hd_order_release(struct hd_order *o)
{
    for (u32 t = 0; t < o->cap_threads; t++) {
        hd_vclock_release(&o->thread[t].known);
        hd_vclock_release(&o->thread[t].fenced);
        hd_vclock_release(&o->thread[t].read);
    }
    for (u32 i = 0; i < o->cap_objects; i++) {
        hd_vclock_release(&o->object[i].published);
        hd_vclock_release(&o->object[i].through);
        for (u32 k = 0; k < o->object[i].cap_heads; k++)
            hd_vclock_release(&o->object[i].heads[k].clock);
        free(o->object[i].heads);
    }
    hd_vclock_release(&o->fences);
    for (u32 i = 0; i < HD_COUNT(o->signal); i++)
        hd_vclock_release(&o->signal[i]);
    free(o->thread);
    free(o->object);
    free(o->place);
    hd_map_release(&o->number);
    hd_order_init(o, o->policy);
}

void hd_order_begin(struct hd_order *o)
{
    for (u32 t = 0; t < o->n_threads; t++) {
        hd_vclock_clear(&o->thread[t].known);
        hd_vclock_clear(&o->thread[t].fenced);
        hd_vclock_clear(&o->thread[t].read);
        o->thread[t].time = o->thread[t].round = 0;
    }
    for (u32 i = 0; i < HD_COUNT(o->signal); i++)
        hd_vclock_clear(&o->signal[i]);
    hd_vclock_clear(&o->fences);
    for (u32 i = 1; i <= o->n_used; i++)
        o->place[o->object[i].number] = 0;
    o->n_used = 0;
    o->n_threads = 0;
    o->has_gap = false;
    o->generation++;
    o->n_objects = 0;
    hd_map_clear(&o->number);
}

struct hd_order_thread *hd_order_thread(struct hd_order *o, u32 tid)
{
    if (HD_UNLIKELY(tid >= o->cap_threads))
        o->thread = hd_vec_room_zeroed(o->thread, &o->cap_threads, tid, sizeof *o->thread);
    struct hd_order_thread *th = &o->thread[tid];
    if (HD_UNLIKELY(!th->time)) {
        th->time = 1;
        o->n_threads = HD_MAX(o->n_threads, tid + 1);
    }
    return th;
}

struct hd_order_object *hd_order_object(struct hd_order *o, u32 number, u64 generation)
{
    if (HD_UNLIKELY(number >= o->cap_places))
        o->place = hd_vec_room_zeroed(o->place, &o->cap_places, number, sizeof *o->place);
    bool is_new = !o->place[number];
    if (HD_UNLIKELY(is_new)) {
        o->place[number] = ++o->n_used;
        if (o->n_used >= o->cap_objects)
            o->object = hd_vec_room_zeroed(o->object, &o->cap_objects, o->n_used, sizeof *o->object);
    }
    struct hd_order_object *x = &o->object[o->place[number]];
    if (is_new || x->generation != generation) {
        x->number = number;
        x->generation = generation;
        x->round = 1;
        x->is_partial = false;
        x->head = x->n_heads = 0;
        hd_vclock_clear(&x->published);
        hd_vclock_clear(&x->through);
    }
    return x;
}

/* ---- clocks ----------------------------------------------------------------------- */

bool hd_order_learn(struct hd_order *o, u32 tid, const struct hd_vclock *from)
{
    struct hd_vclock *known = &hd_order_thread(o, tid)->known;
    for (u32 i = 0; i < from->n; i++) {
        if (i == tid || from->at[i] <= hd_vclock_at(known, i))
            continue;
        hd_vclock_join(known, from);
        o->learned++;
        return true;
    }
    return false;
}

void hd_order_publish(struct hd_order *o, u32 tid, struct hd_vclock *to)
{
    struct hd_order_thread *th = hd_order_thread(o, tid);
    hd_vclock_join(to, &th->known);
    hd_vclock_learn(to, tid, th->time);
    th->time++;
}

/* ---- threads ---------------------------------------------------------------------- */

static void create(struct hd_order *o, u32 tid, u64 child)
{
    if (child >= HD_MAX_THREADS || child == tid)
        return;
    hd_order_thread(o, HD_MAX(tid, (u32)child)); /* room for both before the pointer */
    hd_order_publish(o, tid, &hd_order_thread(o, (u32)child)->known);
}

static void join(struct hd_order *o, u32 tid, u64 other)
{
    if (other >= o->n_threads)
        return;
    hd_order_thread(o, tid);
    struct hd_order_thread *th = hd_order_thread(o, (u32)other);
    hd_vclock_learn(&th->known, (u32)other, th->time);
    hd_order_learn(o, tid, &th->known);
}

/* ---- barriers --------------------------------------------------------------------- */

/* A fast thread may arrive for the next round before a slow one has left this one;
 * the slow one must not learn from that arrival. The first to leave a round sets
 * aside what everybody knows who leaves it. Where the events begin in the middle of a
 * run, a thread may leave that was not seen to arrive, and nobody knows which round it
 * leaves: from then on who leaves knows of all who arrived, in any round. How many a barrier waits for is not known: where more
 * threads use it than that, it may order a little more than it should. */
static void arrive(struct hd_order *o, u32 tid, struct hd_order_object *x)
{
    hd_order_thread(o, tid)->round = x->round;
    hd_order_publish(o, tid, &x->published);
}

static void leave(struct hd_order *o, u32 tid, struct hd_order_object *x)
{
    struct hd_order_thread *th = hd_order_thread(o, tid);
    x->is_partial |= !th->round || o->has_gap;
    if (x->is_partial) {
        hd_order_learn(o, tid, &x->published);
    } else if (th->round == x->round) {
        hd_vclock_clear(&x->through);
        hd_vclock_join(&x->through, &x->published);
        hd_vclock_clear(&x->published);
        x->round++;
    }
    th->round = 0;
    hd_order_learn(o, tid, &x->through);
}

/* ---- events ----------------------------------------------------------------------- */

static bool counts(const struct hd_order *o, const struct hd_event *ev, u32 effects, u32 which)
{
    return (effects & which) && (o->policy >> hd_space_of(ev->kind) & 1);
}

bool hd_order_before(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                     u64 generation)
{
    if (!counts(o, ev, effects, HD_ACQUIRES | HD_ATOMIC))
        return false;
    if (effects & HD_ATOMIC) {
        hd_order_atomic_before(o, ev, effects, object, generation);
        return true;
    }
    switch (hd_space_of(ev->kind)) {
    case HD_SPACE_THREAD: join(o, ev->tid, ev->obj); break;
    case HD_SPACE_BARRIER: leave(o, ev->tid, hd_order_object(o, object, generation)); break;
    case HD_SPACE_SIGNAL:
        if (ev->arg < HD_COUNT(o->signal))
            hd_order_learn(o, ev->tid, &o->signal[ev->arg]);
        break;
    default: hd_order_learn(o, ev->tid, &hd_order_object(o, object, generation)->published); break;
    }
    return true;
}

bool hd_order_after(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                    u64 generation)
{
    if (!counts(o, ev, effects, HD_RELEASES | HD_ATOMIC))
        return false;
    if (effects & HD_ATOMIC) {
        hd_order_atomic_after(o, ev, effects, object, generation);
        return true;
    }
    switch (hd_space_of(ev->kind)) {
    case HD_SPACE_THREAD: create(o, ev->tid, ev->obj); break;
    case HD_SPACE_BARRIER: arrive(o, ev->tid, hd_order_object(o, object, generation)); break;
    case HD_SPACE_SIGNAL:
        if (ev->arg < HD_COUNT(o->signal)) {
            hd_vclock_clear(&o->signal[ev->arg]);
            hd_order_publish(o, ev->tid, &o->signal[ev->arg]);
        }
        break;
    default:
        hd_order_publish(o, ev->tid, &hd_order_object(o, object, generation)->published);
        break;
    }
    return true;
}

void hd_order_event(struct hd_order *o, const struct hd_event *ev)
{
    u32 effects = hd_effects(ev);
    if (!counts(o, ev, effects, HD_ACQUIRES | HD_RELEASES | HD_ATOMIC | HD_BEGINS | HD_ENDS))
        return;
    u64 key = ev->obj ^ (u64)hd_space_of(ev->kind) << 60;
    if (effects & (HD_BEGINS | HD_ENDS)) {
        hd_map_del(&o->number, key);
        return;
    }
    u64 *number = hd_map_ref(&o->number, key, 0);
    if (!*number)
        *number = ++o->n_objects;
    hd_order_before(o, ev, effects, (u32)*number, o->generation);
    hd_order_after(o, ev, effects, (u32)*number, o->generation);
}
