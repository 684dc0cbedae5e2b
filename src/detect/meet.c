/* meet.c: see meet.h. */
#include "detect/meet.h"

#include "base/map.h"
#include "detect/accesses.h"
#include "observe/race/race_object.h"
#include "order/benign.h"
#include "order/order.h"

#include <string.h>

#define KEPT 16 /* last accesses of so many threads at each of the two sites */

struct access {
    u32 at; /* index + 1, 0 = none */
    u16 tid;
};

/* An object is used, and destroyed. */
static bool ends_in_use(const struct hd_event *a, const struct hd_event *b)
{
    return a->tid != b->tid && a->obj == b->obj && hd_space_of(a->kind) == hd_space_of(b->kind) &&
           ((hd_race_is_end(a) && hd_race_is_use(b)) || (hd_race_is_use(a) && hd_race_is_end(b)));
}

static bool conflicts(const struct hd_event *a, const struct hd_event *b, const struct hd_benign *benign)
{
    if (!hd_is_access(a) || !hd_is_access(b))
        return ends_in_use(a, b);
    return hd_accesses_conflict(a, b) && !hd_benign_has(benign, b);
}

static void keep(struct access *list, u16 tid, u32 at)
{
    struct access *oldest = list;
    for (u32 i = 0; i < KEPT; i++) {
        if (list[i].at && list[i].tid == tid) {
            list[i].at = at + 1;
            return;
        }
        if (list[i].at < oldest->at)
            oldest = &list[i];
    }
    *oldest = (struct access){at + 1, tid};
}

/* Events that are no steps carry the number of the step before. */
static bool is_step(const struct hd_event *ev, u32 i) { return !i || ev[i].step > ev[i - 1].step; }

bool hd_meet_pending(const struct hd_event *ev, u32 n, const u64 site[2], bool is_ordered,
                     struct hd_meeting *out)
{
    static u32 last[HD_MAX_THREADS]; /* index + 1 of its last event; host: one thread */
    struct access kept[2][KEPT] = {{{0}}};
    struct hd_benign benign = {0};
    bool is_found = false;
    memset(last, 0, sizeof last);
    for (u32 i = 0; i < n && !is_found; i++) {
        u16 tid = ev[i].tid;
        if (tid >= HD_MAX_THREADS)
            continue;
        hd_benign_event(&benign, &ev[i]);
        bool is_one = is_step(ev, i) && (hd_is_access(&ev[i]) || hd_race_is_use(&ev[i]) ||
                                         hd_race_is_end(&ev[i]));
        for (u32 k = is_ordered ? 1 : 0; is_one && k < 2; k++) {
            for (u32 j = 0; ev[i].site == site[k] && j < KEPT && !is_found; j++) {
                u32 first = kept[!k][j].at;
                if (first && last[tid] < first && conflicts(&ev[first - 1], &ev[i], &benign)) {
                    *out = (struct hd_meeting){first - 1, i};
                    is_found = true;
                }
            }
        }
        for (u32 k = 0; is_one && k < 2; k++)
            if (ev[i].site == site[k])
                keep(kept[k], tid, i);
        last[tid] = i + 1;
    }
    hd_benign_release(&benign);
    return is_found;
}

/* Every atomic as if it were acquire and release, and every other access as if it were one of them. */
static void strengthen(struct hd_event *e)
{
    if (e->kind == HD_EV_READ || e->kind == HD_EV_WRITE) {
        e->kind = e->kind == HD_EV_READ ? HD_EV_ALOAD : HD_EV_ASTORE;
        e->arg = HD_MO_SEQ_CST;
    }
    if (hd_may(e->kind, HD_ATOMIC))
        e->arg = e->arg & HD_MO_FAILED ? HD_MO_FAILED | HD_MO_ACQUIRE : HD_MO_SEQ_CST;
}

static void advance(struct hd_order *o, const struct hd_event *e, u32 i)
{
    hd_order_thread(o, e->tid)->time = i + 1;
    hd_order_event(o, e);
}

/* The words, by address / 8, that atomics of the run touch. */
static void collect_atomics(struct hd_map *words, const struct hd_event *ev, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (hd_may(ev[i].kind, HD_ATOMIC))
            hd_map_put(words, ev[i].obj / 8, 1);
}

/* A lock or barrier of code without instrumentation (OpenMP's): all that is seen of it is that
 * threads wait, on a word that no atomic of the run touches. */
static bool is_unseen_lock(const struct hd_event *e, const struct hd_map *atomics)
{
    return hd_space_of(e->kind) == HD_SPACE_FUTEX && !hd_map_has(atomics, e->obj / 8);
}

/* Does something order threads there that the events do not tell? The world outside does, and
 * unseen locks. A thread that is at one next may have arrived there, and let others go on, at any
 * time since this event: it waits only afterwards. */
static bool is_opaque(const struct hd_event *ev, u32 n, u32 i, const struct hd_map *atomics)
{
    u32 next = i + 1;
    if (ev[i].kind == HD_EV_IO || ev[i].kind == HD_EV_RETURN) /* observe/race/race.c */
        return true;
    while (next < n && ev[next].tid != ev[i].tid)
        next++;
    return is_unseen_lock(&ev[i], atomics) || (next < n && is_unseen_lock(&ev[next], atomics));
}

/* Accesses that nothing orders; of which only values that were carried over say which comes first, or any. */
static bool meet_unordered(const struct hd_event *ev, u32 n, const u64 site[2], bool is_weak,
                           struct hd_meeting *out)
{
    struct hd_order is, strong;
    struct hd_vclock external = {0};
    struct hd_map atomics = {0};
    struct hd_benign benign = {0};
    struct access kept[2][KEPT] = {{{0}}};
    bool is_found = false;
    collect_atomics(&atomics, ev, n);
    hd_order_init(&is, HD_ORDER_ALL);
    hd_order_init(&strong, HD_ORDER_ALL);
    for (u32 i = 0; i < n && !is_found; i++) {
        struct hd_event e = ev[i];
        hd_benign_event(&benign, &e);
        bool is_one = hd_is_access(&e) && (is_weak || is_step(ev, i));
        for (u32 k = is_weak ? 1 : 0; is_one && k < 2; k++) {
            for (u32 j = 0; e.site == site[k] && j < KEPT; j++) {
                const struct access *a = &kept[!k][j];
                if (!a->at || !conflicts(&ev[a->at - 1], &e, &benign) ||
                    hd_order_is_before(&is, a->tid, a->at, e.tid) ||
                    (is_weak && !hd_order_is_before(&strong, a->tid, a->at, e.tid)))
                    continue;
                *out = (struct hd_meeting){a->at - 1, i};
                is_found = true;
            }
        }
        for (u32 k = 0; k < 2; k++)
            if (e.site == site[k] && hd_is_access(&e) && is_step(ev, i))
                keep(kept[k], e.tid, i);
        advance(&is, &e, i);
        if (is_opaque(ev, n, i, &atomics)) {
            hd_order_learn(&is, e.tid, &external);
            hd_order_publish(&is, e.tid, &external);
        }
        strengthen(&e);
        advance(&strong, &e, i);
    }
    hd_order_release(&is);
    hd_order_release(&strong);
    hd_vclock_release(&external);
    hd_map_release(&atomics);
    hd_benign_release(&benign);
    return is_found;
}

bool hd_meet_weak(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_meeting *out)
{
    return meet_unordered(ev, n, site, true, out);
}

bool hd_meet_unordered(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_meeting *out)
{
    return meet_unordered(ev, n, site, false, out);
}

bool hd_meet_is_first(const struct hd_event *ev, u32 n, u32 from, const u64 site[2], const u16 tid[2])
{
    if (!n || ev[0].step > from + 1)
        return true;
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < 2; k++)
            if (ev[i].step > from && ev[i].site == site[k] && ev[i].tid == tid[k])
                return k == 1;
    return false;
}
