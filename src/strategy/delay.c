/* delay.c: random delays (the RandDelay and noise makers that Maple and TSA
 * compare with). Non-preemptive: whoever runs goes on, until chance (param
 * percent per choice) puts it to sleep for a random number of steps.
 *
 * Deviation: delays are counted in steps, not in time, so they cost nothing
 * and repeat exactly. Their length has a random order of magnitude (1 to 256),
 * because nobody knows how far away the access is that should slip in. When
 * everybody who could run sleeps, the one that would wake first goes.
 */
#include "strategy/strategy.h"

enum { LONGEST_LOG2 = 8 };

struct hd_delay {
    struct hd_rng rng;
    u64 percent;
    u64 until[HD_MAX_THREADS]; /* sleeps while view step < until */
};

static void delay_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_delay *s = state;
    s->rng = arg->rng;
    s->percent = HD_MIN(arg->param, 100);
}

/* One of the enabled that are awake, at random. */
static u32 anyone(struct hd_delay *s, const struct hd_view *v)
{
    u32 n = 0, first = HD_NO_THREAD;
    u64 earliest = ~(u64)0;
    HD_BITS_EACH(t, v->enabled, v->words) {
        n += s->until[t] <= v->step;
        if (first == HD_NO_THREAD || s->until[t] < earliest) {
            first = t;
            earliest = s->until[t];
        }
    }
    if (n < 2)
        return first; /* the only one awake, or nobody is */
    u64 k = hd_rng_below(&s->rng, n);
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (s->until[t] <= v->step && k-- == 0)
            return t;
    }
    HD_BUG("fewer awake than counted");
}

static u32 delay_pick(void *state, const struct hd_view *v)
{
    struct hd_delay *s = state;
    u32 now = v->current;
    if (now != HD_NO_THREAD && s->until[now] <= v->step && hd_bit_is_set(v->enabled, now)) {
        if (HD_LIKELY(!hd_rng_chance(&s->rng, s->percent, 100)))
            return now;
        u64 most = (u64)1 << hd_rng_below(&s->rng, LONGEST_LOG2 + 1);
        s->until[now] = v->step + 1 + hd_rng_below(&s->rng, most);
    }
    return anyone(s, v);
}

const struct hd_strategy hd_strategy_delay = {
    .name = "delay",
    .doc = "non-preemptive, but threads are put to sleep at random points",
    .param_name = "percent",
    .param_default = 5,
    .state_size = sizeof(struct hd_delay),
    .is_fair = true,
    .is_seeded = true,
    .start = delay_start,
    .pick = delay_pick,
};
_Static_assert(sizeof(struct hd_delay) <= 8 * HD_STRATEGY_WORDS, "state");
