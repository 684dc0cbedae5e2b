/* predict_oracle.h: the truth about small programs, for test_predict_truth.c. A
 * program is a few straight-line threads; every feasible interleaving is walked
 * through, and every iRoot that one of them shows is written down, by the
 * definitions and nothing else (no code of observe/ or predict/).
 */
#ifndef HD_PREDICT_ORACLE_H
#define HD_PREDICT_ORACLE_H

#include "base/map.h"
#include "base/rng.h"
#include "event/event.h"
#include "observe/element.h"

#include <string.h>

enum { THREADS = 3, OPS = 12, OBJECTS = 6, TRACE = 128, DEPS = 128 };

enum op_kind { READ, WRITE, UPDATE, LOCK_, UNLOCK_, CREATE_, JOIN_, WAIT, SIGNAL, BROADCAST,
               POST, TAKE, ARRIVE };

/* Objects 0.. are variables, mutexes, ... as the program likes; addresses are
 * made from the number. */
struct op {
    u8 kind, obj, obj2; /* WAIT: condition, mutex; CREATE_, JOIN_: thread */
    u8 site;
};

struct program {
    u32 n_threads;
    u32 n[THREADS];
    struct op op[THREADS][OPS];
    u8 sem[OBJECTS];     /* value it starts with */
    u8 barrier[OBJECTS]; /* threads it waits for */
};

/* ---- the machine ----------------------------------------------------------------- */

enum phase { READY, WAITING, WOKEN, RELOCK, LEAVING };

struct machine {
    u8 pc[THREADS], phase[THREADS];
    bool is_started[THREADS], is_done[THREADS];
    s32 owner[OBJECTS];
    u8 sem[OBJECTS], arrived[OBJECTS];
};

static inline void machine_start(struct machine *m, const struct program *p)
{
    memset(m, 0, sizeof *m);
    memset(m->owner, -1, sizeof m->owner);
    memcpy(m->sem, p->sem, sizeof m->sem);
    m->is_started[0] = true;
}

static inline bool machine_can(const struct machine *m, const struct program *p, u32 t)
{
    if (!m->is_started[t] || m->is_done[t] || m->phase[t] == WAITING)
        return false;
    if (m->pc[t] == p->n[t])
        return true; /* exit */
    const struct op *o = &p->op[t][m->pc[t]];
    if (m->phase[t] == RELOCK)
        return m->owner[o->obj2] < 0;
    if (m->phase[t] != READY)
        return true;
    switch (o->kind) {
    case LOCK_: return m->owner[o->obj] < 0;
    case JOIN_: return m->is_done[o->obj];
    case TAKE: return m->sem[o->obj] > 0;
    default: return true;
    }
}

/* Waiters of a condition or barrier, as bits. */
static inline u32 machine_waiters(const struct machine *m, const struct program *p, u32 obj)
{
    u32 bits = 0;
    for (u32 t = 0; t < p->n_threads; t++)
        if (m->phase[t] == WAITING && p->op[t][m->pc[t]].obj == obj)
            bits |= 1u << t;
    return bits;
}

static inline u64 address(u32 obj) { return 0x1000 * (obj + 1); }

/* Thread t takes its step; a signal wakes `choice` (bit of a waiter, 0 = none).
 * Returns the number of events, 1 or 2. */
static inline u32 machine_step(struct machine *m, const struct program *p, u32 t, u32 choice,
                               struct hd_event *ev)
{
    struct hd_event e = {.tid = (u16)t};
    if (m->pc[t] == p->n[t]) {
        m->is_done[t] = true;
        e.kind = HD_EV_EXIT;
        ev[0] = e;
        return 1;
    }
    const struct op *o = &p->op[t][m->pc[t]];
    u32 woken = 0, n = 1;
    bool is_over = true;
    e.site = o->site;
    e.obj = address(o->obj);
    switch (o->kind) {
    case READ: e.kind = HD_EV_READ; e.size = 8; break;
    case WRITE: e.kind = HD_EV_WRITE; e.size = 8; break;
    case UPDATE: e.kind = HD_EV_ARMW; e.size = 8; break;
    case LOCK_: e.kind = HD_EV_LOCK; m->owner[o->obj] = (s32)t; break;
    case UNLOCK_: e.kind = HD_EV_UNLOCK; m->owner[o->obj] = -1; break;
    case CREATE_: e.kind = HD_EV_CREATE; e.obj = o->obj; m->is_started[o->obj] = true; break;
    case JOIN_: e.kind = HD_EV_JOIN; e.obj = o->obj; break;
    case POST: e.kind = HD_EV_SEM_POST; m->sem[o->obj]++; break;
    case TAKE: e.kind = HD_EV_SEM_WAIT; m->sem[o->obj]--; break;
    case SIGNAL: e.kind = HD_EV_COND_SIGNAL; woken = choice; break;
    case BROADCAST:
        e.kind = HD_EV_COND_BROADCAST;
        woken = machine_waiters(m, p, o->obj);
        break;
    case WAIT:
        if (m->phase[t] == READY) {
            e.kind = HD_EV_UNLOCK;
            e.obj = address(o->obj2);
            ev[0] = e;
            m->owner[o->obj2] = -1;
            e.kind = HD_EV_COND_WAIT;
            e.obj = address(o->obj);
            m->phase[t] = WAITING;
            n = 2;
            is_over = false;
        } else if (m->phase[t] == WOKEN) {
            e.kind = HD_EV_COND_WAKE;
            m->phase[t] = RELOCK;
            is_over = false;
        } else {
            e.kind = HD_EV_LOCK;
            e.obj = address(o->obj2);
            m->owner[o->obj2] = (s32)t;
        }
        break;
    case ARRIVE:
        if (m->phase[t] == READY) {
            e.kind = HD_EV_BARRIER_WAIT;
            m->phase[t] = WAITING;
            is_over = false;
            if (++m->arrived[o->obj] == p->barrier[o->obj]) {
                m->arrived[o->obj] = 0;
                woken = machine_waiters(m, p, o->obj);
            }
        } else {
            e.kind = HD_EV_BARRIER_LEAVE;
        }
        break;
    default: break;
    }
    for (u32 u = 0; u < p->n_threads; u++)
        if (woken >> u & 1)
            m->phase[u] = WOKEN;
    if (o->kind == SIGNAL || o->kind == BROADCAST)
        e.arg = (u32)__builtin_popcount(woken);
    ev[n - 1] = e;
    if (is_over) {
        m->phase[t] = READY;
        m->pc[t]++;
    }
    return n;
}

/* ---- the definitions --------------------------------------------------------------- */

struct dep {
    u32 from, to;
};

struct oracle {
    const struct program *p;
    struct hd_map truth;    /* packed elements */
    struct hd_event ev[TRACE];
    u32 n;
    struct dep dep[DEPS];
    u32 n_deps;
    u64 nodes, limit;       /* of the walk */
    u64 deadlocks, complete;
};

static inline u64 packed(u32 idiom, u64 a, u64 b, u64 c, u64 d)
{
    if (idiom == 5 && (c < a || (c == a && d < b))) {
        u64 x = a, y = b;
        a = c;
        b = d;
        c = x;
        d = y;
    }
    return (u64)idiom << 32 | a << 24 | b << 16 | c << 8 | d;
}

static inline u64 packed_element(const struct hd_element *e)
{
    return packed(e->sub, e->site[0], e->site[1], e->site[2], e->site[3]);
}

static inline bool reads(const struct hd_event *e)
{
    return e->kind == HD_EV_READ || e->kind == HD_EV_ARMW;
}
static inline bool writes(const struct hd_event *e)
{
    return e->kind == HD_EV_WRITE || e->kind == HD_EV_ARMW;
}
static inline bool takes(const struct hd_event *e)
{
    return e->kind == HD_EV_LOCK || e->kind == HD_EV_COND_WAKE || e->kind == HD_EV_SEM_WAIT ||
           e->kind == HD_EV_BARRIER_LEAVE;
}
static inline bool gives(const struct hd_event *e)
{
    return e->kind == HD_EV_UNLOCK || e->kind == HD_EV_COND_SIGNAL ||
           e->kind == HD_EV_COND_BROADCAST || e->kind == HD_EV_SEM_POST ||
           e->kind == HD_EV_BARRIER_WAIT;
}
static inline bool touches(const struct hd_event *e)
{
    return reads(e) || writes(e) || takes(e) || gives(e);
}

static inline bool is_touched(const struct oracle *o, u32 tid, u64 obj, u32 from, u32 to)
{
    for (u32 i = from + 1; i < to; i++)
        if (o->ev[i].tid == tid && o->ev[i].obj == obj && touches(&o->ev[i]))
            return true;
    return false;
}

/* Is there a dependency from event i to event j (i < j)? */
static inline bool depends(const struct oracle *o, u32 i, u32 j)
{
    const struct hd_event *a = &o->ev[i], *b = &o->ev[j];
    bool is_written = false, is_read = false, has_own = false, is_a_again = false,
         has_waited = false;
    if (a->obj != b->obj || a->tid == b->tid)
        return false;
    for (u32 k = i + 1; k < j; k++) {
        const struct hd_event *c = &o->ev[k];
        if (c->obj != a->obj)
            continue;
        is_written |= writes(c) || gives(c);
        is_read |= reads(c);
        has_own |= c->tid == b->tid && touches(c);
        is_a_again |= c->tid == a->tid && reads(c);
        has_waited |= c->tid == b->tid;
    }
    if (is_written)
        return false;
    if (takes(b))
        return gives(a) && !has_waited; /* a wake before its wait is lost on it */
    if (reads(b) && writes(a) && !has_own)
        return true;
    if (writes(b) && a->kind == HD_EV_READ)
        return !is_a_again;
    return b->kind == HD_EV_WRITE && writes(a) && !is_read;
}

static inline void note(struct oracle *o, u64 x) { hd_map_put(&o->truth, x, 1); }

/* c and d are dependencies, d has just come about. */
static inline void compound(struct oracle *o, struct dep c, struct dep d)
{
    const struct hd_event *ev = o->ev;
    u32 t1 = ev[c.from].tid, t2 = ev[c.to].tid;
    u64 x = ev[c.from].obj, y = ev[d.from].obj;
    u64 s[4] = {ev[c.from].site, ev[c.to].site, ev[d.from].site, ev[d.to].site};
    if (t1 == ev[d.to].tid && t2 == ev[d.from].tid) {
        if (c.from >= d.to || is_touched(o, t1, x, c.from, d.to) ||
            is_touched(o, t1, y, c.from, d.to))
            return;
        if (x == y && c.to == d.from)
            note(o, packed(2, s[0], s[1], s[3], 0));
        else if (x == y && c.to < d.from)
            note(o, packed(3, s[0], s[1], s[2], s[3]));
        else if (x != y && c.to < d.from)
            note(o, packed(4, s[0], s[1], s[2], s[3]));
        else if (x != y && d.from < c.to && !is_touched(o, t2, x, d.from, c.to) &&
                 !is_touched(o, t2, y, d.from, c.to))
            note(o, packed(5, s[0], s[1], s[2], s[3]));
        return;
    }
    if (t1 != ev[d.from].tid || t2 != ev[d.to].tid || x == y || c.from >= d.from || c.to >= d.to)
        return;
    if (!is_touched(o, t1, x, c.from, d.from) && !is_touched(o, t1, y, c.from, d.from) &&
        !is_touched(o, t2, x, c.to, d.to) && !is_touched(o, t2, y, c.to, d.to))
        note(o, packed(6, s[0], s[1], s[2], s[3]));
}

static inline void oracle_event(struct oracle *o, const struct hd_event *ev)
{
    u32 j = o->n++;
    o->ev[j] = *ev;
    if (!touches(ev))
        return;
    for (u32 i = 0; i < j; i++) {
        if (!touches(&o->ev[i]) || !depends(o, i, j))
            continue;
        struct dep d = {i, j};
        note(o, packed(1, o->ev[i].site, ev->site, 0, 0));
        for (u32 k = 0; k < o->n_deps; k++) {
            compound(o, o->dep[k], d);
            if (o->dep[k].to == j)
                compound(o, d, o->dep[k]);
        }
        o->dep[o->n_deps++] = d;
    }
}

/* Nobody can go on: two threads that want each other's lock. */
static inline void oracle_stuck(struct oracle *o, const struct machine *m)
{
    for (u32 a = 0; a < o->p->n_threads; a++) {
        for (u32 b = 0; b < a; b++) {
            u64 want[2], site[2], taken[2] = {0, 0};
            u32 t[2] = {a, b};
            bool is_so = true;
            for (u32 i = 0; i < 2; i++) {
                const struct op *op = &o->p->op[t[i]][m->pc[t[i]]];
                bool is_lock = m->is_started[t[i]] && m->pc[t[i]] < o->p->n[t[i]] &&
                               ((op->kind == LOCK_ && m->phase[t[i]] == READY) ||
                                (op->kind == WAIT && m->phase[t[i]] == RELOCK));
                u32 obj = op->kind == WAIT ? op->obj2 : op->obj;
                is_so = is_so && is_lock && m->owner[obj] == (s32)t[!i];
                if (!is_so)
                    break;
                want[i] = address(obj);
                site[i] = op->site;
            }
            if (!is_so)
                continue;
            for (u32 k = 0; k < o->n; k++)
                for (u32 i = 0; i < 2; i++)
                    if (o->ev[k].kind == HD_EV_LOCK && o->ev[k].tid == t[i] &&
                        o->ev[k].obj == want[!i])
                        taken[i] = o->ev[k].site;
            note(o, packed(5, taken[0], site[1], taken[1], site[0]));
        }
    }
}

/* All interleavings from here. False: more than the limit. */
static inline bool oracle_walk(struct oracle *o, const struct machine *m)
{
    bool can = false, is_all_done = true;
    if (++o->nodes > o->limit)
        return false;
    for (u32 t = 0; t < o->p->n_threads; t++) {
        is_all_done &= m->is_done[t] || !m->is_started[t];
        if (!machine_can(m, o->p, t))
            continue;
        can = true;
        const struct op *op = &o->p->op[t][m->pc[t]];
        bool is_signal = m->pc[t] < o->p->n[t] && op->kind == SIGNAL;
        u32 waiters = is_signal ? machine_waiters(m, o->p, op->obj) : 0;
        do {
            struct machine next = *m;
            struct hd_event ev[2];
            u32 n = o->n, deps = o->n_deps;
            u32 count = machine_step(&next, o->p, t, waiters & -waiters, ev);
            for (u32 i = 0; i < count; i++)
                oracle_event(o, &ev[i]);
            if (!oracle_walk(o, &next))
                return false;
            o->n = n;
            o->n_deps = deps;
            waiters &= waiters - 1;
        } while (waiters);
    }
    if (!can && !is_all_done) {
        o->deadlocks++;
        oracle_stuck(o, m);
    }
    o->complete += is_all_done;
    return true;
}

#endif
