/* sched_rig.h: drives the scheduler without threads, for test_sched_*.c.
 *
 * rig_post states what a thread wants; rig_step lets the machine decide, checks
 * every invariant and returns who was resumed. rig_do is both, for operations
 * expected to complete at once. Strategies here are tiny and know nothing of
 * src/strategy.
 */
#ifndef SCHED_RIG_H
#define SCHED_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/sched.h"

#define RIG_EVENTS 4096
#define RIG_LOG 65536

struct rig {
    struct hd_sched *s;
    struct hd_log log;
    struct hd_sched_config cfg;
    struct hd_event ev[RIG_EVENTS]; /* the last ones */
    u32 n_ev;
    u32 word[16];                   /* futex words: address i is word[i] */
    void **chunk;                   /* what env.alloc gave */
    u32 n_chunk;
    bool is_unchecked;              /* skip the invariants (benchmark) */
    u8 *file, *script;              /* packed entries, in RIG_FILE bytes; NULL = none */
    bool is_disk_full;
};
#define RIG_FILE (1u << 23)

static inline u32 rig_load32(void *self, u64 addr)
{
    return ((struct rig *)self)->word[addr & 15];
}

static inline void *rig_alloc(void *self, size_t bytes)
{
    struct rig *r = self;
    r->chunk = realloc(r->chunk, (r->n_chunk + 1) * sizeof *r->chunk);
    return r->chunk[r->n_chunk++] = calloc(1, bytes);
}

static inline void rig_emit(void *self, const struct hd_event *ev)
{
    struct rig *r = self;
    r->ev[r->n_ev++ % RIG_EVENTS] = *ev;
}

static inline bool rig_spill(void *self, u64 at, const u8 *bytes, u32 n)
{
    struct rig *r = self;
    if (!r->file || r->is_disk_full || at + n > RIG_FILE)
        return false;
    memcpy(r->file + at, bytes, n);
    return true;
}

static inline u32 rig_script(void *self, u64 at, u8 *to, u32 n)
{
    struct rig *r = self;
    memcpy(to, r->script + at, n);
    return n;
}

/* ---- strategies --------------------------------------------------------------- */

static inline void rig_random_start(void *state, const struct hd_strategy_arg *arg)
{
    *(struct hd_rng *)state = arg->rng;
}

static inline u32 rig_random_pick(void *state, const struct hd_view *v)
{
    return hd_bits_nth(v->enabled, v->words, (u32)hd_rng_below(state, v->n_enabled));
}

/* Strict priorities: the lowest / the highest number always wins. */
static inline void rig_none_start(void *state, const struct hd_strategy_arg *arg)
{
    (void)state;
    (void)arg;
}

static inline u32 rig_low_pick(void *state, const struct hd_view *v)
{
    (void)state;
    return hd_bits_nth(v->enabled, v->words, 0);
}

static inline u32 rig_high_pick(void *state, const struct hd_view *v)
{
    (void)state;
    return hd_bits_nth(v->enabled, v->words, v->n_enabled - 1);
}

/* Goes on with the current thread as long as it can. */
static inline u32 rig_stay_pick(void *state, const struct hd_view *v)
{
    (void)state;
    return v->current != HD_NO_THREAD ? v->current : hd_bits_nth(v->enabled, v->words, 0);
}

__attribute__((unused)) static const struct hd_strategy rig_random = {
    .name = "random", .state_size = 8, .start = rig_random_start, .pick = rig_random_pick};
__attribute__((unused)) static const struct hd_strategy rig_low = {
    .name = "low", .start = rig_none_start, .pick = rig_low_pick};
__attribute__((unused)) static const struct hd_strategy rig_high = {
    .name = "high", .start = rig_none_start, .pick = rig_high_pick};
__attribute__((unused)) static const struct hd_strategy rig_stay = {
    .name = "stay", .start = rig_none_start, .pick = rig_stay_pick};

/* ---- lifecycle ------------------------------------------------------------------- */

static inline void rig_bug(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
}

static inline void rig_init(struct rig *r, const struct hd_strategy *strategy, u64 seed)
{
    static const struct hd_learned nothing;
    memset(r, 0, sizeof *r);
    hd_bug_hook = rig_bug;
    r->s = calloc(1, sizeof *r->s);
    r->log.cap = RIG_LOG;
    r->log.choice = calloc(RIG_LOG, sizeof *r->log.choice);
    r->log.site = calloc(RIG_LOG, sizeof *r->log.site);
    r->log.check = calloc(RIG_LOG, sizeof *r->log.check);
    r->cfg = (struct hd_sched_config){.seed = seed, .spin_limit = 8, .step_ns = 1000,
                                      .max_delay = 250000000, .strategy = strategy};
    r->cfg.strategy_arg.rng = hd_rng_make(seed, 0, HD_RNG_STRATEGY);
    r->cfg.strategy_arg.learned = &nothing;
    struct hd_sched_env env = {
        .self = r, .load32 = rig_load32, .alloc = rig_alloc, .emit = rig_emit,
        .spill = rig_spill, .script = rig_script};
    hd_sched_init(r->s, &r->cfg, &env, &r->log);
}

static inline void rig_release(struct rig *r)
{
    for (u32 i = 0; i < r->n_chunk; i++)
        free(r->chunk[i]);
    free(r->chunk);
    free(r->log.choice);
    free(r->log.site);
    free(r->log.check);
    free(r->log.ring);
    free(r->file);
    free(r->s);
}

static inline void rig_check(struct rig *r)
{
    const char *why = "";
    if (r->is_unchecked || hd_sched_is_valid(r->s, &why))
        return;
    for (u32 t = 0; t < r->s->n_threads; t++) {
        const struct hd_sthread *th = &r->s->thread[t];
        print_error("thread %u: state %u, %s of %lx, phase %u%s%s\n", t, th->state,
                    hd_event_text(th->op.kind), (unsigned long)th->op.obj, th->phase,
                    hd_bit_is_set(r->s->enabled, t) ? ", enabled" : "",
                    th->timed_out ? ", timed out" : "");
    }
    fail_msg("seed %lu step %lu: %s", (unsigned long)r->cfg.seed, (unsigned long)r->s->step, why);
}

/* ---- driving ----------------------------------------------------------------------- */

static inline struct hd_op rig_op(u8 kind, u64 obj, u64 arg)
{
    return (struct hd_op){
        .kind = kind, .obj = obj, .arg = arg, .site = 0x400000 + kind, .deadline = HD_NEVER};
}

static inline void rig_post(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg)
{
    struct hd_op op = rig_op(kind, obj, arg);
    hd_sched_post(r->s, t, &op);
    rig_check(r);
}

static inline void rig_post_timed(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg, s64 deadline)
{
    struct hd_op op = rig_op(kind, obj, arg);
    op.flags = HD_OP_TIMED;
    op.deadline = deadline;
    hd_sched_post(r->s, t, &op);
    rig_check(r);
}

static inline void rig_wait(struct rig *r, u16 t, u64 cond, u64 mutex, u64 kind, s64 deadline)
{
    struct hd_op op = rig_op(HD_EV_COND_WAIT, cond, kind);
    op.obj2 = mutex;
    op.deadline = deadline;
    op.flags = deadline == HD_NEVER ? 0 : HD_OP_TIMED;
    hd_sched_post(r->s, t, &op);
    rig_check(r);
}

static inline enum hd_step rig_step(struct rig *r, u16 *t)
{
    enum hd_step e = hd_sched_step(r->s, t);
    rig_check(r);
    return e;
}

static inline struct hd_res rig_res(struct rig *r, u16 t) { return r->s->thread[t].res; }

/* The next resumed must be t. */
static inline struct hd_res rig_expect(struct rig *r, u16 t)
{
    u16 got;
    assert_int_equal(rig_step(r, &got), HD_STEP_RESUME);
    assert_int_equal(got, t);
    return rig_res(r, t);
}

/* t's operation completes at once (strategy `stay`, or nobody else enabled). */
static inline struct hd_res rig_do(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg)
{
    rig_post(r, t, kind, obj, arg);
    return rig_expect(r, t);
}

static inline s32 rig_err(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg)
{
    return rig_do(r, t, kind, obj, arg).err;
}

static inline bool rig_is_enabled(struct rig *r, u16 t)
{
    return hd_bit_is_set(r->s->enabled, t);
}

/* Makes a thread, pending on START; the creator runs on. */
static inline u16 rig_spawn(struct rig *r, u16 parent)
{
    u16 t = hd_sched_spawn(r->s, parent);
    rig_post(r, parent, HD_EV_CREATE, t, 0);
    rig_expect(r, parent);
    return t;
}

/* Steered strategy: state[0] is the thread that goes next, if it can. */
static inline u32 rig_steer_pick(void *state, const struct hd_view *v)
{
    u32 t = (u32)*(u64 *)state;
    if (t < v->n_threads && hd_bit_is_set(v->enabled, t))
        return t;
    return hd_bits_nth(v->enabled, v->words, 0);
}
__attribute__((unused)) static const struct hd_strategy rig_steer = {
    .name = "steer", .state_size = 8, .start = rig_none_start, .pick = rig_steer_pick};

static inline void rig_hand(struct rig *r, u16 t) { r->s->strategy_state[0] = t; }

/* n threads besides main, all pending on a read: ready to be steered. */
static inline void rig_team(struct rig *r, u16 n)
{
    rig_init(r, &rig_steer, 1);
    for (u16 i = 0; i < n; i++)
        rig_spawn(r, 0);
    rig_post(r, 0, HD_EV_FENCE, 0, 0);
    for (u16 t = 1; t <= n; t++) {
        rig_hand(r, t);
        rig_expect(r, t);
        rig_post(r, t, HD_EV_FENCE, 0, 0);
    }
}

/* Gives the baton to t, whose pending FENCE completes: t is RUNNING then. The
 * thread that ran must have posted. */
static inline void rig_turn(struct rig *r, u16 t)
{
    rig_hand(r, t);
    rig_expect(r, t);
}

/* t (at its fence) does the operation and comes back to its fence. */
static inline struct hd_res rig_try(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg)
{
    rig_turn(r, t);
    struct hd_res res = rig_do(r, t, kind, obj, arg);
    rig_post(r, t, HD_EV_FENCE, 0, 0);
    return res;
}

/* t (at its fence) states an operation that blocks. */
static inline void rig_block(struct rig *r, u16 t, u8 kind, u64 obj, u64 arg)
{
    rig_turn(r, t);
    rig_post(r, t, kind, obj, arg);
    assert_false(rig_is_enabled(r, t));
}

/* t's blocked operation completes now; t returns to its fence. */
static inline struct hd_res rig_finish(struct rig *r, u16 t)
{
    rig_turn(r, t);
    struct hd_res res = rig_res(r, t);
    rig_post(r, t, HD_EV_FENCE, 0, 0);
    return res;
}

static inline const struct hd_event *rig_last_event(const struct rig *r)
{
    return &r->ev[(r->n_ev - 1) % RIG_EVENTS];
}

#endif
