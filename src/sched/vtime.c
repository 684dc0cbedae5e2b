/* vtime.c: virtual time. The clock moves a little with every transition, to a
 * deadline when nobody can run before it (choice.c), and to a deadline that is
 * chosen to come early. It moves for everybody: all earlier deadlines pass as
 * well, so that no order of timeouts is seen that slow execution could not
 * have made, and a timed wait never ends before its time on the clock.
 *
 * s->timed holds the threads whose deadline is to come; s->next_deadline is
 * not later than the earliest, so that the common step costs one comparison.
 */
#include "sched/internal.h"

#define HD_FREE_READS 16            /* of the clock, at normal pace */
#define HD_MAX_LEAP 1000000000ll    /* ns one read may move it */
/* Only waits about to end anyway fire early: that other threads are slow by so
 * much happens on a loaded machine; a timeout of many seconds is there to say
 * that something is broken, and firing it would cry wolf. */
#define HD_EARLY_WITHIN 250000000ll
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

void hd_vtime_fire(struct hd_sched *s, u16 t)
{
    hd_sched_clock_jump(s, s->thread[t].op.deadline);
}

bool hd_vtime_is_near(const struct hd_sched *s, u16 t)
{
    return s->thread[t].op.deadline - s->now <= HD_EARLY_WITHIN;
}

void hd_vtime_early(struct hd_sched *s)
{
    u32 halved = HD_MIN(s->n_early / HD_EARLY_HALF, 16u);
    if (!hd_rng_chance(&s->rng, s->cfg.early_per_1024, 1024u << halved))
        return;
    u32 n = 0;
    u16 chosen = HD_NO_THREAD;
    HD_BITS_EACH(t, s->timed, hd_words(s)) {
        if (hd_bit_is_set(s->enabled, t) || !hd_vtime_is_near(s, (u16)t))
            continue;
        if (hd_rng_below(&s->rng, ++n) == 0) /* each with the same chance */
            chosen = (u16)t;
    }
    if (chosen == HD_NO_THREAD || s->thread[chosen].op.deadline > s->timer)
        return; /* the runtime's timer would come first */
    hd_choice_log(s, HD_CHOICE_TIMEOUT, chosen, s->thread[chosen].op.site);
    s->n_early++;
    hd_vtime_fire(s, chosen);
}

static u16 first_near(const struct hd_sched *s)
{
    u16 first = HD_NO_THREAD;
    HD_BITS_EACH(t, s->timed, hd_words(s))
        if (!hd_bit_is_set(s->enabled, t) && hd_vtime_is_near(s, (u16)t) &&
            s->thread[t].op.deadline <= s->timer &&
            (first == HD_NO_THREAD || s->thread[t].op.deadline < s->thread[first].op.deadline))
            first = (u16)t;
    return first;
}

bool hd_vtime_can_hurry(const struct hd_sched *s) { return first_near(s) != HD_NO_THREAD; }

void hd_vtime_hurry(struct hd_sched *s)
{
    u16 t = first_near(s);
    hd_choice_log(s, HD_CHOICE_TIMEOUT, t, s->thread[t].op.site);
    hd_vtime_fire(s, t);
}

/* The first reads in a row cost a step each; from then on every read doubles
 * the leap, so that a loop until any time ends after a few dozen reads. */
s64 hd_sched_clock_read(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    u32 n = th->clock_reads++;
    s64 leap = HD_MAX(s->cfg.step_ns, 1);
    if (n >= HD_FREE_READS)
        leap = n - HD_FREE_READS < 30 ? leap << (n - HD_FREE_READS) : HD_MAX_LEAP;
    s->now += HD_MIN(leap, HD_MAX_LEAP);
    return s->now;
}
