/* order_random.h: random event lists, and happens-before the naive way: for every event
 * the set of events before it, as a bit set. No clocks, no effects: what each kind means
 * is written down here a second time. For the tests of order/ and of runtime/filter/hb.c.
 *
 * Lists are legal as far as the order depends on it: a thread acts between its creation
 * and its end, a join follows the end, a barrier lets a full round through. Errors are
 * sprinkled in, and objects of all spaces share few addresses.
 */
#ifndef HD_ORDER_RANDOM_H
#define HD_ORDER_RANDOM_H

#include "base/bits.h"
#include "base/rng.h"
#include "event/effect.h"

#include <string.h>

enum { LIST_N = 120, LIST_THREADS = 5, LIST_OBJECTS = 3, LIST_PARTY = 2 };
/* The barrier is used by as many threads as it waits for: see arrive() of order.c. */

struct list {
    u32 n;
    struct hd_event ev[LIST_N];
    u32 round[LIST_N];                        /* barrier events: of which one */
    u64 before[LIST_N][HD_BITS_WORDS(LIST_N)]; /* reference: who comes before */
};

/* What lists may contain beyond the basics. */
enum {
    LIST_GENERATIONS = 1,   /* objects destroyed and made anew */
    LIST_STORES = 2,  /* atomic stores */
    LIST_OVERTAKE = 4, /* a barrier's next round begins before all have left */
    LIST_SIGNALS = 8,
    LIST_SPACES = 16, /* objects of different spaces at the same address */
    LIST_ORDERS = 32, /* atomics with weaker orders than seq_cst, and those that fail */
    LIST_FENCES = 64,
};

struct list_maker {
    struct list *l;
    struct hd_rng rng;
    u32 with;
    bool is_live[LIST_THREADS], has_been[LIST_THREADS], is_ended[LIST_THREADS];
    u32 at[LIST_THREADS];      /* round of the barrier it stands at, 0 = none */
    u32 round, arrived, inside; /* of the one barrier; those let through, not gone */
};

static inline u64 list_below(struct list_maker *m, u64 n) { return hd_rng_below(&m->rng, n); }

static inline void list_add(struct list_maker *m, u16 tid, u8 kind, u64 obj, u32 arg)
{
    struct list *l = m->l;
    l->ev[l->n] = (struct hd_event){
        .step = l->n + 1, .tid = tid, .kind = kind, .size = 4, .obj = obj, .arg = arg};
    l->round[l->n++] = m->round;
}

/* A memory order that the operation may have; now and then a compare-exchange fails. */
static inline u32 list_order(struct list_maker *m, u8 kind)
{
    static const u8 load[] = {HD_MO_SEQ_CST, HD_MO_RELAXED, HD_MO_RELAXED, HD_MO_CONSUME,
                              HD_MO_ACQUIRE};
    static const u8 store[] = {HD_MO_SEQ_CST, HD_MO_RELAXED, HD_MO_RELAXED, HD_MO_RELEASE,
                               HD_MO_RELEASE};
    static const u8 update[] = {HD_MO_RELAXED, HD_MO_ACQUIRE, HD_MO_RELEASE, HD_MO_ACQ_REL,
                                HD_MO_SEQ_CST};
    bool is_failed = kind == HD_EV_ARMW && !list_below(m, 4);
    const u8 *from = kind == HD_EV_ALOAD || is_failed ? load : kind == HD_EV_ASTORE ? store : update;
    return from[list_below(m, 5)] | (is_failed ? HD_MO_FAILED : 0);
}

/* What any thread may do at any time; arg: an error (or a count) now and then. */
static inline void list_any(struct list_maker *m, u16 t)
{
    static const u8 kinds[] = {
        HD_EV_READ,      HD_EV_WRITE,       HD_EV_ALOAD,      HD_EV_ARMW,       HD_EV_LOCK,
        HD_EV_TRYLOCK,   HD_EV_UNLOCK,      HD_EV_RDLOCK,     HD_EV_TRYRDLOCK,  HD_EV_WRLOCK,
        HD_EV_TRYWRLOCK, HD_EV_RW_UNLOCK,   HD_EV_COND_WAIT,  HD_EV_COND_WAKE,  HD_EV_COND_SIGNAL,
        HD_EV_COND_BROADCAST, HD_EV_SEM_WAIT, HD_EV_SEM_TRYWAIT, HD_EV_SEM_POST, HD_EV_SEM_GETVALUE,
        HD_EV_ONCE_BEGIN, HD_EV_ONCE_END,   HD_EV_FUTEX_WAIT, HD_EV_FUTEX_WOKEN, HD_EV_FUTEX_WAKE,
        HD_EV_FUTEX_REQUEUE, HD_EV_HB_RELEASE, HD_EV_HB_ACQUIRE, HD_EV_IO, HD_EV_YIELD,
        /* from here on by choice */
        HD_EV_ASTORE,    HD_EV_ASTORE,      HD_EV_ASTORE,     HD_EV_FENCE,      HD_EV_FENCE,
        HD_EV_KILL,      HD_EV_HANDLER,     HD_EV_SIGWAIT,
        HD_EV_MUTEX_INIT, HD_EV_SEM_INIT,   HD_EV_COND_DESTROY, HD_EV_RW_DESTROY};
    u8 kind = kinds[list_below(m, HD_COUNT(kinds))];
    bool is_lifetime = kind == HD_EV_MUTEX_INIT || kind == HD_EV_SEM_INIT ||
                   kind == HD_EV_COND_DESTROY || kind == HD_EV_RW_DESTROY;
    bool is_signal = hd_space_of(kind) == HD_SPACE_SIGNAL;
    if ((kind == HD_EV_ASTORE && !(m->with & LIST_STORES)) ||
        (is_lifetime && !(m->with & LIST_GENERATIONS)) ||
        (is_signal && !(m->with & LIST_SIGNALS)) ||
        (kind == HD_EV_FENCE && !(m->with & LIST_FENCES)))
        return;
    u64 obj = 0x1000 + 8 * list_below(m, LIST_OBJECTS);
    if (!(m->with & LIST_SPACES))
        obj += (u64)hd_space_of(kind) << 16;
    static const u32 args[] = {0, 0, 0, 0, 1, EBUSY, EOWNERDEAD};
    u32 arg = is_signal ? 10 + (u32)list_below(m, 2) : args[list_below(m, HD_COUNT(args))];
    if (kind >= HD_EV_ALOAD && kind <= HD_EV_FENCE)
        arg = m->with & LIST_ORDERS ? list_order(m, kind) : HD_MO_SEQ_CST;
    list_add(m, t, kind, obj, arg);
}

static inline void list_barrier(struct list_maker *m, u16 t)
{
    u32 here = m->round;
    if (m->at[t]) { /* let through if its round is full */
        if (m->at[t] == m->round)
            return;
        m->round = m->at[t];
        list_add(m, t, HD_EV_BARRIER_LEAVE, 0x9000, 0);
        m->round = here;
        m->at[t] = 0;
        m->inside--;
        return;
    }
    if (m->inside && !(m->with & LIST_OVERTAKE))
        return;
    list_add(m, t, HD_EV_BARRIER_WAIT, 0x9000, 0);
    m->at[t] = m->round;
    if (++m->arrived == LIST_PARTY) {
        m->inside += LIST_PARTY;
        m->arrived = 0;
        m->round++;
    }
}

static inline void list_threads(struct list_maker *m, u16 t)
{
    u16 other = (u16)list_below(m, LIST_THREADS);
    if (other && !m->has_been[other]) {
        list_add(m, t, HD_EV_CREATE, other, 0);
        m->is_live[other] = m->has_been[other] = true;
    } else if (other != t && m->is_ended[other]) {
        list_add(m, t, HD_EV_JOIN, other, list_below(m, 3) ? 0 : EDEADLK);
    } else if (t && !m->at[t] && !list_below(m, 4)) {
        list_add(m, t, HD_EV_EXIT, 0, 0);
        m->is_live[t] = false;
        m->is_ended[t] = true;
    }
}

/* ---- the reference ------------------------------------------------------------------- */

static inline bool list_fails(const struct hd_event *e)
{
    switch (e->kind) {
    case HD_EV_LOCK: case HD_EV_TRYLOCK: case HD_EV_RDLOCK: case HD_EV_TRYRDLOCK:
    case HD_EV_WRLOCK: case HD_EV_TRYWRLOCK: return e->arg && e->arg != EOWNERDEAD;
    case HD_EV_JOIN: case HD_EV_UNLOCK: case HD_EV_RW_UNLOCK: case HD_EV_COND_WAKE:
    case HD_EV_SEM_WAIT: case HD_EV_SEM_TRYWAIT: case HD_EV_SEM_POST: case HD_EV_ONCE_BEGIN:
    case HD_EV_ONCE_END: case HD_EV_FUTEX_WOKEN: case HD_EV_COND_DESTROY: case HD_EV_RW_DESTROY:
        return e->arg != 0;
    case HD_EV_COND_SIGNAL: case HD_EV_COND_BROADCAST: case HD_EV_FUTEX_WAKE:
    case HD_EV_FUTEX_REQUEUE: return !e->arg; /* nobody was woken */
    default: return false;
    }
}

/* Does the earlier event i let event j go on, as far as those two can tell? */
static inline bool list_lets(const struct list *l, u32 i, u32 j)
{
    const struct hd_event *a = &l->ev[i], *b = &l->ev[j];
    if (a->kind == HD_EV_CREATE && a->obj == b->tid)
        return true;
    if (list_fails(b))
        return false;
    if (b->kind == HD_EV_JOIN)
        return a->tid == b->obj;
    if (list_fails(a))
        return false;
    if (b->kind == HD_EV_HANDLER || b->kind == HD_EV_SIGWAIT)
        return a->kind == HD_EV_KILL && a->arg == b->arg;
    if (a->obj != b->obj)
        return false;
    switch (b->kind) {
    case HD_EV_LOCK: case HD_EV_TRYLOCK: return a->kind == HD_EV_UNLOCK;
    case HD_EV_RDLOCK: case HD_EV_TRYRDLOCK: case HD_EV_WRLOCK: case HD_EV_TRYWRLOCK:
        return a->kind == HD_EV_RW_UNLOCK;
    case HD_EV_COND_WAKE: return a->kind == HD_EV_COND_SIGNAL || a->kind == HD_EV_COND_BROADCAST;
    case HD_EV_SEM_WAIT: case HD_EV_SEM_TRYWAIT: return a->kind == HD_EV_SEM_POST;
    case HD_EV_ONCE_BEGIN: return a->kind == HD_EV_ONCE_END;
    case HD_EV_FUTEX_WOKEN:
        return a->kind == HD_EV_FUTEX_WAKE || a->kind == HD_EV_FUTEX_REQUEUE;
    case HD_EV_HB_ACQUIRE: return a->kind == HD_EV_HB_RELEASE;
    case HD_EV_BARRIER_LEAVE:
        return a->kind == HD_EV_BARRIER_WAIT && l->round[i] == l->round[j];
    default: return false;
    }
}

/* Is what event i gave to the object gone for all that come after event k? */
static inline bool list_ends(const struct list *l, u32 i, u32 k)
{
    const struct hd_event *a = &l->ev[i], *x = &l->ev[k];
    if (a->kind == HD_EV_KILL)
        return x->kind == HD_EV_KILL && x->arg == a->arg;
    if (a->obj != x->obj || a->kind == HD_EV_CREATE || list_fails(x))
        return false;
    switch (x->kind) {
    case HD_EV_MUTEX_INIT: return a->kind == HD_EV_UNLOCK;
    case HD_EV_SEM_INIT: return a->kind == HD_EV_SEM_POST;
    case HD_EV_COND_DESTROY: return a->kind == HD_EV_COND_SIGNAL || a->kind == HD_EV_COND_BROADCAST;
    case HD_EV_RW_DESTROY: return a->kind == HD_EV_RW_UNLOCK;
    default: return false;
    }
}

/* ---- atomics, by the words of C11 ------------------------------------------------------ */

static inline bool list_acquires(const struct hd_event *e)
{
    u32 order = e->arg & HD_MO_MASK;
    return order != HD_MO_RELAXED && order != HD_MO_RELEASE;
}

static inline bool list_releases(const struct hd_event *e)
{
    u32 order = e->arg & HD_MO_MASK;
    return order == HD_MO_SEQ_CST || order == HD_MO_RELEASE || order == HD_MO_ACQ_REL;
}

static inline bool list_writes(const struct hd_event *e)
{
    return e->kind == HD_EV_ASTORE || (e->kind == HD_EV_ARMW && !(e->arg & HD_MO_FAILED));
}

static inline bool list_reads(const struct hd_event *e)
{
    return e->kind == HD_EV_ALOAD || e->kind == HD_EV_ARMW;
}

/* Is the value that event r reads of a release sequence with event a as its head, if a is
 * a release? */
static inline bool list_is_headed(const struct list *l, u32 a, u32 r)
{
    if (a >= r || !list_writes(&l->ev[a]) || l->ev[a].obj != l->ev[r].obj)
        return false;
    for (u32 k = a + 1; k < r; k++)
        if (list_writes(&l->ev[k]) && l->ev[k].obj == l->ev[a].obj &&
            l->ev[k].tid != l->ev[a].tid && l->ev[k].kind != HD_EV_ARMW)
            return false;
    return true;
}

/* Does event i, a store or a fence, release by the store a? */
static inline bool list_releases_by(const struct list *l, u32 i, u32 a)
{
    if (i == a)
        return list_releases(&l->ev[a]);
    return l->ev[i].kind == HD_EV_FENCE && list_releases(&l->ev[i]) && i < a &&
           l->ev[i].tid == l->ev[a].tid;
}

/* Does event j, a load or a fence, acquire by the load r? */
static inline bool list_acquires_by(const struct list *l, u32 r, u32 j)
{
    if (!list_acquires(&l->ev[j]))
        return false;
    return r == j || (l->ev[j].kind == HD_EV_FENCE && r < j && l->ev[r].tid == l->ev[j].tid);
}

static inline bool list_synchronizes(const struct list *l, u32 i, u32 j)
{
    if (l->ev[i].kind == HD_EV_FENCE && l->ev[j].kind == HD_EV_FENCE &&
        l->ev[i].arg == HD_MO_SEQ_CST && l->ev[j].arg == HD_MO_SEQ_CST)
        return true;
    for (u32 r = i + 1; r <= j; r++)
        for (u32 a = i; list_reads(&l->ev[r]) && list_acquires_by(l, r, j) && a < r; a++)
            if (list_is_headed(l, a, r) && list_releases_by(l, i, a))
                return true;
    return false;
}

static inline bool list_is_before(const struct list *l, u32 i, u32 j)
{
    return hd_bit_is_set(l->before[j], i);
}

/* `policy`: a bit for each space that counts. */
static inline void list_close(struct list *l, u32 policy)
{
    memset(l->before, 0, sizeof l->before);
    for (u32 j = 0; j < l->n; j++)
        for (u32 i = j; i-- > 0;) {
            bool is_edge = l->ev[i].tid == l->ev[j].tid;
            bool is_child = l->ev[i].kind == HD_EV_CREATE && l->ev[i].obj == l->ev[j].tid;
            u8 kind = is_child ? HD_EV_CREATE : l->ev[j].kind;
            if (!is_edge && (policy >> hd_space_of(kind) & 1) && list_lets(l, i, j)) {
                is_edge = true;
                for (u32 k = i + 1; k < j && l->ev[j].kind != HD_EV_JOIN; k++)
                    is_edge &= !list_ends(l, i, k);
            }
            bool is_atomic = l->ev[j].kind >= HD_EV_ALOAD && l->ev[j].kind <= HD_EV_FENCE &&
                             l->ev[i].kind >= HD_EV_ALOAD && l->ev[i].kind <= HD_EV_FENCE;
            if (!is_edge && is_atomic && (policy >> hd_space_of(kind) & 1))
                is_edge = list_synchronizes(l, i, j);
            if (!is_edge)
                continue;
            hd_bit_set(l->before[j], i);
            for (u32 w = 0; w < HD_COUNT(l->before[j]); w++)
                l->before[j][w] |= l->before[i][w];
        }
}

/* A list that contains what `with` says, and its order under that policy. */
static inline void list_make(struct list *l, u64 seed, u32 with, u32 policy)
{
    struct list_maker m = {.l = l, .rng = hd_rng_make(seed, with, 7), .with = with, .round = 1};
    m.is_live[0] = m.has_been[0] = true;
    l->n = 0;
    while (l->n < LIST_N) {
        u16 t = (u16)list_below(&m, LIST_THREADS);
        u32 what = (u32)list_below(&m, 10);
        if (!m.is_live[t])
            continue;
        if ((what == 0 && t < LIST_PARTY) || m.at[t])
            list_barrier(&m, t);
        else if (what == 1)
            list_threads(&m, t);
        else
            list_any(&m, t);
        bool can_go = false; /* all may stand at the barrier */
        for (u32 u = 0; u < LIST_THREADS; u++)
            can_go |= m.is_live[u] && m.at[u] != m.round;
        if (!can_go)
            break;
    }
    list_close(l, policy);
}

#endif
