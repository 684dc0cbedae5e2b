/* clock.h: vector clocks over the event stream of one run: does a past event
 * of thread u happen before what thread t does now?
 *
 * A thread's time is the number of its event (hd_seen.time). A clock of t holds
 * for every u the last event of u that happens before t; t's own entry is not
 * kept. Two strengths: everything (locks, conditions, semaphores, once, futex,
 * barriers, create/join, atomics) for races, and only what no schedule can turn
 * round (create/join, barriers) for concurrent functions. Atomics order as if
 * all were acquire/release: events do not carry the memory order.
 */
#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#include "observe/feed.h"

struct hd_vector {
    u32 n, cap;
    u32 *time;
};

struct hd_clock_object {
    u64 life;
    u32 round;              /* barrier: times it let threads through */
    struct hd_vector vector;
    struct hd_vector through; /* barrier: what the last round let through knows */
};

struct hd_clock_thread {
    struct hd_vector vector;
    u32 round;              /* of the barrier it stands at */
};

struct hd_clock {
    bool is_full;
    struct hd_clock_thread *thread;
    u32 n_threads, cap_threads;
    struct hd_clock_object *object;
    u32 cap_objects;
};

/* Zeroed is initialized, set is_full before the first event. */
void hd_clock_release(struct hd_clock *c);
void hd_clock_begin(struct hd_clock *c);
/* The event enters. True if it changed what a thread knows or is known by. */
bool hd_clock_event(struct hd_clock *c, const struct hd_feed *f, const struct hd_seen *s);

HD_INLINE bool hd_clock_is_before(const struct hd_clock *c, u16 u, u32 time, u16 t)
{
    const struct hd_vector *v = t < c->n_threads ? &c->thread[t].vector : NULL;
    return u == t || (v && u < v->n && v->time[u] >= time);
}

#endif
