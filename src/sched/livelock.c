/* livelock.c: proof that threads which can run get nowhere. A long run is no hang;
 * a run that comes back to the same state, whoever goes next, is one.
 *
 * The state is all that decides what happens next: the models of sync objects, each
 * thread's pending operation, its registers and stack (env.local), and all other
 * memory (env.memory). Two proofs, tried at step HD_FIRST (or when the run is twice as long as
 * those that ended by themselves) and then at doubling distances, so that a long correct
 * run pays next to nothing, and the strategy says who goes in it:
 *
 *   solo    each thread that can run, run alone, comes back to where it was, and at no
 *           step of its loop is anything different for the others. Then no order of
 *           their steps changes anything, however many threads there are.
 *   walk    a small set of states is closed: in each of them every thread that can run
 *           was let go (as a rotor-router, which takes all edges), and none led out.
 *
 * Both look for a candidate without reading memory, then verify it with all memory at
 * each step. Whatever is not part of the state (time, input, signals, a choice among
 * waiters, memory that is given or freed) ends the attempt: nothing is proven then.
 */
#include "sched/internal.h"

#define HD_FIRST 4096        /* step of the first attempt */
#define SOLO_STEPS 1024      /* to find a thread's loop in */
#define SOLO_THREADS 256
#define NODES 2048           /* states of a walk, power of two; half of it is used */
#define WALK_FIRST 1024      /* steps before what a walk saw first is forgotten: it may
                                have led into the set and not be part of it; doubled */
#define WALK_STEPS 16384

enum { OFF, SOLO, VERIFY, WALK, WALK_VERIFY };

struct node {
    u64 key;                 /* 0 = none */
    u32 tries, enabled;
};

struct hd_livelock_work {
    u64 model;               /* SOLO, VERIFY: must stay, */
    u64 memory;              /* VERIFY: so must this */
    u32 n, at;               /* threads in `loop`, the one that runs */
    u32 steps;               /* it has made; of a walk: since it began anew */
    struct {
        u16 tid;
        u32 length;
        u64 own;             /* its state where the loop begins */
        u32 own_step;
    } loop[SOLO_THREADS];
    u64 own[HD_MAX_THREADS]; /* WALK: of each thread, as of its last step */
    struct node node[NODES];
    u32 n_nodes, n_open;     /* open: not every thread was let go there */
    u32 window, walked;
};

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* ---- the state ------------------------------------------------------------------- */

static u64 object_state(const struct hd_obj *o)
{
    u64 h = mix(o->addr, o->type), readers = 0;
    h = mix(h, (u64)o->own.tid << 32 | o->own.count);
    switch (o->type) {
    case HD_OBJ_MUTEX:
        return mix(h, (u64)o->mutex.users << 8 | (u64)o->mutex.is_dead << 2 |
                          (u64)o->mutex.is_inconsistent << 1 | o->mutex.is_lost);
    case HD_OBJ_RWLOCK:
        for (const struct hd_hold *r = o->rw.readers; r; r = r->next_reader)
            readers += mix(r->tid, r->count); /* in any order */
        return mix(h, readers);
    case HD_OBJ_BARRIER: return mix(h, (u64)o->barrier.count << 32 | o->barrier.arrived);
    case HD_OBJ_SEM: return mix(h, o->sem.value);
    case HD_OBJ_ONCE: return mix(h, (u64)o->once.owner << 1 | o->once.is_done);
    default: return h;
    }
}

/* Everything of the core's that threads share. */
static u64 objects_state(const struct hd_sched *s)
{
    const struct hd_objects *os = s->objects;
    u64 sum = 0;
    for (u32 i = 0; i < os->cap; i++)
        if (os->slot[i])
            sum += object_state(os->slot[i]);
    return sum;
}

/* What the others see of it: objects, and which of them can run. */
static u64 model_without(const struct hd_sched *s, u16 t)
{
    u64 h = objects_state(s);
    for (u32 w = 0; w < hd_words(s); w++)
        h = mix(h, s->enabled[w] & ~(t / 64u == w ? (u64)1 << (t % 64) : 0));
    return h;
}

static u64 own_state(const struct hd_sched *s, u16 t)
{
    const struct hd_sthread *th = &s->thread[t];
    const struct hd_op *op = &th->op;
    u64 h = mix((u64)th->state << 8 | th->phase, s->env.local(s->env.self, t));
    if (th->state != HD_T_PENDING)
        return h;
    h = mix(h, (u64)op->kind << 32 | (u64)op->flags << 16 | th->timed_out);
    h = mix(mix(mix(h, op->site), op->obj), op->obj2);
    h = mix(mix(mix(h, op->arg), op->arg2), op->ctx);
    return mix(mix(h, th->sig_pending), (u64)(u32)th->wait_err);
}

static bool is_closed_world(const struct hd_sched *s)
{
    /* somebody who is about to end the process gets on */
    return !(s->n_timed | s->n_io | s->n_blocked_outside | s->n_ending) && s->timer == HD_NEVER &&
           !s->sig_process && !s->cfg.is_search;
}

bool hd_livelock_allows(u8 kind)
{
    if (hd_may(kind, HD_BEGINS | HD_ENDS))
        return false;
    switch (hd_space_of(kind)) {
    case HD_SPACE_MEMORY:
    case HD_SPACE_COND:
    case HD_SPACE_BARRIER:
    case HD_SPACE_SEM:
    case HD_SPACE_FUTEX:
    case HD_SPACE_NOTE: return true;
    case HD_SPACE_MUTEX:
    case HD_SPACE_RWLOCK: return hd_may(kind, HD_TAKES | HD_GIVES);
    case HD_SPACE_THREAD: return kind == HD_EV_JOIN; /* it waits, or fails */
    default: return kind == HD_EV_FENCE || kind == HD_EV_YIELD;
    }
}

/* ---- attempts ---------------------------------------------------------------------- */

static void abandon(struct hd_sched *s)
{
    struct hd_livelock *l = &s->livelock;
    l->phase = OFF;
    l->next = s->step + l->interval;
    l->interval *= 2;
}

static void count_enabled(const struct hd_sched *s, struct hd_livelock_work *k)
{
    k->n = 0;
    HD_BITS_EACH(t, s->enabled, hd_words(s)) {
        if (k->n < SOLO_THREADS)
            k->loop[k->n].tid = (u16)t;
        k->n++;
    }
}

/* Thread number `at` of the list is run alone from here. */
static void run_solo(struct hd_sched *s, struct hd_livelock_work *k)
{
    u16 t = k->loop[k->at].tid;
    k->steps = 0;
    k->model = model_without(s, t);
    if (s->livelock.phase == SOLO) {
        k->loop[k->at].own = own_state(s, t);
        k->loop[k->at].own_step = 0;
    } else {
        k->memory = s->env.memory(s->env.self, t, false);
    }
    s->livelock.want = t;
}

static void begin_walk(struct hd_sched *s, u8 phase)
{
    struct hd_livelock_work *k = s->livelock.work;
    s->livelock.phase = phase;
    hd_memset(k->node, 0, sizeof k->node);
    k->n_nodes = k->n_open = k->steps = 0;
    for (u32 t = 0; t < s->n_threads; t++)
        k->own[t] = own_state(s, (u16)t);
}

static void begin(struct hd_sched *s)
{
    struct hd_livelock *l = &s->livelock;
    if (!l->work)
        l->work = s->env.alloc(s->env.self, sizeof *l->work);
    struct hd_livelock_work *k = l->work;
    l->is_spoiled = false;
    l->began = s->step;
    count_enabled(s, k);
    if (!k->n || k->n > SOLO_THREADS) {
        abandon(s);
        return;
    }
    k->at = 0;
    l->phase = SOLO;
    l->next = 0; /* at every step */
    run_solo(s, k);
}

/* The loops are known: once more, with all memory, which must not be changed. */
static void begin_verify(struct hd_sched *s)
{
    struct hd_livelock_work *k = s->livelock.work;
    if (!s->env.memory(s->env.self, HD_NO_THREAD, true)) {
        abandon(s);
        return;
    }
    s->livelock.phase = VERIFY;
    for (u32 i = 0; i < k->n; i++)
        k->loop[i].own = own_state(s, k->loop[i].tid);
    k->at = 0;
    run_solo(s, k);
}

static void begin_walking(struct hd_sched *s)
{
    struct hd_livelock_work *k = s->livelock.work;
    k->window = WALK_FIRST;
    k->walked = 0;
    begin_walk(s, WALK);
}

/* SOLO: looks for the length of the loop, by Brent: it is compared with its state at
 * step 0, 1, 2, 4, 8, ... */
static void find_loop(struct hd_sched *s)
{
    struct hd_livelock_work *k = s->livelock.work;
    u16 t = k->loop[k->at].tid;
    u64 own = own_state(s, t);
    k->steps++;
    if (model_without(s, t) != k->model || !hd_bit_is_set(s->enabled, t)) {
        begin_walking(s); /* it does something to the others */
        return;
    }
    if (own != k->loop[k->at].own) {
        if (k->steps >= SOLO_STEPS)
            abandon(s);
        else if (!(k->steps & (k->steps - 1)))
            k->loop[k->at].own = own, k->loop[k->at].own_step = k->steps;
        return;
    }
    k->loop[k->at].length = k->steps - k->loop[k->at].own_step;
    if (++k->at < k->n)
        run_solo(s, k);
    else
        begin_verify(s);
}

static bool verify_loop(struct hd_sched *s)
{
    struct hd_livelock_work *k = s->livelock.work;
    u16 t = k->loop[k->at].tid;
    k->steps++;
    if (model_without(s, t) != k->model) {
        begin_walking(s);
        return false;
    }
    u64 memory = s->env.memory(s->env.self, t, false);
    if (!memory) {
        abandon(s);
        return false;
    }
    if (memory != k->memory) { /* a plain write: others may see it */
        begin_walking(s);
        return false;
    }
    if (k->steps < k->loop[k->at].length)
        return false;
    if (own_state(s, t) != k->loop[k->at].own) { /* it met what another one left */
        begin_walking(s);
        return false;
    }
    if (++k->at < k->n) {
        run_solo(s, k);
        return false;
    }
    s->livelock.states = k->n;
    s->livelock.is_quiet = true;
    return true;
}

/* ---- walk ---------------------------------------------------------------------------- */

static struct node *node_of(struct hd_livelock_work *k, u64 key)
{
    u32 at = (u32)(key >> 40) & (NODES - 1);
    while (k->node[at].key && k->node[at].key != key)
        at = (at + 1) & (NODES - 1);
    return &k->node[at];
}

static u64 walk_key(struct hd_sched *s, struct hd_livelock_work *k)
{
    u64 h = objects_state(s);
    k->own[s->last] = own_state(s, s->last);
    for (u32 t = 0; t < s->n_threads; t++)
        h = mix(h, k->own[t]);
    if (s->livelock.phase == WALK_VERIFY) {
        u64 memory = s->env.memory(s->env.self, HD_NO_THREAD, false);
        if (!memory)
            s->livelock.is_spoiled = true;
        h = mix(h, memory);
    }
    return h ? h : 1;
}

static bool walk(struct hd_sched *s)
{
    struct hd_livelock_work *k = s->livelock.work;
    u64 key = walk_key(s, k);
    count_enabled(s, k);
    if (s->livelock.is_spoiled || !k->n || k->n > SOLO_THREADS || ++k->walked > WALK_STEPS) {
        abandon(s);
        return false;
    }
    if (++k->steps > k->window) {
        k->window *= 2;
        begin_walk(s, s->livelock.phase);
    }
    struct node *here = node_of(k, key);
    if (!here->key) {
        if (++k->n_nodes > NODES / 2) {
            abandon(s);
            return false;
        }
        *here = (struct node){.key = key, .enabled = k->n};
        k->n_open++;
    } else if (!k->n_open) {
        if (s->livelock.phase == WALK_VERIFY) {
            s->livelock.states = k->n_nodes;
            s->livelock.is_quiet = false;
            return true;
        }
        if (!s->env.memory(s->env.self, HD_NO_THREAD, true)) {
            abandon(s);
            return false;
        }
        k->window = 2 * k->window;
        begin_walk(s, WALK_VERIFY);
        return walk(s);
    }
    s->livelock.want = k->loop[here->tries % k->n].tid;
    if (++here->tries == here->enabled)
        k->n_open--;
    return false;
}

/* ---- entry points ------------------------------------------------------------------------ */

/* Attempts take the choices out of the strategy's hands for thousands of steps: not where earlier
 * runs were at work. */
static u64 first_step(const struct hd_sched *s)
{
    const struct hd_learned *l = s->cfg.strategy_arg.learned;
    u64 steps = 0;
    if (s->cfg.proof_step)
        return s->cfg.proof_step;
    for (u32 t = 0; l && l->whole_runs && t < HD_LEARN_THREADS && t < l->max_threads; t++)
        steps += l->thread_points[t];
    return HD_MAX((u64)HD_FIRST, 2 * steps);
}

void hd_livelock_init(struct hd_sched *s)
{
    struct hd_livelock *l = &s->livelock;
    bool is_on = s->env.local && s->env.memory && !s->cfg.is_search;
    l->phase = OFF;
    l->next = is_on ? first_step(s) : UINT64_MAX;
    l->interval = HD_FIRST;
    l->states = 0;
    l->want = HD_NO_THREAD;
}

bool hd_livelock_check(struct hd_sched *s)
{
    struct hd_livelock *l = &s->livelock;
    u16 wanted = l->want;
    l->want = HD_NO_THREAD;
    if (l->phase == OFF && hd_choice_has_script(s) && !s->script.strict) {
        l->next = s->step + 64; /* it says who goes; a strict one says what was wanted here */
        return false;
    }
    bool is_stepped = l->phase == OFF || s->step == l->step + 1;
    if (!is_stepped && s->step == l->step) { /* asked again before anybody went */
        l->want = wanted;
        return false;
    }
    l->step = s->step;
    if (!is_closed_world(s) || (l->phase != OFF && l->is_spoiled) || !is_stepped ||
        (l->phase != OFF && s->last != wanted)) {
        abandon(s);
        return false;
    }
    switch (l->phase) {
    case OFF: begin(s); return false;
    case SOLO: find_loop(s); break;
    case VERIFY:
        if (verify_loop(s))
            return true;
        break;
    default: return walk(s);
    }
    /* what was begun just now says who goes next */
    if (l->phase == WALK)
        return walk(s);
    if (l->phase == SOLO || l->phase == VERIFY)
        l->want = l->work->loop[l->work->at].tid;
    return false;
}
