/* active_sim.h: runs of simulated programs under a strategy that has goals, and what they did. */
#ifndef HD_TEST_ACTIVE_SIM_H
#define HD_TEST_ACTIVE_SIM_H

#include "unit/active_rig.h"

enum { LONGEST = 4096 };

static struct sim sim;

/* What was executed, in order. */
static struct {
    u16 tid;
    u32 pc;
    struct hd_op op;
} trace[LONGEST];
static u32 n_trace;

/* `n` steps that have nothing to do with anybody. */
static inline void pad(struct sim_program *p, u32 tid, u32 n)
{
    while (n--)
        sim_add(p, tid, HD_EV_WRITE, NOISE + 64 * tid);
}

/* Adds an operation and returns its site: distinct, since threads are padded
 * differently. */
static u64 add(struct sim_program *p, u32 tid, u8 kind, u64 obj)
{
    sim_add(p, tid, kind, obj);
    return 0x400000 + 16 * (u64)(p->code[tid].n - 1);
}

static void run(struct sim_program *p, u64 seed)
{
    struct hd_strategy_arg arg = {.rng = hd_rng_make(seed, 1, HD_RNG_STRATEGY), .goals = &goals};
    static const struct hd_learned nothing;
    struct hd_view v;
    arg.learned = &nothing;
    memset(driver.state, 0, driver.strategy->state_size);
    driver.strategy->start(driver.state, &arg);
    sim_init(&sim, p);
    n_trace = 0;
    for (u32 n; (n = sim_look(&sim, &v)) && n_trace < LONGEST;) {
        u32 t = n == 1 ? hd_bits_nth(v.enabled, v.words, 0) : driver.strategy->pick(driver.state, &v);
        struct hd_op done;
        trace[n_trace].tid = (u16)t;
        trace[n_trace].pc = sim.thread[t].pc;
        sim_step(&sim, t, &done);
        trace[n_trace++].op = done;
        driver.strategy->stepped(driver.state, &v, t, &done);
    }
}

/* First time that thread tid executed `site` at or after `from`; LONGEST = never. */
static u32 when(u32 tid, u64 site, u32 from)
{
    for (u32 i = from; i < n_trace; i++)
        if (trace[i].tid == tid && trace[i].op.site == site && trace[i].op.kind != HD_EV_START)
            return i;
    return LONGEST;
}

static inline bool is_touched(u64 obj, u32 from, u32 to)
{
    for (u32 i = from + 1; i < to; i++)
        if (trace[i].op.obj == obj && trace[i].op.kind <= HD_EV_ARMW)
            return true;
    return false;
}

#endif
