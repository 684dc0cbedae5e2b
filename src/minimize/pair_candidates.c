/* pair_candidates.c: pairs of events whose order may have decided. See pair_search.c.
 *
 * First what the failing thread saw last of others (if one preemption is enough: of
 * several the first to go wrong explains more), then two requests that wait for each
 * other; then events around each preemption, the nearest first; where the failure
 * needs none (order of start, of blocking), all pairs, from the end backwards. Last
 * come pairs on different objects, across a preemption: a signal and what it
 * interrupts, a crash and the call that caused it.
 */
#include "minimize/pair_search.h"

#include "event/effect.h"

#define MAX_SECOND 8   /* events of the preempted thread looked at, per preemption */
#define MAX_FIRST 12   /* ... and events that slipped in, per one of those */
#define MAX_LAST 3     /* events of the failing thread that touch what others did */
#define MAX_PLAIN 12   /* on different objects */
#define MAX_FAR 2000   /* events from either end of the run, and between the two of a pair */
#define MAX_CLEAN 8    /* runs tried to see one that passes */
#define MAX_THREADS 64 /* whose future is looked at, the first ones */
#define MAX_FUTURE 16  /* events of it, per thread */
#define MAX_COMPARED (1ull << 26) /* comparisons in all: some tenths of a second */
#define ASK_EVERY 0x3fff       /* so many between two questions whether to stop */

/* ---- events ------------------------------------------------------------------------ */

static bool is_note(u8 kind)
{
    return hd_event_is_note(kind);
}

/* What an address of this kind of event names: kinds of one family conflict. */
static enum hd_space family(u8 kind)
{
    enum hd_space space = hd_space_of(kind);
    if (space == HD_SPACE_FUTEX)
        return HD_SPACE_MEMORY;
    if (is_note(kind) || space == HD_SPACE_THREAD || space == HD_SPACE_SIGNAL)
        return HD_SPACE_NONE;
    return space;
}

static u64 bytes_of(const struct hd_event *e)
{
    return e->size ? e->size : 4;
}

bool hd_pair_search_same_object(const struct hd_event *a, const struct hd_event *b)
{
    enum hd_space f = family(a->kind);
    if (f == HD_SPACE_NONE || f != family(b->kind))
        return false;
    if (f == HD_SPACE_MEMORY)
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

bool hd_pair_search_conflicts(const struct hd_event *a, const struct hd_event *b)
{
    if (a->tid == b->tid)
        return false;
    if (a->kind == HD_EV_KILL || b->kind == HD_EV_KILL) {
        const struct hd_event *k = a->kind == HD_EV_KILL ? a : b, *o = k == a ? b : a;
        return k->obj == o->tid && o->kind != HD_EV_HANDLER;
    }
    if (!hd_pair_search_same_object(a, b) || only_releases(a, b) || only_releases(b, a))
        return false;
    if (hd_may(a->kind, HD_SHARED) && hd_may(b->kind, HD_SHARED))
        return false; /* two readers */
    return hd_event_conflicts(a->kind, b->kind);
}

/* Has the thread done its pending operation's first half already? */
static bool is_begun(const struct hd_pair_search *h, const struct hd_event *p)
{
    if (p->kind != HD_EV_COND_WAIT && p->kind != HD_EV_FUTEX_WAIT && p->kind != HD_EV_BARRIER_WAIT)
        return false;
    for (u32 i = h->n_steps; i-- > 0;)
        if (h->e.at[i].tid == p->tid)
            return h->e.at[i].kind == p->kind && h->e.at[i].obj == p->obj;
    return false;
}

static void add_event(struct hd_pair_search *h, const struct hd_event *e, u32 more)
{
    *hd_vec_add(&h->e) = *e;
    *hd_vec_add(&h->more) = more;
}

static bool is_step(const struct hd_event *e)
{
    return e->kind < HD_EV_COUNT && !is_note(e->kind) && e->step;
}

static void take_events(struct hd_pair_search *h, const struct hd_ran *ran)
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

/* Index of the next step of a thread from i on, further events of its last step
 * left out; n if it made no other. */
static u32 next_step(const struct hd_event *e, u32 n, u16 tid, u32 i, u32 last)
{
    while (i < n && (e[i].tid != tid || !is_step(&e[i]) || e[i].step == last))
        i++;
    return i;
}

/* Steps of a thread that are the same in two runs, from its first on, and all in
 * the failing one. */
static u32 common_steps(const struct hd_pair_search *h, const struct hd_ran *ran, u16 tid, u32 *all)
{
    const struct hd_event *a = h->e.at, *b = ran->events;
    u32 n = 0, i = next_step(a, h->n_steps, tid, 0, 0), k = next_step(b, ran->n_events, tid, 0, 0);
    for (*all = 0; i < h->n_steps; ++*all) {
        bool is_same = *all == n && k < ran->n_events && a[i].kind == b[k].kind &&
                       a[i].site == b[k].site;
        n += is_same;
        i = next_step(a, h->n_steps, tid, i, a[i].step);
        if (is_same)
            k = next_step(b, ran->n_events, tid, k, b[k].step);
    }
    return n;
}

void hd_pair_search_future(struct hd_pair_search *h, const struct hd_ran *ran)
{
    u32 same[MAX_THREADS], done[MAX_THREADS], taken[MAX_THREADS] = {0}, steps[MAX_THREADS] = {0};
    u32 last = 0;
    h->has_future = true;
    hd_pair_search_odd(h, ran);
    for (u16 t = 0; t < MAX_THREADS; t++)
        same[t] = common_steps(h, ran, t, &done[t]);
    for (u32 i = 0; i < ran->n_events; i++) {
        struct hd_event e = ran->events[i];
        if (!is_step(&e) || e.tid >= MAX_THREADS)
            continue;
        steps[e.tid] += e.step != last;
        last = e.step;
        if (steps[e.tid] <= same[e.tid] || taken[e.tid]++ >= MAX_FUTURE)
            continue;
        e.step = 0;
        add_event(h, &e, steps[e.tid] > done[e.tid] ? steps[e.tid] - done[e.tid] : 1);
    }
}

/* The first run without preemption that passes. */
static void find_future(struct hd_pair_search *h)
{
    struct hd_ran ran = {0};
    for (u64 v = 0; v < MAX_CLEAN && ran.end != HD_END_CLEAN && !h->is_over; v++) {
        h->r->run(h->r->self, NULL, 0, v, &ran);
        h->is_over = ran.end == HD_END_STOP;
    }
    if (ran.end == HD_END_CLEAN)
        hd_pair_search_future(h, &ran);
}

/* ---- candidates -------------------------------------------------------------------- */

/* Locks are often taken through one function, so that their sites are the same; the accesses of
 * a loop over an array differ in nothing that matters but the address. */
static bool same_place(const struct hd_event *a, const struct hd_event *b)
{
    return a->tid == b->tid && a->site == b->site && a->kind == b->kind &&
           (a->obj == b->obj || family(a->kind) == HD_SPACE_MEMORY);
}

static bool same_places(const struct hd_pair_search *h, const struct hd_pair *p,
                        const struct hd_pair *q)
{
    const struct hd_event *e = h->e.at;
    return same_place(&e[p->first], &e[q->first]) && same_place(&e[p->second], &e[q->second]) &&
           hd_pair_search_same_object(&e[p->first], &e[p->second]) ==
               hd_pair_search_same_object(&e[q->first], &e[q->second]);
}

/* Of the rounds of a loop three pairs stand for all. The first SECOND offered is the nearest to
 * the preemption: it stays with the nearest FIRST and with the farthest; of the pairs with a later
 * SECOND the one whose events are farthest apart. */
static void consider(struct hd_pair_search *h, u32 first, u32 second)
{
    const struct hd_pair q = {first, second};
    u32 nearest = second, n = 0, last = ~0u, later = ~0u;
    for (u32 i = 0; i < h->n_pairs; i++) {
        const struct hd_pair *p = &h->pair[i];
        if (p->first == first && p->second == second)
            return;
        if (!same_places(h, p, &q))
            continue;
        if (!n)
            nearest = p->second;
        if (p->second == nearest && n++)
            last = i;
        else if (p->second != nearest)
            later = i;
    }
    u32 old = second == nearest ? last : later;
    if (old != ~0u && second - first > h->pair[old].second - h->pair[old].first)
        h->pair[old] = q;
    else if (old == ~0u && h->n_pairs < HD_PAIR_SEARCH_MOST)
        h->pair[h->n_pairs++] = q;
}

/* Counts a comparison; true if there were enough, or it is time to stop. */
static bool is_enough(struct hd_pair_search *h)
{
    if (!(++h->compared & ASK_EVERY) && h->r->is_over && h->r->is_over(h->r->self))
        h->is_over = true;
    return h->is_over || h->compared > MAX_COMPARED;
}

/* The first step of the run from `step` on: index in h->e. */
static u32 find_step(const struct hd_pair_search *h, u64 step)
{
    u32 from = 0, to = h->n_steps;
    while (from < to) {
        u32 middle = from + (to - from) / 2;
        if (h->e.at[middle].step < step)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool is_after(const struct hd_event *e, u64 step)
{
    return !e->step || e->step >= step;
}

/* SECOND in thread p, from step `since` on; FIRST in another, since then. */
static void propose_resumed(struct hd_pair_search *h, u16 p, u64 since)
{
    u32 seconds = 0;
    for (u32 j = find_step(h, since); j < h->n_pending && seconds < MAX_SECOND; j++) {
        u32 firsts = 0;
        if (is_enough(h))
            return;
        if (h->e.at[j].tid != p || !is_after(&h->e.at[j], since))
            continue;
        seconds++;
        for (u32 i = HD_MIN(j, h->n_steps);
             i-- > 0 && h->e.at[i].step >= since && firsts < MAX_FIRST && !is_enough(h);)
            if (hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j])) {
                consider(h, i, j);
                firsts++;
            }
    }
}

/* FIRST in thread p before step `since`; SECOND one of those that slipped in. */
static void propose_left(struct hd_pair_search *h, u16 p, u64 since)
{
    u32 firsts = 0;
    for (u32 i = find_step(h, since); i-- > 0 && firsts < MAX_SECOND;) {
        u32 seconds = 0;
        if (is_enough(h))
            return;
        if (h->e.at[i].tid != p || h->e.at[i].step >= since)
            continue;
        firsts++;
        for (u32 j = i + 1; j < h->n_pending && seconds < MAX_FIRST && !is_enough(h); j++)
            if (is_after(&h->e.at[j], since) &&
                hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j])) {
                consider(h, i, j);
                seconds++;
            }
    }
}

/* The same across different objects: p's next event and what came before it. */
static void propose_plain(struct hd_pair_search *h, u16 p, u64 since)
{
    u32 j = find_step(h, since), n = 0;
    while (j < h->n_pending && (h->e.at[j].tid != p || !is_after(&h->e.at[j], since)) &&
           !is_enough(h))
        j++;
    for (u32 i = HD_MIN(j, h->n_steps); j < h->n_pending && i-- > 0 && h->e.at[i].step >= since &&
                                        n < MAX_PLAIN;)
        if (h->e.at[i].tid != p) {
            consider(h, i, j);
            n++;
        }
}

/* Calls `what` for each switch, earliest first (the first thing to go wrong explains
 * more than the last): thread that stopped, step at which the other began. */
static void each_switch(struct hd_pair_search *h, bool only_preemptions,
                        void (*what)(struct hd_pair_search *, u16, u64))
{
    const struct hd_list *l = &h->s->list;
    u64 step = 1;
    u16 last = HD_NO_THREAD;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct hd_choice *c = &l->v.at[i];
        if (c->kind != HD_CHOICE_PICK)
            continue;
        if (last != HD_NO_THREAD && last != c->tid &&
            (!only_preemptions || c->flags & HD_CHOICE_PREEMPTS) && !is_enough(h))
            what(h, last, step);
        last = c->tid;
        step += c->count;
    }
}

/* Every event with the latest conflicting ones before it, from the end. */
static void propose_any(struct hd_pair_search *h)
{
    for (u32 j = h->n_pending; j-- > 0;) {
        u32 firsts = 0, far = MAX_FAR;
        if (j >= MAX_FAR && j + MAX_FAR < h->n_pending)
            continue; /* what decides a long run is near its begin or its end */
        for (u32 i = HD_MIN(j, h->n_steps); i-- > 0 && firsts < 3 && far-- && !is_enough(h);)
            if (hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j])) {
                consider(h, i, j);
                firsts++;
            }
    }
}

/* The latest events with those that should have come before them but did not
 * come before the failure. */
void hd_pair_search_propose_future(struct hd_pair_search *h)
{
    for (u32 i = h->n_steps; i-- > 0;)
        for (u32 j = h->n_pending; j < h->e.n && !is_enough(h); j++)
            if (hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j]))
                consider(h, i, j);
}

/* e[k] of the failing thread with what others were yet to do to it. */
static bool propose_early(struct hd_pair_search *h, u32 k)
{
    u32 before = h->n_pairs;
    for (u32 j = h->n_steps; j < h->e.n; j++)
        if (hd_pair_search_conflicts(&h->e.at[k], &h->e.at[j]))
            consider(h, k, j);
    return h->n_pairs > before;
}

/* The latest of others before e[k] that conflicts, and whether it slipped in between
 * e[k] and an earlier event of the same thread there; ~0u if there is none. */
static u32 latest_before(const struct hd_pair_search *h, u32 k, bool *slipped_in)
{
    const struct hd_event *e = h->e.at;
    u32 first = ~0u, far = MAX_FAR;
    *slipped_in = false;
    for (u32 i = k; i-- > 0 && far--;) {
        if (first == ~0u && hd_pair_search_conflicts(&e[i], &e[k]))
            first = i;
        if (e[i].tid == e[k].tid && hd_pair_search_same_object(&e[i], &e[k])) {
            *slipped_in = first != ~0u;
            break;
        }
    }
    return first;
}

/* What the failing thread did last: did somebody come in between its last accesses? Came it too
 * late for the latest that others did, or too early for something they were yet to do? */
static void propose_failing(struct hd_pair_search *h, bool only_between)
{
    u32 n = 0;
    for (u32 k = h->n_steps; h->failed && k-- > 0 && n < MAX_LAST;) {
        bool slipped_in;
        if (h->e.at[k].tid != h->failed - 1)
            continue;
        u32 i = latest_before(h, k, &slipped_in);
        if (slipped_in)
            consider(h, i, k);
        n += i != ~0u;
        if (only_between)
            continue;
        n += propose_early(h, k) && i == ~0u;
        if (i != ~0u)
            consider(h, i, k);
    }
}

/* Two threads that ask for the same lock: who asked first may count. */
static void propose_requests(struct hd_pair_search *h)
{
    for (u32 i = h->n_steps; i < h->n_pending; i++)
        for (u32 j = h->n_steps; j < h->n_pending; j++)
            if (h->e.at[i].kind == HD_EV_WRLOCK && h->e.at[j].kind == HD_EV_RDLOCK &&
                hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j]))
                consider(h, i, j);
}

void hd_pair_search_take(struct hd_pair_search *h, const struct hd_ran *ran)
{
    h->failed = ran->failed;
    take_events(h, ran);
    find_future(h);
}

void hd_pair_search_propose(struct hd_pair_search *h)
{
    if (h->s->preemptions <= 1) {
        propose_failing(h, true);
        propose_failing(h, false);
    }
    propose_requests(h);
    each_switch(h, true, propose_resumed);
    each_switch(h, true, propose_left);
    propose_failing(h, false);
    propose_any(h);
    hd_pair_search_propose_future(h);
    each_switch(h, h->s->preemptions > 0, propose_plain);
}

/* ---- critical sections ------------------------------------------------------------------ */

bool hd_pair_search_takes(const struct hd_event *e)
{
    return e->kind < HD_EV_COUNT && hd_event_class(e->kind) == HD_CLASS_ACQ && !e->arg;
}

static bool gives_up(const struct hd_event *e, u64 obj)
{
    return e->kind < HD_EV_COUNT && hd_event_class(e->kind) == HD_CLASS_REL && e->obj == obj;
}

/* Past the last event of the section that e[i] begins: those of the step that gives
 * the lock up belong to it (a condition wait is one). */
static u32 section_end(const struct hd_pair_search *h, u32 i)
{
    const struct hd_event *e = h->e.at;
    u32 k = i + 1;
    while (k < h->n_steps && !(e[k].tid == e[i].tid && gives_up(&e[k], e[i].obj)))
        k++;
    u32 step = k < h->n_steps ? e[k].step : 0;
    while (k < h->n_steps && e[k].step == step)
        k++;
    return k;
}

static bool needs_lock(const struct hd_pair_search *h, u16 tid, u64 obj, u32 from, u32 to)
{
    for (u32 k = from + 1; k <= to && k < h->e.n; k++)
        if (h->e.at[k].tid == tid && h->e.at[k].obj == obj && hd_pair_search_takes(&h->e.at[k]))
            return true;
    return false;
}

u64 hd_pair_search_from(const struct hd_pair_search *h, const struct hd_pair *p)
{
    const struct hd_event *e = h->e.at, *a = &e[p->first];
    if (!a->step) { /* only asked for: with its thread's last step */
        for (u32 i = h->n_steps; i-- > 0;)
            if (e[i].tid == a->tid)
                return e[i].step;
        return 1;
    }
    for (u32 i = 0; i < p->first; i++)
        if (e[i].tid == a->tid && hd_pair_search_takes(&e[i]) && section_end(h, i) > p->first &&
            needs_lock(h, e[p->second].tid, e[i].obj, i, p->second))
            return e[i].step;
    return a->step;
}

bool hd_pair_search_inside(const struct hd_pair_search *h, const struct hd_pair *p,
                           struct hd_pair *out)
{
    const struct hd_event *e = h->e.at;
    if (!hd_pair_search_takes(&e[p->first]) || !hd_pair_search_takes(&e[p->second]) ||
        p->second >= h->n_steps)
        return false;
    u32 end = section_end(h, p->first), last = section_end(h, p->second);
    for (u32 i = p->first + 1; i < end; i++)
        for (u32 j = p->second + 1; j < last && e[i].tid == e[p->first].tid; j++)
            if (e[j].tid == e[p->second].tid && !hd_pair_search_takes(&e[j]) &&
                hd_event_class(e[i].kind) != HD_CLASS_REL &&
                hd_pair_search_conflicts(&e[i], &e[j])) {
                *out = (struct hd_pair){i, j};
                return true;
            }
    return false;
}
