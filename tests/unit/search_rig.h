/* search_rig.h: tiny thread programs and two machines that run them, for
 * test_search_*.c.
 *
 *   run_plan    on the scheduler (src/sched), following a plan of the search
 *   brute.h     a model of its own that enumerates everything
 *
 * A program is up to three threads of instructions; thread 0 creates them all,
 * joins them in order and ends. Registers are per thread, variables shared. */
#ifndef SEARCH_RIG_H
#define SEARCH_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/sched.h"
#include "search/search.h"

/* With one worker only. */
static inline bool search_next(struct hd_search *s, struct hd_plan *plan)
{
    return hd_search_next_at(s, 0, plan) == HD_NEXT_RUN;
}
static inline void search_ran(struct hd_search *s, const struct hd_trace *t)
{
    hd_search_ran_at(s, 0, t);
}

enum ins_op {
    END,   /* of the thread */
    R,     /* r = x */
    W,     /* x = v */
    WR,    /* x = r + v */
    ADD,   /* r = x, x += v, atomically */
    CAS,   /* r = (x == y) ? x = v, 1 : 0 */
    LOCK, UNLOCK,
    TRY,   /* r = got it */
    TLOCK, /* with a timeout; r = got it */
    WAIT,  /* cond x, mutex y */
    TWAIT, /* with a timeout; r = signalled */
    SIG, CAST,
    SWAIT, POST,
    STRY,  /* r = got it */
    SGET,  /* r = value */
    BAR,   /* barrier x for v threads; r = serial */
    RD, WRL, RUN,
    TRD, TWR, /* r = got it */
    ONCE,  /* r = I run it */
    DONE,  /* ... and did */
    SLEEP, YIELD,
    QUIT,  /* the process */
    JZ, JNZ, JMP, /* to v, if r; no step */
    SPAWN, AWAIT, /* thread 0 only */
};

struct ins {
    u8 op, x, y;
    signed char v;
};

#define MAX_CODE 24
struct program {
    const char *name;
    u8 threads;   /* besides main */
    u8 sem[2];    /* initial values */
    struct ins code[3][MAX_CODE];
};

#define VARS 6
struct memory {
    short var[VARS];
    short reg[4];   /* by thread */
};

enum { HOW_DONE, HOW_DEADLOCK, HOW_QUIT, HOW_CUT, HOW_LIMIT };

static inline u64 mix64(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 31;
}

/* A final state. With two threads deadlocks are told apart by where they stand;
 * with three a run may end before the third has come to a stop. */
static inline u64 final_of(const struct program *p, const struct memory *m, u8 how, const u8 *pc)
{
    u64 h = how == HOW_QUIT ? 77 : how;
    if (how == HOW_DEADLOCK && p->threads > 2)
        return h;
    for (u32 i = 0; i < VARS; i++)
        h = mix64(h, (u16)m->var[i]);
    for (u32 t = 0; t < 4; t++)
        h = mix64(mix64(h, (u16)m->reg[t]), pc[t]);
    return h;
}

/* Main's code: create all, join all. */
static inline struct ins ins_at(const struct program *p, u32 t, u32 pc)
{
    u32 n = p->threads;
    if (t)
        return p->code[t - 1][pc];
    if (pc < n)
        return (struct ins){SPAWN, (u8)(pc + 1), 0, 0};
    if (pc < 2 * n)
        return (struct ins){AWAIT, (u8)(pc - n + 1), 0, 0};
    return (struct ins){END, 0, 0, 0};
}

/* ---- on the scheduler --------------------------------------------------------------- */

#define RIG_OPTIONS 8192
#define RIG_EVENTS 8192

struct machine {
    struct hd_sched *s;
    struct hd_log log;
    void *chunk[256];
    u32 n_chunk;
    struct hd_option option[RIG_OPTIONS];
    struct hd_event event[RIG_EVENTS];
    struct hd_pending pending[HD_SEARCH_THREADS];
    u32 n_options, n_events;
    struct memory mem;
    u8 pc[4];
    u8 how;
    u64 final;
    u32 spin_limit, step_limit;
    u32 alike;  /* so many of the threads run the same code: their sites are the first one's */
};

static inline u32 m_load32(void *self, u64 addr)
{
    (void)self;
    (void)addr;
    return 0;
}

static inline void *m_alloc(void *self, size_t bytes)
{
    struct machine *m = self;
    assert_true(m->n_chunk < 256);
    return m->chunk[m->n_chunk++] = calloc(1, bytes);
}

static inline void m_emit(void *self, const struct hd_event *ev)
{
    struct machine *m = self;
    assert_true(m->n_events < RIG_EVENTS);
    m->event[m->n_events++] = *ev;
}

static inline void m_chosen(void *self, const struct hd_option *o)
{
    struct machine *m = self;
    assert_true(m->n_options < RIG_OPTIONS);
    m->option[m->n_options++] = *o;
}

static inline void m_pending(void *self, u16 t, const struct hd_pending *p)
{
    ((struct machine *)self)->pending[t] = *p;
}

#define ADDR(space, x) (0x10000u * (space) + 16u * (x))

/* The operation of an instruction. */
static inline struct hd_op op_of(struct machine *m, const struct program *p, u32 t, struct ins i)
{
    static const u8 kind[] = {
        [END] = HD_EV_EXIT, [R] = HD_EV_READ, [W] = HD_EV_WRITE, [WR] = HD_EV_WRITE,
        [ADD] = HD_EV_ARMW, [CAS] = HD_EV_ARMW, [LOCK] = HD_EV_LOCK, [UNLOCK] = HD_EV_UNLOCK,
        [TRY] = HD_EV_TRYLOCK, [TLOCK] = HD_EV_LOCK, [WAIT] = HD_EV_COND_WAIT,
        [TWAIT] = HD_EV_COND_WAIT, [SIG] = HD_EV_COND_SIGNAL, [CAST] = HD_EV_COND_BROADCAST,
        [SWAIT] = HD_EV_SEM_WAIT, [POST] = HD_EV_SEM_POST, [STRY] = HD_EV_SEM_TRYWAIT,
        [SGET] = HD_EV_SEM_GETVALUE, [BAR] = HD_EV_BARRIER_WAIT, [RD] = HD_EV_RDLOCK,
        [WRL] = HD_EV_WRLOCK, [RUN] = HD_EV_RW_UNLOCK, [TRD] = HD_EV_TRYRDLOCK,
        [TWR] = HD_EV_TRYWRLOCK, [ONCE] = HD_EV_ONCE_BEGIN, [DONE] = HD_EV_ONCE_END,
        [SLEEP] = HD_EV_SLEEP, [YIELD] = HD_EV_YIELD, [QUIT] = HD_EV_END,
        [SPAWN] = HD_EV_CREATE, [AWAIT] = HD_EV_JOIN,
    };
    u32 code = t && t <= m->alike ? 1 : t;
    struct hd_op op = {.kind = kind[i.op], .deadline = HD_NEVER,
                       .site = 0x400000 + 0x1000 * code + 8u * m->pc[t], .ctx = 7};
    bool is_timed = i.op == TWAIT || i.op == TLOCK || i.op == SLEEP;
    switch (i.op) {
    case R: case W: case WR: case ADD: case CAS:
        op.obj = ADDR(1, i.x);
        op.size = 4;
        break;
    case LOCK: case UNLOCK: case TRY: case TLOCK: op.obj = ADDR(2, i.x); break;
    case WAIT: case TWAIT:
        op.obj = ADDR(3, i.x);
        op.obj2 = ADDR(2, i.y);
        break;
    case SIG: case CAST: op.obj = ADDR(3, i.x); break;
    case SWAIT: case POST: case STRY: case SGET:
        op.obj = ADDR(4, i.x);
        op.arg = p->sem[i.x];
        break;
    case BAR:
        op.obj = ADDR(5, i.x);
        op.arg = (u64)i.v;
        break;
    case RD: case WRL: case RUN: case TRD: case TWR: op.obj = ADDR(6, i.x); break;
    case ONCE: case DONE: op.obj = ADDR(7, i.x); break;
    case SPAWN: op.obj = hd_sched_spawn(m->s, (u16)t); break;
    case AWAIT: op.obj = i.x; break;
    default: break;
    }
    if (is_timed) {
        op.flags = HD_OP_TIMED;
        op.deadline = m->s->now + 1000000;
    }
    return op;
}

/* What the instruction does once its operation has taken effect. */
static inline void m_effect(struct machine *m, u32 t, struct ins i, const struct hd_res *res)
{
    short *r = &m->mem.reg[t], *x = &m->mem.var[i.x < VARS ? i.x : 0];
    switch (i.op) {
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
    case TRY: case TLOCK: case TWAIT: case STRY: case TRD: case TWR: *r = !res->err; break;
    case SGET: case BAR: case ONCE: *r = (short)res->value; break;
    default: break;
    }
}

/* Local instructions of t up to the next step; posts it. */
static inline void m_advance(struct machine *m, const struct program *p, u32 t)
{
    for (;;) {
        struct ins i = ins_at(p, t, m->pc[t]);
        bool is_zero = !m->mem.reg[t];
        bool jumps = i.op == JMP || (i.op == JZ && is_zero) || (i.op == JNZ && !is_zero);
        if (i.op < JZ || i.op > JMP) {
            struct hd_op op = op_of(m, p, t, i);
            hd_sched_post(m->s, (u16)t, &op);
            return;
        }
        m->pc[t] = jumps ? (u8)i.v : m->pc[t] + 1;
    }
}

static inline void run_plan(struct machine *m, const struct program *p, const struct hd_plan *plan,
                            struct hd_trace *out)
{
    static const struct hd_learned nothing;
    u32 spin = m->spin_limit, steps = m->step_limit;
    memset(m, 0, offsetof(struct machine, option));
    memset(m->pending, 0, sizeof m->pending);
    m->n_options = m->n_events = 0;
    memset(&m->mem, 0, sizeof m->mem);
    memset(m->pc, 0, sizeof m->pc);
    m->s = calloc(1, sizeof *m->s);
    m->log.cap = RIG_OPTIONS;
    m->log.choice = calloc(RIG_OPTIONS, sizeof *m->log.choice);
    m->log.site = calloc(RIG_OPTIONS, sizeof(u64));
    m->log.check = calloc(RIG_OPTIONS, sizeof(u64));
    struct hd_sched_config cfg = {.spin_limit = spin ? spin : 4, .is_search = true,
                                  .max_delay = 250000000,
                                  .step_limit = steps ? steps : 4000, .asleep = plan->asleep};
    cfg.strategy_arg.learned = &nothing;
    struct hd_sched_env env = {.self = m, .load32 = m_load32, .alloc = m_alloc, .emit = m_emit,
                               .chosen = m_chosen, .pending = m_pending};
    struct hd_script script = {.n = plan->n, .choice = plan->choice};
    hd_sched_init(m->s, &cfg, &env, &m->log);
    hd_sched_begin(m->s, &cfg, &script);
    m_advance(m, p, 0);
    for (;;) {
        u16 t;
        const char *why = "";
        enum hd_step how = hd_sched_step(m->s, &t);
        if (!hd_sched_is_valid(m->s, &why))
            fail_msg("%s: %s", p->name, why);
        if (how != HD_STEP_RESUME) {
            m->how = how == HD_STEP_DONE ? HOW_DONE
                     : how == HD_STEP_DEADLOCK ? HOW_DEADLOCK
                     : how == HD_STEP_CUT ? HOW_CUT
                                          : HOW_LIMIT;
            break;
        }
        struct ins i = ins_at(p, t, m->pc[t]);
        if (m->s->thread[t].state == HD_T_FINISHED)
            continue;
        if (m->event[m->n_events - 1].kind == HD_EV_START) {
            m_advance(m, p, t);
            continue;
        }
        m_effect(m, t, i, &m->s->thread[t].res);
        m->pc[t]++;
        if (i.op == QUIT) {
            m->how = HOW_QUIT;
            break;
        }
        m_advance(m, p, t);
    }
    u8 pc[4] = {0};
    if (m->how == HOW_DEADLOCK)
        memcpy(pc, m->pc, sizeof pc);
    m->final = final_of(p, &m->mem, m->how, pc);
    *out = (struct hd_trace){.option = m->option, .n_options = m->n_options, .event = m->event,
                             .n_events = m->n_events, .pending = m->pending,
                             .n_threads = m->s->n_threads, .is_cut = m->how == HOW_CUT,
                             .is_partial = m->how == HOW_LIMIT,
                             .is_good = m->how == HOW_DONE || m->how == HOW_QUIT};
    for (u32 i = 0; i < m->n_chunk; i++)
        free(m->chunk[i]);
    free(m->log.choice);
    free(m->log.site);
    free(m->log.check);
    free(m->s);
}

/* ---- sets of u64 -------------------------------------------------------------------- */

struct set {
    u64 *at;
    u32 n, cap;
};

static inline bool set_add(struct set *s, u64 x)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i] == x)
            return false;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->at = realloc(s->at, s->cap * sizeof *s->at);
    }
    s->at[s->n++] = x;
    return true;
}

static inline bool set_has(const struct set *s, u64 x)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i] == x)
            return true;
    return false;
}

/* Everything a search finds: final states, how many runs. */
struct found {
    struct set finals;
    u64 whole;   /* runs that came to their end */
    struct hd_search_result result;
};

static inline void found_release(struct found *f) { free(f->finals.at); }

static inline void search_all(struct machine *m, const struct program *p, const char *method,
                              u64 param, u64 most, struct found *f)
{
    const struct hd_search_method *how = hd_search_find(method);
    struct hd_search_opts o = {.method = how, .param = param == ~0ull ? how->param_default : param,
                               .guided_only = !strcmp(method, "hapset") || !strcmp(method, "pset")};
    struct hd_search *s = hd_search_open(&o);
    struct hd_plan plan;
    struct hd_trace t;
    memset(f, 0, sizeof *f);
    while (f->result.runs < most && search_next(s, &plan)) {
        run_plan(m, p, &plan, &t);
        search_ran(s, &t);
        f->result = *hd_search_result(s);
        if (m->how == HOW_CUT || m->how == HOW_LIMIT)
            continue;
        f->whole++;
        set_add(&f->finals, m->final);
    }
    f->result = *hd_search_result(s);
    hd_search_close(s);
}

#endif
