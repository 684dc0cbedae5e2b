/* order.h: happens-before of one run, by vector clocks, from the effects of its events
 * (event/effect.h). THE engine of the host: observers, predictor, search and report
 * differ in the policy and in what they ask, not in what an event means.
 *
 * Ground rules
 * - A *time* of thread t stands for what t did up to then; it grows whenever t releases
 *   something. A user may set it before an event, to number events in its own way.
 * - What a thread *knows* is a clock: for every other thread the last time of it that
 *   happens before what the thread does next.
 * - Objects have numbers, given by the user, and a generation: a new one begins with nothing
 *   published. hd_order_event numbers them by space and address.
 * - Atomics order as in C11 (atomic.c): release sequences, fences; consume is taken for
 *   acquire, and sequentially consistent fences order each other.
 */
#ifndef HD_ORDER_H
#define HD_ORDER_H

#include "base/map.h"
#include "event/effect.h"
#include "order/vclock.h"

/* The policy: a set of spaces. What is done to other objects orders nothing. */
#define HD_ORDERS(space) (1u << HD_SPACE_##space)
#define HD_ORDER_ALL (~0u)
#define HD_ORDER_NO_LOCKS                                                                          \
    (HD_ORDER_ALL & ~(HD_ORDERS(MUTEX) | HD_ORDERS(RWLOCK) | HD_ORDERS(MEMORY) | HD_ORDERS(FENCE)))
#define HD_ORDER_STRUCTURE (HD_ORDERS(THREAD) | HD_ORDERS(BARRIER))

struct hd_order_thread {
    struct hd_vclock known;
    u32 time;  /* from 1; 0 = not seen yet */
    u32 round; /* of the barrier it stands at, 0 = at none */
    struct hd_vclock fenced; /* published by its last release fence: its later stores carry that */
    struct hd_vclock read;   /* of its relaxed loads: known once an acquire fence comes */
};

/* A store that heads a release sequence, or several of one thread. */
struct hd_order_head {
    u32 tid;
    struct hd_vclock clock;
};

struct hd_order_object {
    u64 generation;
    u32 number;                 /* the user's */
    u32 round;                  /* barrier: times it let threads through */
    bool is_partial;            /* ... some arrivals were not seen */
    struct hd_vclock published; /* by those who released it */
    struct hd_vclock through;   /* barrier: what those know who are let through */
    /* atomic: who headed the release sequences that the last value belongs to. One: `head`, what
     * it published is `published`; several: heads[], `published` is all of it. */
    u32 head;                   /* thread + 1, 0 = none */
    u32 n_heads, cap_heads;
    struct hd_order_head *heads;
};

struct hd_order {
    u32 policy;
    bool has_gap;               /* events were left out */
    u64 learned;                /* times that a thread learned something new */
    struct hd_order_thread *thread;
    u32 n_threads, cap_threads;
    struct hd_order_object *object; /* those that released something, [0] unused: of many objects
                                       few do */
    u32 n_used, cap_objects;
    u32 *place;                 /* by number: where it is in `object`, 0 = nowhere */
    u32 cap_places;
    u64 generation;             /* hd_order_event: of all objects of this run, */
    u32 n_objects;              /* how many there were, */
    struct hd_map number;       /* and the number of those that live */
    struct hd_vclock signal[65]; /* by signal: what its last sender knew */
    struct hd_vclock fences;     /* what threads knew at sequentially consistent fences */
};

void hd_order_init(struct hd_order *o, u32 policy);
void hd_order_release(struct hd_order *o);
/* A run begins: nothing is known. */
void hd_order_begin(struct hd_order *o);

/* Events of the run are left out here: from now on arrivals at barriers may be missing. */
HD_INLINE void hd_order_gap(struct hd_order *o) { o->has_gap = true; }

/* Room for it, and its state; pointers stay until the next one that is new. */
struct hd_order_thread *hd_order_thread(struct hd_order *o, u32 tid);
struct hd_order_object *hd_order_object(struct hd_order *o, u32 number, u64 generation);

/* The thread learns a clock. True if there was something new in it. */
bool hd_order_learn(struct hd_order *o, u32 tid, const struct hd_vclock *from);
/* What the thread knows and has done, into `to`; what it does next is later. */
void hd_order_publish(struct hd_order *o, u32 tid, struct hd_vclock *to);

/* An event with these effects (of hd_effects) on an object. First what it waited for
 * becomes known, then the event happens, then it publishes. True if the policy counts
 * it. Events about threads and signals need no object. */
bool hd_order_before(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                     u64 generation);
bool hd_order_after(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                    u64 generation);

/* The parts of these for atomics and fences (atomic.c). */
void hd_order_atomic_before(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                            u64 generation);
void hd_order_atomic_after(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                           u64 generation);

/* Both, for users that have only events. */
void hd_order_event(struct hd_order *o, const struct hd_event *ev);

/* Does what thread u did up to `time` happen before what thread t does now? */
HD_INLINE bool hd_order_is_before(const struct hd_order *o, u32 u, u32 time, u32 t)
{
    return u == t || (t < o->n_threads && hd_vclock_at(&o->thread[t].known, u) >= time);
}

#endif
