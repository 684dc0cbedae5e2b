/* end.c: when the process may end. exit() has two points (HD_EV_END): it begins, and the last
 * of the program's handlers (atexit, destructors) is done, which ends all threads; _exit() has the last. Picked
 * like any other operation, it would cut most runs of a program short that does not join
 * its threads. So in most runs it is held back (no candidate) while others can go on:
 *   6 of 8   until nobody else can, or for cfg.end_hold steps (once in a run)
 *   1 of 8   for a few steps: 1, 2, 4, ... 64
 *   1 of 8   not at all: the strategy decides
 * Handlers that do what others could notice (cfg.has_handlers: so it was in earlier runs) are
 * code like any other and may meet threads that go on: then only the second point is held
 * back in 3 of 4 runs. In the others both are, for handlers that stop what the threads do.
 * Drawn from the core's generator at each point; what is picked in the end is in the log, so
 * a replay needs none of it. Threads that block, sleep or spin (spin.c) are no reason to
 * wait. Searches and scripts try all that they want: nothing is held.
 */
#include "sched/internal.h"

#define LOOPS 4 /* times a thread was found to spin since it wrote anything */
#define LONG 64 /* steps */

void hd_end_begin(struct hd_sched *s, u16 t)
{
    const struct hd_sthread *th = &s->thread[t];
    bool is_last = th->op.arg == HD_END_LAST;
    s->had_handlers |= is_last && s->end_points && s->end_points != th->points;
    s->end_points = is_last ? 0 : th->points + 1; /* with the point it is at */
    s->n_ending++;
    s->is_end_long = false;
    s->end_until = s->end_since = s->step;
    if (!s->cfg.end_hold || s->cfg.is_search)
        return;
    if (s->cfg.has_handlers && !is_last && hd_rng_below(&s->rng, 4))
        return;
    u64 ticket = hd_rng_below(&s->rng, 8);
    if (ticket == 0)
        return;
    s->is_end_long = ticket > 1 && s->end_hold_was != HD_HOLD_VAIN; /* once is enough */
    s->end_until += s->is_end_long ? s->cfg.end_hold : (u64)1 << hd_rng_below(&s->rng, 7);
}

void hd_end_done(struct hd_sched *s) { s->n_ending--; }

static bool is_held(const struct hd_sthread *th)
{
    return th->op.kind == HD_EV_END && !hd_signal_due(th);
}

/* It goes round and round: not worth waiting for. */
static bool is_looping(const struct hd_sthread *th) { return th->spin.paroles >= LOOPS; }

/* The end is a candidate now. Was it worth waiting? */
static void note(struct hd_sched *s, bool is_last)
{
    if (is_last && !s->n_yielded && s->end_hold_was == HD_HOLD_NONE)
        s->end_hold_was = HD_HOLD_LAST;
    else if ((!is_last || s->n_yielded) && s->is_end_long && s->step - s->end_since >= LONG)
        s->end_hold_was = HD_HOLD_VAIN;
}

/* `n` threads are in s->cand; takes those out that are to wait, returns how many are left. */
u32 hd_end_hold(struct hd_sched *s, u32 n)
{
    u32 held = 0, looping = 0;
    HD_BITS_EACH(t, s->cand, hd_words(s))
    {
        held += is_held(&s->thread[t]);
        looping += !is_held(&s->thread[t]) && is_looping(&s->thread[t]);
    }
    if (!held)
        return n;
    if (s->step >= s->end_until || held + looping == n) {
        note(s, held == n);
        return n;
    }
    HD_BITS_EACH(t, s->cand, hd_words(s))
        if (is_held(&s->thread[t]))
            hd_bit_clear(s->cand, t);
    return n - held;
}
