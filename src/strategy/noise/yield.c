/* yield.c: random yields. See noise.h. */
#include "strategy/noise/noise.h"

static void yield_start(void *state, const struct hd_strategy_arg *arg)
{
    hd_noise_start(state, arg, 0);
}

const struct hd_strategy hd_strategy_yield = {
    .name = "yield",
    .doc = "threads run freely, but at random step back before synchronization",
    .param_name = "percent",
    .param_default = 30,
    .state_size = sizeof(struct hd_noise),
    .is_fair = true,
    .is_seeded = true,
    .start = yield_start,
    .pick = hd_noise_pick,
    .stepped = hd_noise_stepped,
};
