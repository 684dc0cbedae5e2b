/* sched_oracle.h: the rules of synchronization told a second time, for
 * test_sched_fuzz.c. It follows the stream of events and knows nothing of the
 * machine's insides: who may hold which lock, what a semaphore is worth, which
 * errors can be, who is enabled, who waits for whom.
 */
#ifndef SCHED_ORACLE_H
#define SCHED_ORACLE_H

#include "sched_rig.h"

#define THREADS 6
#define OPS 48
#define NONE (-1)

/* Addresses: kind of object in the upper digits. */
#define MUTEX(i) (0x1000ull + 64 * (i)) /* 0 normal 1 recursive 2 errorcheck 3 robust */
#define RWLOCK(i) (0x2000ull + 64 * (i))
#define COND(i) (0x3000ull + 64 * (i))
#define SEM(i) (0x4000ull + 64 * (i))
#define BARRIER 0x5000ull
#define ONCE(i) (0x6000ull + 64 * (i))
#define INDEX(obj) (((obj) & 0xfff) / 64)

static const u8 mutex_kind[4] = {HD_MTX_NORMAL, HD_MTX_RECURSIVE, HD_MTX_ERRORCHECK,
                                 HD_MTX_NORMAL | HD_MTX_ROBUST};

struct program {
    u32 n_threads;
    bool is_gentle; /* waits have deadlines, locks taken are given back */
    u32 n[THREADS];
    struct hd_op op[THREADS][OPS];
};

struct oracle {
    int mutex_owner[4], mutex_depth[4];
    bool dead[4], unclean[4], lost[4];
    int writer[2], readers[2][THREADS];
    int sem[2];
    int once_owner[2];
    bool once_done[2];
    u32 arrived, passed;              /* barrier: arrivals, leaves in all */
    int cond_credit[2];               /* woken and not yet back */
    int cond_waiting[2];
    int futex_credit;
    bool created[THREADS], exited[THREADS], joined[THREADS];
};

struct run {
    struct rig r;
    const struct program *p;
    struct oracle o;
    u32 pc[THREADS];
    u32 depth[THREADS];       /* signal handlers under way */
    struct hd_op cur[THREADS]; /* program-level operation */
    struct hd_rng world;      /* readiness from outside: not part of the schedule */
    enum hd_step end;
};

/* ---- oracle ------------------------------------------------------------------------------ */

#define RULE(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond))                                                                               \
            fail_msg("seed %lu step %u thread %u %s of %lx arg %u: not %s",                        \
                     (unsigned long)x->r.cfg.seed, ev->step, ev->tid, hd_event_text(ev->kind),     \
                     (unsigned long)ev->obj, ev->arg, #cond);                                      \
    } while (0)

static void release_mutex(struct oracle *o, u64 i)
{
    if (o->mutex_owner[i] == NONE || --o->mutex_depth[i])
        return;
    o->mutex_owner[i] = NONE;
    if (o->unclean[i]) {
        o->unclean[i] = false;
        o->lost[i] = true;
    }
}

static void on_mutex(struct run *x, const struct hd_event *ev)
{
    struct oracle *o = &x->o;
    u64 i = INDEX(ev->obj);
    int t = ev->tid, owner = o->mutex_owner[i];
    bool again = owner == t && i == 1;
    if (ev->kind == HD_EV_CONSISTENT) {
        RULE((ev->arg == 0) == o->unclean[i]);
        o->unclean[i] = false;
        return;
    }
    if (ev->kind == HD_EV_UNLOCK) {
        RULE(ev->arg == 0 || (ev->arg == EPERM && owner != t && i > 0));
        RULE(ev->arg != 0 || owner == t || i == 0);
        if (!ev->arg)
            release_mutex(o, i);
        return;
    }
    switch (ev->arg) {
    case 0:
        RULE(owner == NONE || again);
        RULE(!o->dead[i] && !o->lost[i]);
        break;
    case EOWNERDEAD:
        RULE(o->dead[i] && owner == NONE);
        o->dead[i] = false;
        o->unclean[i] = true;
        break;
    case EBUSY:
        RULE(ev->kind == HD_EV_TRYLOCK && owner != NONE && !again);
        return;
    case EDEADLK:
        RULE(i == 2 && owner == t && ev->kind == HD_EV_LOCK);
        return;
    case ETIMEDOUT:
        RULE(ev->kind == HD_EV_LOCK && owner != NONE && !again);
        RULE(x->cur[t].flags & HD_OP_TIMED && x->cur[t].deadline <= x->r.s->now);
        return;
    default:
        RULE(ev->arg == ENOTRECOVERABLE && o->lost[i]);
        return;
    }
    o->mutex_owner[i] = t;
    o->mutex_depth[i]++;
}

static int reading(const struct oracle *o, u64 i)
{
    int n = 0;
    for (int t = 0; t < THREADS; t++)
        n += o->readers[i][t];
    return n;
}

static void on_rwlock(struct run *x, const struct hd_event *ev)
{
    struct oracle *o = &x->o;
    u64 i = INDEX(ev->obj);
    int t = ev->tid;
    bool reads = ev->kind == HD_EV_RDLOCK || ev->kind == HD_EV_TRYRDLOCK;
    if (ev->kind == HD_EV_RW_UNLOCK) {
        if (o->writer[i] != NONE) {
            o->writer[i] = NONE;
        } else if (reading(o, i)) {
            if (!o->readers[i][t]) { /* not its own: whose it releases is not defined; stop here */
                x->end = HD_STEP_LIMIT;
                return;
            }
            o->readers[i][t]--;
        }
        return;
    }
    if (ev->arg == EDEADLK) {
        RULE(o->writer[i] == t);
    } else if (ev->arg == EBUSY || ev->arg == ETIMEDOUT) {
        RULE(o->writer[i] != NONE || (!reads && reading(o, i)) || (reads && i == 1));
        if (ev->arg == ETIMEDOUT)
            RULE(x->cur[t].deadline <= x->r.s->now);
    } else {
        RULE(ev->arg == 0);
        RULE(o->writer[i] == NONE);
        RULE(reads || !reading(o, i));
        if (reads)
            o->readers[i][t]++;
        else
            o->writer[i] = t;
    }
}

static void on_cond(struct run *x, const struct hd_event *ev)
{
    struct oracle *o = &x->o;
    u64 i = INDEX(ev->obj);
    const struct hd_op *cur = &x->cur[ev->tid];
    switch (ev->kind) {
    case HD_EV_COND_WAIT:
        if (ev->arg) {
            RULE(ev->arg == EPERM && o->mutex_owner[INDEX(cur->obj2)] != ev->tid);
        } else {
            o->cond_waiting[i]++; /* its UNLOCK was an event of its own */
        }
        break;
    case HD_EV_COND_SIGNAL:
        RULE(ev->arg == (o->cond_waiting[i] > 0));
        o->cond_waiting[i] -= (int)ev->arg;
        o->cond_credit[i] += (int)ev->arg;
        break;
    case HD_EV_COND_BROADCAST:
        RULE((int)ev->arg == o->cond_waiting[i]);
        o->cond_waiting[i] = 0;
        o->cond_credit[i] += (int)ev->arg;
        break;
    case HD_EV_COND_WAKE:
        if (ev->arg) {
            RULE(ev->arg == ETIMEDOUT && cur->deadline <= x->r.s->now);
            o->cond_waiting[i]--;
        } else {
            RULE(o->cond_credit[i]-- > 0);
        }
        break;
    default:
        break;
    }
}

static void on_join(struct run *x, const struct hd_event *ev)
{
    struct oracle *o = &x->o;
    if (!ev->arg) {
        RULE(o->exited[ev->obj] && !o->joined[ev->obj]);
        o->joined[ev->obj] = true;
    } else if (ev->arg == EBUSY || ev->arg == ETIMEDOUT) {
        RULE(!o->exited[ev->obj]);
    } else if (ev->arg == ESRCH) {
        RULE(!o->created[ev->obj] || o->joined[ev->obj]);
    } else {
        RULE(ev->arg == EINVAL || ev->arg == EDEADLK);
    }
}

static void on_event(void *self, const struct hd_event *ev)
{
    struct run *x = self;
    struct oracle *o = &x->o;
    u64 i = INDEX(ev->obj);
    const struct hd_op *cur = &x->cur[ev->tid];
    rig_emit(&x->r, ev);
    if (x->end == HD_STEP_LIMIT)
        return;
    switch (ev->kind) {
    case HD_EV_LOCK ... HD_EV_CONSISTENT:
        on_mutex(x, ev);
        break;
    case HD_EV_RDLOCK ... HD_EV_RW_UNLOCK:
        on_rwlock(x, ev);
        break;
    case HD_EV_SEM_WAIT ... HD_EV_SEM_TRYWAIT:
        RULE(!ev->arg == (o->sem[i] > 0));
        o->sem[i] -= !ev->arg;
        break;
    case HD_EV_SEM_POST:
        o->sem[i]++;
        break;
    case HD_EV_COND_WAIT:
    case HD_EV_COND_SIGNAL:
    case HD_EV_COND_BROADCAST:
    case HD_EV_COND_WAKE:
        on_cond(x, ev);
        break;
    case HD_EV_BARRIER_WAIT: o->arrived++; break;
    case HD_EV_BARRIER_LEAVE:
        RULE(++o->passed <= o->arrived / 2 * 2);
        break;
    case HD_EV_ONCE_BEGIN:
        RULE(o->once_owner[i] == NONE);
        RULE(ev->arg == !o->once_done[i]);
        if (ev->arg)
            o->once_owner[i] = ev->tid;
        break;
    case HD_EV_ONCE_END:
        o->once_owner[i] = NONE;
        o->once_done[i] = !ev->arg;
        break;
    case HD_EV_FUTEX_WAIT: RULE((ev->arg == EAGAIN) == (cur->arg != x->r.word[3])); break;
    case HD_EV_FUTEX_WAKE: o->futex_credit += (int)ev->arg; break;
    case HD_EV_FUTEX_WOKEN:
        if (ev->arg)
            RULE(cur->deadline <= x->r.s->now);
        else
            RULE(o->futex_credit-- > 0);
        break;
    case HD_EV_CREATE: o->created[ev->obj] = true; break;
    case HD_EV_SLEEP: RULE(cur->deadline <= x->r.s->now); break;
    case HD_EV_JOIN:
        on_join(x, ev);
        break;
    case HD_EV_EXIT:
        o->exited[ev->tid] = true;
        if (o->mutex_owner[3] == ev->tid) {
            o->mutex_owner[3] = NONE;
            o->mutex_depth[3] = 0;
            o->unclean[3] = false;
            o->dead[3] = true;
        }
        break;
    default: break;
    }
}

/* -1 if the oracle has no opinion, else whether t's next transition can be. */
static int can_go(const struct run *x, u16 t)
{
    const struct hd_sthread *th = &x->r.s->thread[t];
    const struct oracle *o = &x->o;
    u64 i = INDEX(th->op.obj);
    if (th->state != HD_T_PENDING)
        return 0;
    if (th->op.kind != HD_EV_START && th->op.kind != HD_EV_EXIT &&
        (th->sig_pending & ~th->sig_blocked))
        return th->op.kind == HD_EV_SIGWAIT ? -1 : 1;
    if (th->timed_out)
        return 1;
    switch (th->op.kind) {
    case HD_EV_LOCK:
        return o->mutex_owner[i] == NONE || o->lost[i] ||
               (o->mutex_owner[i] == t && (i == 1 || i == 2));
    case HD_EV_RDLOCK:
        return i == 1 ? -1 : o->writer[i] == NONE || o->writer[i] == t;
    case HD_EV_WRLOCK:
        return o->writer[i] == t || (o->writer[i] == NONE && !reading(o, i));
    case HD_EV_SEM_WAIT: return o->sem[i] > 0;
    case HD_EV_ONCE_BEGIN: return o->once_owner[i] == NONE;
    case HD_EV_JOIN:
        return th->op.obj < x->r.s->n_threads && o->exited[th->op.obj] ? 1 : -1;
    case HD_EV_COND_WAKE: return th->phase == HD_PH_WOKEN;
    case HD_EV_SLEEP: return 0;
    case HD_EV_READ:
    case HD_EV_WRITE:
    case HD_EV_UNLOCK:
    case HD_EV_TRYLOCK:
    case HD_EV_YIELD: return 1;
    default: return -1;
    }
}

static void check_enabled(struct run *x)
{
    for (u16 t = 0; t < x->r.s->n_threads; t++) {
        int can = can_go(x, t);
        if (can >= 0 && can != rig_is_enabled(&x->r, t))
            fail_msg("step %lu: thread %u at %s enabled %d, oracle says %d",
                     (unsigned long)x->r.s->step, t, hd_event_text(x->r.s->thread[t].op.kind),
                     rig_is_enabled(&x->r, t), can);
    }
}

static bool waits_for(const struct run *x, u16 a, u16 b)
{
    const struct hd_op *op = &x->r.s->thread[a].op;
    u64 i = INDEX(op->obj);
    switch (op->kind) {
    case HD_EV_LOCK: return x->o.mutex_owner[i] == b;
    case HD_EV_WRLOCK: return x->o.writer[i] == b || x->o.readers[i][b];
    case HD_EV_RDLOCK:
        return x->o.writer[i] == b ||
               (i == 1 && x->r.s->thread[b].op.kind == HD_EV_WRLOCK &&
                x->r.s->thread[b].op.obj == op->obj);
    case HD_EV_ONCE_BEGIN: return x->o.once_owner[i] == b;
    case HD_EV_JOIN: return op->obj == b;
    default: return false;
    }
}

static void check_deadlock(struct run *x)
{
    const struct hd_cycle *c = &x->r.s->cycle;
    assert_true(c->n > 0);
    for (u32 i = 0; i < c->n; i++) {
        u16 t = c->tid[i];
        assert_int_equal(x->r.s->thread[t].state, HD_T_PENDING);
        assert_true(can_go(x, t) < 1);
        assert_int_equal(c->obj[i], x->r.s->thread[t].op.obj);
        if (c->is_cycle)
            assert_true(waits_for(x, t, c->tid[(i + 1) % c->n]));
    }
    for (u16 t = 0; !c->is_cycle && t < x->r.s->n_threads; t++)
        assert_false(rig_is_enabled(&x->r, t));
}

#endif
