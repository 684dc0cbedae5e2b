/* shrink_pair.c: which order of two events decides?
 *
 * For a preempted thread P and the events of others that slipped in:
 *
 *      P            others
 *      read x                        BEFORE
 *      -- preempted --
 *                   write x          FIRST
 *      write x                       SECOND
 *
 * A candidate is a pair FIRST, SECOND of different threads on the same object
 * that do not commute. It is tested, not guessed: FIRST's thread is held back
 * right before FIRST until SECOND has happened, the rest of the schedule is kept,
 * and the run must pass; then in other ways of going on without preemption as
 * well. Candidates nearest to the preemption come first; where the failure
 * needs none (order of start, of blocking), all pairs, from the end backwards.
 * Last come pairs on different objects, across a preemption: a signal and what
 * it interrupts, a crash and the call that caused it.
 */
#include "campaign/shrink.h"

#define MAX_SECOND 8   /* events of the preempted thread looked at, per preemption */
#define MAX_FIRST 12   /* ... and events that slipped in, per one of those */
#define MAX_CANDIDATES 96
#define MAX_PLAIN 12   /* on different objects */
#define MAX_FAR 2000   /* events from either end of the run, and between the two of a pair */
#define MAX_CLEAN 8    /* runs tried to see one that passes */
#define MAX_THREADS 64 /* whose future is looked at, the first ones */
#define MAX_FUTURE 16  /* events of it, per thread */

struct pair {
    u32 first, second; /* indices in struct hunt's events */
};

struct hunt {
    const struct hd_shrunk *s;
    const struct hd_runner *r;
    /* Steps of the failing run; then, with step 0, what threads were about to do,
     * and what they did later in a run that passed. */
    HD_VEC(struct hd_event) e;
    HD_VEC(u32) more;     /* steps its thread needs for e[i], if e[i].step is 0 */
    u32 n_steps, n_pending; /* events so far */
    struct pair pair[MAX_CANDIDATES];
    u32 n_pairs;
    struct hd_list script, cut;
    bool is_over;
};

/* ---- events ------------------------------------------------------------------------ */

static bool is_note(u8 kind)
{
    return kind >= HD_EV_HB_RELEASE;
}

/* What an address of this kind of event names: kinds of one family conflict. */
static u32 family(u8 kind)
{
    switch (kind) {
    case HD_EV_READ ... HD_EV_ARMW:
    case HD_EV_FUTEX_WAIT ... HD_EV_FUTEX_REQUEUE: return 1;
    case HD_EV_MUTEX_INIT ... HD_EV_CONSISTENT: return 2;
    case HD_EV_RW_INIT ... HD_EV_RW_UNLOCK: return 3;
    case HD_EV_COND_INIT ... HD_EV_COND_BROADCAST: return 4;
    case HD_EV_BARRIER_INIT ... HD_EV_BARRIER_LEAVE: return 5;
    case HD_EV_SEM_INIT ... HD_EV_SEM_GETVALUE: return 6;
    case HD_EV_ONCE_BEGIN ... HD_EV_ONCE_END: return 7;
    case HD_EV_IO: return 8;
    default: return 0;
    }
}

static u64 bytes_of(const struct hd_event *e)
{
    return e->size ? e->size : 4;
}

static bool same_object(const struct hd_event *a, const struct hd_event *b)
{
    u32 f = family(a->kind);
    if (!f || f != family(b->kind))
        return false;
    if (f == 1)
        return a->obj < b->obj + bytes_of(b) && b->obj < a->obj + bytes_of(a);
    return a->obj == b->obj;
}

/* Releasing a lock does not compete for it: who took it first is what counts. */
static bool only_releases(const struct hd_event *a, const struct hd_event *b)
{
    bool blocks = b->kind == HD_EV_LOCK || b->kind == HD_EV_RDLOCK || b->kind == HD_EV_WRLOCK;
    return hd_event_class(a->kind) == HD_CLASS_REL &&
           (blocks || hd_event_class(b->kind) == HD_CLASS_REL);
}

static bool conflicts(const struct hd_event *a, const struct hd_event *b)
{
    if (a->tid == b->tid)
        return false;
    if (a->kind == HD_EV_KILL || b->kind == HD_EV_KILL) {
        const struct hd_event *k = a->kind == HD_EV_KILL ? a : b, *o = k == a ? b : a;
        return k->obj == o->tid && o->kind != HD_EV_HANDLER;
    }
    if (!same_object(a, b) || only_releases(a, b) || only_releases(b, a))
        return false;
    return hd_event_conflicts(a->kind, b->kind);
}

/* Has the thread done its pending operation's first half already? */
static bool is_begun(const struct hunt *h, const struct hd_event *p)
{
    if (p->kind != HD_EV_COND_WAIT && p->kind != HD_EV_FUTEX_WAIT && p->kind != HD_EV_BARRIER_WAIT)
        return false;
    for (u32 i = h->n_steps; i-- > 0;)
        if (h->e.at[i].tid == p->tid)
            return h->e.at[i].kind == p->kind && h->e.at[i].obj == p->obj;
    return false;
}

static void add_event(struct hunt *h, const struct hd_event *e, u32 more)
{
    *hd_vec_add(&h->e) = *e;
    *hd_vec_add(&h->more) = more;
}

static bool is_step(const struct hd_event *e)
{
    return e->kind < HD_EV_COUNT && !is_note(e->kind) && e->step;
}

static void take_events(struct hunt *h, const struct hd_ran *ran)
{
    for (u32 i = 0; i < ran->n_events; i++)
        if (is_step(&ran->events[i]))
            add_event(h, &ran->events[i], 0);
    h->n_steps = (u32)h->e.n;
    for (u32 i = 0; i < ran->n_pending; i++)
        if (!is_begun(h, &ran->pending[i]))
            add_event(h, &ran->pending[i], 1);
    h->n_pending = (u32)h->e.n;
}

static u32 steps_of(const struct hd_event *e, u32 n, u16 tid)
{
    u32 steps = 0, last = 0;
    for (u32 i = 0; i < n; i++)
        if (e[i].tid == tid && is_step(&e[i]) && e[i].step != last) {
            steps++;
            last = e[i].step;
        }
    return steps;
}

/* A thread that was cut short by the failure: what it does in a run that passes. */
static void take_future(struct hunt *h)
{
    struct hd_ran ran = {0};
    for (u64 v = 0; v < MAX_CLEAN && ran.end != HD_END_CLEAN && !h->is_over; v++) {
        h->r->run(h->r->self, NULL, 0, v, &ran);
        h->is_over = ran.end == HD_END_STOP;
    }
    if (ran.end != HD_END_CLEAN)
        return;
    u32 done[MAX_THREADS], taken[MAX_THREADS] = {0}, steps[MAX_THREADS] = {0}, last = 0;
    for (u16 t = 0; t < MAX_THREADS; t++)
        done[t] = steps_of(h->e.at, h->n_steps, t);
    for (u32 i = 0; i < ran.n_events; i++) {
        struct hd_event e = ran.events[i];
        if (!is_step(&e) || e.tid >= MAX_THREADS)
            continue;
        steps[e.tid] += e.step != last;
        last = e.step;
        if (steps[e.tid] <= done[e.tid] || taken[e.tid]++ >= MAX_FUTURE)
            continue;
        e.step = 0;
        add_event(h, &e, steps[e.tid] - done[e.tid]);
    }
}

/* ---- candidates -------------------------------------------------------------------- */

static bool same_place(const struct hd_event *a, const struct hd_event *b)
{
    return a->tid == b->tid && a->site == b->site && a->kind == b->kind;
}

/* Of the rounds of a loop two stand for all: the first and the last offered. */
static void offer(struct hunt *h, u32 first, u32 second)
{
    u32 alike = 0, last = 0;
    for (u32 i = 0; i < h->n_pairs; i++) {
        const struct pair *p = &h->pair[i];
        if (p->first == first && p->second == second)
            return;
        if (same_place(&h->e.at[p->first], &h->e.at[first]) &&
            same_place(&h->e.at[p->second], &h->e.at[second])) {
            alike++;
            last = i;
        }
    }
    if (alike > 1)
        h->pair[last] = (struct pair){first, second};
    else if (h->n_pairs < MAX_CANDIDATES)
        h->pair[h->n_pairs++] = (struct pair){first, second};
}

static bool is_after(const struct hd_event *e, u64 step)
{
    return !e->step || e->step >= step;
}

/* SECOND in thread p, from step `since` on; FIRST in another, since then. */
static void offer_resumed(struct hunt *h, u16 p, u64 since)
{
    u32 seconds = 0;
    for (u32 j = 0; j < h->n_pending && seconds < MAX_SECOND; j++) {
        u32 firsts = 0;
        if (h->e.at[j].tid != p || !is_after(&h->e.at[j], since))
            continue;
        seconds++;
        for (u32 i = HD_MIN(j, h->n_steps);
             i-- > 0 && h->e.at[i].step >= since && firsts < MAX_FIRST;)
            if (conflicts(&h->e.at[i], &h->e.at[j])) {
                offer(h, i, j);
                firsts++;
            }
    }
}

/* FIRST in thread p before step `since`; SECOND one of those that slipped in. */
static void offer_left(struct hunt *h, u16 p, u64 since)
{
    u32 firsts = 0;
    for (u32 i = h->n_steps; i-- > 0 && firsts < MAX_SECOND;) {
        u32 seconds = 0;
        if (h->e.at[i].tid != p || h->e.at[i].step >= since)
            continue;
        firsts++;
        for (u32 j = i + 1; j < h->n_pending && seconds < MAX_FIRST; j++)
            if (is_after(&h->e.at[j], since) && conflicts(&h->e.at[i], &h->e.at[j])) {
                offer(h, i, j);
                seconds++;
            }
    }
}

/* The same across different objects: p's next event and what came before it. */
static void offer_plain(struct hunt *h, u16 p, u64 since)
{
    u32 j = 0, n = 0;
    while (j < h->n_pending && (h->e.at[j].tid != p || !is_after(&h->e.at[j], since)))
        j++;
    for (u32 i = HD_MIN(j, h->n_steps); j < h->n_pending && i-- > 0 && h->e.at[i].step >= since &&
                                        n < MAX_PLAIN;)
        if (h->e.at[i].tid != p) {
            offer(h, i, j);
            n++;
        }
}

/* Calls `what` for each switch, earliest first (the first thing to go wrong explains
 * more than the last): thread that stopped, step at which the other began. */
static void each_switch(struct hunt *h, bool only_preemptions,
                        void (*what)(struct hunt *, u16, u64))
{
    const struct hd_list *l = &h->s->list;
    u64 step = 1;
    u16 last = HD_NO_THREAD;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct hd_choice *c = &l->v.at[i];
        if (c->kind != HD_CHOICE_PICK)
            continue;
        if (last != HD_NO_THREAD && last != c->tid &&
            (!only_preemptions || c->flags & HD_CHOICE_PREEMPTS))
            what(h, last, step);
        last = c->tid;
        step += c->count;
    }
}

/* Every event with the latest conflicting ones before it, from the end. */
static void offer_any(struct hunt *h)
{
    for (u32 j = h->n_pending; j-- > 0;) {
        u32 firsts = 0, far = MAX_FAR;
        if (j >= MAX_FAR && j + MAX_FAR < h->n_pending)
            continue; /* what decides a long run is near its begin or its end */
        for (u32 i = HD_MIN(j, h->n_steps); i-- > 0 && firsts < 3 && far--;)
            if (conflicts(&h->e.at[i], &h->e.at[j])) {
                offer(h, i, j);
                firsts++;
            }
    }
}

/* The latest events with those that should have come before them but did not
 * come before the failure. */
static void offer_future(struct hunt *h)
{
    for (u32 i = h->n_steps; i-- > 0;)
        for (u32 j = h->n_pending; j < h->e.n; j++)
            if (conflicts(&h->e.at[i], &h->e.at[j]))
                offer(h, i, j);
}

/* ---- tests --------------------------------------------------------------------------- */

/* Which occurrence of its kind, site and thread event i is. */
static u32 occurrence(const struct hunt *h, u32 i)
{
    u32 n = 0;
    for (u32 k = 0; k < HD_MIN(i, h->n_steps); k++)
        n += h->e.at[k].tid == h->e.at[i].tid && h->e.at[k].kind == h->e.at[i].kind &&
             h->e.at[k].site == h->e.at[i].site;
    return n;
}

/* Position of the nth such event in another run, ~0u if it did not happen. */
static u32 find_in(const struct hd_ran *ran, const struct hd_event *want, u32 nth)
{
    for (u32 i = 0; i < ran->n_events; i++) {
        const struct hd_event *e = &ran->events[i];
        if (e->tid == want->tid && e->kind == want->kind && e->site == want->site && !nth--)
            return i;
    }
    return ~0u;
}

static bool passes(struct hunt *h, const struct pair *p, const struct hd_list *script, u64 variant)
{
    struct hd_ran ran = {0};
    if (h->is_over)
        return false;
    h->r->run(h->r->self, script->v.at, (u32)script->v.n, variant, &ran);
    h->is_over = ran.end == HD_END_STOP;
    if (ran.end != HD_END_CLEAN)
        return false;
    u32 second = find_in(&ran, &h->e.at[p->second], occurrence(h, p->second));
    u32 first = find_in(&ran, &h->e.at[p->first], occurrence(h, p->first));
    return second != ~0u && first != ~0u && second < first;
}

/* How often of `times` the other order passes; ends at the first that does not.
 * Half of them keep the rest of the schedule, half go on freely. */
static u32 count_passes(struct hunt *h, const struct pair *p, u32 times)
{
    const struct hd_event *a = &h->e.at[p->first], *b = &h->e.at[p->second];
    hd_list_delay(&h->script, &h->cut, &h->s->list, a->tid, a->step, b->step, b->tid,
                  h->more.at[p->second]);
    u32 n = 0;
    while (n < times && passes(h, p, n & 1 ? &h->cut : &h->script, n / 2))
        n++;
    return n;
}

/* The latest event of SECOND's thread before FIRST that FIRST cut off from it. */
static u32 find_before(const struct hunt *h, const struct pair *p)
{
    const struct hd_event *first = &h->e.at[p->first], *second = &h->e.at[p->second];
    for (u32 i = p->first; i-- > 0;) {
        const struct hd_event *e = &h->e.at[i];
        if (e->tid == second->tid && same_object(e, first) && same_object(e, second))
            return i;
    }
    return ~0u;
}

bool hd_shrink_pair(struct hd_decided *d, const struct hd_shrunk *s, const struct hd_runner *r,
                    u32 times)
{
    struct hunt h = {.s = s, .r = r};
    struct hd_ran ran = {0};
    bool is_found = false;
    r->run(r->self, s->list.v.at, (u32)s->list.v.n, 0, &ran);
    if (ran.end != HD_END_SAME || !ran.n_events || ran.events[0].step > 1)
        return false; /* the beginning is not known: events could not be counted */
    take_events(&h, &ran);
    take_future(&h);
    each_switch(&h, true, offer_resumed);
    each_switch(&h, true, offer_left);
    offer_any(&h);
    offer_future(&h);
    each_switch(&h, s->preemptions > 0, offer_plain);
    for (u32 i = 0; i < h.n_pairs && !is_found && !h.is_over; i++) {
        if (count_passes(&h, &h.pair[i], times) < times)
            continue;
        u32 before = find_before(&h, &h.pair[i]);
        is_found = d->is = true;
        d->passes = d->passes_of = times;
        if (before != ~0u)
            d->event[HD_DECIDED_BEFORE] = h.e.at[before];
        d->event[HD_DECIDED_FIRST] = h.e.at[h.pair[i].first];
        d->event[HD_DECIDED_SECOND] = h.e.at[h.pair[i].second];
    }
    hd_vec_release(&h.e);
    hd_vec_release(&h.more);
    hd_list_release(&h.script);
    hd_list_release(&h.cut);
    return is_found;
}
