/* noise.h: random noise before synchronization and accesses (those that are scheduling
 * points; --no-filter: all), as noise makers put it into a program that runs freely
 * (Edelstein et al. 2002; what TSA compares with). Every
 * thread has a clock of its own and the one that is furthest behind goes: threads
 * on cores of their own. A step takes about a microsecond of it; noise makes a
 * thread's clock jump, so nobody really sleeps.
 */
#ifndef HD_NOISE_H
#define HD_NOISE_H

#include "strategy/strategy.h"

#define HD_NOISE_STEP_NS 500u /* at least, and up to three times as long */

struct hd_noise {
    struct hd_rng rng;
    u64 percent;                  /* chance of noise before a call */
    u64 longest_ns;               /* of a sleep; 0 = step back behind the others */
    u64 now;
    u64 clock[HD_MAX_THREADS];
    u64 drawn[HD_BITS_WORDS(HD_MAX_THREADS)]; /* noise was decided for the pending call */
};
_Static_assert(sizeof(struct hd_noise) <= 8 * HD_STRATEGY_WORDS, "state");

HD_INLINE void hd_noise_start(void *state, const struct hd_strategy_arg *arg, u64 longest_ns)
{
    struct hd_noise *s = state;
    s->rng = arg->rng;
    s->percent = HD_MIN(arg->param, (u64)100);
    s->longest_ns = longest_ns;
}

HD_INLINE bool hd_noise_is_place(const struct hd_op *op)
{
    enum hd_evclass c = hd_event_class(op->kind);
    return c != HD_CLASS_LOCAL && c != HD_CLASS_ORDER;
}

HD_INLINE void hd_noise_make(struct hd_noise *s, const struct hd_view *v, u32 t)
{
    if (s->longest_ns) {
        s->clock[t] += 1 + hd_rng_below(&s->rng, s->longest_ns);
        return;
    }
    u64 last = s->clock[t];
    HD_BITS_EACH(u, v->enabled, v->words)
        last = HD_MAX(last, s->clock[u]);
    s->clock[t] = last + 1;
}

HD_INLINE u32 hd_noise_pick(void *state, const struct hd_view *v)
{
    struct hd_noise *s = state;
    u32 best = HD_NO_THREAD, ties = 0;
    HD_BITS_EACH(t, v->enabled, v->words) /* who was blocked lost the time */
        s->clock[t] = HD_MAX(s->clock[t], s->now);
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (hd_bit_is_set(s->drawn, t) || !hd_noise_is_place(hd_view_op(v, t)))
            continue;
        hd_bit_set(s->drawn, t);
        if (hd_rng_chance(&s->rng, s->percent, 100))
            hd_noise_make(s, v, t);
    }
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (best != HD_NO_THREAD && s->clock[t] > s->clock[best])
            continue;
        if (best == HD_NO_THREAD || s->clock[t] < s->clock[best])
            ties = 0;
        if (hd_rng_below(&s->rng, ++ties) == 0)
            best = t;
    }
    return best;
}

HD_INLINE void hd_noise_stepped(void *state, const struct hd_view *v, u32 tid,
                                const struct hd_op *op)
{
    struct hd_noise *s = state;
    s->now = s->clock[tid] = HD_MAX(s->clock[tid], s->now);
    s->clock[tid] += HD_NOISE_STEP_NS + hd_rng_below(&s->rng, 2 * HD_NOISE_STEP_NS);
    hd_bit_clear(s->drawn, tid);
}

#endif
