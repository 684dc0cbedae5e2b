/* spin.c: fairness. Strategies with strict priorities would let a thread that
 * waits by looping run for ever. Such a thread is demoted (is_yielded): not
 * offered while another enabled thread is not demoted. If all are, a new
 * round begins and all are offered again, so each gets a turn per round.
 *
 * Demoted: who yields (not always: yields()); who meets the same few (site, object) pairs again
 * spin_limit times without writing; the same with locks and updates among them
 * (polling under a lock, test-and-set) after HD_SPIN_PATIENCE times that, unless earlier runs showed
 * that its thread gets through; who fails to
 * get something spin_limit times; who does not write for very long.
 * Promoted again: when another thread makes progress. Locks and unlocks count
 * as progress only for softly demoted threads, else pollers that lock would
 * keep promoting each other. In any case after some steps of others, more each
 * time: a thread that yields twice and then sleeps must not have to wait until
 * what it waits for has come. Last resort: a thread that could run but was passed
 * over for HD_STARVED * spin_limit steps is let through for a while.
 */
#include "sched/internal.h"

#define HD_PAROLE 1     /* steps before the first return, doubled each time ... */
#define HD_PAROLES 12   /* ... up to this often */
#define HD_STOP_PAROLES 6 /* a thread that was stopped comes back as if for that time */
#define HD_STARVED 1024
#define HD_STOPS 64     /* a thread is not held for longer than so many stops of others: each is
                           milliseconds of real time (runtime/core/stop.c) */
#define HD_BOOST 64     /* steps a starved thread gets in a row */
#define HD_STEP_US 100  /* of virtual time a step of a loop that only reads may take (vtime.c) */
#define HD_WEAK_US 4    /* ... of one that locks or updates, which may be work */
#define HD_PLAIN_US 1000 /* ... many reads of plain memory in one (runtime/filter/site.c) */

static u8 effect_of(const struct hd_event *ev, u8 flags)
{
    u32 may = hd_meaning[ev->kind].effects;
    if (may & (HD_READS | HD_WRITES))
        return hd_spin_effect_of_access(ev->kind, flags);
    if ((may & HD_TRIES) && !hd_has_succeeded(ev->kind, ev->arg))
        return HD_EFFECT_FAIL;
    if (may & HD_WEAK)
        return HD_EFFECT_WEAK;
    if (may & HD_IDLE || (may & HD_COUNTS && !ev->arg)) /* or nobody was woken */
        return HD_EFFECT_NONE;
    if (ev->kind == HD_EV_YIELD)
        return HD_EFFECT_YIELD;
    return ev->kind == HD_EV_ONCE_BEGIN && !ev->arg ? HD_EFFECT_READ : HD_EFFECT_WRITE;
}

void hd_spin_clear(struct hd_sched *s, u16 t)
{
    if (!s->thread[t].is_yielded)
        return;
    s->thread[t].is_yielded = false;
    hd_bit_clear(s->yielded, t);
    s->n_yielded--;
}

static void demote(struct hd_sched *s, u16 t, bool is_hard, bool is_waiting)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->state == HD_T_FINISHED)
        return;
    th->spin.is_hard = is_hard;
    th->spin.is_waiting = is_waiting;
    if (th->is_yielded)
        return;
    th->is_yielded = true;
    hd_bit_set(s->yielded, t);
    th->spin.until = s->step + ((u64)HD_PAROLE << th->spin.paroles);
    th->spin.paroles += th->spin.paroles < HD_PAROLES;
    if (!s->n_yielded++ || th->spin.until < s->next_parole)
        s->next_parole = th->spin.until;
}

/* It may wait by looping where nothing is seen, and each turn of it costs milliseconds: it gets fewer. */
void hd_spin_stopped(struct hd_sched *s, u16 t)
{
    s->n_stops++;
    s->thread[t].spin.paroles = HD_MAX(s->thread[t].spin.paroles, (u32)HD_STOP_PAROLES);
}

/* Lets those go whose time is up. */
static void parole(struct hd_sched *s)
{
    u64 next = UINT64_MAX;
    HD_BITS_EACH(t, s->yielded, hd_words(s)) {
        if (s->thread[t].spin.until <= s->step)
            hd_spin_clear(s, (u16)t);
        else
            next = HD_MIN(next, s->thread[t].spin.until);
    }
    s->next_parole = next;
}

/* t made progress on obj: others may find what they wait for. */
static void promote_others(struct hd_sched *s, u16 t, const struct hd_event *ev, bool is_weak)
{
    bool gives = ev->kind == HD_EV_UNLOCK || ev->kind == HD_EV_RW_UNLOCK;
    u32 words = hd_words(s);
    for (u32 w = 0; w < words; w++)
        for (u64 x = s->yielded[w]; x; x &= x - 1) {
            u16 y = (u16)(w * 64 + (u32)__builtin_ctzll(x));
            const struct hd_spin *sp = &s->thread[y].spin;
            if (y != t && (!is_weak || !sp->is_hard || (gives && sp->fail_obj == ev->obj)))
                hd_spin_clear(s, y);
        }
}

/* One more step at (site, obj) without a write; true if it counts as spinning. */
static bool repeats(struct hd_spin *sp, const struct hd_event *ev, u32 limit, bool is_weak)
{
    u64 key = hd_spin_key(ev->site, ev->obj);
    if (!limit || hd_spin_goes_on(sp, key, limit, is_weak))
        return false;
    bool is_known = key == sp->key[0] || key == sp->key[1] || key == sp->key[2] || key == sp->key[3];
    if (is_known) {
        sp->hits++;
        sp->is_weak |= is_weak;
    } else {
        sp->key[sp->next] = key;
        sp->next = (sp->next + 1) & 3;
        sp->hits = 0;
        sp->is_weak = is_weak;
    }
    u32 most = sp->is_weak ? limit * HD_SPIN_PATIENCE : limit;
    if (sp->hits >= most) {
        /* A loop of reads alone is sure: from now on one step at a time. */
        sp->hits = sp->is_weak ? most / 2 : most;
    } else { /* no write for long */
        sp->idle -= limit * HD_SPIN_QUIET / 4 - 1;
        sp->is_weak = true;
    }
    return true;
}

/* sched_yield() gives way, or the thread goes on at once as it may: in half of the runs, for
 * as often as is no endless loop, and in searches. What follows the last yield of a waiter
 * that then goes to sleep would otherwise never come before what it waits for. */
static bool is_ignored(const struct hd_sched *s, u16 t, u32 yields)
{
    bool is_call = s->thread[t].op.kind == HD_EV_YIELD && s->thread[t].op.arg == HD_YIELD_CALL;
    return yields < s->cfg.spin_limit && !s->is_rule &&
           (s->cfg.is_search || (s->is_yield_weak && is_call));
}

static void yields(struct hd_sched *s, u16 t, u8 flags)
{
    struct hd_sthread *th = &s->thread[t];
    u32 n = th->spin.yields++;
    hd_vtime_no_progress(s, t, 1, flags & HD_OP_PLAIN_SPIN ? HD_PLAIN_US : HD_STEP_US);
    /* The strategy made its time come, because all others had better wait: one of these would have
     * to go if it was demoted now. Who is demoted is nothing a replay depends on. */
    if (!is_ignored(s, t, n) && !th->is_hurried)
        demote(s, t, n > 0, th->is_yielded && th->spin.is_waiting);
}

void hd_spin_init(struct hd_sched *s)
{
    struct hd_rng rng = hd_rng_make(s->cfg.seed, s->cfg.run, HD_RNG_YIELD);
    s->is_yield_weak = s->cfg.strategy && hd_rng_below(&rng, 2);
}

/* In earlier runs it came to its end by itself, and not before it had made as many points: a
 * loop over locks is work then, however often it goes round. Most that is written under a lock
 * is not seen here. */
static bool is_at_work(const struct hd_sched *s, u16 t)
{
    const struct hd_learned *l = s->cfg.strategy_arg.learned;
    return s->cfg.strategy && l && t < HD_LEARN_THREADS && l->thread_ends[t] &&
           s->thread[t].points < l->thread_points[t];
}

void hd_spin_account(struct hd_sched *s, u16 t, const struct hd_event *ev, u8 flags,
                     bool timed_out)
{
    struct hd_sthread *th = &s->thread[t];
    struct hd_spin *sp = &th->spin;
    u32 limit = s->cfg.spin_limit;
    if (HD_UNLIKELY(s->n_yielded) && s->step >= s->next_parole)
        parole(s);
    switch (effect_of(ev, flags)) {
    case HD_EFFECT_WRITE:
        hd_spin_wrote(th);
        if (s->n_yielded)
            promote_others(s, t, ev, false);
        break;
    case HD_EFFECT_WEAK:
        if (ev->obj == sp->fail_obj)
            sp->fails = 0;
        if (repeats(sp, ev, limit, true)) {
            hd_vtime_no_progress(s, t, limit * HD_SPIN_PATIENCE / 2, HD_WEAK_US);
            if (!is_at_work(s, t)) {
                demote(s, t, true, true);
                break;
            }
        }
        th->clock_reads = 0;
        if (s->n_yielded)
            promote_others(s, t, ev, true);
        break;
    case HD_EFFECT_FAIL:
        sp->fail_obj = ev->obj;
        if (limit && ++sp->fails >= limit) {
            hd_vtime_no_progress(s, t, 1, HD_STEP_US);
            demote(s, t, true, true);
            break;
        }
        /* fall through */
    case HD_EFFECT_READ:
        if (repeats(sp, ev, limit, false)) {
            hd_vtime_no_progress(s, t, sp->is_weak ? limit * HD_SPIN_PATIENCE / 2 : 1,
                                 sp->is_weak ? HD_WEAK_US : HD_STEP_US);
            demote(s, t, sp->is_weak, true);
        }
        break;
    case HD_EFFECT_YIELD:
        yields(s, t, flags);
        break;
    default:
        break;
    }
    /* A wait for a time already past let nobody else run: it is a yield. */
    if (timed_out && s->step - th->post_step == th->points - th->post_points)
        yields(s, t, 0);
}

/* ---- candidates ---------------------------------------------------------------- */

/* Does the strategy keep it waiting, and not for too long yet? Nor may all holds of a run together
 * make others go round for longer than one: of a thread that is held in each pass of a loop nothing
 * would come to its end. */
static HD_COLD bool is_held(struct hd_sched *s, u32 t)
{
    const struct hd_strategy *how = s->cfg.strategy;
    const struct hd_sthread *th = &s->thread[t];
    if (!how || !how->holds || !hd_bit_is_set(s->enabled, t) ||
        s->n_stops - th->wait_stops >= HD_STOPS)
        return false;
    struct hd_view v = hd_sched_view(s, 1);
    v.enabled = s->enabled;
    u64 most = how->holds(s->strategy_state, &v, t);
    return s->step - th->wait_step < most && s->n_circles < most;
}

/* A new round begins, unless somebody is left who need not be demoted, nor is held. */
static HD_COLD bool is_round_over(struct hd_sched *s, u32 words)
{
    bool any = false;
    for (u32 w = 0; w < words; w++)
        for (u64 x = s->enabled[w] & ~s->yielded[w]; x; x &= x - 1, any = true)
            if (!is_held(s, w * 64 + (u32)__builtin_ctzll(x)))
                return false;
    s->n_circles += any;
    return true;
}

static HD_COLD void find_starved(struct hd_sched *s)
{
    u64 most = (u64)HD_STARVED * s->cfg.spin_limit;
    u16 found = HD_NO_THREAD;
    for (u32 i = 1; i <= s->n_threads; i++) {
        u16 t = (u16)((s->boost_from + i) % s->n_threads);
        const struct hd_sthread *th = &s->thread[t];
        if (th->state != HD_T_PENDING || !th->was_enabled || s->step - th->wait_step < most ||
            is_held(s, t))
            continue;
        if (found == HD_NO_THREAD || hd_bit_is_set(s->enabled, t))
            found = t;
        if (hd_bit_is_set(s->enabled, t))
            break;
    }
    s->boost = found;
    s->boost_left = HD_BOOST;
    if (found != HD_NO_THREAD)
        s->boost_from = found;
}

/* The starved thread alone, as long as it can go on. */
static bool take_boosted(struct hd_sched *s, u32 words)
{
    u16 t = s->boost;
    if (!hd_bit_is_set(s->enabled, t))
        return false;
    bool is_last = !--s->boost_left || (s->boost_left < HD_BOOST - 1 && s->thread[t].is_yielded);
    if (is_last)
        s->boost = HD_NO_THREAD;
    for (u32 w = 0; w < words; w++)
        s->cand[w] = 0;
    hd_bit_set(s->cand, t);
    return true;
}

u32 hd_spin_candidates(struct hd_sched *s)
{
    u32 words = hd_words(s), n = 0;
    if (HD_LIKELY(!s->n_yielded)) {
        for (u32 w = 0; w < words; w++)
            n += hd_ones(s->cand[w] = s->enabled[w]);
    } else {
        if (is_round_over(s, words))
            for (u32 w = 0; w < words; w++)
                for (u64 x = s->enabled[w] & s->yielded[w]; x; x &= x - 1)
                    hd_spin_clear(s, (u16)(w * 64 + (u32)__builtin_ctzll(x)));
        for (u32 w = 0; w < words; w++)
            n += hd_ones(s->cand[w] = s->enabled[w] & ~s->yielded[w]);
    }
    if (s->cfg.spin_limit) {
        if (HD_UNLIKELY((s->step & HD_SPIN_CHECK) == HD_SPIN_CHECK))
            find_starved(s);
        if (HD_UNLIKELY(s->boost != HD_NO_THREAD) && n && take_boosted(s, words))
            return 1;
    }
    return n;
}
