/* vtime.c: virtual time (docs/design/time.md). The clock moves a little with every
 * transition, faster while a thread only waits by looping or reads the clock, to a
 * deadline when nobody can run before it (choice.c), to a deadline that is chosen to
 * come early, and with real time where the runtime says so (a choice in the log). It
 * moves for everybody: all earlier deadlines pass as well, so that no order of
 * timeouts is seen that slow execution could not have made, and a timed wait never
 * ends before its time on the clock.
 *
 * s->timed holds the threads whose deadline is to come; s->next_deadline is
 * not later than the earliest, so that the common step costs one comparison.
 */
#include "sched/internal.h"

#define HD_FREE_READS 16            /* of the clock, at normal pace */
#define HD_READS_BURST 16           /* from then on, others get a turn after so many */
#define HD_PACE 100                 /* microseconds a read may take */
#define HD_MAX_PACE 1000000
#define HD_SEARCH_PACE 64           /* search: rounds of a loop before time passes at all */
#define HD_US 1000ll
/* Longer delays are rare, as they are on a loaded machine: in proportion to their
 * length, but for at least one in HD_RARE. */
#define HD_COMMON 250000000ll
#define HD_RARE 16
/* After so many the chance is half of what it was, and so on: a thread that sleeps for a
 * millisecond again and again would otherwise be what a long run is busy with. */
#define HD_EARLY_HALF 16

bool hd_vtime_is_timed(const struct hd_op *op)
{
    if (op->deadline == HD_NEVER)
        return false;
    if (op->flags & HD_OP_TIMED || op->kind == HD_EV_SLEEP)
        return true;
    return (op->kind == HD_EV_IO || op->kind == HD_EV_SIGWAIT) && op->deadline > 0;
}

void hd_vtime_arm(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->op.deadline <= s->now) {
        th->timed_out = true;
        return;
    }
    s->has_far |= th->op.deadline - s->now > s->cfg.max_delay;
    hd_bit_set(s->timed, t);
    s->n_timed++;
    s->next_deadline = HD_MIN(s->next_deadline, th->op.deadline);
}

void hd_vtime_disarm(struct hd_sched *s, u16 t)
{
    if (!s->n_timed || !hd_bit_is_set(s->timed, t))
        return;
    hd_bit_clear(s->timed, t);
    if (!--s->n_timed)
        s->next_deadline = HD_NEVER;
}

s64 hd_vtime_earliest(const struct hd_sched *s)
{
    s64 first = HD_NEVER;
    if (s->n_timed)
        HD_BITS_EACH(t, s->timed, hd_words(s))
            first = HD_MIN(first, s->thread[t].op.deadline);
    return first;
}

void hd_vtime_expire(struct hd_sched *s)
{
    u32 words = hd_words(s);
    s64 next = HD_NEVER;
    for (u32 w = 0; w < words; w++)
        for (u64 x = s->timed[w]; x; x &= x - 1) {
            u16 t = (u16)(w * 64 + (u32)__builtin_ctzll(x));
            struct hd_sthread *th = &s->thread[t];
            if (th->op.deadline > s->now) {
                next = HD_MIN(next, th->op.deadline);
                continue;
            }
            th->timed_out = true;
            hd_bit_clear(s->timed, t);
            s->n_timed--;
            hd_refresh(s, t);
        }
    s->next_deadline = next;
}

void hd_sched_clock_jump(struct hd_sched *s, s64 when)
{
    if (when <= s->now)
        return;
    s->now = when;
    if (s->now >= s->next_deadline)
        hd_vtime_expire(s);
}

/* ---- who is late --------------------------------------------------------------- */

/* Could run, and does more than wait by looping for `ns`. A loop that seems to wait may be work that
 * looks at a flag: for a moment it makes no difference, for half a minute it would have come to its end. */
static bool is_held_back(const struct hd_sched *s, u16 t, s64 ns)
{
    bool is_waiting = hd_bit_is_set(s->yielded, t) && s->thread[t].spin.is_waiting;
    return hd_bit_is_set(s->enabled, t) && !(is_waiting && ns <= HD_COMMON);
}

/* How long t is held back in all if the clock goes to `when`: since its last operation if
 * it can go on, else since the end of its own wait. */
static s64 held_at(const struct hd_sched *s, u16 t, s64 when)
{
    const struct hd_sthread *th = &s->thread[t];
    if (is_held_back(s, t, when - s->now))
        return when - s->now + (th->held_points == th->points ? th->held_ns : 0);
    return hd_bit_is_set(s->timed, t) ? HD_MAX(when - th->op.deadline, 0) : 0;
}

/* Would the clock run ahead of somebody who runs in real time, if it went to `when`? Of
 * a child, of a peer whose time is limited, or of whatever everybody waits for. */
static bool is_ahead(const struct hd_sched *s, s64 when)
{
    bool is_idle = s->n_io + s->n_blocked_outside != 0;
    if (s->env.has_children && s->env.has_children(s->env.self))
        return true;
    HD_BITS_EACH(t, s->timed, hd_words(s))
        if ((s->thread[t].op.flags & HD_OP_EXTERNAL) && s->thread[t].op.deadline <= when)
            return true;
    HD_BITS_EACH(t, s->enabled, hd_words(s))
        is_idle = is_idle && hd_bit_is_set(s->yielded, t);
    return is_idle;
}

void hd_vtime_hold(struct hd_sched *s, s64 ns, u16 waiter)
{
    struct hd_held_back most = {.ns = s->delay.ns};
    u16 n = 0;
    for (u32 w = 0; w < hd_words(s); w++)
        for (u64 x = s->enabled[w] | s->timed[w]; x; x &= x - 1) {
            u16 t = (u16)(w * 64 + (u32)__builtin_ctzll(x));
            struct hd_sthread *th = &s->thread[t];
            s64 late = held_at(s, t, s->now + ns);
            if (late <= 0)
                continue;
            th->held_ns = late;
            th->held_points = th->points;
            n++;
            if (late > most.ns)
                most = (struct hd_held_back){.ns = late, .from = th->points ? th->last_site : 0,
                                             .to = th->op.kind == HD_EV_START ? 0 : th->op.site,
                                             .step = s->step, .tid = t};
        }
    if (most.ns <= s->delay.ns)
        return;
    most.others = (u16)(n - 1);
    most.waiter = waiter;
    if (waiter != HD_NO_THREAD) {
        most.waiter_site = s->thread[waiter].op.site;
        most.is_sleep = s->thread[waiter].op.kind == HD_EV_SLEEP;
    }
    s->delay = most;
}

/* ---- moves that are choices of their own --------------------------------------- */

static void log_amount(struct hd_sched *s, u8 kind, u16 t, u32 us, u64 site)
{
    struct hd_log *l = s->log;
    struct hd_choice *last = l->n ? &l->choice[l->n - 1] : NULL;
    if (last && last->kind == kind && last->tid == t && kind == HD_CHOICE_CLOCK &&
        us <= ~0u - last->count) {
        last->count += us;
        return;
    }
    hd_choice_log_amount(s, kind, t, us, site);
}

static void move(struct hd_sched *s, u8 kind, u16 t, s64 ns)
{
    s64 from = s->now - s->passed_ns; /* where a replay is: who slept has not been picked yet */
    s64 us = (ns + s->passed_ns + HD_US - 1) / HD_US;
    s->passed_ns = 0;
    do {
        u32 part = (u32)HD_MIN(us, (s64)~0u);
        log_amount(s, kind, t, part, s->thread[t].op.site);
        from += part * HD_US;
        hd_sched_clock_jump(s, from);
        us -= part;
        kind = HD_CHOICE_CLOCK;
    } while (us > 0);
}

bool hd_sched_is_followed(const struct hd_sched *s)
{
    return s->script.strict && hd_choice_has_script(s);
}

void hd_sched_clock_move(struct hd_sched *s, s64 when)
{
    if (when > s->now && !hd_sched_is_followed(s))
        move(s, HD_CHOICE_CLOCK, s->last, when - s->now);
}

void hd_sched_stopped(struct hd_sched *s, u16 t, s64 ns)
{
    hd_spin_stopped(s, t);
    if (!hd_sched_is_followed(s) && !hd_sched_wants_stop(s, t))
        move(s, HD_CHOICE_STOP, t, HD_MAX(ns, HD_US));
}

s64 hd_sched_wants_stop(const struct hd_sched *s, u16 t)
{
    if (!hd_choice_has_script(s))
        return 0;
    const struct hd_choice *c = &s->script.choice[s->script_pos];
    return c->kind == HD_CHOICE_STOP && c->tid == t ? HD_MAX(c->count, 1u) * HD_US : 0;
}

/* By how much a loose script moves the clock where the record has `ns`. It was for a timer that came
 * early, and is again, also if there are fewer steps before it now: one that fell short would let the
 * timer come a few steps later, as if nobody had been late for it. Else real time passed, which takes its
 * own time again. */
static s64 loose_move(struct hd_sched *s, s64 ns)
{
    s64 first = HD_MIN(s->timer, hd_vtime_earliest(s));
    if (is_ahead(s, s->now + ns) || first == HD_NEVER || first - s->now > 2 * ns)
        return 0;
    return HD_MAX(first - s->now, ns);
}

void hd_vtime_follow(struct hd_sched *s)
{
    while (hd_choice_has_script(s)) {
        const struct hd_choice *c = &s->script.choice[s->script_pos];
        if (!hd_choice_is_amount(c->kind))
            break;
        u16 t = c->tid < s->n_threads ? c->tid : 0;
        u8 kind = c->kind;
        s64 ns = c->count * HD_US;
        hd_script_next(s); /* *c may be another one now */
        if (!s->script.strict && kind == HD_CHOICE_CLOCK)
            ns = loose_move(s, ns);
        else if (!s->script.strict && is_ahead(s, s->now + ns))
            ns = 0; /* what is real now takes its own time */
        if (!ns)
            continue;
        bool is_due = HD_MIN(s->timer, hd_vtime_earliest(s)) <= s->now + ns;
        if (kind == HD_CHOICE_CLOCK && is_due) /* else real time passed, and nobody was late for anything */
            hd_vtime_hold(s, ns, HD_NO_THREAD);
        move(s, kind, t, ns);
    }
}

/* ---- early timeouts ------------------------------------------------------------- */

/* May the clock go to `when` although others can run? */
static bool may_come(struct hd_sched *s, s64 when)
{
    s64 late = 0;
    if (is_ahead(s, when))
        return false;
    for (u32 w = 0; w < hd_words(s); w++)
        for (u64 x = s->enabled[w] | s->timed[w]; x; x &= x - 1)
            late = HD_MAX(late, held_at(s, (u16)(w * 64 + (u32)__builtin_ctzll(x)), when));
    s->has_far |= late > s->cfg.max_delay;
    return late <= s->cfg.max_delay;
}

bool hd_vtime_is_near(const struct hd_sched *s, u16 t)
{
    const struct hd_op *op = &s->thread[t].op;
    return op->deadline - s->now <= s->cfg.max_delay && !(op->flags & HD_OP_EXTERNAL);
}

bool hd_vtime_may_overtake(const struct hd_sched *s, u16 t)
{
    s64 when = s->thread[t].op.deadline;
    return when <= s->timer && !is_ahead(s, when);
}

void hd_vtime_overtake(struct hd_sched *s, u16 t)
{
    hd_vtime_hold(s, s->thread[t].op.deadline - s->now, t);
    hd_sched_clock_jump(s, s->thread[t].op.deadline);
}

/* Is a delay that long to be tried now? */
static bool is_common(struct hd_sched *s, s64 ns)
{
    if (ns <= HD_COMMON || s->cfg.is_slow)
        return true;
    return hd_rng_below(&s->rng, HD_MIN((u64)(ns / HD_COMMON) + 1, (u64)HD_RARE)) == 0;
}

void hd_vtime_early(struct hd_sched *s)
{
    u32 halved = HD_MIN(s->n_early / HD_EARLY_HALF, 16u);
    if (!hd_rng_chance(&s->rng, s->cfg.early_per_1024, 1024u << halved))
        return;
    u32 n = 0;
    u16 chosen = HD_NO_THREAD;
    HD_BITS_EACH(t, s->timed, hd_words(s)) {
        if (hd_bit_is_set(s->enabled, t))
            continue;
        s->has_far |= !hd_vtime_is_near(s, (u16)t);
        if (hd_vtime_is_near(s, (u16)t) && hd_rng_below(&s->rng, ++n) == 0)
            chosen = (u16)t; /* each with the same chance */
    }
    s64 when = chosen != HD_NO_THREAD ? s->thread[chosen].op.deadline : HD_NEVER;
    if (s->timer < when) { /* the runtime's comes first, or it alone */
        if (s->env.has_watchdog && s->env.has_watchdog(s->env.self))
            return; /* that it ends a program which is slow enough says nothing */
        when = s->timer;
        chosen = HD_NO_THREAD;
    }
    if (when == HD_NEVER || !may_come(s, when) || !is_common(s, when - s->now))
        return;
    s->n_early++;
    if (chosen == HD_NO_THREAD) {
        hd_vtime_hold(s, when - s->now, HD_NO_THREAD);
        move(s, HD_CHOICE_CLOCK, s->last, when - s->now);
    } else {
        hd_choice_log(s, HD_CHOICE_TIMEOUT, chosen, s->thread[chosen].op.site);
        hd_vtime_overtake(s, chosen);
    }
}

static u16 first_near(struct hd_sched *s)
{
    u16 first = HD_NO_THREAD;
    HD_BITS_EACH(t, s->timed, hd_words(s))
        if (!hd_bit_is_set(s->enabled, t) && hd_vtime_is_near(s, (u16)t) &&
            s->thread[t].op.deadline <= s->timer &&
            (first == HD_NO_THREAD || s->thread[t].op.deadline < s->thread[first].op.deadline))
            first = (u16)t;
    if (first != HD_NO_THREAD && !may_come(s, s->thread[first].op.deadline))
        return HD_NO_THREAD;
    return first;
}

bool hd_vtime_can_hurry(struct hd_sched *s) { return first_near(s) != HD_NO_THREAD; }

void hd_vtime_hurry(struct hd_sched *s)
{
    u16 t = first_near(s);
    s->thread[t].is_hurried = true;
    hd_choice_log(s, HD_CHOICE_TIMEOUT, t, s->thread[t].op.site);
    hd_vtime_overtake(s, t);
}

/* ---- waiting by looping ----------------------------------------------------------- */

void hd_vtime_no_progress(struct hd_sched *s, u16 t, u32 steps, u32 most)
{
    s64 first = HD_MIN(s->next_deadline, s->timer);
    u32 pace = HD_MIN(s->thread[t].pace, most);
    s->thread[t].pace += s->thread[t].pace < HD_MAX_PACE;
    if (s->is_beside_real) {
        s->real_spins++;
        return;
    }
    if (first == HD_NEVER || (s->cfg.is_search && s->thread[t].pace < HD_SEARCH_PACE))
        return;
    s->now = HD_MAX(s->now, HD_MIN(s->now + (s64)pace * steps * HD_US, first));
}

/* Every read is an entry of the log: a script says by how much the clock moved. */
static void read_beside_real(struct hd_sched *s, u16 t, s64 real)
{
    s64 ns = HD_MAX(real - s->now, HD_US);
    if (hd_choice_has_script(s)) {
        const struct hd_choice *c = &s->script.choice[s->script_pos];
        bool is_next = c->kind == HD_CHOICE_READ && c->tid == t;
        if (s->script.strict)
            ns = is_next ? c->count * HD_US : 0;
        if (is_next)
            hd_script_next(s);
    }
    if (ns)
        move(s, HD_CHOICE_READ, t, ns);
    s->real_spins++;
}

/* The first reads in a row cost a step each; from then on every read takes a little
 * longer than the one before. Not longer than HD_PACE: there may be work between two
 * reads that nobody sees. */
s64 hd_sched_clock_read(struct hd_sched *s, u16 t, s64 real, bool *is_due)
{
    struct hd_sthread *th = &s->thread[t];
    if (HD_UNLIKELY(s->is_beside_real)) {
        *is_due = ++th->clock_reads % HD_READS_BURST == 0;
        read_beside_real(s, t, real);
        return s->now;
    }
    u32 n = th->clock_reads++;
    s->livelock.is_spoiled = true; /* time is no part of the state */
    s64 leap = HD_MAX(s->cfg.step_ns, 1);
    *is_due = false;
    if (n >= HD_FREE_READS) {
        leap = HD_MIN(n - HD_FREE_READS + 1, (u32)HD_PACE) * HD_US;
        *is_due = n % HD_READS_BURST == 0 || s->now + leap >= HD_MIN(s->next_deadline, s->timer);
    }
    s->now += leap;
    return s->now;
}
