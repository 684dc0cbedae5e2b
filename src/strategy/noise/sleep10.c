/* sleep10.c: random sleeps of up to 10 ms, of virtual time. See noise.h. */
#include "strategy/noise/noise.h"

static void sleep10_start(void *state, const struct hd_strategy_arg *arg)
{
    hd_noise_start(state, arg, 10 * 1000000ull);
}

const struct hd_strategy hd_strategy_sleep10 = {
    .name = "sleep10",
    .doc = "threads run freely, but at random sleep up to 10 ms before synchronization",
    .param_name = "percent",
    .param_default = 30,
    .state_size = sizeof(struct hd_noise),
    .is_fair = true,
    .is_seeded = true,
    .start = sleep10_start,
    .pick = hd_noise_pick,
    .stepped = hd_noise_stepped,
};
