/* burst.c: one thread goes on for a while, then any other. How long is drawn for each run:
 * after every step the thread is left with probability 1/2, 1/4, ... or 1/32. So some runs
 * switch nearly always, as a random walk does, and some hand whole functions from thread to
 * thread, which a random walk hardly ever does; both matter where a run goes on from a state
 * that a recorded one reached (plan/corpus/corpus.h). burst=N: always 1/2^N.
 */
#include "strategy/strategy.h"

enum { SHORTEST = 1, LONGEST = 5 };

struct hd_burst {
    struct hd_rng rng;
    u64 mask;      /* a thread is left when these bits of a draw are 0 */
    bool is_begun;
};

static void burst_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_burst *s = state;
    s->rng = arg->rng;
    u64 bits = arg->param ? HD_MIN(arg->param, (u64)32)
                          : SHORTEST + hd_rng_below(&s->rng, LONGEST - SHORTEST + 1);
    s->mask = ((u64)1 << bits) - 1;
}

static u32 burst_pick(void *state, const struct hd_view *v)
{
    struct hd_burst *s = state;
    bool stays = s->is_begun && v->current != HD_NO_THREAD && hd_rng_next(&s->rng) & s->mask;
    s->is_begun = true; /* the first pick, which may be where a script ends, is anybody's */
    if (stays)
        return v->current;
    return hd_bits_nth(v->enabled, v->words, (u32)hd_rng_below(&s->rng, v->n_enabled));
}

const struct hd_strategy hd_strategy_burst = {
    .name = "burst",
    .doc = "one thread for a while, then any; how long is drawn for each run",
    .param_name = "bits",
    .param_default = 0,
    .state_size = sizeof(struct hd_burst),
    .is_fair = true,
    .is_seeded = true,
    .start = burst_start,
    .pick = burst_pick,
};
