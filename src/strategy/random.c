/* random.c: random walk: every enabled thread is equally likely at every point.
 *
 * The yardstick for all others. Cheap, no assumption, fair; but an order that
 * needs one thread to win m times in a row has chance 2^-m.
 */
#include "strategy/strategy.h"

struct hd_random {
    struct hd_rng rng;
};

static void random_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_random *s = state;
    s->rng = arg->rng;
}

static u32 random_pick(void *state, const struct hd_view *v)
{
    struct hd_random *s = state;
    return hd_bits_nth(v->enabled, v->words, (u32)hd_rng_below(&s->rng, v->n_enabled));
}

const struct hd_strategy hd_strategy_random = {
    .name = "random",
    .doc = "uniform random walk",
    .state_size = sizeof(struct hd_random),
    .is_fair = true,
    .is_seeded = true,
    .start = random_start,
    .pick = random_pick,
};
