/* sim.h: a simulated program for tests of strategies: threads that are lists
 * of operations over memory, locks, gates and each other. No src/sched here,
 * so a test that fails is about the strategy.
 *
 *   sim_init -> { sim_look -> (strategy's pick) -> sim_step } until nobody is enabled
 *
 * Objects: memory is any address; a lock or a gate is a number below
 * SIM_OBJECTS. FUTEX_WAKE opens its gate by one level, FUTEX_WAIT is enabled
 * once the gate has reached level `arg`. Lists end with EXIT; a thread that is
 * created by another begins with START.
 */
#ifndef SIM_H
#define SIM_H

#include "strategy/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIM_OBJECTS = 64 };

struct sim_op {
    u8 kind;
    u64 obj, arg;
};

struct sim_code {
    struct sim_op *op;
    u32 n, cap;
    bool loops; /* begins again instead of ending */
};

struct sim_program {
    const char *name;
    u32 n_threads;   /* all told */
    u32 n_start;     /* there from the beginning */
    struct sim_code code[HD_MAX_THREADS];
};

struct sim_thread {
    struct hd_op op; /* first: hd_view_op finds it by stride */
    u32 pc;
    u64 steps;
    u8 state;        /* enum hd_tstate */
};

struct sim {
    const struct sim_program *program;
    u32 n_threads;
    u64 steps, picks, switches, hash;
    u16 last;
    u64 live[HD_BITS_WORDS(HD_MAX_THREADS)]; /* PENDING */
    u64 enabled[HD_BITS_WORDS(HD_MAX_THREADS)];
    u16 owner[SIM_OBJECTS];  /* of locks: thread + 1 */
    u64 level[SIM_OBJECTS];  /* of gates */
    struct sim_thread thread[HD_MAX_THREADS];
};

/* ---- writing programs -------------------------------------------------- */

static inline void sim_add_arg(struct sim_program *p, u32 tid, u8 kind, u64 obj, u64 arg)
{
    struct sim_code *c = &p->code[tid];
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 8;
        c->op = realloc(c->op, c->cap * sizeof(*c->op));
    }
    c->op[c->n++] = (struct sim_op){kind, obj, arg};
    p->n_threads = HD_MAX(p->n_threads, tid + 1);
}

static inline void sim_add(struct sim_program *p, u32 tid, u8 kind, u64 obj)
{
    sim_add_arg(p, tid, kind, obj, 0);
}

static inline struct sim_program *sim_program_new(const char *name, u32 n_start)
{
    struct sim_program *p = calloc(1, sizeof(*p));
    p->name = name;
    p->n_start = n_start;
    return p;
}

/* Adds the EXITs; to be called once. */
static inline void sim_program_end(struct sim_program *p)
{
    for (u32 t = 0; t < p->n_threads; t++)
        if (!p->code[t].loops)
            sim_add(p, t, HD_EV_EXIT, 0);
}

static inline void sim_program_free(struct sim_program *p)
{
    for (u32 t = 0; t < p->n_threads; t++)
        free(p->code[t].op);
    free(p);
}

/* ---- running them ------------------------------------------------------- */

static inline void sim_load(struct sim *s, u32 t)
{
    struct sim_thread *th = &s->thread[t];
    const struct sim_code *c = &s->program->code[t];
    if (th->pc == c->n && c->loops)
        th->pc = 0;
    const struct sim_op *o = &c->op[th->pc];
    bool is_memory = o->kind == HD_EV_READ || o->kind == HD_EV_WRITE;
    th->op = (struct hd_op){.kind = o->kind, .obj = o->obj, .arg = o->arg, .deadline = HD_NEVER,
                            .size = is_memory ? 4 : 0, .site = 0x400000 + 16 * th->pc};
}

static inline void sim_init(struct sim *s, const struct sim_program *p)
{
    memset(s, 0, offsetof(struct sim, thread) + p->n_threads * sizeof(s->thread[0]));
    s->program = p;
    s->last = HD_NO_THREAD;
    s->n_threads = p->n_start;
    for (u32 t = 0; t < p->n_start; t++) {
        s->thread[t].state = HD_T_PENDING;
        hd_bit_set(s->live, t);
        sim_load(s, t);
    }
}

static inline bool sim_is_enabled(const struct sim *s, u32 t)
{
    const struct sim_thread *th = &s->thread[t];
    switch (th->op.kind) {
    case HD_EV_LOCK:
        return s->owner[th->op.obj] == 0;
    case HD_EV_FUTEX_WAIT:
        return s->level[th->op.obj] >= th->op.arg;
    case HD_EV_JOIN:
        return s->thread[th->op.obj].state == HD_T_FINISHED;
    default:
        return true;
    }
}

/* The view of this moment; returns how many are enabled. `words` is as small
 * as the contract lets it be. */
static inline u32 sim_look(struct sim *s, struct hd_view *v)
{
    memset(s->enabled, 0, sizeof(s->enabled));
    u32 n = 0, words = 0;
    HD_BITS_EACH(t, s->live, HD_BITS_WORDS(s->n_threads)) {
        if (sim_is_enabled(s, t)) {
            hd_bit_set(s->enabled, t);
            words = t / 64 + 1;
            n++;
        }
    }
    bool goes_on = s->last != HD_NO_THREAD && hd_bit_is_set(s->enabled, s->last);
    *v = (struct hd_view){.step = s->steps, .current = goes_on ? s->last : HD_NO_THREAD,
                          .n_threads = s->n_threads, .n_enabled = n, .words = words,
                          .enabled = s->enabled, .threads = s->thread,
                          .stride = sizeof(struct sim_thread),
                          .states = &s->thread[0].state};
    return n;
}

/* Thread t's operation takes effect; *done gets a copy of it. */
static inline void sim_step(struct sim *s, u32 t, struct hd_op *done)
{
    struct sim_thread *th = &s->thread[t];
    *done = th->op;
    switch (done->kind) {
    case HD_EV_LOCK:
        s->owner[done->obj] = (u16)(t + 1);
        break;
    case HD_EV_UNLOCK:
        s->owner[done->obj] = 0;
        break;
    case HD_EV_FUTEX_WAKE:
        s->level[done->obj]++;
        break;
    case HD_EV_CREATE: {
        struct sim_thread *child = &s->thread[done->obj];
        child->state = HD_T_PENDING;
        hd_bit_set(s->live, (u32)done->obj);
        child->op = (struct hd_op){.kind = HD_EV_START, .obj = t, .deadline = HD_NEVER};
        s->n_threads = HD_MAX(s->n_threads, (u32)done->obj + 1);
        break;
    }
    }
    if (done->kind == HD_EV_EXIT) {
        th->state = HD_T_FINISHED;
        hd_bit_clear(s->live, t);
    } else {
        if (done->kind != HD_EV_START)
            th->pc++;
        sim_load(s, t);
    }
    s->switches += s->last != HD_NO_THREAD && s->last != t;
    s->last = (u16)t;
    s->steps++;
    th->steps++;
    s->hash = (s->hash ^ t) * 0x100000001b3ull + s->steps;
}

/* ---- a strategy at work --------------------------------------------------- */

struct sim_driver {
    const struct hd_strategy *strategy;
    u64 *state;  /* HD_STRATEGY_WORDS */
};

static inline struct sim_driver sim_driver_new(const struct hd_strategy *strategy)
{
    return (struct sim_driver){strategy, malloc(8 * HD_STRATEGY_WORDS)};
}

static inline void sim_driver_free(struct sim_driver *d)
{
    free(d->state);
}

static inline void sim_driver_start(struct sim_driver *d, u64 seed, u64 run, u64 param,
                                    const struct hd_learned *learned)
{
    struct hd_strategy_arg arg = {
        .param = param, .rng = hd_rng_make(seed, run, HD_RNG_STRATEGY), .learned = learned};
    memset(d->state, 0, d->strategy->state_size);
    d->strategy->start(d->state, &arg);
}

/* One transition. Returns the thread that went, or HD_NO_THREAD if nobody can;
 * a pick of somebody who is not enabled ends the process with a message. */
static inline u32 sim_advance(struct sim *s, struct sim_driver *d)
{
    struct hd_view v;
    struct hd_op done;
    u32 n = sim_look(s, &v), t;
    if (n == 0)
        return HD_NO_THREAD;
    if (n == 1) {
        t = hd_bits_nth(s->enabled, v.words, 0);
    } else {
        t = d->strategy->pick(d->state, &v);
        s->picks++;
        if (t >= HD_MAX_THREADS || !hd_bit_is_set(s->enabled, t)) {
            fprintf(stderr, "%s on %s: step %llu: picked %u, which is not enabled\n",
                    d->strategy->name, s->program->name, (unsigned long long)s->steps, t);
            abort();
        }
    }
    sim_step(s, t, &done);
    if (d->strategy->stepped)
        d->strategy->stepped(d->state, &v, t, &done);
    return t;
}

static inline bool sim_is_done(const struct sim *s)
{
    return hd_bits_count(s->live, HD_COUNT(s->live)) == 0;
}

/* What the fork server would have learned after this run, given what it knew. */
static inline void sim_learn(const struct sim *s, struct hd_learned *l)
{
    l->max_points = HD_MAX(l->max_points, s->picks);
    l->max_threads = HD_MAX(l->max_threads, s->n_threads);
    for (u32 t = 0; t < HD_MIN(s->n_threads, HD_LEARN_THREADS); t++)
        l->thread_points[t] =
            (u32)((l->thread_points[t] * (u64)l->runs + s->thread[t].steps) / (l->runs + 1));
    l->mean_points = (l->mean_points * l->runs + s->picks) / (l->runs + 1);
    l->runs++;
}

#endif
