/* sleep100.c: random sleeps of up to 100 ms, of virtual time. See noise.h. */
#include "strategy/noise/noise.h"

static void sleep100_start(void *state, const struct hd_strategy_arg *arg)
{
    hd_noise_start(state, arg, 100 * 1000000ull);
}

const struct hd_strategy hd_strategy_sleep100 = {
    .name = "sleep100",
    .doc = "the same, up to 100 ms",
    .param_name = "percent",
    .param_default = 30,
    .state_size = sizeof(struct hd_noise),
    .is_fair = true,
    .is_seeded = true,
    .start = sleep100_start,
    .pick = hd_noise_pick,
    .stepped = hd_noise_stepped,
};
