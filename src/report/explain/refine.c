/* refine.c: tells a lost wake-up from a deadlock and a livelock from a hang, by
 * the recorded events alone.
 *
 * Lost wake-up: no lock cycle, and somebody waits on a condition (or futex) although the
 * last signal was meant for it. Either the wait began after that signal (which woke nobody,
 * or others), and the waiter did not know of it: one that went through a whole critical
 * section of its mutex since, or read what the signaller had written, did. Or the signal
 * woke another waiter, which went back to waiting at once.
 *
 * Livelock: at the step limit two or more threads do nothing but what they did
 * before (same sites on the same objects), and what they do changes things or
 * fails to: writes, updates, tries. Threads that only look are waiting: a hang.
 */
#include "report/explain/refine.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "event/effect.h"

#define WINDOW 8192   /* last events looked at for a pattern */
#define MIN_WINDOW 64 /* fewer say nothing */
#define MIN_STEPS 4   /* steps of a thread in half a window */
#define RECENT 512    /* last events in which a spinner must stand out */

static bool is_read(u8 kind)
{
    return kind == HD_EV_READ || kind == HD_EV_ALOAD || kind == HD_EV_ARMW;
}

static bool is_write(u8 kind)
{
    return kind == HD_EV_WRITE || kind == HD_EV_ASTORE || kind == HD_EV_ARMW;
}

/* ---- lost wake-up ---------------------------------------------------------------- */

static bool is_waker_of(u8 wait, u8 kind)
{
    return wait == HD_EV_COND_WAIT ? kind == HD_EV_COND_SIGNAL || kind == HD_EV_COND_BROADCAST
                                   : kind == HD_EV_FUTEX_WAKE || kind == HD_EV_FUTEX_REQUEUE;
}

/* The wait `tid` is in, ~0u if it is in none. */
static u32 wait_of(const struct hd_finding *f, u16 tid, u64 obj)
{
    for (u32 i = f->n_events; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != tid || hd_event_class(e->kind) == HD_CLASS_LOCAL)
            continue;
        bool is_wait = e->kind == HD_EV_COND_WAIT || e->kind == HD_EV_FUTEX_WAIT;
        return is_wait && !e->arg && e->obj == obj ? i : ~0u;
    }
    return ~0u;
}

/* Not one of another object that was at the same address. */
static u32 last_waker(const struct hd_finding *f, const struct hd_event *wait)
{
    for (u32 i = f->n_events; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        if (e->obj != wait->obj)
            continue;
        if (is_waker_of(wait->kind, e->kind))
            return i;
        if (hd_space_of(e->kind) == HD_SPACE_COND && hd_effects(e) & (HD_BEGINS | HD_ENDS))
            break;
    }
    return ~0u;
}

/* What the waker wrote for wake-up s: since its wake-up before. */
static void put_news(const struct hd_finding *f, u32 s, u8 wait, struct hd_map *news)
{
    const struct hd_event *signal = &f->events[s];
    for (u32 i = s; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != signal->tid)
            continue;
        if (e->obj == signal->obj && is_waker_of(wait, e->kind))
            break;
        if (is_write(e->kind))
            hd_map_put(news, e->obj, 1);
    }
}

/* Did the waiter read, between wake-up s and its wait w, what the waker wrote for it? */
static bool has_read_news(const struct hd_finding *f, u32 s, u32 w)
{
    struct hd_map news = {0};
    const struct hd_event *wait = &f->events[w];
    put_news(f, s, wait->kind, &news);
    bool has = false;
    for (u32 i = s + 1; i < w && !has; i++)
        has = f->events[i].tid == wait->tid && is_read(f->events[i].kind) &&
              hd_map_has(&news, f->events[i].obj);
    hd_map_release(&news);
    return has;
}

/* Did the waiter take and give back its mutex between s and w? */
static bool has_been_inside(const struct hd_finding *f, u32 s, u32 w)
{
    const struct hd_event *wait = &f->events[w];
    if (wait->kind != HD_EV_COND_WAIT || !w || f->events[w - 1].kind != HD_EV_UNLOCK)
        return false;
    u64 mutex = f->events[w - 1].obj;
    bool is_taken = false;
    for (u32 i = s + 1; i + 1 < w; i++) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != wait->tid || e->obj != mutex)
            continue;
        if (hd_event_class(e->kind) == HD_CLASS_ACQ && !e->arg)
            is_taken = true;
        else if (is_taken && e->kind == HD_EV_UNLOCK)
            return true;
    }
    return false;
}

/* Did the waiter read before wake-up s, and since it was woken last, what the waker wrote
 * for it? Then it waits for something that it has seen too early. */
static bool has_read_before(const struct hd_finding *f, u32 s, u32 w)
{
    struct hd_map news = {0};
    const struct hd_event *wait = &f->events[w];
    put_news(f, s, wait->kind, &news);
    bool has = false;
    for (u32 i = s; i-- > 0 && !has;) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != wait->tid)
            continue;
        if (e->kind == HD_EV_COND_WAKE || e->kind == HD_EV_FUTEX_WOKEN)
            break;
        has = is_read(e->kind) && hd_map_has(&news, e->obj);
    }
    hd_map_release(&news);
    return has;
}

/* Does the waiter hold its mutex since before s? */
static bool has_locked_before(const struct hd_finding *f, u32 s, u32 w)
{
    const struct hd_event *wait = &f->events[w];
    if (wait->kind != HD_EV_COND_WAIT || !w || f->events[w - 1].kind != HD_EV_UNLOCK)
        return false;
    for (u32 i = w - 1; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        if (e->tid == wait->tid && e->obj == f->events[w - 1].obj &&
            hd_event_class(e->kind) == HD_CLASS_ACQ && !e->arg)
            return i < s;
    }
    return false;
}

/* The thread that wake-up s woke, if it woke one and the events say which: one that
 * waited before and woke up since. HD_NO_THREAD if not. */
static u16 woken_by(const struct hd_finding *f, u32 s, u8 wait)
{
    u8 wake = wait == HD_EV_COND_WAIT ? HD_EV_COND_WAKE : HD_EV_FUTEX_WOKEN;
    u16 tid = HD_NO_THREAD;
    u32 n = 0;
    for (u32 i = s + 1; i < f->n_events; i++) {
        const struct hd_event *e = &f->events[i];
        if (e->kind != wake || e->arg || e->obj != f->events[s].obj || e->tid == tid)
            continue;
        u32 k = s;
        while (k > 0 && f->events[k].tid != e->tid)
            k--;
        if (f->events[k].tid != e->tid || f->events[k].kind != wait)
            continue;
        tid = e->tid;
        n++;
    }
    return n == 1 && f->events[s].arg == 1 ? tid : HD_NO_THREAD;
}

/* The wait to which a thread woken by s went back at once, with nothing done but
 * looking; ~0u if it did something. */
static u32 went_back(const struct hd_finding *f, u16 tid, u32 s, const struct hd_event *wait)
{
    bool is_giving_up = false; /* the first half of a wait */
    u32 now = wait_of(f, tid, wait->obj);
    for (u32 i = s + 1; now != ~0u && now > s && i <= now; i++) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != tid)
            continue;
        if (i == now)
            return now;
        bool does_nothing = hd_event_class(e->kind) == HD_CLASS_LOCAL || e->kind == HD_EV_READ ||
                            e->kind == HD_EV_ALOAD || e->kind == HD_EV_COND_WAKE ||
                            e->kind == HD_EV_FUTEX_WOKEN || e->kind == HD_EV_LOCK ||
                            e->kind == HD_EV_UNLOCK;
        if (!does_nothing || is_giving_up)
            return ~0u;
        is_giving_up = e->kind == HD_EV_UNLOCK;
    }
    return ~0u;
}

/* Does another thread wait there, too, at the same place in the code, although it knows of s? Then
 * what s was for is done: these are the idle threads of a pool. */
static bool is_known_to_another(const struct hd_finding *f, u32 s, const struct hd_event *wait)
{
    for (u32 i = 0; i < f->n_threads; i++) {
        u16 tid = f->threads[i].tid;
        u32 w = tid == wait->tid ? ~0u : wait_of(f, tid, wait->obj);
        if (w != ~0u && w > s && f->events[w].site == wait->site &&
            (has_been_inside(f, s, w) || has_read_news(f, s, w)))
            return true;
    }
    return false;
}

/* Was it created after event s? */
static bool is_created_after(const struct hd_finding *f, u16 tid, u32 s)
{
    for (u32 i = s + 1; i < f->n_events; i++)
        if (f->events[i].kind == HD_EV_CREATE && f->events[i].obj == tid)
            return true;
    return false;
}

/* Is wait w, of a thread of the cycle, one that wake-up s should have ended? */
static bool is_lost(const struct hd_finding *f, u32 w, u32 s, struct hd_refined *r)
{
    const struct hd_event *wait = &f->events[w], *signal = &f->events[s];
    *r = (struct hd_refined){.kind = HD_REFINED_LOST_WAKEUP, .n = 1, .n_events = 2};
    r->tid[0] = wait->tid;
    r->event[0] = w;
    r->event[1] = s;
    r->n_woken = signal->arg;
    r->woken = woken_by(f, s, wait->kind);
    if (signal->tid == wait->tid || r->woken == wait->tid)
        return false;
    u32 back = r->woken == HD_NO_THREAD || signal->kind == HD_EV_COND_BROADCAST
                   ? ~0u
                   : went_back(f, r->woken, s, wait);
    r->is_wrong_waiter = back != ~0u;
    if (r->is_wrong_waiter)
        r->event[r->n_events++] = back;
    if (s > w)
        return r->is_wrong_waiter;
    if (has_been_inside(f, s, w) || has_read_news(f, s, w))
        return false;
    if (signal->arg && is_created_after(f, wait->tid, s))
        return false; /* it was meant for those who waited */
    if (!r->is_wrong_waiter && is_known_to_another(f, s, wait))
        return false;
    return !signal->arg || r->is_wrong_waiter || signal->kind == HD_EV_COND_BROADCAST ||
           has_locked_before(f, s, w) || has_read_before(f, s, w);
}

static void find_lost(const struct hd_finding *f, struct hd_refined *r)
{
    const struct hd_cycle *c = &f->verdict.cycle;
    for (u32 i = 0; i < c->n && i < HD_COUNT(c->tid); i++) {
        u32 w = wait_of(f, c->tid[i], c->obj[i]);
        u32 s = w == ~0u ? ~0u : last_waker(f, &f->events[w]);
        if (s != ~0u && is_lost(f, w, s, r))
            return;
    }
    memset(r, 0, sizeof *r);
}

/* ---- livelock --------------------------------------------------------------------- */

/* What one thread did in the window. */
struct habit {
    u32 early, late;   /* steps in the first and in the second half */
    u32 fresh;         /* late steps that were not among the early ones */
    u32 sample;        /* a step that shows what it tries; ~0u */
    int rank;          /* of the sample */
    bool does_change;  /* writes, updates, tries */
    bool does_more;    /* anything but looking and giving way, late */
    u64 update;        /* key of an atomic update */
};

static u64 key_of(const struct hd_event *e)
{
    u64 h = (e->site ^ (u64)e->tid << 48) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29 ^ e->obj) * 0xbf58476d1ce4e5b9ull;
    return h ^ h >> 32 ^ e->kind;
}

/* 0: it only looked, or gave way; else how well it shows what the thread is at. */
static int effort(const struct hd_event *e)
{
    if (hd_may(e->kind, HD_TAKES) || e->kind == HD_EV_SEM_TRYWAIT) {
        bool is_try = !hd_may(e->kind, HD_BLOCKS);
        return e->arg ? 4 : is_try; /* 4: a timed one or a try; 0: polling under a lock */
    }
    if (e->kind == HD_EV_WRITE || e->kind == HD_EV_ASTORE)
        return 3;
    if (e->kind == HD_EV_SEM_POST || e->kind == HD_EV_BARRIER_WAIT)
        return 2;
    return hd_may(e->kind, HD_COUNTS) && e->kind != HD_EV_FUTEX_REQUEUE && e->arg ? 2 : 0;
}

static void take_note(struct habit *h, const struct hd_event *e, u32 i)
{
    int rank = effort(e);
    h->does_change |= rank > 0;
    if (e->kind == HD_EV_ARMW) {
        /* One update retried is a spin lock; several are an exchange of state. */
        u64 key = key_of(e);
        h->does_change |= h->update && h->update != key;
        h->update = key;
        rank = 1;
    }
    if (rank && rank >= h->rank) {
        h->rank = rank;
        h->sample = i;
    }
}

static bool is_idle(const struct hd_event *e)
{
    return e->kind == HD_EV_READ || e->kind == HD_EV_ALOAD || e->kind == HD_EV_YIELD ||
           e->kind == HD_EV_SLEEP || hd_event_is_note(e->kind) || effort(e) == 4;
}

static struct habit *habits(const struct hd_finding *f, u32 from)
{
    struct habit *h = calloc(HD_MAX_THREADS, sizeof *h);
    struct hd_map seen = {0};
    u32 middle = from + (f->n_events - from) / 2;
    HD_ASSERT(h);
    for (u32 i = from; i < f->n_events; i++) {
        const struct hd_event *e = &f->events[i];
        if (e->tid >= HD_MAX_THREADS)
            continue;
        struct habit *mine = &h[e->tid];
        u64 key = key_of(e);
        if (i < middle) {
            mine->early++;
            hd_map_put(&seen, key, 1);
        } else {
            mine->late++;
            mine->fresh += e->kind != HD_EV_YIELD && !hd_map_has(&seen, key); /* giving way is none */
            mine->does_more |= !is_idle(e);
        }
        take_note(mine, e, i);
    }
    hd_map_release(&seen);
    return h;
}

static bool find_livelock(const struct hd_finding *f, const struct habit *h, struct hd_refined *r)
{
    struct hd_refined out = {.kind = HD_REFINED_LIVELOCK};
    u32 n = 0;
    for (u32 t = 0; t < HD_MAX_THREADS; t++) {
        if (h[t].early < MIN_STEPS || h[t].late < MIN_STEPS || h[t].fresh || !h[t].does_change)
            continue;
        if (n < HD_REFINED_THREADS) {
            out.tid[n] = (u16)t;
            out.event[n] = h[t].sample;
        }
        n++;
    }
    out.n = out.n_events = HD_MIN(n, (u32)HD_REFINED_THREADS);
    if (n >= 2)
        *r = out;
    return n >= 2;
}

/* ---- spin --------------------------------------------------------------------------- */

static bool is_test(const struct hd_event *e)
{
    return is_read(e->kind) || effort(e) == 4;
}

/* The test (read, update, failed try) that is met most among the last steps. */
static void find_spin(const struct hd_finding *f, const struct habit *h, struct hd_refined *r)
{
    u32 window = HD_MIN(f->n_events, (u32)RECENT), from = f->n_events - window;
    u32 most = window / 16, best = ~0u;
    struct hd_map count = {0};
    for (u32 i = from; i < f->n_events; i++) {
        const struct hd_event *e = &f->events[i];
        if (!is_test(e))
            continue;
        u64 key = key_of(e), n = hd_map_get_or(&count, key, 0) + 1;
        hd_map_put(&count, key, n);
        if (n >= most) {
            most = (u32)n;
            best = i;
        }
    }
    hd_map_release(&count);
    if (best == ~0u)
        return;
    const struct hd_event *e = &f->events[best];
    *r = (struct hd_refined){
        .kind = HD_REFINED_SPIN, .n = 1, .n_events = 1, .is_hopeless = true};
    r->tid[0] = e->tid;
    r->event[0] = best;
    for (u32 t = 0; t < HD_MAX_THREADS; t++)
        if (t != e->tid && (h[t].does_more || h[t].fresh))
            r->is_hopeless = false;
}

void hd_refine(const struct hd_finding *f, struct hd_refined *r)
{
    memset(r, 0, sizeof *r);
    if (f->verdict.kind == HD_V_DEADLOCK && !f->verdict.cycle.is_cycle)
        find_lost(f, r);
    if (f->verdict.kind != HD_V_HANG || f->n_events < MIN_WINDOW)
        return;
    u32 from = f->n_events - HD_MIN(f->n_events, (u32)WINDOW);
    struct habit *h = habits(f, from);
    if (!find_livelock(f, h, r))
        find_spin(f, h, r);
    free(h);
}
