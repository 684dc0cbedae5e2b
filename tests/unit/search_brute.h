/* search_brute.h: the programs of search_rig.h enumerated by a model of their
 * own: what each instruction means is written here a second time, and so is which
 * steps are related. Knows nothing of src/sched and src/search.
 *
 *   brute_all      final states; classes of equivalent interleavings (Mazurkiewicz
 *                  traces); number of interleavings
 *   brute_bounded  interleavings with up to so many preemptions, each as a hash
 *
 * Prefixes that are equivalent lead to the same state, so they are expanded once:
 * a prefix is known by its steps, each with how many steps of every thread come
 * before it. */
#ifndef SEARCH_BRUTE_H
#define SEARCH_BRUTE_H

#include "search_rig.h"

#define NOBODY 0xff
#define BRUTE_STEPS 64

struct model {
    struct memory mem;
    u8 pc[4];
    u8 at[4];         /* 0 not created, 1 to start, 2 at pc, 3 waits for a signal, 4 signalled,
                         5 waits for the mutex, 6 at the barrier, 7 let through, 8 ended */
    u8 owner[4], writer[2], once_by[2], serial;
    u8 readers[2];    /* bit set */
    u8 sem[2], arrived[2], once_done, joined, waiters[2], signalled; /* bit sets */
    bool quit;
};

/* A step for the relation: what it did, to what, with what result. */
struct label {
    u8 tid, op, x, y, ok, woken;
};
enum { L_START = 100, L_WAKE, L_RELOCK, L_LEAVE };

static inline bool touches_memory(u8 op) { return op >= R && op <= CAS; }
static inline bool is_mutex(u8 op) { return (op >= LOCK && op <= TLOCK) || op == L_RELOCK; }
static inline bool is_rw(u8 op) { return op >= RD && op <= TWR; }
static inline bool is_sem(u8 op) { return op >= SWAIT && op <= SGET; }

static inline bool mutex_related(const struct label *a, const struct label *b)
{
    u8 ma = a->op == WAIT || a->op == TWAIT ? a->y : a->x;
    u8 mb = b->op == WAIT || b->op == TWAIT ? b->y : b->x;
    bool wa = a->op == WAIT || a->op == TWAIT, wb = b->op == WAIT || b->op == TWAIT;
    if (!(is_mutex(a->op) || wa) || !(is_mutex(b->op) || wb) || ma != mb)
        return false;
    return a->ok || b->ok; /* two tries that failed change nothing */
}

static inline bool cond_related(const struct label *a, const struct label *b)
{
    bool wa = a->op == WAIT || a->op == TWAIT || a->op == L_WAKE;
    bool wb = b->op == WAIT || b->op == TWAIT || b->op == L_WAKE;
    bool sa = a->op == SIG || a->op == CAST, sb = b->op == SIG || b->op == CAST;
    return a->x == b->x && ((wa && sb) || (wb && sa));
}

static inline bool rw_related(const struct label *a, const struct label *b)
{
    if (!is_rw(a->op) || !is_rw(b->op) || a->x != b->x || (!a->ok && !b->ok))
        return false;
    /* ok of an unlock: 1 read lock, 2 write lock */
    bool ra = a->op == RD || a->op == TRD || (a->op == RUN && a->ok == 1);
    bool rb = b->op == RD || b->op == TRD || (b->op == RUN && b->ok == 1);
    bool both_unlock = a->op == RUN && b->op == RUN;
    return !(ra && rb) && !both_unlock;
}

static inline bool related(const struct label *a, const struct label *b)
{
    if (a->tid == b->tid || a->op == QUIT || b->op == QUIT)
        return true;
    if (touches_memory(a->op) && touches_memory(b->op))
        return a->x == b->x && (a->op != R || b->op != R);
    if (is_sem(a->op) && is_sem(b->op)) {
        bool fails = a->op == STRY && b->op == STRY && !a->ok && !b->ok;
        return a->x == b->x && !(a->op == POST && b->op == POST) &&
               !(a->op == SGET && b->op == SGET) && !fails;
    }
    bool ba = a->op == BAR || a->op == L_LEAVE, bb = b->op == BAR || b->op == L_LEAVE;
    if (ba && bb)
        return a->x == b->x && (a->op == BAR || b->op == BAR);
    bool oa = a->op == ONCE || a->op == DONE, ob = b->op == ONCE || b->op == DONE;
    if (oa && ob) /* ok: runs it */
        return a->x == b->x && (a->op == DONE || b->op == DONE || a->ok || b->ok);
    if ((a->op == SPAWN && b->op == L_START && a->x == b->tid) ||
        (b->op == SPAWN && a->op == L_START && b->x == a->tid))
        return true;
    if ((a->op == AWAIT && b->op == END && a->x == b->tid) ||
        (b->op == AWAIT && a->op == END && b->x == a->tid))
        return true;
    return mutex_related(a, b) || cond_related(a, b) || rw_related(a, b);
}

/* ---- the model ----------------------------------------------------------------------- */

static inline void model_init(struct model *m, const struct program *p)
{
    memset(m, 0, sizeof *m);
    memset(m->owner, NOBODY, sizeof m->owner);
    memset(m->writer, NOBODY, sizeof m->writer);
    memset(m->once_by, NOBODY, sizeof m->once_by);
    memcpy(m->sem, p->sem, sizeof m->sem);
    m->at[0] = 2;
}

/* Past local instructions. */
static inline void settle(struct model *m, const struct program *p, u32 t)
{
    for (;;) {
        struct ins i = ins_at(p, t, m->pc[t]);
        if (i.op < JZ || i.op > JMP)
            return;
        bool jumps = i.op == JMP || (i.op == JZ) == !m->mem.reg[t];
        m->pc[t] = jumps ? (u8)i.v : m->pc[t] + 1;
    }
}

static inline bool model_can(const struct model *m, const struct program *p, u32 t)
{
    struct ins i = ins_at(p, t, m->pc[t]);
    if (m->quit)
        return false;
    switch (m->at[t]) {
    case 1: case 4: case 7: return true;
    case 3: return i.op == TWAIT;
    case 5: return m->owner[i.y] == NOBODY;
    case 2: break;
    default: return false;
    }
    switch (i.op) {
    case LOCK: return m->owner[i.x] == NOBODY;
    case SWAIT: return m->sem[i.x] > 0;
    case RD: return m->writer[i.x] == NOBODY;
    case WRL: return m->writer[i.x] == NOBODY && !m->readers[i.x];
    case ONCE: return m->once_by[i.x] == NOBODY;
    case AWAIT: return m->at[i.x] == 8;
    default: return true;
    }
}

/* What t began earlier goes on: its start, a wake-up, a barrier. False: it is at an instruction. */
static inline bool model_go_on(struct model *m, const struct program *p, u32 t, struct label *l)
{
    struct ins i = ins_at(p, t, m->pc[t]);
    short *r = &m->mem.reg[t];
    u8 me = (u8)(1 << t);
    switch (m->at[t]) {
    case 1:
        l->op = L_START;
        m->at[t] = 2;
        settle(m, p, t);
        return true;
    case 3: case 4:
        l->op = L_WAKE;
        l->ok = m->at[t] == 4;
        m->signalled = (u8)((m->signalled & ~me) | (l->ok ? me : 0));
        m->waiters[i.x] &= (u8)~me;
        m->at[t] = 5;
        return true;
    case 5:
        l->op = L_RELOCK;
        l->x = i.y;
        if (i.op == TWAIT)
            *r = (m->signalled & me) != 0;
        m->owner[i.y] = (u8)t;
        m->at[t] = 2;
        m->pc[t]++;
        settle(m, p, t);
        return true;
    case 7:
        l->op = L_LEAVE;
        *r = (m->serial & me) != 0;
        m->serial &= (u8)~me;
        m->at[t] = 2;
        m->pc[t]++;
        settle(m, p, t);
        return true;
    default:
        return false;
    }
}

static inline void model_rwlock(struct model *m, struct ins i, u32 t, struct label *l)
{
    short *r = &m->mem.reg[t];
    u8 me = (u8)(1 << t);
    switch (i.op) {
    case RD:
        m->readers[i.x] |= me;
        break;
    case WRL:
        m->writer[i.x] = (u8)t;
        break;
    case TRD:
        *r = l->ok = m->writer[i.x] == NOBODY;
        m->readers[i.x] |= l->ok ? me : 0;
        break;
    case TWR:
        *r = l->ok = m->writer[i.x] == NOBODY && !m->readers[i.x];
        if (l->ok)
            m->writer[i.x] = (u8)t;
        break;
    case RUN:
        l->ok = m->writer[i.x] == t ? 2 : 1;
        if (l->ok == 2)
            m->writer[i.x] = NOBODY;
        else
            m->readers[i.x] &= (u8)~me;
        break;
    default: break;
    }
}

static inline void model_barrier(struct model *m, struct ins i, u32 t)
{
    u8 me = (u8)(1 << t);
    m->arrived[i.x] |= me;
    m->at[t] = 6;
    if (__builtin_popcount(m->arrived[i.x]) == i.v) {
        for (u32 k = 0; k < 4; k++)
            if (m->arrived[i.x] >> k & 1)
                m->at[k] = 7;
        m->arrived[i.x] = 0;
        m->serial |= me;
    }
}

static inline void model_wake(struct model *m, struct ins i, u32 w, struct label *l)
{
    if (i.op == CAST) {
        for (u32 k = 0; k < 4; k++)
            if (m->waiters[i.x] >> k & 1)
                m->at[k] = 4;
        m->waiters[i.x] = 0;
        return;
    }
    if (m->waiters[i.x]) {
        m->waiters[i.x] &= (u8) ~(1 << w);
        m->at[w] = 4;
        l->woken = (u8)w;
    }
}

/* One step of t; `w`: who is woken by a signal, if anybody waits. */
static inline struct label model_step(struct model *m, const struct program *p, u32 t, u32 w)
{
    struct ins i = ins_at(p, t, m->pc[t]);
    struct label l = {.tid = (u8)t, .op = i.op, .x = i.x, .y = i.y, .ok = 1};
    short *r = &m->mem.reg[t], *x = &m->mem.var[i.x < VARS ? i.x : 0];
    u8 me = (u8)(1 << t);
    if (m->at[t] != 2 && model_go_on(m, p, t, &l))
        return l;
    switch (i.op) {
    case END: m->at[t] = 8; return l;
    case R: *r = *x; break;
    case W: *x = i.v; break;
    case WR: *x = (short)(*r + i.v); break;
    case ADD:
        *r = *x;
        *x = (short)(*x + i.v);
        break;
    case CAS:
        *r = *x == i.y;
        if (*r)
            *x = i.v;
        break;
    case LOCK: m->owner[i.x] = (u8)t; break;
    case TRY: case TLOCK:
        *r = l.ok = m->owner[i.x] == NOBODY;
        if (l.ok)
            m->owner[i.x] = (u8)t;
        break;
    case UNLOCK: m->owner[i.x] = NOBODY; break;
    case WAIT: case TWAIT:
        m->owner[i.y] = NOBODY;
        m->waiters[i.x] |= me;
        m->at[t] = 3;
        return l;
    case SIG:
    case CAST:
        model_wake(m, i, w, &l);
        break;
    case SWAIT: m->sem[i.x]--; break;
    case POST: m->sem[i.x]++; break;
    case STRY:
        *r = l.ok = m->sem[i.x] > 0;
        m->sem[i.x] -= l.ok;
        break;
    case SGET: *r = m->sem[i.x]; break;
    case BAR:
        model_barrier(m, i, t);
        return l;
    case RD:
    case WRL:
    case TRD:
    case TWR:
    case RUN:
        model_rwlock(m, i, t, &l);
        break;
    case ONCE:
        *r = l.ok = !(m->once_done >> i.x & 1);
        if (l.ok)
            m->once_by[i.x] = (u8)t;
        break;
    case DONE:
        m->once_by[i.x] = NOBODY;
        m->once_done |= (u8)(1 << i.x);
        break;
    case QUIT: m->quit = true; break;
    case SPAWN: m->at[i.x] = 1; break;
    case AWAIT: m->joined |= (u8)(1 << i.x); break;
    default: break;
    }
    m->pc[t]++;
    settle(m, p, t);
    return l;
}

static inline u64 model_final(const struct model *m, const struct program *p, bool *is_deadlock)
{
    u8 pc[4] = {0};
    *is_deadlock = false;
    for (u32 t = 0; t <= p->threads; t++)
        *is_deadlock |= !m->quit && m->at[t] != 8;
    if (*is_deadlock)
        memcpy(pc, m->pc, sizeof pc);
    return final_of(p, &m->mem, m->quit ? HOW_QUIT : *is_deadlock ? HOW_DEADLOCK : HOW_DONE, pc);
}

/* ---- all of it -------------------------------------------------------------------------- */

struct brute {
    const struct program *p;
    struct set finals;
    u32 deadlocks;       /* of these */
    u64 traces;
    double schedules;
    u64 *seen;           /* hash table: prefix -> number of ways to go on */
    double *ways;
    size_t cap, n;
};

struct path {
    struct label label[BRUTE_STEPS];
    u8 clock[BRUTE_STEPS][4];
    u32 n;
    u64 hash;            /* of the class of this prefix */
};

static inline size_t brute_slot(struct brute *b, u64 hash)
{
    size_t i = hash & (b->cap - 1);
    while (b->seen[i] && b->seen[i] != hash)
        i = (i + 1) & (b->cap - 1);
    return i;
}

static inline void path_push(struct path *w, const struct label *l)
{
    u8 *c = w->clock[w->n];
    assert_true(w->n < BRUTE_STEPS);
    memset(c, 0, 4);
    for (u32 i = 0; i < w->n; i++)
        if (related(&w->label[i], l))
            for (u32 t = 0; t < 4; t++)
                c[t] = HD_MAX(c[t], w->clock[i][t]);
    c[l->tid]++;
    w->label[w->n++] = *l;
    u64 h = mix64(l->tid * 256u + l->op, l->x + 16u * l->y + 256u * l->ok + 65536u * l->woken);
    w->hash += mix64(h, c[0] + 256u * c[1] + 65536u * c[2] + 16777216u * c[3]);
}

static inline double brute_go(struct brute *b, const struct model *m, struct path *w)
{
    u64 key = w->hash | 1;
    size_t slot = brute_slot(b, key);
    if (b->seen[slot])
        return b->ways[slot];
    double ways = 0;
    bool is_end = true;
    for (u32 t = 0; t <= b->p->threads; t++) {
        if (!model_can(m, b->p, t))
            continue;
        is_end = false;
        struct ins i = ins_at(b->p, t, m->pc[t]);
        u8 waiters = m->at[t] == 2 && i.op == SIG ? m->waiters[i.x] : 0;
        u32 tries = waiters ? waiters : 1;
        for (u32 k = 0; tries >> k; k++) {
            if (!(tries >> k & 1))
                continue;
            struct model next = *m;
            u64 hash = w->hash;
            struct label l = model_step(&next, b->p, t, k);
            path_push(w, &l);
            ways += brute_go(b, &next, w);
            w->n--;
            w->hash = hash;
        }
    }
    if (is_end) {
        bool is_deadlock;
        u64 final = model_final(m, b->p, &is_deadlock);
        if (set_add(&b->finals, final))
            b->deadlocks += is_deadlock;
        b->traces++;
        ways = 1;
    }
    assert_true(++b->n < b->cap / 2);
    slot = brute_slot(b, key);
    b->seen[slot] = key;
    b->ways[slot] = ways;
    return ways;
}

static inline void brute_all(struct brute *b, const struct program *p)
{
    struct model m;
    struct path w = {.n = 0};
    memset(b, 0, sizeof *b);
    b->p = p;
    b->cap = (size_t)1 << 21;
    b->seen = calloc(b->cap, sizeof *b->seen);
    b->ways = calloc(b->cap, sizeof *b->ways);
    model_init(&m, p);
    b->schedules = brute_go(b, &m, &w);
    free(b->seen);
    free(b->ways);
}

static inline void brute_release(struct brute *b) { free(b->finals.at); }

/* ---- bounded ------------------------------------------------------------------------------ */

/* One schedule: who went, who was woken. */
static inline u64 schedule_mix(u64 h, u32 t, u32 woken) { return mix64(h, t + 16u * woken); }

struct bounded {
    const struct program *p;
    u32 most;            /* preemptions */
    u64 n;               /* schedules */
    u64 sum;             /* of their hashes */
    struct set finals;
};

static inline void bounded_go(struct bounded *b, const struct model *m, u32 last, u32 used,
                              u64 hash)
{
    bool is_end = true;
    for (u32 t = 0; t <= b->p->threads; t++) {
        if (!model_can(m, b->p, t))
            continue;
        is_end = false;
        struct ins at = ins_at(b->p, last, m->pc[last]);
        /* a thread whose timeout would have to come does not just go on */
        bool goes_on = model_can(m, b->p, last) && m->at[last] != 3 &&
                       !(m->at[last] == 2 && at.op == SLEEP) &&
                       !(m->at[last] == 2 && at.op == TLOCK && m->owner[at.x] != NOBODY);
        u32 cost = used + (t != last && goes_on);
        if (cost > b->most)
            continue;
        struct ins i = ins_at(b->p, t, m->pc[t]);
        u8 waiters = m->at[t] == 2 && i.op == SIG ? m->waiters[i.x] : 0;
        bool is_choice = __builtin_popcount(waiters) > 1;
        u32 tries = waiters ? waiters : 1;
        for (u32 k = 0; tries >> k; k++) {
            if (!(tries >> k & 1))
                continue;
            struct model next = *m;
            model_step(&next, b->p, t, k);
            bounded_go(b, &next, t, cost, schedule_mix(hash, t, is_choice ? k + 1 : 0));
        }
    }
    if (is_end) {
        bool is_deadlock;
        b->n++;
        b->sum += hash;
        set_add(&b->finals, model_final(m, b->p, &is_deadlock));
    }
}

#endif
