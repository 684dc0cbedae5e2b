/* end.c: when the process may end.
 *
 * exit() and the return of main end all threads. As an operation like any other the end
 * would be picked soon, and most runs of a program that does not join its threads would
 * be cut short. So in most runs it is held back (HD_EV_END is no candidate) while others
 * can go on:
 *
 *   6 of 8   until nobody else can, or for cfg.end_hold steps (once in a run)
 *   1 of 8   for a few steps: 1, 2, 4, ... 64
 *   1 of 8   not at all: the strategy decides
 *
 * Drawn anew for each HD_EV_END from the core's generator; what is picked in the end is
 * in the log, so a replay needs none of it. Threads that block, sleep or spin (spin.c)
 * are no reason to wait. Searches and scripts try all that they want: nothing is held.
 */
#include "sched/internal.h"

#define LOOPS 4 /* times a thread was found to spin since it wrote anything */
#define LONG 64 /* steps */

void hd_end_begin(struct hd_sched *s)
{
    s->n_ending++;
    s->is_end_long = false;
    s->end_until = s->end_since = s->step;
    if (!s->cfg.end_hold || s->cfg.is_search)
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
static void note(struct hd_sched *s, bool is_alone)
{
    if (is_alone && !s->n_yielded && s->end_hold_was == HD_HOLD_NONE)
        s->end_hold_was = HD_HOLD_ALONE;
    else if ((!is_alone || s->n_yielded) && s->is_end_long && s->step - s->end_since >= LONG)
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
